//! The control word: what DEC makes of an instruction, field by field, and the codes of its fields.
//!
//! [`AluControl`] is what a lane of SM 1.0 needs to know, [`uop::UopControl`] what one of the other sets does. Destinations, memory accesses and
//! trap causes have the numbers of the contract: traces and trap records show them as they are.

pub mod double;
pub mod encode;
pub mod g13;
pub mod ivb;
pub mod uop;

use super::dims::Dims;
use super::mem::operation::atomic;
use crate::rtl::{cat, code, lit, pack, Bits, Expr};
use crate::{codes, packed};
use warpsmith_contract::registers::trap;
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_contract::TrapCause;

codes! { "UNIT":
/// Units of a lane (`AluControl::unit`); bit 3 says float.
pub mod unit {
    /// `a + b` and its relatives (`kind`, `w16`, `sat`).
    pub const ADD: u64 = 0;
    /// 16- or 24-bit product, plus `c` when `accumulate` (`kind`, `sat`).
    pub const MUL: u64 = 1;
    /// `|a - b| + c`.
    pub const SAD: u64 = 2;
    /// All ones when the relation `cond` holds; of floats with `real` (`unordered`, and the signs of
    /// both operands as in a sum).
    pub const SET: u64 = 3;
    /// Minimum, or maximum with `right`; of floats with `real`. With `real` and `accumulate`: a where
    /// the float c, negated by `neg_b`, is zero or more, else b.
    pub const MINMAX: u64 = 4;
    /// Shift left, or right with `right`, of `a` by `b`.
    pub const SHIFT: u64 = 5;
    /// Bitwise operation `logic`.
    pub const LOGIC: u64 = 6;
    /// Integer conversion.
    pub const CONVERT: u64 = 7;
    /// Float product of `a` and `b` (`neg`, `neg_b`, `sat`, `round` nearest or toward zero).
    pub const FMUL: u64 = 8;
    /// Product of `a` and `b`, truncated, plus `c` (`neg` the product, `neg_b` c, `sat`).
    pub const FMAD: u64 = 9;
    /// Float sum of `a` and `b` (`neg`, `neg_b`, `sat`, `round` nearest or toward zero).
    pub const FADD: u64 = 10;
    /// Float of format `from` to float of format `to`; with `high` to an integral value first
    /// (`neg`, `abs`, `sat`, `round`).
    pub const F2F: u64 = 11;
    /// Integer of format `from` to float of format `to` (`neg`, `abs`, `sat`, `round`).
    pub const I2F: u64 = 12;
    /// Float of format `from` to integer of format `to`, clamped (`neg`, `abs`, `round`).
    pub const F2I: u64 = 13;
    /// Range reduction in front of sine and cosine (`neg`, `abs`).
    pub const RRO_SIN: u64 = 14;
    /// Range reduction in front of the power of two (`neg`, `abs`).
    pub const RRO_EX2: u64 = 15;
}
}

codes! { "FUNCTION":
/// Functions of the special-function unit (`AluControl::cond`), as the instruction word has them.
pub mod function {
    /// Reciprocal.
    pub const RCP: u64 = 0;
    /// Reciprocal square root.
    pub const RSQ: u64 = 2;
    /// Logarithm to base 2.
    pub const LG2: u64 = 3;
    /// Sine of what RRO.SIN gives.
    pub const SIN: u64 = 4;
    /// Cosine of what RRO.SIN gives.
    pub const COS: u64 = 5;
    /// Two to the power of what RRO.EX2 gives (`sat`).
    pub const EX2: u64 = 6;
}
}

/// Integer formats of a conversion (`from`, `to`): `{signed, size}`, size 0 = 8, 1 = 16, 2 = 32, with floats of 64 bits
/// 3 = 64 bits.
pub mod int_format {
    /// Encodes a format.
    pub fn code(signed: bool, bits: usize) -> u64 {
        let size = match bits {
            8 => 0,
            16 => 1,
            64 => 3,
            _ => 2,
        };
        (signed as u64) << 2 | size
    }
}

/// Float formats of a conversion (`from`, `to`): the size code of [`int_format`].
pub mod float_format {
    /// Half precision, in the low half of the word.
    pub const F16: u64 = 1;
    /// Single precision.
    pub const F32: u64 = 2;
}

