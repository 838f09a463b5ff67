//! Opcodes of Ivy Bridge that chips execute, and how their instructions differ.

use super::item::{Expected, Item};
use crate::random::ivb::implemented::{lowered, FUNCTIONS};
use std::collections::BTreeSet;
use std::sync::LazyLock;
use warpsmith_isa::ivb::chip::EXECUTED;
use warpsmith_isa::ivb::table::{names, Format, Op, OPS};
use warpsmith_isa::ivb::{compacted, layout, native, Ivb};
use warpsmith_isa::set::{Field, Instr, InstructionSet, Place};

/// The bit of the compact format.
const COMPACT: Field = Field::new("compact", &[(29, 1)]);

/// Predicates by the flags that they ask: values of the field, and names.
const PICKS: [(&[u64], &str); 4] = [
    (&[0], "without predicate"),
    (&[1], "own flag"),
    (&[2, 3], "flags of both subregisters"),
    (&[4, 5, 6, 7, 8, 9, 10, 11], "flags of a group"),
];

/// Fields whose values are told apart: channels, predicate, condition, types, files, regions.
const FIELDS: [&str; 24] = [
    "mask_ctrl", "qtr_ctrl", "pred_ctrl", "pred_inv", "exec_size", "cond_mod", "sat", "flag_subreg", "flag_reg",
    "dst_file", "dst_type", "dst_hstride", "src_type", "src0_file", "src0_type", "src0_abs", "src0_neg",
    "src0_vstride", "src0_rep", "src1_file", "src1_type", "src1_abs", "src1_neg", "src1_vstride",
];

/// All of them in table order.
pub static EXPECTED: LazyLock<Vec<Expected>> = LazyLock::new(|| {
    // `illegal` ends a program; to chips `sendc` is `send`.
    let of_chips = |op: &Op| EXECUTED.contains(&op.name) && !matches!(op.name, "illegal" | "sendc");
    let rows = OPS.iter().enumerate().filter(|(_, op)| of_chips(op));
    rows.filter_map(|(row, op)| {
        let known = instructions(op);
        (!known.is_empty()).then(|| Expected {
            row,
            name: op.name,
            family: family(op),
            plain: false,
            flows: flows(op.name),
            items: items(row, &known),
        })
    })
    .collect()
});

/// Reads fields of an instruction, of the native one where it is compact.
pub struct Reader {
    compact: u64,
    bits: u128,
    fields: &'static [Field],
}

impl Reader {
    /// Of an instruction.
    pub fn of(instr: &Instr) -> Self {
        let bits = native(instr).code.bits();
        Self { compact: COMPACT.get(instr.code.bits()), bits, fields: &layout::of(instr.row, bits).fields }
    }

    /// The value of a field; `None` where the instruction does not have it.
    pub fn value(&self, field: Field) -> Option<u64> {
        match field == COMPACT {
            true => Some(self.compact),
            false => self.fields.contains(&field).then(|| field.get(self.bits)),
        }
    }
}

fn family(op: &Op) -> &'static str {
    let float = |types: &str| types.split(' ').any(|t| t == "F");
    match op.format {
        Format::Math => "special function forms",
        Format::Send => "memory forms",
        Format::One | Format::Two | Format::Three if matches!(op.name, "mov" | "sel") => "move forms",
        Format::One | Format::Two | Format::Three if float(op.sources) || float(op.destinations) => "float forms",
        Format::One | Format::Two | Format::Three => "integer forms",
        _ => "control forms",
    }
}

/// What control flow does.
fn flows(name: &str) -> &'static [&'static str] {
    match name {
        "jmpi" | "if" | "else" | "while" | "break" | "cont" | "halt" | "brd" | "brc" => &["taken", "not taken"],
        "endif" => &["not taken"],
        _ => &[],
    }
}

