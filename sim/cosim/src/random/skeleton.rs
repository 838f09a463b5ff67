//! What random programs of all sets share: branches that rejoin, loops, calls and exits at random around pieces of
//! straight-line code, until the program memory is full or the aim is reached. A set makes the instructions: [`Set`].

use super::limits::Limits;
use super::shape::Shape;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use warpsmith_model::Launch;

/// A program under construction.
pub trait Program: Default {
    /// A place in it.
    type Label: Copy;
    /// Bytes so far.
    fn bytes(&self) -> u32;
    /// A label to be placed later.
    fn label(&mut self) -> Self::Label;
    /// Places a label at the next instruction.
    fn place(&mut self, label: Self::Label);
}

/// How a loop ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Threads leave it by a break.
    Break,
    /// The same, and threads go on to the next turn early.
    Continue,
    /// Threads leave it by not branching back.
    Back,
    /// Threads leave it, or rest to the end of a turn, by levels of the mask.
    Mask,
}

impl Loop {
    /// Entries of the divergence stack that are in use inside.
    fn entries(self) -> u32 {
        match self {
            Loop::Break => 1,
            Loop::Continue => 2,
            Loop::Back => 5,
            Loop::Mask => 0,
        }
    }
}

/// Turns of a loop.
pub enum Turns {
    /// As many for all threads.
    Fixed(u32),
    /// One more than a masked register: the number of the thread, or a data register.
    Masked { thread: bool, mask: u32 },
}

/// Where code is being generated.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Entries of the divergence stack that may be in use; levels of the mask inside the innermost loop.
    pub stack: u32,
    /// Nesting of structures.
    pub nest: u32,
    /// Next free loop counter, 0 to 3 (3: none).
    pub counter: u8,
    /// Call level: 0 main.
    pub level: u32,
    /// A loop that a break leaves is open in this function.
    pub breaks: bool,
    /// A loop whose turn can be cut short is open in this function.
    pub continues: bool,
    /// Times the code runs, roughly.
    pub times: f64,
}

impl Place {
    /// Outside all structures.
    pub const MAIN: Place =
        Place { stack: 0, nest: 0, counter: 0, level: 0, breaks: false, continues: false, times: 1.0 };

    fn inside(self, entries: u32, times: f64) -> Place {
        Place { stack: self.stack + entries, nest: self.nest + 1, times: self.times * times, ..self }
    }

    fn in_loop(self, kind: Loop) -> Place {
        let inside = self.inside(kind.entries(), 2.5);
        Place {
            stack: if kind == Loop::Mask { 0 } else { inside.stack },
            counter: self.counter + 1,
            breaks: self.breaks || kind != Loop::Back,
            continues: self.continues || matches!(kind, Loop::Continue | Loop::Mask),
            ..inside
        }
    }
}

/// A label of a set's programs.
pub type Label<S> = <<S as Set>::Code as Program>::Label;

/// A set's part of the generator, and what it keeps in mind.
pub trait Set: Sized {
    /// Sizes drawn for one program.
    type Layout;
    /// The program under construction.
    type Code: Program;
    /// Number of a register.
    type Register: Copy;
    /// Bytes of the program's end, and of a function.
    const BYTES: [u32; 2];

    /// Draws the sizes of a program of about `size` warp instructions.
    fn start(rng: ChaCha8Rng, limits: &Limits, size: u32) -> Gen<'_, Self>;
    /// Sets up everything the rest of the program relies on.
    fn prologue(g: &mut Gen<Self>);
    /// Stores data registers to the thread's own memory, then ends.
    fn epilogue(g: &mut Gen<Self>);
    /// The launch of the finished program, and its memories.
    fn finish(g: Gen<Self>) -> Launch;

    /// One random instruction of a row.
    fn append(g: &mut Gen<Self>, row: usize);
    /// Now and then loads what an instruction of a float row needs; rows of others that take it too.
    fn refresh(g: &mut Gen<Self>, row: usize) -> Vec<usize>;
    /// One random load or store, with what its address needs.
    fn access(g: &mut Gen<Self>);
    /// Ends a piece of straight-line code.
    fn settle(_: &mut Gen<Self>) {}
    /// Now and then warps of a block meet, outside all structures.
    fn meet(g: &mut Gen<Self>);
}

/// What a set makes of structured control flow.
pub trait Flow: Set {
    /// What the beginning of a branch or loop leaves for its end.
    type Open;

    /// Entries of the divergence stack that a function of level 1 may use, and one of level 2.
    const FUNCTION: [u32; 2];
    /// Entries of the divergence stack that no structure uses; `None`: structures do not use it.
    const SPARE: Option<u32>;
    /// Entries of the divergence stack that are in use inside a branch.
    const BRANCH: u32;
    /// There are functions.
    const CALLS: bool = true;
    /// Loops, the frequent ones several times.
    const LOOPS: &'static [Loop];