codes! { "ROUND":
/// Rounding modes (`AluControl::round`).
pub mod round {
    /// To nearest, ties to even.
    pub const NEAREST: u64 = 0;
    /// Toward minus infinity.
    pub const DOWN: u64 = 1;
    /// Toward plus infinity.
    pub const UP: u64 = 2;
    /// Toward zero.
    pub const ZERO: u64 = 3;
}
}

packed! {
    /// What a lane does; docs/numerics.md says what floats give.
    pub struct AluControl(_d: ()) {
        /// One of [`mod@unit`].
        unit: 4 => unit,
        /// 16-bit operation: operands in the low half, result in the low half, flags from bit 15.
        w16: 1,
        /// 0 a+b, 1 a-b, 2 b-a, 3 a+b+carry; in MUL the product takes the place of a and c of b.
        kind: 2,
        /// Signed saturation of an addition. Float results: clamped to 0 … 1.
        sat: 1,
        /// MUL: a is signed. SET, MINMAX, SHIFT, SAD: the operation is signed.
        signed_a: 1,
        /// MUL: b is signed.
        signed_b: 1,
        /// MUL: 24-bit operands, else 16-bit.
        mul24: 1,
        /// MUL: bits 47:16 of the 48-bit product, else 31:0. F2F: round to an integral value.
        high: 1,
        /// MUL: add c. MINMAX: the float c chooses.
        accumulate: 1,
        /// SET: bit 0 less, 1 equal, 2 greater. Special functions: [`function`].
        cond: 3,
        /// SHIFT: right. MINMAX: maximum.
        right: 1,
        /// LOGIC: 0 and, 1 or, 2 xor, 3 pass b.
        logic: 2,
        /// LOGIC: invert a.
        not_a: 1,
        /// LOGIC: invert b.
        not_b: 1,
        /// CONVERT and floats: source format ([`int_format`], [`float_format`]).
        from: 3,
        /// CONVERT and floats: destination format.
        to: 3,
        /// CONVERT, floats, special functions: negate a (after absolute value).
        neg: 1,
        /// CONVERT, conversions and comparisons of floats, special functions: absolute value of a.
        abs: 1,
        /// Floats: negate b (FMAD and the choice by c: c), after its absolute value.
        neg_b: 1,
        /// Floats: mode of [`round`].
        round: 2,
        /// SET, MINMAX: the operands are floats.
        real: 1,
        /// SET of floats: holds when an operand is no number.
        unordered: 1,
        /// SET, MINMAX of floats: absolute value of b.
        abs_b: 1,
    }
}

/// Accesses (`Control::mem`): those of the trace port.
pub mod mem {
    use crate::rtl::Codes;
    use warpsmith_contract::trace::MemoryAccess as Access;

    /// The names in the Verilog.
    pub const CODES: Codes = Codes {
        prefix: "MEM",
        names: &[
            ("SHARED_STORE", Access::SharedStore as u64),
            ("GLOBAL_LOAD", Access::GlobalLoad as u64),
            ("GLOBAL_STORE", Access::GlobalStore as u64),
            ("LOCAL_LOAD", Access::LocalLoad as u64),
            ("LOCAL_STORE", Access::LocalStore as u64),
            ("GLOBAL_ATOMIC", Access::GlobalAtomic as u64),
            ("GLOBAL_REDUCTION", Access::GlobalReduction as u64),
        ],
    };
}

codes! { "SOURCE1":
/// Sources of the first operand (`Control::s1_kind`).
pub mod source1 {
    /// General register `r1`.
    pub const GPR: u64 = 0;
    /// Shared memory.
    pub const SHARED: u64 = 1;
    /// Address register `areg`.
    pub const AREG: u64 = 2;
    /// Flag register `cc`.
    pub const CC: u64 = 3;
    /// Cycle counter.
    pub const CLOCK: u64 = 4;
    /// Zero.
    pub const ZERO: u64 = 5;
    // Not of SM 1.0.
    /// Number of the thread in its warp, or a mask of threads: one of [`super::lanes`], which stands in
    /// `UopControl::table`.
    pub const LANE: u64 = 6;
    /// The second operand, which is b, too.
    pub const SECOND: u64 = 7;
}
}

