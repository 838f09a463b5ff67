//! Rules of Intel's manual that an encoding without reserved bits can break: on regions, types, accumulators and single
//! instructions, each with its section.

use super::fields::*;
use super::layout::COMPACT;
use super::lower::operand::{self, Destination, From, Source, Special, Start, Step};
use super::operand::REGISTER;
use super::table::names;
use super::table::{Format, Op, OPS, SOURCE_MODIFIER};
use crate::uop::Type;

/// A rule that an instruction breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The section of the manual.
    pub section: &'static str,
    /// What it asks for.
    pub reason: &'static str,
}

type Checked = Result<(), Broken>;

/// A rule: what it asks for, the section that says so, whether it is kept.
fn rule(section: &'static str, reason: &'static str, kept: bool) -> Checked {
    match kept {
        true => Ok(()),
        false => Err(Broken { section, reason }),
    }
}

/// Bytes of half a register.
const OWORD: u32 = 16;
/// Code of the option `switch`.
const SWITCH: u64 = 2;

/// Instructions without any accumulator.
const NO_ACCUMULATOR: [&str; 14] = [
    "bfe", "bfi1", "bfi2", "bfrev", "cbit", "f16to32", "f32to16", "fbh", "fbl", "math", "rndd", "rnde", "rndu", "rndz",
];
/// Instructions whose sources are no accumulators.
const NO_SOURCE: [&str; 10] = ["dp2", "dp3", "dp4", "dph", "line", "movi", "mul", "pln", "sad2", "sada2"];
/// Instructions whose destination is none, named or implied.
const NO_DESTINATION: [&str; 4] = ["cmp", "cmpn", "lzd", "shl"];
/// Instructions that write it beside their destination.
const IMPLIED_DESTINATION: [&str; 3] = ["addc", "mach", "subb"];
/// Instructions that read it beside their sources.
const IMPLIED_SOURCE: [&str; 3] = ["mac", "mach", "sada2"];

/// An instruction taken apart.
struct View {
    op: &'static Op,
    bits: u128,
    channels: u32,
    align16: bool,
    destination: Option<Destination>,
    sources: Vec<Source>,
}

/// Checks native bits of a row that have no reserved value.
///
/// # Errors
/// The first rule that they break.
pub fn check(row: usize, bits: u128) -> Checked {
    debug_assert!(bits & COMPACT == 0);
    let Some(v) = View::of(&OPS[row], bits) else { return Ok(()) };
    match v.op.format {
        Format::Bare => Ok(()),
        Format::Jip | Format::JipUip | Format::Jump | Format::Call => v.flow(),
        Format::One if v.op.name == "ret" => v.flow(),
        Format::Wait => {
            v.apart()?;
            rule(v.op.section, "the execution size is 1", v.channels == 1)
        }
        Format::Send => {
            v.apart()?;
            v.descriptor()?;
            v.end()
        }
        _ => {
            v.accumulators()?;
            v.types()?;
            v.sizes()?;
            v.own()?;
            v.sources.iter().enumerate().try_for_each(|(n, s)| v.source(n, s))?;
            v.doubles()?;
            v.written()?;
            v.sources.iter().try_for_each(|s| v.halves(s))
        }
    }
}

/// Bytes that strides of a type count: a double is a pair of packed floats.
fn unit(ty: Type) -> u32 {
    ty.bytes().min(4)
}

fn is_accumulator(start: Start) -> bool {
    matches!(start, Start::Special(Special::Accumulator(_), _))
}

impl Source {
    fn start(&self) -> Option<Start> {
        match self.from {
            From::Region(start, _) => Some(start),
            From::Immediate(_) => None,
        }
    }

    fn accumulator(&self) -> bool {
        self.start().is_some_and(is_accumulator)
    }
}

