//! Forms of G13 that chips execute, and how their instructions differ.

use super::item::{Expected, Item};
use std::sync::OnceLock;
use warpsmith_isa::g13::operand::{Kind, Operand};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::InstructionSet;
use warpsmith_isa::Options;

/// Numbers of the special registers that have a meaning.
const SPECIAL: [u64; 22] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 48, 49, 50, 51, 52, 53, 56, 57, 58, 59, 63, 80, 81];

/// All of those that chips with these options execute, in table order.
pub fn expected(options: Options) -> &'static [Expected] {
    static EXPECTED: [OnceLock<Vec<Expected>>; Options::COUNT] = [const { OnceLock::new() }; Options::COUNT];
    EXPECTED[options.number()].get_or_init(|| of_chips(options))
}

fn of_chips(options: Options) -> Vec<Expected> {
    let rows = 0..TABLE.forms().len();
    rows.filter_map(|row| {
        let form = TABLE.forms()[row];
        // `trap` stops every program.
        if form.name == "trap" || !exists(row, (0, 0), options) {
            return None;
        }
        Some(Expected {
            row,
            name: form.name,
            family: family(form.name),
            plain: false,
            flows: flows(form.name),
            items: items(row, options),
        })
    })
    .collect()
}

/// Whether chips with these options execute the sample of a row with other bits: without those of `cleared`, with those of `set`.
fn exists(row: usize, (cleared, set): (u128, u128), options: Options) -> bool {
    let Some(sample) = G13.sample(row) else { return false };
    let bits = sample.code.bits() & !cleared | set;
    let instr = G13.decode(&bits.to_le_bytes());
    instr.is_ok_and(|i| {
        let lowered = G13.lower(&i, 0);
        i.row == row && lowered.is_ok_and(|l| G13.lacks(&i, &l, options).is_none())
    })
}

fn family(name: &str) -> &'static str {
    match name {
        "rcp" | "rsqrt" | "log2" | "rsqrt_special" | "exp2" | "sin_pt_1" | "sin_pt_2" => "special function forms",
        "dfdx" | "dfdy" => "forms over lanes",
        _ if name.contains("ballot") || name.contains("shuffle") => "forms over lanes",
        "convert" => "conversion forms",
        "mov_imm16" | "mov_imm32" | "get_sr" | "icmpsel" | "fcmpsel" => "move forms",
        "floor" | "ceil" | "trunc" | "rint" => "float forms",
        "stop" | "wait" | "memory_barrier" | "threadgroup_barrier" | "call" | "call_reg" | "ret" => "control forms",
        "atomic" => "memory forms",
        _ if name.contains("_load") || name.contains("_store") || name.starts_with("stack_") => "memory forms",
        _ if name.contains("_exec") || name.contains("_icmp") || name.contains("_fcmp") => "control forms",
        _ if name.starts_with("jmp") => "control forms",
        _ if name.starts_with('f') && name.ends_with(|c: char| c.is_ascii_digit()) => "float forms",
        _ => "integer forms",
    }
}

/// What control flow does.
fn flows(name: &str) -> &'static [&'static str] {
    match name {
        "jmp_exec_any" | "jmp_exec_none" => &["taken", "not taken"],
        "jmp_incomplete" | "call" | "call_reg" | "ret" => &["taken"],
        "pop_exec" => &["stays active", "becomes active", "stays inactive"],
        "if_icmp" | "if_fcmp" => &["stays active", "becomes inactive", "stays inactive"],
        "while_icmp" | "while_fcmp" => &["stays active", "becomes active", "becomes inactive", "stays inactive"],
        "else_icmp" | "else_fcmp" => &["becomes active", "becomes inactive", "stays inactive"],
        _ => &[],
    }
}

/// The fields of a row, by what chips execute of it.
fn items(row: usize, options: Options) -> Vec<Item> {
    let form = TABLE.forms()[row];
    let modes = || form.operands.iter().filter(|o| has_mode(o));
    let mut items = vec![];
    for field in TABLE.fields(row) {
        let mode = modes().find(|o| o.fields[1] == *field);
        let values = match (mode, field.name) {
            (Some(o), _) => of_mode(o.kind),
            (None, "SR") => {
                let named = SPECIAL.iter().map(|n| (vec![*n], format!("sr{n}")));
                named.chain([(vec![], "others".into())]).collect()
            }
            (None, "D" | "R") => vec![
                ((0..256).filter(|n| n % 2 == 1).collect(), format!("{} high half", field.name)),
                (vec![], format!("{} low half or whole", field.name)),
            ],
            // Hints to the cache, and levels.
            (None, "Dt") if field.width() == 1 => continue,
            (None, "n") => continue,
            (None, "m") => vec![(vec![0], "without mask".into()), (vec![], "with mask".into())],
            _ if field.width() > 4 => continue,
            _ => (0..1 << field.width()).map(|v| (vec![v], format!("{} {v}", field.name))).collect(),
        };
        let mut item = Item { field: *field, guard: false, values };
        let all = field.put(0, u64::MAX >> (64 - field.width()));
        let fits = |v: u64| v >> field.width() == 0;
        let executes = |v: &u64| fits(*v) && exists(row, (all, field.put(0, *v)), options);
        let named: Vec<u64> = item.values.iter().flat_map(|v| v.0.clone()).collect();
        let mut others = (0..1 << field.width()).filter(|v| !named.contains(v));
        item.values.retain(|v| match &v.0[..] {
            [] => others.any(|v| executes(&v)),
            values => values.iter().any(executes),
        });
        items.push(item);
    }
    items
}

/// Values of the mode of a source.
fn of_mode(kind: Kind) -> Vec<(Vec<u64>, String)> {
    let list: &[(&[u64], &str)] = match kind {
        Kind::SelectSrc => &[(&[4], "number"), (&[6, 7], "uniform"), (&[1, 2, 3], "register")],
        _ => &[
            (&[0], "number"),
            (&[4, 5], "half of a uniform"),
            (&[6, 7], "uniform"),
            (&[1, 2, 3], "half"),
            (&[8, 9, 10, 11], "whole"),
            (&[12, 13, 14, 15], "pair"),
        ],
    };
    list.iter().map(|(v, n)| (v.to_vec(), n.to_string())).collect()
}

/// The operand is a source whose second field is a mode.
fn has_mode(o: &Operand) -> bool {
    matches!(
        o.kind,
        Kind::Src
            | Kind::Src16
            | Kind::Src64
            | Kind::MulSrc
            | Kind::AddSrc
            | Kind::SelectSrc
            | Kind::FloatSrc
            | Kind::FloatSrc16
    )
}