/// The fields of a row, by the values that instructions of chips have.
fn items(row: usize, known: &[Instr]) -> Vec<Item> {
    let known: Vec<Reader> = known.iter().map(Reader::of).collect();
    let second = OPS[row].format.source(1);
    let told = |f: &&Field| FIELDS.contains(&f.name) && (second || !f.name.starts_with("src1"));
    let fields = layout::fields(row, false).iter().filter(told).copied();
    let fields = fields.chain([COMPACT]);
    let item = |field: Field| {
        let values: BTreeSet<u64> = known.iter().filter_map(|i| i.value(field)).collect();
        let guard = matches!(field.name, "pred_ctrl" | "pred_inv");
        let named = |v: &u64| (vec![*v], format!("{} {v}", field.name));
        let all = match field.name {
            "pred_ctrl" => {
                let met = |p: &&(&[u64], &str)| p.0.iter().any(|v| values.contains(v));
                PICKS.iter().filter(met).map(|p| (p.0.to_vec(), p.1.to_string())).collect()
            }
            _ => values.iter().map(named).collect(),
        };
        Item { field, guard, values: all }
    };
    // A field with one value says nothing.
    fields.map(item).filter(|i| i.values.len() > 1).collect()
}

/// Instructions of an opcode that chips execute, in which every field has every value that it can have.
fn instructions(op: &Op) -> Vec<Instr> {
    let texts = texts(op);
    let read = texts.iter().filter_map(|t| Ivb.parse(t, &Place::at(0)).ok());
    let plain: Vec<Instr> = read.filter(|i| lowered(i).is_some()).collect();
    let short: Vec<Instr> = plain.iter().filter_map(compacted).collect();
    plain.into_iter().chain(short).collect()
}

/// Texts in which one thing after the other varies.
fn texts(op: &Op) -> Vec<String> {
    let name = op.name;
    let heads = || heads(name);
    match op.format {
        Format::Bare => vec![name.into()],
        // A channel that has left has an old flag: in a group with others these would go on for ever.
        Format::Jip if name == "while" => {
            let sizes = &SIZES[2..4];
            let all =
                sizes.iter().flat_map(|(n, part)| OWN.map(|p| format!("{p}while({n}) JIP: 2 {{ align1 {part} }}")));
            all.collect()
        }
        Format::Jip | Format::JipUip => {
            let ways = if op.format == Format::Jip { "JIP: 2" } else { "JIP: 2 UIP: 2" };
            let sizes = if matches!(name, "else" | "endif") { &SIZES[2..4] } else { &SIZES[2..] };
            let all = sizes.iter().flat_map(|(n, part)| {
                heads().map(move |(p, q)| format!("{p}{name}{q}({n}) {ways} {{ align1 {part} switch }}"))
            });
            all.collect()
        }
        Format::Jump => OWN.map(|p| format!("{p}jmpi(1) 2D {{ align1 WE_all 1N }}")).into(),
        Format::Wait => vec!["wait(1) n0<1>UD { align1 WE_all 1N }".into()],
        Format::Send => {
            let all = [("8", "1Q", "0x02116eff"), ("8", "2Q", "0x02116eff"), ("16", "1H", "0x04215eff")];
            let all = all.iter().flat_map(|(n, part, descriptor)| {
                heads().flat_map(move |(p, _)| {
                    ["", " WE_all"]
                        .map(|w| format!("{p}send({n}) g20<1>UD g14<8,8,1>UD {descriptor} data {{ align1{w} {part} }}"))
                })
            });
            all.chain(["send(8) null<1>UD g14<8,8,1>UD 0x04036eff data { align1 1Q }".into()]).collect()
        }
        _ => operations(op),
    }
}

/// Predicates of a channel's own flag.
const OWN: [&str; 6] = ["", "(+f0.0) ", "(-f0.0) ", "(+f0.1) ", "(+f1.0) ", "(+f1.1) "];

/// Execution sizes with their parts of the mask.
const SIZES: [(&str, &str); 5] = [("1", "WE_all 1N"), ("16", "WE_all 1H"), ("16", "1H"), ("8", "1Q"), ("8", "2Q")];

