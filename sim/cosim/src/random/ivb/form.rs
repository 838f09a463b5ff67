//! One random instruction of an opcode: channels, regions, types, predicate and condition that chips execute.

use super::super::value;
use super::implemented::{is_plain, lowered, registers, FUNCTIONS};
use super::state::{reserved, Gen, PARAMETERS};
use super::words::{read, Exec};
use rand::Rng;
use warpsmith_isa::ivb::table::{Format, Op, CONDITION, OPS, PREDICATE, SATURATE, SOURCE_MODIFIER};
use warpsmith_isa::set::Instr;

/// Conditions that a comparison, or a flag beside a result, may have.
const CONDITIONS: [&str; 7] = ["z", "nz", "g", "ge", "l", "le", "u"];
/// How the flags of the channels make a predicate.
const PICKS: [&str; 11] =
    ["", "anyv", "allv", "any2h", "all2h", "any4h", "all4h", "any8h", "all8h", "any16h", "all16h"];
/// The same with three sources.
const PICKS16: [&str; 3] = ["", "any4h", "all4h"];

/// Types of chips among those that a page names.
fn types(page: &str) -> Vec<&'static str> {
    let of = |name: &str| -> &[&'static str] {
        match name {
            "*D" => &["D", "UD"],
            "*W" => &["W", "UW"],
            "D" => &["D"],
            "UD" => &["UD"],
            "W" => &["W"],
            "UW" => &["UW"],
            "F" | "same" => &["F"],
            "int" => &["D", "UD", "W", "UW"],
            _ => &[],
        }
    };
    page.split(' ').flat_map(of).copied().collect()
}

/// A type has 16 bits.
fn is_word(kind: &str) -> bool {
    kind.ends_with('W')
}

