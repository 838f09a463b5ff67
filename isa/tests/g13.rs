//! G13: table, text and bytes against the public tools' vectors; any bytes and any text.

use std::collections::BTreeMap;

use proptest::prelude::*;
use warpsmith_conformance::{self as conformance, bytes};
use warpsmith_isa::g13::table::TABLE;
use warpsmith_isa::g13::G13;
use warpsmith_isa::set::asm::parse_exact;
use warpsmith_isa::set::{self, DecodeError, InstructionSet, Place, Status};
use warpsmith_testkit::Random;

#[test]
fn the_table_holds_every_form_and_covers_every_bit() {
    // Building it is the proof; the number guards against a lost file.
    assert_eq!(TABLE.forms().len(), 153);
    let longest = TABLE.forms().iter().map(|f| f.length.range().1).max();
    assert_eq!(longest, Some(12));
}

/// Runs of bits as `conformance/g13/forms.txt` writes them.
fn runs(parts: &[(u8, u8)]) -> String {
    let each: Vec<String> = parts.iter().map(|(at, n)| format!("{at}.{n}")).collect();
    each.join("+")
}

#[test]
fn every_row_is_that_of_the_reference() {
    let rows = conformance::rows("g13/forms.txt");
    assert_eq!(rows.len(), TABLE.forms().len());
    for (row, f) in TABLE.forms().iter().enumerate() {
        let of = rows.iter().find(|r| r.column(0) == f.name).expect(f.name);
        let bit = match f.length.mask() {
            0 => "-".to_string(),
            mask => mask.trailing_zeros().to_string(),
        };
        let (short, long) = f.length.range();
        let mut fields: Vec<_> = TABLE.fields(row).iter().collect();
        fields.sort_by_key(|f| f.name);
        let fields: Vec<String> = fields.iter().map(|f| format!("{}={}", f.name, runs(f.parts))).collect();
        let reserved = match f.reserved {
            [] => "-".to_string(),
            parts => runs(parts),
        };
        let ours = [
            format!("{:x}", f.mask),
            format!("{:x}", f.match_),
            bit,
            format!("{short} {long}"),
            reserved,
            fields.join(" "),
        ];
        for (n, ours) in ours.iter().enumerate() {
            assert_eq!(ours, of.column(n + 1), "{}, column {}", f.name, n + 2);
        }
    }
}

/// Vectors whose bytes are not those that their text assembles to, by form. Reserved bits are set:
/// `ld/st_tile`, `map`, `sampler_state_store`. The absent destination `_` has a number:
/// `threadgroup_atomic`. The encoding is the longer of two: the others.
const KEPT: [(&str, usize); 10] = [
    ("iter", 2),
    ("iterproj", 1),
    ("ld/st_tile", 1),
    ("ldcf", 2),
    ("map", 7),
    ("sampler_state_store", 1),
    ("stack_adjust", 1),
    ("threadgroup_atomic", 14),
    ("threadgroup_load", 4),
    ("threadgroup_store", 5),
];

#[test]
fn every_vector_reads_and_assembles_as_stated() {
    let (mut pairs, mut silent) = (0, 0);
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    for row in conformance::rows("g13/pairs.txt") {
        let (line, text) = (row.column(0), row.column(2));
        let code = bytes(line);
        let instr = G13.decode(&code).expect(line);
        let form = TABLE.form(&instr).name;
        assert_eq!(form, row.column(1), "{line}");
        assert_eq!(instr.code.to_vec(), code, "{line}");
        assert_eq!(G13.encode(&G13.fields(&instr)), Ok(instr));
        let exact = set::print_exact(&G13, &instr, 0);
        assert_eq!(parse_exact(&G13, &exact, &Place::at(0)), Ok(instr), "{exact}");
        // Six textures and an image: the tool has no text.
        if text.is_empty() {
            silent += 1;
            continue;
        }
        assert_eq!(G13.print(&instr, 0), text, "{line}");
        let back = G13.parse(text, &Place::at(0));
        let back = back.unwrap_or_else(|e| panic!("{}: {e}", text));
        assert_eq!(back.row, instr.row, "{line}");
        if back != instr {
            *kept.entry(form).or_default() += 1;
        }
        pairs += 1;
    }
    let other: usize = kept.values().sum();
    println!(
        "g13/pairs.txt: {} read, {pairs} print as stated, {} assemble to the bytes, {other} with bits kept: {kept:?}",
        pairs + silent,
        pairs - other
    );
    assert_eq!(silent, 6);
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), KEPT);
    assert!(pairs > 2000, "{pairs}");
}