    /// A branch, up to its first side; `at` is inside.
    fn open_branch(g: &mut Gen<Self>, at: &mut Place, two: bool) -> Self::Open;
    /// Between the sides of a branch.
    fn other_side(g: &mut Gen<Self>, open: &Self::Open);
    /// Where all threads of a branch rejoin.
    fn close_branch(g: &mut Gen<Self>, open: Self::Open, two: bool);
    /// A side of a branch.
    fn side(g: &mut Gen<Self>, at: Place) {
        g.item(at);
    }
    /// Sets the counter of a loop.
    fn count(g: &mut Gen<Self>, counter: u8, turns: Turns) -> Self::Register;
    /// A loop, up to its body.
    fn open_loop(g: &mut Gen<Self>, kind: Loop, counter: Self::Register) -> Self::Open;
    /// Some threads leave a loop, or its turn, early; `at` is inside.
    fn leave_loop(g: &mut Gen<Self>, at: Place, kind: Loop);
    /// The end of a loop: counts down, and goes back.
    fn close_loop(g: &mut Gen<Self>, kind: Loop, counter: Self::Register, open: Self::Open);
    /// Some threads leave a structure, a function or the program early, or another piece of control flow.
    fn leave(g: &mut Gen<Self>, at: Place);

    /// A call of a function of the next level, if there is one.
    fn call(g: &mut Gen<Self>, to: Option<Label<Self>>);
    /// The beginning of a function.
    fn enter(_: &mut Gen<Self>, _level: u32) {}
    /// The return of all threads, or of some.
    fn ret(g: &mut Gen<Self>, level: u32, some: bool);
}

/// A program being generated.
pub struct Gen<'a, S: Set> {
    /// Where all choices come from.
    pub rng: ChaCha8Rng,
    /// What the program may use.
    pub limits: &'a Limits,
    /// Sizes of grid and block.
    pub shape: Shape,
    /// All other sizes.
    pub layout: S::Layout,
    /// The program so far.
    pub code: S::Code,
    /// Rows for straight-line code, the float ones among them, and those that add or multiply; frequent ones several
    /// times.
    pub plain: Vec<usize>,
    pub floats: Vec<usize>,
    pub arithmetic: Vec<usize>,
    /// Registers written last.
    pub recent: [S::Register; 4],
    /// Registers loaded for the next instructions, and which the next operand takes.
    pub wanted: Vec<S::Register>,
    pub turn: usize,
    /// Functions: label and call level.
    functions: Vec<(Label<S>, u32)>,
    /// Estimate of a warp's instructions so far, and the aim.
    pub cost: f64,
    aim: f64,
    /// What else the set keeps in mind.
    pub own: S,
}

/// The program of a seed: about `size` warp instructions executed over all warps.
pub fn program<S: Flow>(rng: ChaCha8Rng, limits: &Limits, size: u32) -> Launch {
    let mut g = S::start(rng, limits, size);
    S::prologue(&mut g);
    g.main();
    g.functions_out();
    let Shape { block, grid, .. } = g.shape;
    Launch { block, grid, ..S::finish(g) }
}

impl<'a, S: Flow> Gen<'a, S> {
    /// A program without instructions.
    pub fn new(
        rng: ChaCha8Rng, limits: &'a Limits, size: u32, (shape, layout): (Shape, S::Layout),
        [plain, floats, arithmetic]: [Vec<usize>; 3], recent: [S::Register; 4], own: S,
    ) -> Self {
        Gen {
            rng,
            limits,
            shape,
            layout,
            code: S::Code::default(),
            plain,
            floats,
            arithmetic,
            recent,
            wanted: vec![],
            turn: 0,
            functions: vec![],
            cost: 0.0,
            aim: f64::from(size) / f64::from(shape.warps() * shape.blocks()),
            own,
        }
    }

    /// Whether the end and the functions need the rest of the program memory.
    pub fn full(&self) -> bool {
        let [end, function] = S::BYTES;
        self.code.bytes() + end + function * self.functions.len() as u32 > self.limits.program_bytes
    }

    /// The same inside a function, whose bytes were set aside.
    fn crowded(&self) -> bool {
        self.code.bytes() + 340 > self.limits.program_bytes
    }

    /// Whether so many entries of the divergence stack are free.
    pub fn room(&self, at: Place, entries: u32) -> bool {
        S::SPARE.is_none_or(|spare| at.stack + entries + spare <= self.limits.stack_depth)
    }

