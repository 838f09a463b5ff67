//! Control words of G13.

use super::operation::{operation, Operands};
use super::{barrier, executed, known, no_access, plain, ControlWord, Known, Launch, Want};
use crate::config::Isa;
use crate::sm::control::g13::{exchange, from};
use crate::sm::control::uop::op;
use crate::sm::control::{flow, lanes, source1, source23};
use crate::sm::mem::format::code;
use warpsmith_contract::trace::Destination;
use warpsmith_contract::TrapCause;
use warpsmith_isa::g13::{mini_float, G13};
use warpsmith_isa::uop::{
    Access, AtomicOp, Axis, Builtin, Flow, Format, Lowered, MaskFlow, Op, Place, Round, Space, Src, Type, Uop,
};

/// The control word of the instruction at the start of `code`, byte address `pc`.
///
/// # Errors
/// The cause of a trap: no instruction, what the chip lacks, a destination beyond the registers.
pub fn decode(code: &[u8], pc: u32, launch: &Launch) -> Result<ControlWord, TrapCause> {
    let (instr, lowered) = executed(&G13, code, pc, launch.options)?;
    let mut w = encode(&lowered, launch)?;
    w.sources.length = Want::is(instr.code.len() as u64 / 2);
    let links = |u: &Uop| matches!(u.op, Op::Flow(Flow::Mask(MaskFlow::JumpRegister))) && u.dst[0] != Place::None;
    if lowered.uops.iter().any(links) {
        w.control.imm = Want::is(pc.wrapping_add(instr.code.len() as u32));
    }
    Ok(w)
}

/// The control word of an instruction that the chip does not lack.
///
/// # Errors
/// [`TrapCause::Register`]: the destination lies beyond the registers.
pub fn encode(lowered: &Lowered, launch: &Launch) -> Result<ControlWord, TrapCause> {
    let uops: Vec<&Uop> = lowered.uops.iter().collect();
    let mut w = plain();
    let o = operation(&mut w, &uops, Isa::G13);
    o.fits(launch)?;
    let mut e = Encoder { w, launch };
    e.unused();
    e.operands(&o);
    e.control_flow(&uops);
    e.result(&o);
    e.access(&o, uops.first());
    e.exchange(&o);
    e.sums(&uops);
    e.adjusts(&uops);
    Ok(e.w)
}

struct Encoder<'a> {
    w: ControlWord,
    launch: &'a Launch,
}

/// The fields of an operand. The fourth is neither a float nor extended.
struct Fields<'a> {
    from: &'a mut Want,
    n: &'a mut Want,
    half: &'a mut Want,
    hi: &'a mut Want,
    mini: Option<&'a mut Want>,
    extend: Option<&'a mut Want>,
}

/// Half of the machine's registers that holds the number of the warp in its block.
const WARP: u64 = 3;

/// Code of the format of an access.
fn layout(a: &Access) -> u64 {
    let wide = a.element.bits() == 16;
    let cut = |code, round| if round == Round::Zero { code | code::CUT } else { code };
    match a.format {
        Format::Plain => code::PLAIN,
        Format::Unorm if wide => code::UNORM16,
        Format::Unorm => code::UNORM8,
        Format::Snorm if wide => code::SNORM16,
        Format::Snorm => code::SNORM8,
        Format::Srgb => code::SRGB,
        Format::Rgb10A2 => code::RGB10A2,
        Format::Rg11B10 { round } => cut(code::RG11B10, round),
        Format::Rgb9E5 { round } => cut(code::RGB9E5, round),
    }
}

/// A number that is an operand.
fn number(n: u64) -> Src {
    Src::immediate(n, Type::U16)
}

/// The lane register that a source is.
fn register(s: &Src) -> Option<u64> {
    match s.place {
        Place::Register { index, .. } => Some(index.into()),
        _ => None,
    }
}

/// The register of operand d where the operands are four different registers.
fn fourth(o: &Operands) -> Option<u64> {
    let [a, b, c, d] = [o.a, o.b, o.c, o.d].map(|s| register(&s?));
    let (a, b, c, d) = (a?, b?, c?, d?);
    (c != a && c != b && ![a, b, c].contains(&d)).then_some(d)
}

