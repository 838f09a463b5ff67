//! What each row of Fermi's table asks of the lane, of memory and of control flow.

use super::super::row_field::RowField;
use super::fields::RowFields;
use super::operands::field;
use super::special::special;
use crate::rtl::prelude::*;
use crate::sm::control::uop::{count, format, op, vote};
use crate::sm::control::{flow, function, int_format, source1, source23, BAR_COUNT};
use warpsmith_contract::trace::MemoryAccess;
use warpsmith_isa::fermi::operand::Operand;
use warpsmith_isa::fermi::table::fields::{COUNT, SHIFT, SPECIAL};
use warpsmith_isa::set::{Form, Modifier};

/// Codes of the modifier `op` of MUFU and their functions; the others are not on the chip.
const FUNCTIONS: [u64; 6] = [function::COS, function::SIN, function::EX2, function::LG2, function::RCP, function::RSQ];

/// Truth table that passes its second operand.
const SECOND: u64 = 0b1100;

/// A chip executes the form. Atomics and floats of 64 bits trap as unimplemented.
pub(super) fn implemented(form: &Form<Operand>) -> bool {
    let f64 = |m: &Modifier| matches!(m, Modifier::Fixed("F64"));
    let double = form.mnemonic.starts_with('D') || form.modifiers.iter().any(f64);
    !double && !matches!(form.mnemonic, "RED" | "ATOM")
}

/// What rows need beside their hit line.
pub(super) struct Word {
    /// The instruction.
    pub w: Expr,
    /// Size of an element of a load as `Control::s1_size`.
    pub element: Expr,
    /// Numbers of the machine's two registers of a thread.
    pub machine: [Expr; 2],
}

impl Word {
    /// The field of a modifier, if the form has it.
    fn modifier(&self, form: &Form<Operand>, name: &str) -> Option<Expr> {
        form.modifiers.iter().find_map(|m| match m {
            Modifier::Names(f, _) if f.name == name => Some(field(&self.w, *f)),
            _ => None,
        })
    }
}

/// Warps that a barrier of so many threads expects, as `Control::imm`; too many for any block stay so.
fn warps_expected(threads: &Expr) -> Expr {
    let warps = (threads.zext(threads.width() + 1) + lit(threads.width() + 1, 31)).named();
    let warps = warps.bits(5, warps.width() - 5);
    let (low, high) = (warps.bits(0, BAR_COUNT), warps.bits(BAR_COUNT, warps.width() - BAR_COUNT));
    (low | high.any().repeat(BAR_COUNT)).zext(32)
}

/// Truth table of a code of AND, OR, XOR, PASS_B: bit a + 2 b.
fn truth_table(code: &Expr) -> Expr {
    let xor = code.is(1) | code.is(2);
    cat([&!code.is(2), &code.any(), &xor, &zero(1)])
}

/// Outcomes of the condition code {unordered, greater, equal, less}, see `uop::cond`.
fn outcomes(code: &Expr) -> Expr {
    let unordered = code.bit(3);
    cat([&unordered, &unordered, &code.bits(0, 3)])
}