/// What [`source1::LANE`] gives the thread with number n in its warp.
pub mod lanes {
    /// n.
    pub const NUMBER: u64 = 0;
    /// Bit n.
    pub const EQUAL: u64 = 1;
    /// Bits below n.
    pub const LESS: u64 = 2;
    /// Bits up to n.
    pub const LESS_EQUAL: u64 = 3;
    /// Bits above n.
    pub const GREATER: u64 = 4;
    /// Bits from n on.
    pub const GREATER_EQUAL: u64 = 5;
    /// The bits of its quad. Of G13 alone.
    pub const QUAD: u64 = 6;
    /// Those of them below n. Of G13 alone.
    pub const QUAD_LESS: u64 = 7;
}

codes! { "SOURCE2":
/// Sources of the second and third operand (`s2_kind`, `s3_kind`).
pub mod source23 {
    /// General register.
    pub const GPR: u64 = 0;
    /// Constant memory.
    pub const CONST: u64 = 1;
    /// The immediate (second operand only).
    pub const IMM: u64 = 2;
}
}

/// Votes over the guard (`Control::ballot`), as the word says them.
pub mod vote {
    /// Whether it holds in any active thread.
    pub const ANY: u64 = 1;
    /// Whether it holds in all.
    pub const ALL: u64 = 2;
}

/// Bytes of a block's header in shared memory.
pub const HEADER_BYTES: u64 = 16;

/// Log2 of the most passes an instruction may take: four words of 32 bits.
pub const MAX_PASSES: usize = 2;

/// The last pass of an instruction with this [`Control::passes`], [`MAX_PASSES`] bits.
pub fn last_pass(d: &Dims, passes: &Expr) -> Expr {
    if d.has.fourth_operand {
        let [two, four, three] = [1, 2, 3].map(|code| passes.is(code));
        return cat([&(&four | &three), &(two | four)]);
    }
    let bits: Vec<_> = (0..MAX_PASSES).map(|i| passes.gt(&lit(2, i as u64))).collect();
    pack(bits.iter())
}

codes! { "FLOW":
/// Control-flow operations (`Control::flow`); the numbers the divergence unit takes.
pub mod flow {
    /// None; the marker may still act.
    pub const NONE: u64 = 0;
    /// Branch.
    pub const BRA: u64 = 1;
    /// Call.
    pub const CAL: u64 = 2;
    /// Return.
    pub const RET: u64 = 3;
    /// Push a break address.
    pub const PBK: u64 = 4;
    /// Break.
    pub const BRK: u64 = 5;
    /// Push a join address.
    pub const SSY: u64 = 6;
    // Not of SM 1.0, whose field has 3 bits.
    /// Push the address where threads go on that CONT leaves waiting.
    pub const PCNT: u64 = 7;
    /// Continue.
    pub const CONT: u64 = 8;
    /// Push a return address.
    pub const PRET: u64 = 9;
    /// The executing threads end.
    pub const EXIT: u64 = 10;
    // Of G13 alone.
    /// Jump.
    pub const JUMP: u64 = 11;
    /// Jump where a thread is active.
    pub const JUMP_ANY: u64 = 12;
    /// Jump where none is.
    pub const JUMP_NONE: u64 = 13;
    /// The warp ends.
    pub const END: u64 = 14;
    /// Jump to the address that a register has in every active thread; go on where none is active.
    pub const JUMP_REGISTER: u64 = 15;
}
}

/// Barriers of a block.
pub const BARRIERS: usize = 16;

/// Bits of the warps that a barrier expects.
pub const BAR_COUNT: usize = 6;

/// Bits of a trap cause.
pub const TRAP_CAUSE: usize = trap::CAUSE.width() as usize;
/// Bits of the lane of a trap.
pub const TRAP_LANE: usize = trap::LANE.width() as usize;
/// Bits of the warp slot of a trap.
pub const TRAP_WARP: usize = trap::WARP.width() as usize;
/// Bits of the SM of a trap.
pub const TRAP_SM: usize = trap::SM.width() as usize;

/// Number of a trap cause.
pub fn trap_cause(cause: TrapCause) -> Expr {
    code(&code_name("TRAP", cause.name()), TRAP_CAUSE, cause.number().into())
}

/// Name in the Verilog of what the contract calls `name`.
pub fn code_name(prefix: &str, name: &str) -> String {
    format!("{prefix}_{}", name.to_uppercase().replace(|c: char| !c.is_ascii_alphanumeric(), "_"))
}