#[test]
fn every_value_row_and_program_reads_and_assembles_as_stated() {
    let values = conformance::rows("g13/values.txt");
    let programs = conformance::rows("g13/programs.txt");
    let values = values.iter().map(|r| (r.column(0), r.column(2)));
    let programs = programs.iter().flat_map(|p| &p.cases);
    let programs = programs.map(|c| (c.column(0), c.column(1)));
    let mut rows = 0;
    for (code, text) in values.chain(programs) {
        let instr = G13.decode(&bytes(code)).expect(text);
        // The programs lack the name of the special register.
        let print = G13.print(&instr, 0);
        let name = print.strip_prefix(text);
        assert!(name.is_some_and(|n| n.is_empty() || n.starts_with(" (")), "{code}: {text}, ours {print}");
        assert_eq!(G13.parse(text, &Place::at(0)), Ok(instr), "{code}: {text}");
        rows += 1;
    }
    println!("g13: {rows} codes of values and programs read and assemble as stated");
    assert_eq!(rows, 577 + 31);
}

#[test]
fn programs_list_and_assemble_without_difference() {
    let programs = conformance::rows("g13/programs.txt");
    assert_eq!(programs.len(), 3);
    for program in programs {
        let name = program.column(0);
        let code = conformance::program("g13", name, bytes);
        let lines = set::disassemble(&G13, &code);
        let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&G13, &text.join("\n"), name).expect("a listing assembles");
        assert_eq!(back.bytes, code, "{name}");
    }
}

/// Random bytes of one form: fixed bits of the row, mostly no reserved bits, either length.
fn random_code(random: &mut Random) -> Vec<u8> {
    let form = TABLE.forms()[random.index(TABLE.forms().len())];
    let reserved = match random.index(8) {
        0 => 0,
        _ => form.reserved_mask(),
    };
    let any = u128::from(random.bits()) | u128::from(random.bits()) << 64;
    // Few bits: register modes of arithmetic are legal more often.
    let any = match random.index(2) {
        0 => any & (u128::from(random.bits()) | u128::from(random.bits()) << 64),
        _ => any,
    };
    let bits = (any & !form.mask & !reserved) | form.match_;
    bits.to_le_bytes()[..form.length.of(bits)].to_vec()
}

#[test]
fn any_bytes_survive_listing_and_assembling() {
    // WARPSMITH_WORDS asks for more of them.
    let words = std::env::var("WARPSMITH_WORDS").map_or(20_000, |n| n.parse().expect("a number"));
    let mut random = Random(1);
    let (mut legal, mut kept) = (0, 0);
    let mut forms = vec![0; TABLE.forms().len()];
    for _ in 0..words / 1000 {
        let mut bytes: Vec<u8> = Vec::new();
        for n in 0..1000 {
            match n % 16 {
                0 => bytes.extend(&random.bits().to_le_bytes()[..random.index(9)]),
                _ => bytes.extend(random_code(&mut random)),
            }
        }
        let lines = set::disassemble(&G13, &bytes);
        let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&G13, &text.join("\n"), "t").expect("a listing assembles");
        assert_eq!(back.bytes, bytes);
        for l in &lines {
            let Ok(i) = &l.instr else { continue };
            assert_eq!(G13.encode(&G13.fields(i)), Ok(*i));
            forms[i.row] += 1;
            // Only registers beyond the last have no text.
            let named = !l.text.starts_with(".word");
            let form = TABLE.form(i).name;
            assert!(named || form.starts_with("async_"), "{form}: {}", l.code);
            legal += 1;
            kept += usize::from(l.text.contains('?'));
        }
    }
    println!(
        "{words} random instructions listed and assembled without difference; {legal} legal, {kept} of them with bits kept"
    );
    for (n, form) in TABLE.forms().iter().zip(forms) {
        assert!(form > 0, "{} never read", n.name);
    }
}

#[test]
fn what_has_no_meaning_is_illegal() {
    let error = |hex: &str| G13.decode(&bytes(hex)).expect_err(hex).to_string();
    // A 32-bit destination of an odd half, a source without hint, condition 3, round 2.
    assert_eq!(error("7e0340088000"), "bitop: 1 in field D is reserved");
    assert_eq!(error("7e01000a8000"), "bitop: 8 in field At is reserved");
    assert_eq!(error("526846020000"), "if_icmp: 3 in field cc is reserved");
    assert_eq!(error("3e81090c0400"), "convert: 3 in field round is reserved");
    assert_eq!(G13.decode(&[0x0e, 0x11]), Err(DecodeError::Truncated { need: 8, have: 2 }));
    assert!(matches!(G13.decode(&[0xff; 4]), Err(DecodeError::Unknown(_))));
    assert!(G13.decode(&[]).is_err());
}