/// Predicates and conditions, one of them at a time.
fn heads(name: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let picks = names::PREDICATES.iter().skip(2).map(|p| format!("(+f0.0.{p}) "));
    let signs = ["(+f0.0) ", "(-f0.0) ", "(+f0.1) ", "(+f1.0) ", "(+f1.1) "].map(String::from);
    let predicates = signs.into_iter().chain(picks).map(|p| (p, String::new()));
    let conditions = names::CONDITIONS.iter().filter(|c| !matches!(**c, "" | "?" | "o"));
    let conditions = conditions.map(move |c| match name {
        "sel" => format!(".{c}"),
        _ => format!(".{c}.f0.0"),
    });
    let of_cmp = if name.starts_with("cmp") { ".g.f0.0" } else { "" };
    let own = [(String::new(), String::new()), (String::new(), ".sat".into())];
    let predicates = predicates.map(move |(p, _)| (p, of_cmp.to_string()));
    own.into_iter().chain(predicates).chain(conditions.map(|c| (String::new(), c)))
}

fn operations(op: &Op) -> Vec<String> {
    let mut out = vec![];
    let types = ["F", "UD", "D", "UW", "W"];
    let three = op.format == Format::Three;
    for (to, from, second) in
        types.iter().flat_map(|to| types.iter().flat_map(move |from| types.map(move |second| (to, from, second))))
    {
        // The second type is that of two sources alone.
        if op.format != Format::Two && second != *from {
            continue;
        }
        for (n, part) in SIZES {
            let regions = match n {
                _ if three => &["<4,4,1>", "<0,1,0>"][..],
                "1" => &["<0,1,0>"][..],
                _ if from.ends_with('W') => &["<8,8,1>", "<16,16,1>", "<16,8,2>", "<0,1,0>"][..],
                _ => &["<8,8,1>", "<0,1,0>"][..],
            };
            let stride = if to.ends_with('W') && n != "1" { 2 } else { 1 };
            let row = |t: &str| match n {
                _ if three => "<4,4,1>",
                "1" => "<0,1,0>",
                _ if t.ends_with('W') => "<16,8,2>",
                _ => "<8,8,1>",
            };
            let wide = if second.ends_with('W') { &["<8,8,1>", "<16,16,1>", "<0,1,0>"][..] } else { &["<0,1,0>"][..] };
            let first = regions.iter().flat_map(|r| ["", "-", "(abs)"].map(|s| format!("{s}g2{r}{from}")));
            let plain = format!("g2{}{from}", row(from));
            let behind = format!("g4{}{second}", row(second));
            let rest = ["-", "(abs)"].map(|s| format!("{s}{behind}")).into_iter();
            let rest = rest.chain(wide.iter().map(|r| format!("g4{r}{second}")));
            let rest = rest.chain([format!("1{second}"), format!("0x1{second}")]);
            let sources: Vec<String> = match op.format {
                Format::Two => {
                    first.map(|a| format!("{a} {behind}")).chain(rest.map(|b| format!("{plain} {b}"))).collect()
                }
                Format::Three => first.map(|a| format!("{a} {behind} {behind}")).collect(),
                Format::Math => first.map(|a| format!("{a} null<8,8,1>F")).collect(),
                _ => first.chain([format!("1{from}"), format!("0x1{from}")]).collect(),
            };
            let options = format!("{{ align{} {part} switch }}", if three { 16 } else { 1 });
            let usual = match op.name {
                "sel" => ("(+f0.0) ", ""),
                "cmp" | "cmpn" => ("", ".g.f0.0"),
                _ => ("", ""),
            };
            let text = |p: &str, q: &str, d: &str, s: &str| {
                let function = if op.format == Format::Math { " inv" } else { "" };
                format!("{p}{}{q}{function}({n}) {d} {s} {options}", op.name)
            };
            let d = format!("g10<{stride}>{to}");
            out.extend(sources.iter().map(|s| text(usual.0, usual.1, &d, s)));
            if let (Some(s), true) = (sources.first(), from == &second) {
                out.push(text(usual.0, usual.1, &format!("null<1>{to}"), s));
                out.extend(heads(op.name).map(|(p, q)| text(&p, &q, &d, s)));
                if op.format == Format::Math {
                    out.extend(FUNCTIONS.map(|(f, two)| match two {
                        true => format!("math {f}({n}) {d} {plain} {behind} {options}"),
                        false => format!("math {f}({n}) {d} {s} {options}"),
                    }));
                }
            }
        }
    }
    out
}