impl Gen<'_> {
    /// A random instruction of a row for straight-line code.
    pub fn instruction(&mut self, row: usize) -> Option<Instr> {
        let turn = self.turn;
        for _ in 0..80 {
            self.turn = turn;
            let text = self.attempt(&OPS[row]);
            let Some(instr) = read(&text) else { continue };
            let Some(lowered) = lowered(&instr) else { continue };
            if instr.row != row || !is_plain(&lowered) {
                continue;
            }
            let [written, from] = registers(&lowered);
            let data = self.layout.first()..self.layout.end();
            let defined = from.iter().all(|r| self.layout.is_defined(*r));
            if defined && written.iter().all(|r| data.contains(r)) {
                if let Some(r) = written.first() {
                    self.recent.rotate_right(1);
                    self.recent[0] = *r;
                }
                return Some(instr);
            }
        }
        None
    }

    /// Text of an instruction that may be illegal.
    fn attempt(&mut self, op: &Op) -> String {
        if op.format == Format::Bare {
            return op.name.into();
        }
        let exec = self.exec(op);
        let three = op.format == Format::Three;
        let flag = self.flag();
        let chance = if op.name == "sel" { 0.6 } else { 0.25 };
        let predicate = match op.takes & PREDICATE != 0 && self.rng.gen_bool(chance) {
            true => self.predicate_of(&flag, if three { &PICKS16 } else { &PICKS }),
            false => String::new(),
        };
        // Results of a few instructions are clamped: others hide the arithmetic.
        let saturate = op.takes & SATURATE != 0 && self.rng.gen_bool(0.12);
        let condition = self.condition(op, &flag, !predicate.is_empty());
        let (function, two) = self.one(&FUNCTIONS);
        let function = match op.format {
            Format::Math => format!(" {function}"),
            _ => String::new(),
        };
        let sources = self.sources(op, exec, two);
        let to = types(op.destinations);
        let to = if three { self.three_type(op, &sources) } else { self.one(&to) };
        let nothing = if matches!(op.name, "cmp" | "cmpn") { 0.4 } else { 0.05 };
        let null = !three && self.rng.gen_bool(nothing);
        let destination = match null {
            true => format!("null<1>{to}"),
            false => self.destination(exec, to),
        };
        let more = if null && op.name.starts_with("cmp") { "switch" } else { "" };
        format!(
            "{predicate}{}{}{condition}{function}({}) {destination} {} {}",
            op.name,
            if saturate { ".sat" } else { "" },
            exec.size,
            sources.join(" "),
            exec.options(if three { 16 } else { 1 }, more)
        )
    }

    /// Channels of an operation.
    fn exec(&mut self, op: &Op) -> Exec {
        if op.format == Format::Three {
            if self.rng.gen_bool(0.1) {
                return Exec::ONE;
            }
            let second = self.rng.gen_bool(0.4);
            return Exec { size: 8, second, all: self.rng.gen_bool(0.1) };
        }
        match self.rng.gen_range(0..20) {
            0..=2 => Exec::ONE,
            3..=6 => Exec { size: 8, second: self.rng.gen(), all: self.rng.gen_bool(0.2) },
            7 => Exec::WHOLE,
            _ => Exec::of(self.layout.simd),
        }
    }

    /// `f0.1`.
    pub fn flag(&mut self) -> String {
        format!("f{}.{}", self.rng.gen_range(0..2), self.rng.gen_range(0..2))
    }

    /// A predicate of a flag, with a space behind it.
    fn predicate_of(&mut self, flag: &str, picks: &[&str]) -> String {
        let sign = if self.rng.gen() { '+' } else { '-' };
        let pick = match self.rng.gen_bool(0.5) {
            true => "",
            false => self.one(picks),
        };
        match pick {
            "" => format!("({sign}{flag}) "),
            pick => format!("({sign}{flag}.{pick}) "),
        }
    }

    /// A predicate.
    pub fn predicate(&mut self) -> String {
        let flag = self.flag();
        self.predicate_of(&flag, &PICKS)
    }

    /// A condition with the flag that it writes.
    fn condition(&mut self, op: &Op, flag: &str, predicated: bool) -> String {
        let selects = op.name == "sel";
        let needs = op.name.starts_with("cmp") || selects && !predicated;
        let takes = op.takes & CONDITION != 0 && (!selects || needs);
        if !takes || !needs && !self.rng.gen_bool(0.25) {
            return String::new();
        }
        let name = self.one(&CONDITIONS);
        match selects {
            true => format!(".{name}"),
            false => format!(".{name}.{flag}"),
        }
    }

    /// The sources of an operation, of one class; `two`: a function has two.
    fn sources(&mut self, op: &Op, exec: Exec, two: bool) -> Vec<String> {
        let all = types(op.sources);
        let first = self.one(&all);
        let class: Vec<&str> = all.into_iter().filter(|t| (*t == "F") == (first == "F")).collect();
        let signs = op.takes & SOURCE_MODIFIER != 0;
        let sign = |g: &mut Self| match signs && g.rng.gen_bool(0.2) {
            true => g.one(&["-", "(abs)", "-(abs)"]),
            false => "",
        };
        match op.format {
            Format::Three => (0..3).map(|_| format!("{}{}", sign(self), self.third(exec, first))).collect(),
            Format::Math => {
                let a = format!("{}{}", sign(self), self.region(exec, first));
                let b = if two { self.region(exec, first) } else { "null<8,8,1>F".into() };
                vec![a, b]
            }
            Format::Two => {
                let second = self.one(&class);
                let a = format!("{}{}", sign(self), self.region(exec, first));
                let b = match self.rng.gen_bool(0.2) {
                    true => self.immediate(second),
                    false => format!("{}{}", sign(self), self.region(exec, second)),
                };
                vec![a, b]
            }
            _ => match self.rng.gen_bool(0.15) {
                true => vec![self.immediate(first)],
                false => vec![format!("{}{}", sign(self), self.region(exec, first))],
            },
        }
    }

    /// The type of the destination of three sources.
    fn three_type(&mut self, op: &Op, sources: &[String]) -> &'static str {
        let float = sources[0].ends_with('F');
        let all: Vec<&str> = types(op.destinations).into_iter().filter(|t| (*t == "F") == float).collect();
        self.one(&all)
    }

    /// A source of three.
    fn third(&mut self, exec: Exec, kind: &str) -> String {
        let r = self.read();
        match exec.size == 1 || self.rng.gen_bool(0.2) {
            true => format!("g{r}.{}<0,1,0>{kind}", self.rng.gen_range(0..8)),
            false => format!("g{r}<4,4,1>{kind}"),
        }
    }

    /// A region of a type: a row, packed words, or one element.
    fn region(&mut self, exec: Exec, kind: &str) -> String {
        let r = self.read();
        let elements = if is_word(kind) { 16 } else { 8 };
        if exec.size == 1 || self.rng.gen_bool(0.15) {
            return format!("g{r}.{}<0,1,0>{kind}", self.rng.gen_range(0..elements));
        }
        // The same elements in rows of any width.
        let rows = |g: &mut Self, by: u32| match 1 << g.rng.gen_range(0..4) {
            1 => format!("<{by},1,0>"),
            width => format!("<{},{width},{by}>", by * width),
        };
        if !is_word(kind) {
            return format!("g{r}{}{kind}", rows(self, 1));
        }
        match self.rng.gen_range(0..3) {
            0 => format!("g{r}.{}{}{kind}", self.rng.gen_range(0..2), rows(self, 2)),
            1 if exec.size == 16 => format!("g{r}<16,16,1>{kind}"),
            _ => format!("g{r}.{}{}{kind}", 8 * self.rng.gen_range(0..2), rows(self, 1)),
        }
    }

    /// A destination of a type.
    fn destination(&mut self, exec: Exec, kind: &str) -> String {
        let r = self.data(exec.registers());
        let elements = if is_word(kind) { 16 } else { 8 };
        match (exec.size, is_word(kind)) {
            (1, _) => format!("g{r}.{}<1>{kind}", self.rng.gen_range(0..elements)),
            (_, true) => format!("g{r}.{}<2>{kind}", self.rng.gen_range(0..2)),
            (_, false) => format!("g{r}<1>{kind}"),
        }
    }

    /// An immediate of a type.
    fn immediate(&mut self, kind: &str) -> String {
        match kind {
            "F" => format!("{:#010x}F", value::float(&mut self.rng)),
            "UD" => format!("{:#010x}UD", value::integer(&mut self.rng)),
            "D" => format!("{}D", value::integer(&mut self.rng) as i32),
            "UW" => format!("{:#06x}UW", value::integer(&mut self.rng) as u16),
            _ => format!("{}W", value::integer(&mut self.rng) as i16),
        }
    }

    /// The first of so many data registers.
    pub fn data(&mut self, count: u64) -> u64 {
        self.rng.gen_range(self.layout.first()..=self.layout.end() - count.max(1))
    }

    /// A register to read; behind it is another one that has a value.
    pub fn read(&mut self) -> u64 {
        if !self.wanted.is_empty() && self.rng.gen_bool(0.85) {
            self.turn += 1;
            return self.wanted[(self.turn - 1) % self.wanted.len()];
        }
        match self.rng.gen_range(0..12) {
            0..=5 => self.recent[self.rng.gen_range(0..self.recent.len())],
            6 => self.rng.gen_range(PARAMETERS..PARAMETERS + u64::from(self.layout.params / 8)),
            7 => {
                let n = self.rng.gen_range(0..reserved::COUNT);
                self.r(n)
            }
            _ => self.data(2),
        }
    }

    /// A word for integers or floats.
    pub fn value(&mut self) -> u32 {
        match self.rng.gen() {
            true => value::float(&mut self.rng),
            false => value::integer(&mut self.rng),
        }
    }
}