    /// An element of a list that is not empty.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.gen_range(0..of.len())]
    }

    /// The main program between prologue and end.
    fn main(&mut self) {
        if S::CALLS && !self.full() {
            for level in [1, 1, 2] {
                if self.rng.gen() {
                    let label = self.code.label();
                    self.functions.push((label, level));
                }
            }
        }
        loop {
            self.item(Place::MAIN);
            S::meet(self);
            if self.full() || self.cost >= self.aim {
                break;
            }
        }
        S::epilogue(self);
    }

    /// The functions' bodies.
    fn functions_out(&mut self) {
        for i in 0..self.functions.len() {
            let (label, level) = self.functions[i];
            self.code.place(label);
            let stack = self.limits.stack_depth.saturating_sub(S::FUNCTION[level as usize - 1]);
            let at = Place { stack, nest: 2, counter: 1 + level as u8, level, ..Place::MAIN };
            S::enter(self, level);
            self.piece(at, 2, 6);
            if level == 1 && !self.crowded() {
                self.item(at);
            }
            if self.rng.gen() {
                S::ret(self, level, true);
                self.piece(at, 1, 4);
            }
            S::ret(self, level, false);
        }
    }

    /// Straight-line code, and mostly a structure behind it.
    pub fn item(&mut self, at: Place) {
        self.piece(at, 2, 9);
        if self.full() || at.nest >= 4 {
            return;
        }
        match self.rng.gen_range(0..12) {
            0..=2 => self.branch(at, true),
            3..=4 => self.branch(at, false),
            5..=7 => self.repeat(at),
            8..=9 => self.call(at),
            _ => S::leave(self, at),
        }
    }

    /// Straight-line code.
    pub fn piece(&mut self, at: Place, least: u32, most: u32) {
        let reserve = if at.level == 0 { S::BYTES[0] - 40 } else { 160 };
        for _ in 0..self.rng.gen_range(least..=most) {
            if self.code.bytes() + reserve > self.limits.program_bytes {
                break;
            }
            let before = self.cost;
            match self.rng.gen_bool(0.17) {
                true => S::access(self),
                false => self.straight(),
            }
            self.cost = before + (self.cost - before) * at.times;
        }
        S::settle(self);
    }

    /// One instruction of any row, or a few of float rows with what they need.
    fn straight(&mut self) {
        let rows = match self.rng.gen_range(0..4) {
            0 if !self.arithmetic.is_empty() => &self.arithmetic,
            0..=1 if !self.floats.is_empty() => &self.floats,
            _ => &self.plain,
        };
        let row = rows[self.rng.gen_range(0..rows.len())];
        let others = match self.floats.contains(&row) && !self.full() {
            true => S::refresh(self, row),
            false => vec![],
        };
        S::append(self, row);
        for row in others {
            S::append(self, row);
        }
        self.wanted.clear();
    }

    /// A branch with one or two sides.
    fn branch(&mut self, at: Place, two: bool) {
        if !self.room(at, S::BRANCH) {
            return;
        }
        let mut inner = at.inside(S::BRANCH, 0.9);
        let open = S::open_branch(self, &mut inner, two);
        S::side(self, inner);
        if two {
            S::other_side(self, &open);
            S::side(self, inner);
        }
        S::close_branch(self, open, two);
        self.cost += 2.0 * at.times;
    }

    /// A loop of 1 to 4 turns, as many for all threads or not.
    fn repeat(&mut self, at: Place) {
        let kind = self.one(S::LOOPS);
        if at.counter >= 3 || !self.room(at, kind.entries()) {
            return;
        }
        let turns = match self.rng.gen() {
            true => Turns::Fixed(self.rng.gen_range(1..4)),
            false => Turns::Masked { thread: self.rng.gen(), mask: self.rng.gen_range(1..4) },
        };
        let counter = S::count(self, at.counter, turns);
        let open = S::open_loop(self, kind, counter);
        let inner = at.in_loop(kind);
        self.item(inner);
        if kind != Loop::Back && self.rng.gen_bool(0.4) {
            S::leave_loop(self, inner, kind);
            self.piece(inner, 1, 3);
        }
        S::close_loop(self, kind, counter, open);
        self.cost += 8.0 * at.times;
    }

    /// A call of a function of the next level.
    fn call(&mut self, at: Place) {
        let Some(own) = S::FUNCTION.get(at.level as usize).filter(|_| S::CALLS) else { return };
        // A function may use the last loop counter.
        let counters = at.level > 0 || at.counter <= 2;
        if !self.room(at, own + 1) || !counters || self.crowded() || at.level == 0 && self.full() {
            return;
        }
        let callable = self.functions.iter().filter(|f| f.1 == at.level + 1);
        let callable: Vec<Label<S>> = callable.map(|f| f.0).collect();
        let to = (!callable.is_empty()).then(|| self.one(&callable));
        S::call(self, to);
        self.cost += if to.is_some() { 14.0 * at.times } else { 0.0 };
    }
}