/// Bits of the lane's part of a control word.
pub fn alu_width(d: &Dims) -> usize {
    match d.has.uops {
        true => uop::UopControl::width(()),
        false => AluControl::width(()),
    }
}

packed! {
    /// Registers of an instruction as its word numbers them: halves of registers by their own numbers.
    /// Not part of [`Control`]: only what may not wait for decode looks at them.
    pub struct Numbers(_d: ()) {
        r1: 7,
        r2: 7,
        r3: 7,
        dst: 7,
    }
}

packed! {
    /// A decoded instruction: all the pipeline knows of it. The only struct of its kind.
    pub struct Control(d: &Dims) {
        /// The lane's part: [`AluControl`], [`uop::UopControl`].
        alu: alu_width(d),
        /// The special-function units compute the result, beside the pipeline: the function is
        /// `alu.cond`, its operand a with `alu.neg` and `alu.abs`.
        sfu: 1,
        /// [`source1`].
        s1_kind: 3 => source1,
        /// The first operand is 16 bits wide.
        s1_half: 1,
        /// … and is the high half of its register.
        s1_hi: 1,
        /// Register of the first operand.
        r1: 7,
        /// Size of a shared operand: 0 u8, 1 u16, 2 s16, 3 32 bits, 4 s8.
        s1_size: d.operand_size(),
        /// [`source23`].
        s2_kind: 2 => source23,
        s2_half: 1,
        s2_hi: 1,
        r2: 7,
        /// [`source23`].
        s3_kind: 1,
        s3_half: 1,
        s3_hi: 1,
        r3: 7,
        /// Size of a constant operand, as `s1_size`.
        c_size: d.operand_size(),
        /// Constant bank.
        c_bank: d.bank(),
        /// Byte offset of the constant operand.
        c_offset: 16,
        /// Byte offset of the shared or local operand.
        s_offset: 16,
        /// Address register that is read.
        areg: 3,
        /// 0 none, 1 it addresses shared or local memory, 2 it addresses constants.
        areg_use: 2,
        /// The address register takes its value plus the offset.
        post_inc: 1,
        /// Immediate operand. BAR, not of SM 1.0: warps expected in the low [`BAR_COUNT`] bits, 0 all.
        imm: 32,
        /// `Destination` of hdl/contract.
        dst_kind: 2,
        dst_half: 1,
        dst_hi: 1,
        /// Register, or address register in the low 3 bits.
        dst: 7,
        /// Flags are written.
        flags_we: 1,
        /// … from bits 3:0 of the result.
        flags_from_y: 1,
        /// Flag register written.
        cdst: 2,
        /// Flag register read: guard, carry, C2R.
        cc: 2,
        /// Guard condition.
        pred: 5,
        /// Quad lanes that act.
        quad: 4,
        /// [`mem`].
        mem: 3 => mem,
        /// A load from shared memory takes the lock, a store frees it; of SM 1.2 and later.
        lock: d.has.locks.bits(1),
        /// One of [`mod@atomic`](super::mem::operation::atomic); of sets beside SM 1.0, where it is a part of `imm`.
        atomic: (d.has.atomics && d.has.uops).bits(4) => atomic,
        /// Minima and maxima are those of signed words.
        atomic_signed: (d.has.atomics && d.has.atomic_signs).bits(1),
        /// [`vote`]; of SM 1.2 and later.
        ballot: (d.has.votes && !d.has.predicates).bits(2),
        /// Access size: 0 u8, 1 s8, 2 u16, 3 s16, 4 64, 5 128, 6 32 bits.
        mem_size: 3,
        /// Log2 of the passes: 0 to [`MAX_PASSES`]; of G13 and Ivy Bridge 3: three passes.
        passes: 2,
        /// [`flow`].
        flow: d.flow() => flow,
        /// 0 none, 1 exit, 2 join.
        marker: 2,
        /// Branch target, a byte address.
        target: d.pc,
        /// A BAR instruction, its number and what it does.
        bar: 1,
        bar_id: 4,
        bar_arrive: 1,
        bar_wait: 1,
        /// BPT: traps when any thread executes it.
        breakpoint: 1,
        /// 8 bytes long, else 4; of Ivy Bridge 16, else 8. G13 has `SourceControl::length`.
        long: 1,
        /// `TrapCause` of hdl/contract known from the word alone; 0 none.
        trap: TRAP_CAUSE,
        /// Registers that are read, for the scoreboard.
        use1: 1,
        use2: 1,
        use3: 1,
        /// The flag register is read.
        use_cc: 1,
        /// The address register is read.
        use_areg: 1,
        /// [`uop::PredicateControl`]; of Fermi alone.
        predicates: d.has.predicates.bits(uop::PredicateControl::width(())),
        /// [`uop::AddressControl`]; not of SM 1.0.
        address: d.has.wide_addresses.bits(uop::AddressControl::width(())),
        /// [`g13::SourceControl`]; of G13 alone.
        sources: d.has.sources.bits(g13::SourceControl::width(())),
        /// [`double::DoubleControl`]; with floats of 64 bits alone.
        double: d.double(double::DoubleControl::width(d.has.late_flags)),
        /// [`ivb::ChannelControl`]; of Ivy Bridge alone.
        channels: d.has.channels.bits(ivb::ChannelControl::width(d)),
    }
}

