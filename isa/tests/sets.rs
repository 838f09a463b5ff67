//! What holds for every instruction set: bytes, fields and text both ways, layouts, errors without panics.

use proptest::prelude::*;
use warpsmith_conformance as conformance;
use warpsmith_isa::set::{
    self, assemble, disassemble, low_bits, print_exact, DecodeError, Instr, InstructionSet, Place, Row,
};
use warpsmith_isa::sets::{by_name, recognise, sets, share};
use warpsmith_isa::Isa;
use warpsmith_testkit::Random;

/// Random bytes, most of them instructions: a row's fixed bits with random others.
fn bytes(set: &dyn InstructionSet, rows: &[Row], count: usize, random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    for n in 0..count {
        let mut free = || u128::from(random.bits()) << 64 | u128::from(random.bits());
        let (any, sparse, bare) = (free(), free() & free(), free() & free() & free() & free());
        let row = &rows[random.index(rows.len())];
        let kept = row.layout.iter().filter(|l| l.2 == "reserved");
        let reserved = kept.fold(0, |m, l| m | set::run((l.0, l.1)));
        let code = match n % 8 {
            0 => any,
            1 => any & !row.mask | row.match_,
            2 | 3 => any & !row.mask & !reserved | row.match_,
            4 | 5 => sparse & !row.mask & !reserved | row.match_,
            _ => bare & !row.mask & !reserved | row.match_,
        };
        let longest = row.bytes.1;
        let bytes = code.to_le_bytes()[..longest].to_vec();
        let length = set.length(&bytes).unwrap_or(longest);
        out.extend(&bytes[..length]);
    }
    out
}

/// The legal ones of 100 random instructions of some rows.
fn instructions(set: &dyn InstructionSet, rows: &[Row], random: &mut Random) -> Vec<Instr> {
    let bytes = bytes(set, rows, 100, random);
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let instr = set.decode(&bytes[at..]);
        at += instr.as_ref().map_or(set.unit(), |i| i.code.len());
        out.extend(instr.ok());
    }
    out
}

#[test]
fn names_find_their_sets() {
    assert!(sets().iter().map(|s| s.name()).eq(Isa::ALL.map(Isa::name)));
    for set in sets() {
        let found = by_name(set.name()).expect("a set of this name");
        assert_eq!(found.title(), set.title());
    }
    assert!(by_name("sm10").is_some() && by_name("sm99").is_none());
    assert!(set::no_set("sm99").contains("sm10 fermi"));
}

#[test]
fn every_bit_of_every_row_has_one_owner() {
    for set in sets() {
        let rows = set.rows();
        for (n, r) in rows.iter().enumerate() {
            let bits = 8 * r.bytes.1 as u32;
            assert_eq!(r.match_ & !r.mask, 0, "{}", r.name);
            assert_eq!(r.mask & !low_bits(bits), 0, "{}", r.name);
            let mut at = 0;
            for (low, width, owner) in &r.layout {
                assert_eq!(u32::from(*low), at, "{}", r.name);
                let fixed = ["0", "1", "length"].contains(&owner.as_str());
                let run = set::run((*low, *width));
                assert!(fixed || run & r.mask == 0, "{}: {owner}", r.name);
                at += u32::from(*width);
            }
            assert_eq!(at, bits, "{}", r.name);
            assert!(!r.sem.is_empty(), "{}", r.name);
            assert!(rows[..n].iter().all(|o| o.name != r.name), "{}", r.name);
            assert!(set::rows_of(*set, r.name).contains(r), "{}", r.name);
            assert!(set::page(r).contains(r.sem), "{}", r.name);
        }
        assert_eq!(set::list(*set).lines().count(), rows.len() + 1);
    }
}

#[test]
fn any_bytes_survive_listing_assembling_and_their_fields() {
    let words = std::env::var("WARPSMITH_WORDS").map_or(8000, |n| n.parse().expect("a number"));
    for set in sets() {
        let rows = set.rows();
        let mut random = Random(7);
        let mut legal = 0;
        for _ in 0..words / 500 {
            let bytes = bytes(*set, &rows, 500, &mut random);
            let lines = disassemble(*set, &bytes);
            let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
            let back = assemble(*set, &text.join(";\n"), "t");
            let back = back.unwrap_or_else(|e| panic!("{}: {e}", set.name()));
            assert_eq!(back.bytes, bytes, "{}", set.name());
            for i in lines.iter().filter_map(|l| l.instr.as_ref().ok()) {
                assert_eq!(set.encode(&set.fields(i)).as_ref(), Ok(i), "{}", set.name());
                let again = set.length(&i.code.to_vec());
                assert_eq!(again, Ok(i.code.len()), "{}", set.name());
                let row = &rows[i.row];
                assert!((row.bytes.0..=row.bytes.1).contains(&i.code.len()));
                legal += 1;
            }
        }
        println!("{}: {legal} random instructions", set.name());
    }
}

#[test]
fn every_form_is_reached_by_bytes_fields_and_text() {
    for set in sets() {
        let rows = set.rows();
        let mut random = Random(5);
        for (n, row) in rows.iter().enumerate() {
            let one = std::slice::from_ref(row);
            let mut tries = (0..200).flat_map(|_| instructions(*set, one, &mut random));
            // Rules of a set make some forms rare: those are met at their sample.
            let sample = || set.decode(&set.sample(n)?.code.to_vec()).ok();
            let found = tries.find(|i| i.row == n).or_else(sample);
            let i = found.unwrap_or_else(|| panic!("{} is never met", row.name));
            assert_eq!(set.encode(&set.fields(&i)), Ok(i), "{}", row.name);
            let text = print_exact(*set, &i, 0);
            let back = assemble(*set, &text, "t").unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(back.bytes, i.code.to_vec(), "{text}");
        }
    }
}