/// What the row asks for beside its operands.
pub(super) fn operation(f: &mut RowFields, hit: &Expr, form: &Form<Operand>, word: &Word) {
    if !implemented(form) {
        return f.missing.flag(hit);
    }
    let of = |name: &str| word.modifier(form, name);
    let bit = |field: &mut RowField, name: &str| {
        if let Some(v) = of(name) {
            field.add(hit, v);
        }
    };
    let fixed = |name: &str| {
        let same = |m: &Modifier| matches!(m, Modifier::Fixed(n) if *n == name);
        form.modifiers.iter().any(same)
    };
    let op = |f: &mut RowFields, code: u64| f.op.add(hit, lit(5, code));
    // Rounding, denormals, saturation; what a form lacks stays 0.
    let float = |f: &mut RowFields| {
        for name in ["ftz", "fmz"] {
            bit(&mut f.flush, name);
            bit(&mut f.flush_result, name);
        }
        bit(&mut f.zero_product, "fmz");
        bit(&mut f.round, "rnd");
        bit(&mut f.sat, "sat");
    };
    let compare = |f: &mut RowFields| {
        if let Some(code) = of("cmp") {
            f.cond.add(hit, outcomes(&code));
        }
        if let Some(code) = of("log") {
            f.table.add(hit, truth_table(&code));
        }
        bit(&mut f.flush, "ftz");
        bit(&mut f.signed_a, "s");
    };
    let int = |signed: &Expr, size: u64| cat([signed, &lit(2, size)]);
    let memory = |f: &mut RowFields, access: MemoryAccess| {
        f.mem.add(hit, lit(3, access as u64));
        f.sized.flag(hit);
        bit(&mut f.far, "e");
    };
    let flow = |f: &mut RowFields, code: u64| f.flow.add(hit, lit(4, code));
    let word_size = int_format::code(false, 32);
    match form.mnemonic {
        "FADD" | "FADD32I" => {
            op(f, op::FADD);
            float(f);
        }
        "FMUL" | "FMUL32I" => {
            op(f, op::FMUL);
            float(f);
        }
        "FFMA" => {
            op(f, op::FMA);
            float(f);
        }
        "FSETP" => {
            op(f, op::COMPARE);
            f.float.flag(hit);
            compare(f);
        }
        "FCMP" => {
            op(f, op::COMPARE_SELECT);
            f.float.flag(hit);
            compare(f);
        }
        "FMNMX" => {
            op(f, op::MINMAX);
            f.float.flag(hit);
            float(f);
        }
        "MUFU" => {
            f.sfu.flag(hit);
            bit(&mut f.sat, "sat");
            if let Some(code) = of("op") {
                for (n, function) in (0..).zip(FUNCTIONS) {
                    f.table.add(&(hit & code.is(n)), lit(4, function));
                }
                f.missing.add(hit, code.ge(&lit(3, FUNCTIONS.len() as u64)));
            }
        }
        "RRO" if fixed("EX2") => op(f, op::RRO_EX2),
        "RRO" => op(f, op::RRO_SIN),
        "F2I" => {
            op(f, op::F2I);
            bit(&mut f.flush, "ftz");
            bit(&mut f.round, "rnd");
            bit(&mut f.to, "dt");
            // Integers of 64 bits.
            if let Some(to) = of("dt") {
                f.missing.add(hit, to.bits(0, 2).is(3));
            }
        }
        "I2F" => {
            op(f, op::I2F);
            bit(&mut f.round, "rnd");
            if let Some(signed) = of("ss") {
                f.from.add(hit, int(&signed, word_size));
            }
        }
        "I2I" => {
            op(f, op::CONVERT);
            bit(&mut f.sat, "sat");
            bit(&mut f.to, "dt");
            if let Some(signed) = of("ss") {
                f.from.add(hit, int(&signed, word_size));
            }
        }
        "F2F" => {
            op(f, op::F2F);
            bit(&mut f.flush, "ftz");
            bit(&mut f.round, "rnd");
            bit(&mut f.sat, "sat");
            if fixed("F16") {
                f.format.add(hit, lit(2, format::F16));
            } else {
                bit(&mut f.flush_result, "ftz");
            }
            if fixed("ROUND") {
                f.integral.flag(hit);
            }
        }
        "IADD" | "IADD32I" => {
            op(f, op::ADD);
            f.signed_a.flag(hit);
            bit(&mut f.sat, "sat");
        }
        "ISCADD" => {
            op(f, op::ADD);
            f.shift.add(hit, field(&word.w, SHIFT));
        }
        "IMUL" | "IMUL32I" | "IMAD" => {
            op(f, op::MUL);
            bit(&mut f.signed_a, "sa");
            bit(&mut f.signed_b, "sb");
            bit(&mut f.high, "hi");
            bit(&mut f.sat, "sat");
            if form.mnemonic == "IMAD" {
                f.accumulate.flag(hit);
            }
        }
        "SHL" | "SHR" => {
            op(
                f,
                match form.mnemonic {
                    "SHL" => op::SHIFT_LEFT,
                    _ => op::SHIFT_RIGHT,
                },
            );
            bit(&mut f.signed_a, "s");
            if let Some(modulo) = of("w") {
                f.count.add(hit, modulo.mux(&lit(2, count::MOD_32), &lit(2, count::ALL)));
            }
        }
        "LOP" | "LOP32I" => {
            op(f, op::LOGIC);
            if let Some(code) = of("op") {
                f.table.add(hit, truth_table(&code));
            }
        }
        "ISETP" => {
            op(f, op::COMPARE);
            compare(f);
        }
        "ICMP" => {
            op(f, op::COMPARE_SELECT);
            compare(f);
        }
        "IMNMX" => {
            op(f, op::MINMAX);
            bit(&mut f.signed_a, "s");
        }
        "BFE" => {
            op(f, op::EXTRACT);
            bit(&mut f.signed_a, "s");
            bit(&mut f.reverse, "rev");
        }
        "BFI" => op(f, op::INSERT),
        "POPC" => op(f, op::COUNT),
        "FLO" => {
            op(f, op::FIND);
            bit(&mut f.signed_a, "s");
            bit(&mut f.reverse, "sh");
        }
        "MOV" | "MOV32I" => pass_b(f, hit),
        "SEL" => op(f, op::SELECT),
        "PSETP" => {
            op(f, op::PREDICATES);
            for (name, table) in [("log1", &mut f.table), ("log", &mut f.table_2)] {
                if let Some(code) = of(name) {
                    table.add(hit, truth_table(&code));
                }
            }
        }
        "S2R" => {
            op(f, op::MOVE);
            special(f, hit, &field(&word.w, SPECIAL), &word.machine);
        }
        "VOTE" => {
            op(f, op::VOTE);
            // What the vote finds takes the place of an immediate.
            f.s2_kind.add(hit, lit(2, source23::IMM));
            if let Some(code) = of("op") {
                // ALL, ANY, EQ.
                assert_eq!([vote::ALL, vote::ANY, vote::SAME], [1, 2, 3]);
                f.vote.add(hit, &code + &lit(2, 1));
            }
        }
        "LD" => memory(f, MemoryAccess::GlobalLoad),
        "ST" => memory(f, MemoryAccess::GlobalStore),
        "LDL" => memory(f, MemoryAccess::LocalLoad),
        "STL" => memory(f, MemoryAccess::LocalStore),
        "STS" => memory(f, MemoryAccess::SharedStore),
        "LDS" => {
            op(f, op::MOVE);
            f.s1_kind.add(hit, lit(3, source1::SHARED));
            f.s1_size.add(hit, word.element.clone());
            f.sized.flag(hit);
        }
        "LDC" => {
            pass_b(f, hit);
            f.s2_kind.add(hit, lit(2, source23::CONST));
            f.indexed.flag(hit);
            f.c_size.add(hit, word.element.clone());
            f.sized.flag(hit);
        }
        "BRA" => flow(f, flow::BRA),
        "CAL" => flow(f, flow::CAL),
        "RET" => flow(f, flow::RET),
        "PBK" => flow(f, flow::PBK),
        "BRK" => flow(f, flow::BRK),
        "SSY" => flow(f, flow::SSY),
        "PCNT" => flow(f, flow::PCNT),
        "CONT" => flow(f, flow::CONT),
        "PRET" => flow(f, flow::PRET),
        "EXIT" => flow(f, flow::EXIT),
        "BAR" => {
            f.bar.flag(hit);
            if fixed("SYNC") {
                f.bar_wait.flag(hit);
            }
            f.imm.add(hit, warps_expected(&field(&word.w, COUNT)));
        }
        "MEMBAR" | "NOP" => {}
        _ => f.missing.flag(hit),
    }
}

fn pass_b(f: &mut RowFields, hit: &Expr) {
    f.op.add(hit, lit(5, op::LOGIC));
    f.table.add(hit, lit(4, SECOND));
}