impl Control {
    /// What it says of floats of 64 bits, where the chip has some; its fields are called `prefix_…`.
    pub fn double(&self, d: &Dims, prefix: &str) -> Option<double::DoubleControl> {
        d.double.then(|| double::DoubleControl::unpack(d.has.late_flags, prefix, &self.double))
    }

    /// What it says of channels, on a chip of Ivy Bridge; its fields are called `prefix_…`.
    pub fn channels(&self, d: &Dims, prefix: &str) -> Option<ivb::ChannelControl> {
        d.has.channels.then(|| ivb::ChannelControl::unpack(d, prefix, &self.channels))
    }

    /// What it says of predicates, where the chip has some; its fields are called `prefix_…`.
    pub fn predicates(&self, d: &Dims, prefix: &str) -> Option<uop::PredicateControl> {
        d.has.predicates.then(|| uop::PredicateControl::unpack((), prefix, &self.predicates))
    }

    /// What it says of the sources of operands, where they are chosen in A; its fields are called `prefix_…`.
    pub fn sources(&self, d: &Dims, prefix: &str) -> Option<g13::SourceControl> {
        d.has.sources.then(|| g13::SourceControl::unpack((), prefix, &self.sources))
    }

    /// What it says of sums of 64 bits, where the chip has them; its fields are called `prefix_…`.
    pub fn wide_sums(&self, d: &Dims, prefix: &str) -> Option<g13::SourceControl> {
        self.sources(d, prefix).filter(|_| d.has.wide_sums)
    }

    /// What every instruction of micro-operations says of what only SM 1.0 has: no address registers, no flags,
    /// the guard on them always true, no markers; 8 bytes.
    pub fn of_uops(d: &Dims) -> Self {
        Self { pred: lit(5, 15), quad: lit(4, 15), long: lit(1, 1), ..Self::zeros(d) }
    }

    /// It is a vote of SM 1.2 or of Fermi; `None` on a chip without votes. Fields it unpacks are called `prefix_…`.
    pub fn votes(&self, d: &Dims, prefix: &str) -> Option<Expr> {
        let over_predicates = self.predicates(d, prefix).map(|p| p.vote.any());
        over_predicates.or_else(|| d.has.votes.then(|| self.ballot.any()))
    }

    /// It makes this access.
    pub fn accesses(&self, access: MemoryAccess) -> Expr {
        self.mem.is(access as u64)
    }

    /// It accesses global memory.
    pub fn accesses_global(&self, d: &Dims) -> Expr {
        let plain = self.accesses(MemoryAccess::GlobalLoad) | self.accesses(MemoryAccess::GlobalStore);
        match d.has.atomics {
            true => plain | self.is_atomic(),
            false => plain,
        }
    }

    /// It reads and replaces global memory; on chips with atomic accesses.
    pub fn is_atomic(&self) -> Expr {
        self.accesses(MemoryAccess::GlobalAtomic) | self.accesses(MemoryAccess::GlobalReduction)
    }

    /// It accesses local memory.
    pub fn accesses_local(&self) -> Expr {
        self.accesses(MemoryAccess::LocalLoad) | self.accesses(MemoryAccess::LocalStore)
    }
}