#[test]
fn a_cut_instruction_says_how_many_bytes_it_has() {
    for set in sets() {
        let rows = set.rows();
        let mut random = Random(11);
        let mut cut = 0;
        // Few random bytes are an instruction of some sets.
        for _ in 0..500_000 {
            if cut > 100 {
                break;
            }
            let bytes = bytes(*set, &rows, 1, &mut random);
            let Ok(i) = set.decode(&bytes) else { continue };
            for have in 0..i.code.len() {
                match set.decode(&bytes[..have]) {
                    Err(DecodeError::Truncated { need, have: found }) => {
                        assert!(need > have && found == have, "{}", set.name());
                        cut += 1;
                    }
                    Err(_) => {}
                    Ok(short) => assert!(short.code.len() <= have, "{}", set.name()),
                }
            }
        }
        assert!(cut > 100, "{}: {cut}", set.name());
    }
}

#[test]
fn faulty_fields_are_refused() {
    for set in sets() {
        let rows = set.rows();
        let mut random = Random(13);
        let instr = loop {
            let bytes = bytes(*set, &rows, 8, &mut random);
            if let Ok(i) = set.decode(&bytes) {
                break i;
            }
        };
        let good = set.fields(&instr);
        let change = |edit: &dyn Fn(&mut set::Fields)| {
            let mut f = good.clone();
            edit(&mut f);
            let e = set.encode(&f).expect_err("the fields are wrong");
            assert!(!e.to_string().is_empty());
        };
        change(&|f| f.row = rows.len());
        change(&|f| f.values.push(("no such field", 0)));
        change(&|f| {
            if let Some(v) = f.values.first_mut() {
                v.1 = u64::MAX;
            }
        });
        change(&|f| f.kept = rows[f.row].mask);
    }
}

#[test]
fn programs_are_recognised_as_those_of_their_set() {
    let kernel = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/vector_add/vector_add.sass"),
    )
    .expect("a kernel of this project");
    let sm10 = warpsmith_isa::assemble(&kernel, "t").expect("it assembles");
    let mut programs = vec![("sm10", sm10.words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())];
    for set in sets().iter().filter(|s| s.name() != "sm10") {
        let rows = conformance::rows(&format!("{}/programs.txt", set.name()));
        let text: Vec<&str> = rows.iter().flat_map(|p| p.cases.iter().map(|c| c.column(1))).collect();
        let program = assemble(*set, &text.join("\n"), "t").expect("it assembles");
        programs.push((set.name(), program.bytes));
    }
    assert_eq!(programs.len(), sets().len());
    for (name, bytes) in &programs {
        for asked in sets() {
            let found = recognise(*asked, |_| Some(bytes.clone())).map(|r| r.set.name());
            let want = (asked.name() != *name).then_some(*name);
            let shares: Vec<_> = sets().iter().map(|s| (s.name(), share(*s, bytes))).collect();
            assert_eq!(found, want, "{name} as {}: {shares:?}", asked.name());
        }
    }
}

/// A legal text with a few characters changed.
fn spoilt(set: &dyn InstructionSet, rows: &[Row], seed: u64) -> String {
    const MARKS: &[u8] = b"R63P7.,[]|-~!@?0x9fF:;#/*c \"\\\n(){}+";
    let mut random = Random(seed);
    let bytes = bytes(set, rows, 2, &mut random);
    let lines = disassemble(set, &bytes);
    let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    let mut text: Vec<char> = text.join(";\n").chars().collect();
    for _ in 0..1 + random.index(4) {
        let at = random.index(text.len() + 1);
        let mark = match random.index(12) {
            0 => 'é',
            1 => '𝔉',
            _ => char::from(MARKS[random.index(MARKS.len())]),
        };
        match random.index(3) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text[at] = mark,
            _ => text.insert(at, mark),
        }
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_bytes_make_a_decoder_panic(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        for set in sets() {
            if let Ok(i) = set.decode(&bytes) {
                prop_assert!(i.code.len() <= bytes.len());
                let text = print_exact(*set, &i, 0);
                prop_assert!(!text.is_empty());
            }
            let lines = disassemble(*set, &bytes);
            prop_assert_eq!(lines.iter().map(|l| l.code.len()).sum::<usize>(), bytes.len());
            prop_assert!((0.0..=1.0).contains(&share(*set, &bytes)));
        }
    }

    #[test]
    fn no_text_makes_an_assembler_panic(text in "(\\PC|\n){0,60}") {
        for set in sets() {
            let _ = set.parse(&text, &Place::at(0));
            let _ = assemble(*set, &text, "t");
        }
        let _ = warpsmith_isa::assemble(&text, "t");
    }

    #[test]
    fn a_spoilt_program_assembles_or_is_refused_inside_the_text(seed in any::<u64>()) {
        for set in sets() {
            let text = spoilt(*set, &set.rows(), seed);
            let Err(e) = assemble(*set, &text, "t") else { continue };
            let line = text.lines().nth(e.span.line.saturating_sub(1));
            let width = line.unwrap_or("").chars().count();
            prop_assert!(e.span.line >= 1 && e.span.line <= text.lines().count().max(1), "{text}: {e}");
            prop_assert!(e.span.col >= 1 && e.span.col <= width + 1, "{text}: {e}");
            prop_assert!(e.span.len >= 1, "{text}: {e}");
        }
    }
}