impl View {
    /// Nothing where an operand is a register without a meaning.
    fn of(op: &'static Op, bits: u128) -> Option<View> {
        let align16 = ALIGN16.get(bits) == 1;
        let (mut destination, mut sources) = (None, Vec::new());
        if op.format == Format::Three {
            destination = Some(operand::third_destination(bits));
            sources.extend(THIRDS.map(|s| operand::third(&s, bits)));
        } else if op.format != Format::Bare {
            if op.format.destination() {
                destination = Some(operand::destination(bits, align16).ok()?);
            }
            let descriptor = usize::from(op.format != Format::Send) + 1;
            for (n, s) in SOURCES.iter().enumerate().take(descriptor) {
                if op.format.source(n) {
                    sources.push(operand::source(s, bits, align16).ok()?);
                }
            }
        }
        Some(View { op, bits, channels: 1 << EXEC.get(bits), align16, destination, sources })
    }

    /// A rule of the page of the instruction.
    fn page(&self, reason: &'static str, kept: bool) -> Checked {
        rule(self.op.section, reason, kept)
    }

    fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.op.name)
    }

    fn on(&self, field: crate::set::Field) -> bool {
        field.get(self.bits) == 1
    }

    fn condition(&self) -> u64 {
        match self.op.format {
            Format::Math | Format::Send => 0,
            _ => CONDITION.get(self.bits),
        }
    }

    /// The operands of a kind: destination and sources.
    fn kinds(&self) -> impl Iterator<Item = Type> + '_ {
        self.sources.iter().map(|s| s.kind).chain(self.destination.map(|d| d.kind))
    }

    fn has(&self, ty: Type) -> bool {
        self.kinds().any(|k| k == ty)
    }

    /// Bytes of the execution data type.
    fn execution(&self) -> u32 {
        let sizes = self.sources.iter().map(|s| s.kind.bytes());
        sizes.max().unwrap_or(2).max(2)
    }

    /// Instructions that leave accumulators alone.
    fn apart(&self) -> Checked {
        let named =
            self.sources.iter().any(Source::accumulator) || self.destination.is_some_and(|d| is_accumulator(d.start));
        let none = !named && !self.on(ACC_WRITE);
        rule("5.7 rule 1", "branches, messages and waits take no accumulator", none)
    }

    fn flow(&self) -> Checked {
        self.apart()?;
        rule("3.3.9 7D", "branches are align1", !self.align16)?;
        match self.op.name {
            "brd" | "brc" => self.page("it needs the option switch", THREAD.get(self.bits) == SWITCH),
            "jmpi" => {
                self.page("the execution size is 1", self.channels == 1)?;
                self.page("it needs the option WE_all", self.on(NO_MASK))?;
                self.page("the index is of type D", self.sources.iter().all(|s| s.kind == Type::S32))
            }
            "call" => {
                self.page("the execution size is 2", self.channels == 2)?;
                let d = self.destination.filter(|d| matches!(d.kind, Type::U32 | Type::S32));
                let at = d.map(|d| d.start);
                let aligned = !matches!(at, Some(Start::General(b) | Start::Special(_, b)) if b % 8 != 0);
                self.page("the destination is D or UD and aligned to 8 bytes", at.is_some() && aligned)
            }
            "ret" => {
                let pair = Step::Rows { vertical: 2, width: 2, horizontal: 1 };
                let all = self.sources.iter().all(|s| matches!(s.from, From::Region(_, step) if step == pair));
                self.page("the region of the source is <2,2,1>", all)
            }
            _ => Ok(()),
        }
    }

    /// A descriptor in a register.
    fn descriptor(&self) -> Checked {
        let Ok(s) = operand::source(&SOURCES[1], self.bits, self.align16) else { return Ok(()) };
        let scalar = Step::Rows { vertical: 0, width: 1, horizontal: 0 };
        let first = s.kind == Type::U32 && s.from == From::Region(Start::Special(Special::Address, 0), scalar);
        rule("3.3.3.4", "a descriptor in a register is a0<0,1,0>UD", first || matches!(s.from, From::Immediate(_)))
    }

    /// A message that ends the thread.
    fn end(&self) -> Checked {
        if !self.on(END) {
            return Ok(());
        }
        self.page("a message with EOT has the destination null", self.drops())?;
        let target = names::name(&names::TARGETS, CONDITION.get(self.bits)).unwrap_or("");
        self.page("a thread does not end with this shared function", !matches!(target, "null" | "sampler"))
    }

    fn accumulators(&self) -> Checked {
        const WHERE: &str = "5.7";
        let implied = self.on(ACC_WRITE);
        let to = self.destination.map(|d| d.start).filter(|s| is_accumulator(*s));
        let mut from = self.sources.iter().filter(|s| s.accumulator());
        let named = from.clone().next();
        if named.is_none() && to.is_none() && !implied {
            return rule(WHERE, "it needs the option AccWrEnable", !self.is(&IMPLIED_DESTINATION));
        }
        rule(WHERE, "it takes no accumulator", !self.is(&NO_ACCUMULATOR))?;
        rule(WHERE, "its sources are no accumulators", named.is_none() || !self.is(&NO_SOURCE))?;
        rule(WHERE, "it reads the accumulator beside its sources", named.is_none() || !self.is(&IMPLIED_SOURCE))?;
        let writes = to.is_some() || implied;
        rule(WHERE, "its destination is no accumulator", !writes || !self.is(&NO_DESTINATION))?;
        rule("5.7 rule 4", "AccWrEnable excludes an accumulator as destination", to.is_none() || !implied)?;
        rule(WHERE, "it needs the option AccWrEnable", implied || !self.is(&IMPLIED_DESTINATION))?;
        let (Some(source), step) = (named, named.map(|s| s.from)) else {
            return self.wide_accumulator(to.is_some());
        };
        let plain = !source.abs && !source.neg;
        let logic = self.is(&["and", "not", "or", "xor"]);
        rule(WHERE, "an accumulator as source has no modifier here", plain || !logic)?;
        let first = self.sources.first().is_some_and(Source::accumulator);
        rule("3.3.3.5", "only the first source is an accumulator", first && from.all(|s| s == source))?;
        let swizzled =
            matches!(step, Some(From::Region(_, Step::Groups { components, .. })) if components != [0, 1, 2, 3]);
        rule("3.3.3.5", "an accumulator is not swizzled", !swizzled)?;
        if let Some(to) = to {
            rule(WHERE, "source or destination is an accumulator, not both", self.op.name != "mov")?;
            let same = |s: Start| matches!(s, Start::Special(a, _) if matches!(to, Start::Special(b, _) if a == b));
            let one = self.sources.iter().filter(|s| s.accumulator()).filter_map(Source::start).all(same);
            rule("5.7 rule 5", "source and destination are one accumulator", one)?;
        }
        self.wide_accumulator(true)
    }

    /// An accumulator that the text names has 8 channels of dwords and floats.
    fn wide_accumulator(&self, named: bool) -> Checked {
        let wide = self.channels > 8 && self.kinds().any(|k| k.bytes() >= 4);
        rule("3.3.3.5", "16 channels of dwords or floats name no accumulator", !named || !wide)
    }

    fn types(&self) -> Checked {
        let ip = |start: Option<Start>| matches!(start, Some(Start::Special(Special::Ip, _)));
        let from = self.sources.iter().all(|s| s.kind == Type::U32 || !ip(s.start()));
        let to = self.destination.is_none_or(|d| d.kind == Type::U32 || !ip(Some(d.start)));
        rule("3.3.3.10", "ip is of type UD", from && to)?;
        let alone = self.channels == 1 || !ip(self.destination.map(|d| d.start));
        rule("3.3.3.10", "one channel writes ip", alone)?;
        let sources = self.sources.iter().filter(|s| !self.absent(s));
        let float = |s: &Source| s.kind.is_float();
        let one = sources.clone().all(float) || !sources.clone().any(float);
        rule("3.3.8", "sources are all integers or all floats", one)?;
        let double = |s: &Source| s.kind == Type::F64;
        let alike = sources.clone().all(double) || !sources.clone().any(double);
        rule("3.3.8", "float sources are of one type", alike)?;
        let named = |list: &str, ty: Type| {
            list.split(' ').any(|t| match t {
                "int" => !ty.is_float(),
                "same" | "" => true,
                t => of_name(t, ty),
            })
        };
        self.page("its page has no source of this type", sources.clone().all(|s| named(self.op.sources, s.kind)))?;
        let Some(to) = self.destination.map(|d| d.kind) else { return Ok(()) };
        let same = self.op.destinations != "same" || sources.clone().all(|s| s.kind == to);
        self.page("source and destination are of one type", same)?;
        self.page("its page has no destination of this type", named(self.op.destinations, to))?;
        let Some(from) = self.sources.first().map(|s| s.kind) else { return Ok(()) };
        let mov = self.op.name == "mov";
        let converts = match (from, to) {
            (from, to) if from == to => true,
            (Type::F32, Type::F64) | (Type::F64, Type::F32) => mov,
            (Type::F32, to) => mov && to != Type::F64 || self.op.name == "f32to16",
            (Type::F64, to) => mov && to.bytes() > 1,
            (from, Type::F64) => mov && from.bytes() > 1,
            (_, Type::F32) => self.op.name != "sel",
            _ => true,
        };
        self.page("it does not convert between these types", converts || self.drops())?;
        let signed = self.op.takes & SOURCE_MODIFIER != 0 || self.sources.iter().all(|s| !s.abs && !s.neg);
        rule("5.6", "its sources have no modifier", signed)
    }

    /// The destination is null.
    fn drops(&self) -> bool {
        self.destination.is_some_and(|d| matches!(d.start, Start::Special(Special::Null, _)))
    }

    /// A source that is null.
    fn absent(&self, s: &Source) -> bool {
        matches!(s.start(), Some(Start::Special(Special::Null, _)))
    }

    fn sizes(&self) -> Checked {
        let largest = self.kinds().map(unit).max().unwrap_or(1);
        rule("3.3.9 1A", "size times bytes of an element is 64 at most", self.channels * largest <= 2 * REGISTER)?;
        let conditional = self.condition() != 0;
        rule("3.3.9 7C", "a condition excludes 32 channels", !conditional || self.channels < 32)?;
        if self.align16 {
            let dwords = self.kinds().any(|k| k.bytes() >= 4);
            rule(
                "3.3.9 7A",
                "align16 of dwords, or of halves of doubles, has 8 channels at most",
                !dwords || self.channels <= 8,
            )?;
        }
        Ok(())
    }

    /// Doubles, pairs of packed floats.
    fn doubles(&self) -> Checked {
        if !self.has(Type::F64) {
            return Ok(());
        }
        const ONE: &str = "3.3.9 5A";
        rule(ONE, "doubles are pairs of channels, 2 at least", self.channels >= 2)?;
        for s in self.sources.iter().filter(|s| s.kind == Type::F64 && !self.absent(s)) {
            match s.from {
                From::Region(_, Step::Rows { vertical, width, horizontal }) if self.op.format != Format::Three => {
                    let pairs = horizontal == 1 && width >= 2 && vertical % 2 == 0;
                    rule(ONE, "a source of doubles has a region such as <8,8,1>, or <0,2,1> for one", pairs)?;
                }
                From::Region(_, Step::Groups { components: [x, y, z, w], .. }) => {
                    let pairs = x % 2 == 0 && y == x + 1 && z % 2 == 0 && w == z + 1;
                    rule("3.3.9 5B", "components of doubles are pairs, xy and zw", pairs)?;
                }
                _ => {}
            }
        }
        let Some(d) = self.destination.filter(|d| d.kind == Type::F64) else { return Ok(()) };
        rule(ONE, "a destination of doubles has the stride 1", d.stride == 1)?;
        let pairs = matches!(d.channels, 0b0011 | 0b1100 | 0b1111);
        rule("3.3.9 5B", "components of doubles are pairs, xy and zw", pairs)
    }

    /// The region of a source.
    fn source(&self, n: usize, s: &Source) -> Checked {
        let From::Region(start, step) = s.from else {
            return self.vector();
        };
        if self.absent(s) || matches!(start, Start::Special(Special::Ip, _)) || self.op.format == Format::Three {
            return Ok(());
        }
        let (width, horizontal) = match step {
            Step::Rows { width, horizontal, .. } | Step::Each { width, horizontal } => (width, horizontal),
            Step::Groups { .. } => return Ok(()),
        };
        rule("3.3.9 2A", "the width is not larger than the execution size", width <= self.channels)?;
        rule("3.3.9 2D", "a width of 1 has the horizontal stride 0", width > 1 || horizontal == 0)?;
        match step {
            Step::Rows { vertical, .. } => {
                let row = width * horizontal;
                let single = width == self.channels && horizontal != 0;
                rule("3.3.9 2E", "one channel of width 1 has the strides 0", self.channels > 1 || vertical == 0)?;
                rule("3.3.9 2B", "a single row has its length as vertical stride", !single || vertical == row)?;
                let scalar = vertical == 0 && horizontal == 0;
                rule("3.3.9 2F", "strides of 0 have the width 1", !scalar || width == 1)?;
                match start {
                    Start::General(byte) => {
                        let byte = byte % REGISTER;
                        rule(
                            "3.3.9 2H",
                            "a row does not cross into the next register",
                            self.rows(s, byte, vertical, width, horizontal),
                        )
                    }
                    _ => Ok(()),
                }
            }
            _ => self.indices(n, start, width),
        }
    }

    /// True where every row from a byte on lies in one register.
    fn rows(&self, s: &Source, byte: u32, vertical: u32, width: u32, horizontal: u32) -> bool {
        let size = unit(s.kind);
        (0..self.channels / width).all(|row| {
            let first = byte + row * vertical * size;
            let last = first + (width - 1) * horizontal * size;
            first / REGISTER == last / REGISTER
        })
    }

    /// Which registers a source of two registers, and a destination of two, come from.
    fn halves(&self, s: &Source) -> Checked {
        let Some(Destination { start: Start::General(to), stride, kind, .. }) = self.destination else { return Ok(()) };
        let From::Region(Start::General(at), Step::Rows { vertical, width, horizontal }) = s.from else {
            return Ok(());
        };
        if self.op.format == Format::Three || self.align16 || self.is(&["line", "pln", "sad2", "sada2"]) {
            return Ok(());
        }
        let size = unit(s.kind);
        let written = |c: u32, unit_of: u32| (to % REGISTER + c * stride * unit(kind)) / unit_of;
        let read = |c: u32| (at % REGISTER + (c / width * vertical + c % width * horizontal) * size) / REGISTER;
        let half = self.channels / 2;
        let first =
            |unit_of: u32| (0..self.channels).filter(|c| written(*c, unit_of) == written(0, unit_of)).count() as u32;
        let two_read = (0..self.channels).any(|c| read(c) != read(0));
        let two_written = written(self.channels - 1, REGISTER) != 0;
        match (two_read, two_written) {
            (true, false) => {
                let even = matches!(first(OWORD), n if n == half || n == self.channels);
                rule("3.3.9 3C", "a source of two registers goes to one half of a register, or evenly to both", even)
            }
            (true, true) => {
                let even = first(REGISTER) == half;
                let whole = (0..self.channels).all(|c| read(c) == read(c / half * half));
                rule(
                    "3.3.9 3D",
                    "each register of the destination comes from one register, half of the channels",
                    even && whole,
                )
            }
            (false, true) => {
                let scalar = vertical == 0 && horizontal == 0;
                let packed =
                    s.kind.bytes() == 2 && kind.bytes() == 4 && stride == 1 && horizontal == 1 && vertical == width;
                rule("3.3.9 3E", "a destination of two registers has a source of two, or one element", scalar || packed)
            }
            _ => Ok(()),
        }
    }

    /// Elements of a0, one a row.
    fn indices(&self, n: usize, start: Start, width: u32) -> Checked {
        rule("3.3.9 6C", "only the first source has an address a row", n == 0)?;
        let Start::Indirect { element, .. } = start else { return Ok(()) };
        let count = self.channels / width;
        let inside = count <= 8 && u32::from(element) % count.max(1) == 0;
        rule("3.3.3.4", "addresses of rows are a group of a0, aligned to its size", inside)?;
        let one = match self.destination {
            Some(Destination { start: Start::General(byte), .. }) => byte % REGISTER + self.length() <= REGISTER,
            _ => true,
        };
        rule("3.3.9 6D", "with an address a row the destination is one register", one)
    }

    /// Bytes of the destination.
    fn length(&self) -> u32 {
        self.destination.map_or(0, |d| (self.channels - 1) * d.stride * unit(d.kind) + unit(d.kind))
    }

    /// The destination of a vector of immediates.
    fn vector(&self) -> Checked {
        let code = SOURCES.iter().find(|c| c.file.get(self.bits) == super::operand::IMMEDIATE);
        let name = code.map_or("", |c| names::IMMEDIATES[c.kind.get(self.bits) as usize & 7]);
        let step = match name {
            "V" | "UV" => 2,
            "VF" => 4,
            _ => return Ok(()),
        };
        let Some(d) = self.destination else { return Ok(()) };
        let aligned = !matches!(d.start, Start::General(byte) if byte % OWORD != 0);
        let packed = d.stride * unit(d.kind) == step;
        rule("3.3.4", "a vector has an aligned destination of words (V, UV) or dwords (VF)", aligned && packed)?;
        let words = name == "VF" || self.sources.iter().all(|s| s.kind.bytes() <= 2);
        rule("5.2.4.1", "a vector of half bytes goes with words and bytes", words)
    }

    /// The destination beside the execution data type.
    fn written(&self) -> Checked {
        let Some(d) = self.destination else { return Ok(()) };
        // The page of movi asks for packed elements of every type.
        if self.drops() || self.align16 || self.op.name == "movi" {
            return Ok(());
        }
        rule("3.3.9 2G", "the stride of the destination is not 0", d.stride != 0)?;
        let execution = self.execution();
        let raw = self.op.name == "mov"
            && self.sources.iter().all(|s| s.kind == d.kind && !s.abs && !s.neg)
            && !self.on(SATURATE);
        let byte = d.kind.bytes() == 1;
        if byte && d.stride == 1 && self.channels > 1 {
            return rule("3.3.9 4A", "only a raw mov writes packed bytes", raw);
        }
        if self.is(&["sad2", "sada2"]) {
            return Ok(());
        }
        let ratio = execution.min(4) / unit(d.kind).min(execution);
        rule(
            "3.3.9 1B",
            "the stride makes the element as wide as the execution type",
            self.channels == 1 || d.stride == ratio || ratio == 1,
        )?;
        let (Start::General(at) | Start::Special(_, at)) = d.start else { return Ok(()) };
        // Bytes may lie in the second place of their channel, too.
        let at = if byte { at & !1 } else { at };
        rule("3.3.9 3F", "the destination is aligned to the execution type", self.channels == 1 || at % execution == 0)
    }

    /// Rules of single instructions.
    fn own(&self) -> Checked {
        let condition = self.condition();
        let source = |n: usize| self.sources.get(n);
        let general = |s: Option<Start>| matches!(s, Some(Start::General(_)));
        match self.op.name {
            "mov" => {
                let same = self.sources.iter().all(|s| self.destination.is_some_and(|d| d.kind == s.kind));
                self.page("a condition excludes a conversion", condition == 0 || same)
            }
            "and" | "or" | "xor" | "not" => rule("5.6", "its condition is z or nz", condition <= 2),
            "cmp" | "cmpn" => {
                rule("3.6", "its condition is z, nz, g, ge, l or le", (1..=6).contains(&condition))?;
                let to = self.destination.map(|d| d.start);
                let register = matches!(to, Some(Start::General(_) | Start::Indirect { .. }));
                self.page("the destination is a general register or null", register || self.drops())?;
                let switch = THREAD.get(self.bits) == SWITCH;
                self.page("the destination null needs the option switch", switch || !self.drops())
            }
            "dp2" | "dp3" | "dp4" | "dph" => {
                self.page("the execution size is 4 at least", self.channels >= 4)?;
                let strides = self
                    .sources
                    .iter()
                    .all(|s| !matches!(s.from, From::Region(_, Step::Rows { horizontal, .. }) if horizontal != 1));
                self.page("horizontal strides are 1", strides)
            }
            "sad2" | "sada2" => self.page("the execution size is 2 at least", self.channels >= 2),
            "line" | "pln" => {
                self.page("the execution size is 8 or 16", matches!(self.channels, 8 | 16))?;
                let scalar = Step::Rows { vertical: 0, width: 1, horizontal: 0 };
                let one = source(0).is_some_and(
                    |s| matches!(s.from, From::Region(Start::General(b), step) if step == scalar && b % OWORD == 0),
                );
                self.page("the first source is one element, .0 or .4", one)
            }
            "lrp" => self.page("the condition is not o", condition != 8),
            "lzd" => {
                let positive = source(0).is_none_or(|s| !s.kind.is_signed() || s.abs && !s.neg);
                self.page("a source with sign has (abs)", positive)
            }
            "mul" => {
                let wide = self.sources.iter().any(|s| s.kind.bytes() == 4 && !s.kind.is_float());
                let plain = condition == 0 && !self.on(SATURATE);
                self.page("a product of dwords has no condition and no .sat", !wide || plain)?;
                let float = self.destination.is_some_and(|d| d.kind.is_float());
                self.page("a product of dwords is no float", !wide || !float)?;
                let [a, b] = [0, 1].map(|n| source(n).map_or(0, |s| s.kind.bytes()));
                self.page("of a dword and a word the dword comes first", !wide || a >= b)
            }
            "math" => {
                let places = self.sources.iter().filter(|s| !self.absent(s)).all(|s| general(s.start()));
                let to = self.destination.is_none_or(|d| general(Some(d.start)));
                self.page("operands are direct general registers", places && to)?;
                let division = matches!(CONDITION.get(self.bits), 11..=13);
                self.page("an integer division has 8 channels at most", !division || self.channels <= 8)
            }
            "movi" => {
                let index = source(0).and_then(Source::start);
                let first = matches!(index, Some(Start::Indirect { element: 0, .. }));
                self.page("the source is indirect by a0.0", first)?;
                self.page("the execution size is 8 at most", self.channels <= 8)?;
                self.page("it is align1", !self.align16)?;
                let d = self.destination.filter(|d| !matches!(d.start, Start::General(b) if b % OWORD != 0));
                self.page("the destination is packed and aligned to 16 bytes", d.is_some_and(|d| d.stride == 1))
            }
            "f32to16" => self.page(
                "the stride of the destination is 2",
                self.align16 || self.destination.is_none_or(|d| d.stride == 2),
            ),
            "sel" => {
                self.page("the execution size is 16 at most", self.channels <= 16)?;
                let predicate = PREDICATE.get(self.bits) != 0;
                self.page("it has a predicate or a condition, not both", predicate != (condition != 0))
            }
            _ => Ok(()),
        }
    }
}

/// True where a name of the pages is a type: `*W` both words.
fn of_name(name: &str, ty: Type) -> bool {
    let (both, name) = (name.starts_with('*'), name.trim_start_matches('*'));
    let signed = match name {
        "B" => Type::S8,
        "W" => Type::S16,
        "D" => Type::S32,
        "UB" => Type::U8,
        "UW" => Type::U16,
        "UD" => Type::U32,
        "DF" => Type::F64,
        "F" => Type::F32,
        _ => unreachable!("{name} names no type in the table of opcodes"),
    };
    ty == signed || both && !ty.is_float() && ty.bits() == signed.bits()
}
