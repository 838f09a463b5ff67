//! Texts of an opcode for which some combination of types and modifiers has a meaning.

use super::table::{Format, Op};

/// Types of registers to try.
const TYPES: [&str; 6] = ["F", "UD", "D", "UW", "UB", "W"];

/// Strides of the destination and options to try.
const MORE: [(u32, &str); 3] = [(1, ""), (1, " AccWrEnable"), (2, "")];

/// Texts of an opcode, types and modifiers combined.
pub fn texts(op: &Op) -> Vec<String> {
    let name = op.name;
    match op.format {
        Format::Bare => return vec![name.into()],
        Format::Jip => return vec![format!("{name}(8) JIP: 2 {{ align1 1Q switch }}")],
        Format::JipUip => return vec![format!("{name}(8) JIP: 2 UIP: 2 {{ align1 1Q switch }}")],
        Format::Jump => return vec![format!("{name}(1) 2D {{ align1 WE_all 1N }}")],
        Format::Call => return vec![format!("{name}(2) g10<1>UD 2D {{ align1 1N }}")],
        Format::One if name == "ret" => return vec![format!("{name}(2) null<1>UD g10<2,2,1>UD {{ align1 1N }}")],
        Format::One if name == "movi" => return vec![format!("{name}(8) g10<1>UD g[a0]<8,8,1>UD {{ align1 1Q }}")],
        Format::Two if matches!(name, "line" | "pln") => {
            return vec![format!("{name}(8) g10<1>F g2<0,1,0>F g4<8,8,1>F {{ align1 1Q }}")];
        }
        Format::Wait => return vec![format!("{name}(1) n0<1>UD")],
        Format::Send => {
            let untyped = "g10<1>UD g2<8,8,1>UD 0x02116eff data";
            return vec![format!("{name}(8) {untyped}")];
        }
        Format::Math => return vec![format!("{name} inv(8) g10<1>F g2<8,8,1>F null<8,8,1>F")],
        Format::One | Format::Two | Format::Three => {}
    }
    let mut out = Vec::new();
    // Some need the accumulator, some a wider place for a narrow result.
    for (to, from, more) in TYPES.iter().flat_map(|to| MORE.map(|more| TYPES.map(|from| (to, from, more)))).flatten() {
        let sources = match op.format {
            Format::One => format!("g2<8,8,1>{from}"),
            Format::Two => format!("g2<8,8,1>{from} g4<8,8,1>{from}"),
            _ => format!("g2<4,4,1>{from} g4<4,4,1>{from} g6<4,4,1>{from}"),
        };
        let mode = if op.format == Format::Three { 16 } else { 1 };
        for (predicate, condition) in [("", ""), ("", ".z.f0.0"), ("(+f0.0) ", "")] {
            let (stride, option) = more;
            let options = format!("{{ align{mode} 1Q{option} }}");
            out.push(format!("{predicate}{name}{condition}(8) g10<{stride}>{to} {sources} {options}"));
        }
    }
    out
}