#[test]
fn the_shorter_encoding_is_the_usual_one() {
    let code = |text: &str| {
        let i = G13.parse(text, &Place::at(0)).expect(text);
        i.code.to_string()
    };
    assert_eq!(code("fadd32 r3, r3, r4").len(), 12);
    assert_eq!(code("fadd32 r0, r1, r2").len() / 2, 6);
    assert_eq!(code("floor r0, r1").len() / 2, 4);
    // The seed's names and those with operands given are other spellings.
    for (a, b) in [
        ("fadd r3, r3, r4", "fadd32 r3, r3, r4"),
        ("ld_var r6, cf1, center, 0b0, 0, 0, 0, 0, 0", "iter r6, cf1, center, 0b0, 0, 0, 0, 0, 0"),
        (
            "ld_var r0_r1, cf1, cf0, 0, sample, 0b0, 0, 0, 0, 0, 0",
            "iterproj r0_r1, cf1, cf0, 0, sample, 0b0, 0, 0, 0, 0, 0",
        ),
        ("mov r3, 5", "bitop 0101, r3, 5, 0"),
        ("mov r3l, 500", "mov_imm r3l, 0x1f4"),
        ("mov r3, 70000", "mov_imm r3, 70000, 0b0"),
        ("xor r3, r4, 1", "bitop 0110, r3, r4, 1"),
        ("push_exec r0l, 2", "if_fcmp r0l, eq, 0.0, 0, 2"),
        ("get_sr r2, sr80", "get_sr r2, sr80 (thread_position_in_grid.x)"),
        ("bfi r1, 0, r2, 3", "bfi r1, 0, r2, 3, mask 0xffffffff"),
    ] {
        assert_eq!(code(a), code(b), "{a}");
    }
}

#[test]
fn labels_and_errors_name_their_place() {
    let source = ".isa g13\ntop: iadd r3, r3, 1 // count\n jmp_exec_any top; jmp_exec_none end\nend: stop; .word 0x8";
    let p = set::assemble(&G13, source, "t").expect("the source assembles");
    let lines = set::disassemble(&G13, &p.bytes);
    let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    let expected = ["iadd r3, r3, 1", "jmp_exec_any pc-8", "jmp_exec_none pc+6", "stop", "trap"];
    assert_eq!(text, expected);

    for (source, message) in [
        ("stop\n fadd32 r1, r2", "t:2:15: expected `,` and another operand, found the end"),
        ("fadd33 r1, r2, r3", "t:1:1: G13 has no instruction fadd33, did you mean fadd32?"),
        ("jmp_exec_any nowhere", "t:1:14: the label nowhere is not defined, define it with `nowhere:`"),
        ("fadd32 r1, r2, 1.1", "t:1:16: 1.1 is none of the 256 floats of 8 bits, the nearest is 1.125; use a register"),
        ("iadd r1, r2, 300", "t:1:14: 300 does not fit the 8 bits of the field"),
        ("fadd16 r1l, r2l, r3", "t:1:18: expected a register of 16 bits"),
        ("and r1, r2_r3, r4", "t:1:9: expected a register of at most 32 bits"),
        ("icmpsel ueq, r1, r2, r3, r4l, r5", "t:1:26: the width must be that of the destination"),
        ("and r128, r2, r4", "t:1:5: expected a register such as r3l or r3, found `r128`"),
        ("fadd32 r1, r2.sx, r3", "t:1:14: expected no flag, the operand has no such, found `.`"),
        ("and.sat r1, r2, r3", "t:1:1: and does not saturate, leave .sat out"),
        ("device_load 0, i32, xy, r3, u0_u1, r2, unsigned", "t:1:25: expected r3_r4 here, as the other operands say"),
        ("stack_load i32, 1, 0, x, 4, 0, 0", "t:1:12: expected r0l here, as the other operands say"),
        ("iadd r1, r2, r3, lsl 8", "t:1:22: 8 does not fit the 3 bits of the field"),
        ("bfi r1, r2, r3, r4, mask 5", "t:1:21: a mask is all ones from bit 0 up, such as mask 0xff"),
        ("uniform_store 2, u8norm, x, 0, r1l, 0", "t:1:18: this instruction has no u8norm"),
    ] {
        let e = set::assemble(&G13, source, "t").expect_err(source);
        assert_eq!(e.to_string(), message, "{source}");
    }
}

