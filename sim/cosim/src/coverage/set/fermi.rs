//! Forms of Fermi that chips execute, and how their instructions differ.

use super::item::{Expected, Item};
use crate::random::fermi::implemented::{executes, implemented, is_float, is_of_doubles, is_plain};
use std::sync::OnceLock;
use warpsmith_isa::fermi::operand::{Kind, Operand, Sign};
use warpsmith_isa::fermi::table::TABLE;
use warpsmith_isa::fermi::Fermi;
use warpsmith_isa::set::{Field, InstructionSet, Modifier};
use warpsmith_isa::Options;

/// All of those that chips with these options execute, in table order.
pub fn expected(options: Options) -> &'static [Expected] {
    static EXPECTED: [OnceLock<Vec<Expected>>; Options::COUNT] = [const { OnceLock::new() }; Options::COUNT];
    EXPECTED[options.number()].get_or_init(|| of_chips(options))
}

fn of_chips(options: Options) -> Vec<Expected> {
    let rows = (0..TABLE.forms().len()).filter(|r| implemented(*r, options));
    rows.map(|row| {
        let form = TABLE.forms()[row];
        let modifiers = form.modifiers.iter().filter_map(modifier);
        let operands = form.operands.iter().flat_map(operand);
        let guards = form.fields.iter().filter_map(guard);
        let mut items: Vec<Item> = modifiers.chain(operands).chain(guards).collect();
        for item in &mut items {
            let field = item.field;
            // Of the other values, 32 stands for all.
            let any = 32 & ((1 << field.width()) - 1);
            item.values.retain(|v| exists(row, field, *v.0.first().unwrap_or(&any), options));
        }
        Expected {
            row,
            name: form.name,
            family: family(row, options),
            plain: is_plain(row, options),
            flows: &[],
            items,
        }
    })
    .collect()
}

/// Whether a chip executes some instruction of a row with this value of a field.
fn exists(row: usize, field: Field, value: u64, options: Options) -> bool {
    let Some(sample) = Fermi.sample(row) else { return false };
    let bits = field.put(sample.code.bits(), value) as u64;
    let Ok(instr) = Fermi.decode(&bits.to_le_bytes()) else { return false };
    Fermi.lower(&instr, 0).is_ok_and(|l| executes(&l, options))
}

fn family(row: usize, options: Options) -> &'static str {
    match TABLE.forms()[row].mnemonic {
        "MUFU" | "RRO" => "special function forms",
        "F2I" | "I2F" | "F2F" | "I2I" => "conversion forms",
        "MOV" | "MOV32I" | "S2R" | "SEL" | "PSETP" | "VOTE" => "move forms",
        "LD" | "ST" | "LDS" | "STS" | "LDL" | "STL" | "LDC" | "MEMBAR" | "RED" | "ATOM" => "memory forms",
        _ if !is_plain(row, options) => "control forms",
        "NOP" => "control forms",
        _ if is_of_doubles(row) => "double forms",
        _ if is_float(row) => "float forms",
        _ => "integer forms",
    }
}

fn two(field: Field, one: u64, name: &str, other: &str) -> Item {
    Item { field, guard: false, values: vec![(vec![one], name.into()), (vec![], other.into())] }
}

fn modifier(m: &Modifier) -> Option<Item> {
    let Modifier::Names(field, names) = *m else { return None };
    let named = |v: u64| names.iter().find(|n| u64::from(n.0) == v);
    let name = |v: u64, n: &str| match n {
        "" => format!("{} {v}", field.name),
        n => n.to_string(),
    };
    let values = match field.width() {
        1 => (0..2).map(|v| (vec![v], name(v, named(v).map_or("", |n| n.1)))).collect(),
        _ => names.iter().map(|(v, n)| (vec![u64::from(*v)], name((*v).into(), n))).collect(),
    };
    Some(Item { field, guard: false, values })
}

fn operand(o: &Operand) -> Vec<Item> {
    let first = o.fields[0];
    let mut items: Vec<Item> = (o.signs.iter())
        .map(|s| {
            let mark = match s {
                Sign::Neg(_) => "-",
                Sign::Abs(_) => "| |",
                Sign::Not(_) => "~",
            };
            let field = s.field();
            two(field, 1, &format!("{mark}{}", first.name), &format!("{} without {mark}", first.name))
        })
        .collect();
    match o.kind {
        Kind::Reg | Kind::Reg64 | Kind::RegByType | Kind::RegBySize => {
            items.push(register(first));
        }
        Kind::Pred => items.push(two(first, 7, &format!("{} PT", first.name), &format!("{} P0-P6", first.name))),
        Kind::Optional | Kind::Number if first.name == "n" => {
            items.push(two(first, 0, "all warps", "number of threads"));
        }
        Kind::Memory => items.push(register(first)),
        Kind::ConstMemory => items.push(register(o.fields[1])),
        Kind::Const | Kind::Const64 => items.push(Item {
            field: first,
            guard: false,
            values: vec![(vec![0], "c[0]".into()), (vec![1], "c[1]".into()), (vec![], "other banks".into())],
        }),
        Kind::Special => items.push(Item {
            field: first,
            guard: false,
            values: [
                0u64, 0x21, 0x22, 0x23, 0x25, 0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2d, 0x2e, 0x2f, 0x38, 0x39, 0x3a, 0x3b,
                0x3c,
            ]
            .iter()
            .map(|n| (vec![*n], format!("SR{n}")))
            .chain([(vec![], "others".into())])
            .collect(),
        }),
        _ => {}
    }
    items
}

fn register(field: Field) -> Item {
    two(field, 63, &format!("{} RZ", field.name), &format!("{} R", field.name))
}

fn guard(field: &Field) -> Option<Item> {
    let item = match field.name {
        "P" => two(*field, 7, "PT", "P0-P6"),
        "PN" => two(*field, 1, "@!", "@"),
        "J" => return Some(two(*field, 1, ".S", "without .S")),
        _ => return None,
    };
    Some(Item { guard: true, ..item })
}