/// A number counted in halves, of which a whole register has two: only the even bit says something.
fn in_halves(number: u64, s: &Src) -> Want {
    let ignored = u64::from(s.ty.bits() > 16);
    Want::low(number, 0xff & !ignored)
}

/// The 8 bits of the instruction that are a float.
fn mini_number(bits: u64) -> u64 {
    let same = |n: &u64| u64::from((mini_float(*n) as f32).to_bits()) == bits;
    (0..256).find(same).unwrap_or_else(|| panic!("{bits:#x} is no float of 8 bits"))
}

impl Encoder<'_> {
    /// What most instructions have in common: no markers, operands from registers, none of them read, no address.
    fn unused(&mut self) {
        let (c, s, a) = (&mut self.w.control, &mut self.w.sources, &mut self.w.address);
        (c.s1_kind, c.s2_kind, c.s3_kind) = (Want::is(source1::GPR), Want::is(source23::GPR), Want::is(source23::GPR));
        for field in [
            &mut c.flags_we, &mut c.marker, &mut c.use1, &mut c.use2, &mut c.use3, &mut s.port3, &mut s.port4,
            &mut s.field, &mut s.base_half, &mut s.index, &mut s.machine, &mut s.mask, &mut s.exchange, &mut s.stores,
            &mut s.adjusts, &mut s.adjusts_by, &mut s.sum_of_two, &mut s.layout, &mut s.places, &mut a.base,
            &mut a.far, &mut a.indexed, &mut a.header, &mut self.w.machine_register,
        ] {
            *field = Want::is(0u64);
        }
        for operand in &mut self.w.operands {
            operand.register = Want::is(0u64);
        }
    }

    fn fields(&mut self, n: usize) -> Fields<'_> {
        let (s, c) = (&mut self.w.sources, &mut self.w.control);
        let (from, n, half, hi, mini, extend) = match n {
            0 => (&mut s.from1, &mut s.n1, &mut c.s1_half, &mut c.s1_hi, &mut s.mini1, &mut s.extend1),
            1 => (&mut s.from2, &mut s.n2, &mut c.s2_half, &mut c.s2_hi, &mut s.mini2, &mut s.extend2),
            2 => (&mut s.from3, &mut s.n3, &mut c.s3_half, &mut c.s3_hi, &mut s.mini3, &mut s.extend3),
            _ => {
                let (mini, extend) = (None, None);
                return Fields { from: &mut s.from4, n: &mut s.n4, half: &mut s.half4, hi: &mut s.hi4, mini, extend };
            }
        };
        Fields { from, n, half, hi, mini: Some(mini), extend: Some(extend) }
    }

    /// Operand `n` of the lane.
    fn operand(&mut self, n: usize, s: &Src) {
        // A byte is the low one of a half.
        let half = s.ty.bits() <= 16;
        // Written by the lowering; the numbers of an instruction have 16 bits, or are floats.
        let zero = s.place == Place::Immediate(0) && s.ty == Type::U32;
        let mut own = super::Operand { zero: Want::is(zero), ..super::Operand::default() };
        let f = self.fields(n);
        match s.place {
            Place::Register { index, byte } => {
                own.register = Want::is(1u64);
                own.number = in_halves(2 * u64::from(index) + u64::from(byte / 2), s);
                *f.from = Want::is(from::KIND);
                (*f.half, *f.hi) = (Want::is(half), Want::is(byte == 2));
            }
            Place::Uniform { index, byte } => {
                own.register = Want::is(0u64);
                own.number = in_halves(2 * u64::from(index & 127) + u64::from(byte / 2), s);
                own.page = Want::is(index >> 7);
                (*f.from, *f.n) = (Want::is(from::UNIFORM), Want::is(index));
                (*f.half, *f.hi) = (Want::is(half), Want::is(byte == 2));
            }
            Place::Immediate(v) => {
                let mini = s.ty == Type::F32;
                let number = if mini { mini_number(v) } else { v };
                (*f.from, *f.n) = (Want::is(from::NUMBER), Want::is(number));
                if !zero {
                    (own.register, own.number) = (Want::is(0u64), Want::is(number));
                    (*f.half, *f.hi) = (Want::is(0u64), Want::is(0u64));
                }
                if let Some(field) = f.mini {
                    *field = Want::is(mini);
                }
            }
            other => panic!("{other:?} is no operand"),
        }
        if let (Some(extend), false) = (f.extend, matches!(s.place, Place::Immediate(_))) {
            *extend = Want::is(half && s.ty.is_signed());
            if s.ty.bits() == 8 {
                *extend = Want::default();
            }
        }
        self.w.operands[n] = own;
    }

    fn operands(&mut self, o: &Operands) {
        let given = [o.a, o.b, o.c, o.d];
        for (n, s) in given.iter().enumerate() {
            match s {
                Some(Src { place: Place::Builtin(b), .. }) => self.builtin(*b),
                Some(s) => self.operand(n, s),
                None => {}
            }
        }
        // The lane does nothing more to what is not there.
        let dropped = |s: &Option<Src>| matches!(s, Some(s) if s.place == Place::Immediate(0) && s.ty == Type::U32);
        let alu = &mut self.w.alu;
        if dropped(&o.a) {
            (alu.neg_a, alu.shift) = (Want::default(), Want::default());
        }
        if dropped(&o.c) {
            (alu.neg_c, alu.shift) = (Want::default(), Want::default());
        }
        if let Some(length) = o.field {
            self.w.sources.field = Want::is(length);
        }
        if let Some(value) = o.immediate {
            (self.w.sources.from1, self.w.sources.from2) = (Want::is(from::KIND), Want::is(from::KIND));
            let c = &mut self.w.control;
            (c.s1_kind, c.s2_kind, c.imm) = (Want::is(source1::SECOND), Want::is(source23::IMM), Want::is(value));
            // The second operand is all 32 bits, and no more.
            let s = &mut self.w.sources;
            (s.extend1, s.extend2, c.s2_half) = (Want::is(0u64), Want::is(0u64), Want::is(0u64));
        }
        self.ports(o);
    }

    /// An instruction of two passes.
    fn exchange(&mut self, o: &Operands) {
        let (kept, code) = match fourth(o) {
            Some(register) => (Some(register), exchange::FOURTH),
            None => (None, o.exchange),
        };
        if code != exchange::NONE {
            (self.w.sources.exchange, self.w.control.passes) = (Want::is(code), Want::is(1u64));
        }
        if let Some(register) = kept {
            self.w.sources.n4 = Want::is(register);
        }
    }

    /// Integer sums: those of 64 bits take two passes, low words first.
    fn sums(&mut self, uops: &[&Uop]) {
        let [Uop { op: op @ (Op::Add | Op::MulAdd), ty, src, dst: [Place::Register { .. }, _], .. }] = uops else {
            return;
        };
        if ty.is_float() {
            return;
        }
        let (s, alu) = (&mut self.w.sources, &mut self.w.alu);
        let wide = ty.bits() == 64;
        (alu.reverse, s.sum_of_two) = (Want::is(wide), Want::is(wide));
        // The shifted source comes first in a sum, last in that of a product.
        let shifted = if *op == Op::Add { 0 } else { 2 };
        if *op == Op::Add {
            alu.high = Want::is(0u64);
        }
        for (n, source) in src.iter().enumerate() {
            // A source that a shift drops is 0 in both.
            if source.place == Place::Immediate(0) && source.ty == Type::U32 {
                continue;
            }
            let pair = source.ty.bits() == 64;
            s.step = s.step.with_bit(n as u32, pair);
            if n == shifted {
                alu.from = alu.from.with_bit(0, !pair);
            } else if *op == Op::Add {
                alu.from = alu.from.with_bit(1, !pair);
            }
        }
        if wide {
            self.w.control.passes = Want::is(1u64);
        }
    }

    /// What moves the stack pointer.
    fn adjusts(&mut self, uops: &[&Uop]) {
        let [Uop { op: Op::Add, dst: [Place::Builtin(Builtin::StackPointer), _], src, .. }] = uops else {
            return;
        };
        let by = &src[1];
        self.w.sources.adjusts = Want::is(1u64);
        match by.place {
            Place::Immediate(v) => self.w.control.imm = Want::low(v, 0xffff_ffff),
            _ => {
                self.w.sources.adjusts_by = Want::is(1u64);
                self.operand(0, by);
                self.reads([register(by), None, None]);
            }
        }
    }

    /// Three registers are read. A fourth operand takes the place of one of the first two that is no register, or
    /// is one of them; so may the third.
    fn ports(&mut self, o: &Operands) {
        let [a, b, c, d] = [o.a, o.b, o.c, o.d].map(|s| register(&s?));
        let mut reads = [a, b, c];
        if o.d.is_some() {
            let port3 = match c {
                Some(_) if c == a => 1u64,
                Some(_) if c == b => 2,
                _ => 0,
            };
            if port3 != 0 {
                reads[2] = None;
            }
            let free = |port: Option<u64>| d.is_some() && (port.is_none() || port == d);
            let port4 = match (free(a), free(b)) {
                (true, _) => 1u64,
                (_, true) => 2,
                _ => 0,
            };
            if d.is_some() && fourth(o).is_none() {
                reads[[2, 0, 1][port4 as usize]] = d;
            }
            (self.w.sources.port3, self.w.sources.port4) = (Want::is(port3), Want::is(port4));
        }
        self.reads(reads);
    }

    /// The registers that are read.
    fn reads(&mut self, registers: [Option<u64>; 3]) {
        let c = &mut self.w.control;
        let ports = [(&mut c.r1, &mut c.use1), (&mut c.r2, &mut c.use2), (&mut c.r3, &mut c.use3)];
        for ((register, used), read) in ports.into_iter().zip(registers) {
            if let Some(number) = read {
                (*register, *used) = (Want::is(number), Want::is(1u64));
            }
        }
    }

    /// Operand a, or more than it, is what a special register holds.
    fn builtin(&mut self, b: Builtin) {
        match (known(b), b) {
            (Some(Known::Machine(half)), _) => self.machine(0, half),
            (Some(Known::Header(byte)), _) => self.header(byte),
            (Some(Known::Lanes(which)), _) => self.lanes(which),
            (None, Builtin::GridThread(Axis::Z)) => self.machine(0, 2),
            (None, Builtin::Warp) => self.machine(0, WARP),
            (None, Builtin::GridThread(a)) => {
                let axis = u64::from(a == Axis::Y);
                let alu = &mut self.w.alu;
                alu.op = Want::is(op::MUL);
                (alu.accumulate, alu.high, alu.sat) = (Want::is(1u64), Want::is(0u64), Want::is(0u64));
                alu.reverse = Want::is(0u64);
                (alu.neg_a, alu.neg_c, alu.shift) = (Want::is(0u64), Want::is(0u64), Want::is(0u64));
                self.machine(2, axis);
                self.header(12 + 2 * axis);
                self.second(from::BLOCK_SIZE);
                (self.w.sources.n2, self.w.operands[1].number) = (Want::is(axis), Want::is(axis));
            }
            (None, Builtin::LinearThread) => {
                let alu = &mut self.w.alu;
                alu.op = Want::is(op::ADD);
                (alu.shift, alu.sat, alu.reverse) = (Want::is(5u64), Want::is(0u64), Want::is(0u64));
                (alu.neg_a, alu.neg_b) = (Want::is(0u64), Want::is(0u64));
                self.machine(0, WARP);
                self.second(from::LANE);
            }
            (None, Builtin::RankInQuad) => self.count(Some(lanes::QUAD_LESS)),
            (None, Builtin::ActiveInQuad) => self.count(Some(lanes::QUAD)),
            (None, Builtin::RankInWarp) => self.count(Some(lanes::LESS)),
            (None, Builtin::ActiveInWarp) => self.count(None),
            (None, Builtin::StackPointer) => self.stack(),
            (None, Builtin::IsActive) => self.operand(0, &number(1)),
            _ => self.operand(0, &number(0)),
        }
    }

    /// Operand a is neither a register nor a number: `Control::s1_kind` says what it is.
    fn by_kind(&mut self) {
        (self.w.sources.from1, self.w.sources.extend1) = (Want::is(from::KIND), Want::is(0u64));
        self.w.control.s1_half = Want::is(0u64);
    }

    /// Operand a is the stack pointer: all 32 bits, and no more.
    fn stack(&mut self) {
        (self.w.sources.from1, self.w.sources.extend1) = (Want::is(from::STACK), Want::is(0u64));
        self.w.control.s1_half = Want::is(0u64);
    }

    /// Operand b is what the machine knows: all 32 bits, and no more.
    fn second(&mut self, from: u64) {
        (self.w.sources.from2, self.w.sources.extend2) = (Want::is(from), Want::is(0u64));
        self.w.control.s2_half = Want::is(0u64);
    }

    fn header(&mut self, byte: u64) {
        self.w.header(byte);
        self.by_kind();
    }

    fn lanes(&mut self, which: u64) {
        self.w.lanes(which);
        self.by_kind();
    }

    /// Operand `n` is a half of the machine's registers, which is read as the first register.
    fn machine(&mut self, n: usize, half: u64) {
        let which = 1 + half / 2;
        let index = self.launch.machine_register(which);
        self.operand(n, &Src::new(Place::Register { index: index as u16, byte: 2 * (half & 1) as u8 }, Type::U16));
        // The instruction says nothing of its number but which half it is.
        self.w.operands[n] = super::Operand { number: Want::is(half & 1), ..super::Operand::default() };
        self.w.operands[0].register = Want::is(1u64);
        self.w.machine_register = Want::is(which);
        let (s, c) = (&mut self.w.sources, &mut self.w.control);
        (c.r1, c.use1, s.machine) = (Want::is(index), Want::is(1u64), Want::is(1u64));
        if n != 0 {
            self.w.operands[0].number = Want::is(0u64);
            self.w.operands[n].register = Want::is(0u64);
            s.port3 = Want::is(1u64);
        }
    }

    /// Active threads of a mask, or of the warp.
    fn count(&mut self, which: Option<u64>) {
        let alu = &mut self.w.alu;
        alu.op = Want::is(op::COUNT);
        (alu.neg_a, alu.neg_b) = (Want::is(which.is_none()), Want::is(0u64));
        self.second(from::ACTIVE);
        match which {
            Some(which) => self.lanes(which),
            // Every bit of the number 0 is inverted.
            None => self.operand(0, &number(0)),
        }
    }

    fn result(&mut self, o: &Operands) {
        let c = &mut self.w.control;
        c.dst_kind = Want::is(Destination::None as u64);
        if let Some(Place::Uniform { index, byte }) = o.uniform {
            (self.w.sources.stores, self.w.sources.n4) = (Want::is(1u64), Want::is(index));
            (c.dst_half, c.dst_hi) = (Want::is(o.written.bits() == 16), Want::is(byte == 2));
            return;
        }
        match o.dst {
            Some(Place::Register { index, byte }) => {
                (c.dst_kind, c.dst) = (Want::is(Destination::Gpr as u64), Want::is(index));
                (c.dst_half, c.dst_hi) = (Want::is(o.written.bits() == 16), Want::is(byte == 2));
            }
            Some(Place::None) | None => {}
            Some(other) => panic!("{other:?} is no register"),
        }
    }

    /// A load or store. `first`: where a base of two registers is rounded down.
    fn access(&mut self, o: &Operands, first: Option<&&Uop>) {
        let Some((a, address, data)) = &o.access else {
            return no_access(&mut self.w);
        };
        let load = data.is_none();
        let (operand, size) = match a.element.bits() {
            8 => (0u64, 0u64),
            16 => (1, 2),
            _ => (3, 6),
        };
        o.accesses(&mut self.w, a.space, load);
        let c = &mut self.w.control;
        if let Some(AtomicOp::Min | AtomicOp::Max) = o.atomic {
            c.atomic_signed = Want::is(a.element.is_signed());
        }
        c.mem_size = Want::is(size);
        c.passes = Want::is(match a.values() {
            1 => 0u64,
            2 => 1,
            3 => 3,
            _ => 2,
        });
        let s = &mut self.w.sources;
        s.layout = Want::is(layout(a));
        if a.format.packed().is_none() {
            let places = (0..4u64).filter(|n| a.elements >> n & 1 == 1);
            s.places = Want::is(places.zip(0..).map(|(n, pass)| n << (2 * pass)).sum::<u64>());
        }
        c.s1_half = Want::is(0u64);
        if a.space == Space::Shared && load {
            (c.s1_kind, c.s1_size) = (Want::is(source1::SHARED), Want::is(operand));
            self.w.sources.from1 = Want::is(from::KIND);
        }
        let [base, index] = &address[..] else {
            panic!("an address of {address:?}");
        };
        let base = match (base.place, first) {
            (Place::Temporary(_), Some(rounded)) => &rounded.src[0],
            _ => base,
        };
        let far = a.space == Space::Global;
        self.w.address.far = Want::is(far);
        self.base(base);
        if a.space == Space::Shared && load {
            self.w.sources.extend1 = Want::is(0u64);
        }
        self.index(index);
        if let Some(data) = data {
            self.operand(2, data);
        }
        // The second register of a far address takes the place of the index, which is then the third of a load.
        let second = register(base).filter(|_| far).map(|r| r + 1);
        let third = data.as_ref().and_then(register).or(register(index).filter(|_| second.is_some()));
        self.reads([register(base), second.or(register(index)), third]);
    }

    /// The base of an address, in operand a; its halves are chosen apart.
    fn base(&mut self, base: &Src) {
        match base.place {
            Place::Immediate(_) => return,
            Place::Builtin(_) => self.stack(),
            _ => self.operand(0, base),
        }
        let (c, s) = (&mut self.w.control, &mut self.w.sources);
        self.w.address.base = Want::is(1u64);
        (s.base_half, s.base_hi, s.extend1) = (c.s1_half, c.s1_hi, Want::default());
        (c.s1_half, c.s1_hi) = (Want::is(0u64), Want::default());
    }

    /// The index of an address, in operand b, or a number of bytes.
    fn index(&mut self, index: &Src) {
        let (s, c) = (&mut self.w.sources, &mut self.w.control);
        (s.scale, s.index_signed) = (Want::is(index.shift), Want::is(index.ty.is_signed()));
        match index.place {
            Place::Immediate(v) => {
                let number = if index.ty.is_signed() { i64::from(v as i16) } else { v as i64 };
                c.imm = Want::low((number << index.shift) as u64, 0xffff_ffff);
            }
            _ => {
                (s.index, c.imm) = (Want::is(1u64), Want::is(0u64));
                self.operand(1, index);
                self.w.sources.extend2 = Want::default();
            }
        }
    }

    fn control_flow(&mut self, uops: &[&Uop]) {
        for u in uops {
            match u.op {
                Op::Flow(Flow::End) => self.w.control.flow = Want::is(flow::END),
                Op::Flow(Flow::Mask(f)) => {
                    self.mask(f);
                    if f == MaskFlow::JumpRegister {
                        self.target(&u.src[0]);
                    }
                }
                Op::Barrier(b) => barrier(&mut self.w, b),
                Op::Trap => self.w.control.trap = Want::is(TrapCause::Trap.number()),
                _ => {}
            }
        }
    }

    /// The register of a jump, which is no operand of the lane.
    fn target(&mut self, s: &Src) {
        self.w.operands[0].register = Want::is(1u64);
        if let Some(index) = register(s) {
            self.w.operands[0].number = in_halves(2 * index, s);
        }
        self.w.sources.from1 = Want::is(from::KIND);
        self.reads([register(s), None, None]);
    }

    fn mask(&mut self, f: MaskFlow) {
        self.w.sources.mask = Want::is(f.counts());
        let (code, target) = match f {
            MaskFlow::Jump { target } => (flow::JUMP, target),
            MaskFlow::JumpAny { target } => (flow::JUMP_ANY, target),
            MaskFlow::JumpNone { target } => (flow::JUMP_NONE, target),
            MaskFlow::JumpRegister => {
                self.w.control.flow = Want::is(flow::JUMP_REGISTER);
                return;
            }
            _ => return,
        };
        (self.w.control.flow, self.w.control.target) = (Want::is(code), self.launch.target(target));
    }
}