/// Text that is near an instruction: mnemonics, operands and marks of the set in any order.
fn text() -> impl Strategy<Value = String> {
    let names: Vec<&str> = TABLE
        .forms()
        .iter()
        .flat_map(|f| [f.mnemonic, f.alias])
        .filter(|n| !n.is_empty())
        .chain(["and", "mov", "push_exec", "fadd32.sat", "bitop_mov_a"])
        .collect();
    let operand = prop_oneof![
        "[ru][0-9]{1,3}[lh]?",
        "r[0-9]{1,2}_r[0-9]{1,2}(_r[0-9]{1,2}){0,2}",
        "-?[0-9]{1,5}(\\.[0-9]{1,3})?",
        "0[xb][0-9a-f]{1,9}",
        "(lsl|mask|pc\\+|pc-|sr|cf|ts|ss) ?[0-9]{1,4}",
        "(eq|ult|i32|xy|xyzw|signed|add|cmpxchg|rte|tex_2d|sample|_|0110)",
        "\\PC{0,6}",
    ];
    let flag = "(|\\.cache|\\.discard|\\.abs|\\.neg|\\.sx|\\.sat)";
    let operands = prop::collection::vec((operand, flag).prop_map(|(o, f)| o + &f), 0..9);
    (prop::sample::select(names), operands, "( \\?0x[0-9a-f]{1,24})?")
        .prop_map(|(name, operands, kept)| format!("{name} {}{kept}", operands.join(", ")))
}

proptest! {
    #[test]
    fn any_bytes_decode_or_say_why(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
        match G13.decode(&bytes) {
            Ok(i) => {
                prop_assert!(bytes.starts_with(&i.code.to_vec()));
                prop_assert_eq!(G13.length(&bytes), Ok(i.code.len()));
            }
            Err(e) => prop_assert!(!e.to_string().is_empty()),
        }
        let lines = set::disassemble(&G13, &bytes);
        let listing: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&G13, &listing.join("\n"), "t").expect("a listing assembles");
        prop_assert_eq!(back.bytes, bytes);
    }

    #[test]
    fn any_text_assembles_or_says_where_it_fails(text in text()) {
        match set::assemble(&G13, &text, "t") {
            Ok(p) => {
                let lines = set::disassemble(&G13, &p.bytes);
                let listing: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
                let back = set::assemble(&G13, &listing.join("\n"), "t").expect("a listing assembles");
                prop_assert_eq!(back.bytes, p.bytes);
            }
            Err(e) => {
                prop_assert_eq!(&e.file, "t");
                prop_assert!(e.span.line >= 1 && e.span.col >= 1 && e.span.len >= 1, "{e}");
                prop_assert!(!e.message.is_empty());
            }
        }
    }

    #[test]
    fn a_changed_letter_never_panics(
        row in 0..153usize, at in any::<prop::sample::Index>(), letter in any::<char>(), seed in any::<u64>(),
    ) {
        let form = TABLE.forms()[row];
        let any = u128::from(seed) << 32 | u128::from(seed);
        let bits = (any & !form.mask) | form.match_;
        if let Ok(i) = G13.decode(&bits.to_le_bytes()) {
            let text: Vec<char> = set::print_exact(&G13, &i, 0).chars().collect();
            let mut text = text;
            let n = at.index(text.len());
            text[n] = letter;
            let text: String = text.into_iter().collect();
            let _ = set::assemble(&G13, &text, "t");
        }
    }
}

/// What a form lowers to follows its status; what the model does not execute has a reason.
#[test]
fn the_level_of_every_form_follows_its_status() {
    let mut levels: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (row, f) in TABLE.forms().iter().enumerate() {
        assert!(G13.sample(row).is_some(), "{}: no sample", f.name);
        let (level, reason) = set::level(&G13, row);
        let executes = matches!(f.status, Status::Specified | Status::Decided);
        assert_eq!(level, if executes { "L2" } else { "L1" }, "{}", f.name);
        let reason = reason.unwrap_or_default();
        assert_eq!(reason.is_empty(), executes, "{}", f.name);
        *levels.entry((level, executes)).or_default() += 1;
    }
    assert_eq!(levels, BTreeMap::from([(("L1", false), 33), (("L2", true), 120)]));
}

/// Micro-operations of the public vectors.
#[test]
fn every_vector_lowers_or_says_why_not() {
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for row in conformance::rows("g13/pairs.txt") {
        let (code, text) = (bytes(row.column(0)), row.column(2));
        let instr = G13.decode(&code).expect(text);
        match G13.lower(&instr, 0) {
            Ok(lowered) => *lengths.entry(lowered.uops.len()).or_default() += 1,
            Err(reason) => *reasons.entry(reason.0).or_default() += 1,
        }
    }
    println!("g13/pairs.txt: vectors by micro-operations {lengths:?}; none: {reasons:?}");
    assert_eq!(lengths.keys().max(), Some(&5));
}
