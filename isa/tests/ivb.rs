//! Ivy Bridge: layouts, text and codes against the public tools' vectors.

use proptest::prelude::*;
use warpsmith_conformance::{self as conformance, bytes};
use warpsmith_isa::ivb::table::{Format, OPS};
use warpsmith_isa::ivb::{self, layout, Ivb};
use warpsmith_isa::set::{self, Instr, InstructionSet, Place};
use warpsmith_testkit::Random;

/// `add.sat(8) g6<1>F ... { align1 1Q }` as a compact instruction.
fn ask_compact(text: &str) -> String {
    text.replace('}', "compacted }")
}

/// Codes that no text gives, by what they are: the bits that differ from the assembler's are not named.
const OTHER_BITS: [(&str, u128); 1] =
    // Public kernels give the descriptor of a message the type D, Mesa gives it UD.
    [("send", 1 << 44)];

/// The vector that public tools leave native, though a compact instruction stands for every bit.
const NATIVE_ONLY: &str = "10016005bd7fa3276407650000000000";

/// Rules of Intel's manual that codes of public tools break, and how many do; they are refused with the section.
const REFUSED: [(&str, usize); 6] = [
    ("branches are align1 (section 3.3.9 7D)", 5),
    ("its sources have no modifier (section 5.6)", 2),
    ("its page has no destination of this type (section 6.28)", 2),
    ("its page has no source of this type (section 6.29)", 1),
    ("it does not saturate (section 6.36)", 2),
    ("a condition excludes a conversion (section 6.41.10)", 7),
];

/// Reads and assembles one vector; true where bits that no text names differ.
fn both_ways(code: &str, text: &str) -> (Instr, bool) {
    let code = bytes(code);
    let instr = Ivb.decode(&code).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(Ivb.print(&instr, 0), text);
    assert_eq!(Ivb.encode(&Ivb.fields(&instr)), Ok(instr));
    let back = set::assemble(&Ivb, text, "t").unwrap_or_else(|e| panic!("{text}: {e}"));
    let name = OPS[instr.row].name;
    let back = Ivb.decode(&back.bytes).expect("an instruction");
    let differ = back.code.bits() ^ instr.code.bits();
    let known = OTHER_BITS.contains(&(name, differ));
    assert!(differ == 0 || known, "{text}: {differ:#x}");
    let exact = set::print_exact(&Ivb, &instr, 0);
    let back = set::asm::parse_exact(&Ivb, &exact, &Place::at(0));
    assert_eq!(back, Ok(instr), "{exact}");
    (instr, differ != 0)
}

#[test]
fn layouts_cover_every_bit_and_the_table_has_every_opcode() {
    // Building them is the proof; the numbers guard against a lost one.
    let layouts = layout::two_source();
    let registers = layouts.iter().filter(|l| l.name.contains("MessageRegister"));
    assert_eq!((layouts.len() - registers.count(), OPS.len()), (40, 63));
    for (row, op) in OPS.iter().enumerate() {
        for compact in [false, true] {
            let fields = layout::fields(row, compact);
            for (n, f) in fields.iter().enumerate() {
                let twice = fields[..n].iter().any(|g| g.name == f.name);
                assert!(!twice, "{}: {} lies in two places", op.name, f.name);
            }
        }
    }
    assert!(set::markdown(&Ivb).contains("## send"));
}

#[test]
fn every_vector_reads_assembles_and_compacts_as_stated() {
    let rows = conformance::rows("ivb/pairs.txt");
    let (mut short, mut long, mut other) = (0, 0, 0);
    let mut refused = [0; REFUSED.len()];
    for row in &rows {
        let [code, text, stated] = [0, 1, 2].map(|n| row.column(n));
        if let Err(e) = Ivb.decode(&bytes(code)) {
            let rule = REFUSED.iter().position(|r| e.to_string().ends_with(r.0));
            refused[rule.unwrap_or_else(|| panic!("{text}: {e}"))] += 1;
            let again = set::assemble(&Ivb, text, "t").expect_err(text);
            assert!(again.to_string().ends_with(&e.to_string()), "{text}: {again}");
            continue;
        }
        let (instr, differs) = both_ways(code, text);
        other += usize::from(differs);
        let compact = ivb::compacted(&instr);
        if stated.is_empty() {
            assert_eq!(compact.is_some(), code == NATIVE_ONLY, "{text}");
            long += 1;
            continue;
        }
        let read = Ivb.decode(&bytes(stated)).expect(text);
        assert_eq!(compact, Some(read), "{text}");
        assert_eq!(ivb::native(&read), instr, "{text}");
        assert_eq!(Ivb.encode(&Ivb.fields(&read)), Ok(read));
        let text = ask_compact(text);
        let back = Ivb.parse(&text, &Place::at(0));
        assert_eq!(back, Ok(read), "{text}");
        short += 1;
    }
    let pairs = rows.len();
    println!("ivb/pairs.txt: {pairs} codes read and assemble as stated ({other} but for the type of a descriptor)");
    println!("ivb/pairs.txt: {short} compact codes both ways, {long} codes without one (1 exception)");
    assert_eq!(refused, REFUSED.map(|r| r.1));
    assert_eq!((pairs, short), (978, 170));
}

#[test]
fn every_value_row_and_program_reads_and_assembles_as_stated() {
    let values = conformance::rows("ivb/values.txt");
    let programs = conformance::rows("ivb/programs.txt");
    let values = values.iter().map(|r| (r.column(0), r.column(2)));
    let programs = programs.iter().flat_map(|p| &p.cases);
    let programs = programs.map(|c| (c.column(0), c.column(1)));
    let (mut rows, mut other) = (0, 0);
    for (code, text) in values.chain(programs) {
        other += usize::from(both_ways(code, text).1);
        rows += 1;
    }
    println!("ivb: {rows} codes of values and programs read and assemble as stated ({other} but for the type of a descriptor)");
    assert_eq!(rows, 292 + 7);
}

/// Public tools write remarks and the description of a message into the text.
#[test]
fn remarks_and_descriptions_of_messages_do_not_count() {
    for (text, more) in [
        ("mov(8) g5<1>F 0x40490fdbF { align1 1Q }", "mov(8) g5<1>F 0x40490fdbF /* half a turn */ { align1 1Q };"),
        (
            "send(8) null<1>UW g2<8,8,1>UD 0x0400c000 urb { align1 1Q EOT }",
            "send(8) null<1>UW g2<8,8,1>UD 0x0400c000 urb MsgDesc: 0 write HWord mlen 2 rlen 0 { align1 1Q EOT };",
        ),
    ] {
        let plain = set::assemble(&Ivb, text, "t").expect(text);
        let back = set::assemble(&Ivb, more, "t").expect(more);
        assert_eq!(plain.bytes, back.bytes, "{more}");
    }
}

/// Random bits of an opcode, most of them with no reserved bit or value.
fn random_code(random: &mut Random) -> Vec<u8> {
    let row = random.index(OPS.len());
    let op = &OPS[row];
    let mut bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
    bits = bits & !0x7f | u128::from(op.opcode);
    if random.index(8) == 0 {
        return bits.to_le_bytes().to_vec();
    }
    if random.index(3) == 0 {
        // No reserved bit, registers that exist, a condition where there may be one.
        let condition = (random.index(7) * (usize::from(op.takes) >> 2)) as u128;
        let drop = 1 << 28 | 15 << 24 | 1 << 47 | 1 << 55 | 1 << 63;
        bits = bits & !drop | layout::COMPACT | condition << 24;
        if op.format == Format::Math {
            bits |= 1 << 24;
        }
        return (bits as u64).to_le_bytes().to_vec();
    }
    bits &= !layout::COMPACT;
    let mut put = |low: u32, width: u32, value: usize| {
        bits = bits & !(set::low_bits(width) << low) | (value as u128) << low;
    };
    put(21, 3, random.index(5));
    put(14, 2, random.index(3));
    put(16, 4, random.index(8) * (usize::from(op.takes) & 1));
    put(31, 1, random.index(2) * (usize::from(op.takes) >> 1 & 1));
    let condition = random.index(7) * (usize::from(op.takes) >> 2);
    match op.format {
        Format::Math => put(24, 4, 1 + random.index(7)),
        Format::Send => put(24, 4, 2 + random.index(10)),
        _ => put(24, 4, condition),
    }
    if op.format == Format::Three {
        put(8, 1, 1);
        for (low, width) in [(7, 1), (32, 1), (35, 1), (46, 1), (48, 1), (84, 1), (105, 1), (126, 2)] {
            put(low, width, 0);
        }
        for low in [63, 83, 104, 125] {
            put(low, 1, 0);
        }
        put(21, 3, random.index(4));
        put(42, 4, 0);
        return bits.to_le_bytes().to_vec();
    }
    if op.format == Format::Bare {
        return (bits & 0x4000_007f).to_le_bytes().to_vec();
    }
    put(7, 1, 0);
    put(91, 5, 0);
    put(60, 1, 0);
    put(76, 1, 0);
    put(84, 1, 0);
    put(87, 2, random.index(3));
    put(85, 2, 0);
    put(32, 2, 1);
    put(37, 2, 1);
    let one = matches!(op.format, Format::One);
    if one && random.index(3) == 0 {
        put(37, 2, 3);
    }
    match op.format {
        Format::Jip => {
            put(42, 2, 3);
            put(112, 16, 0);
        }
        Format::JipUip => put(42, 2, 3),
        Format::One => put(42, 2, 0),
        Format::Wait => {
            put(42, 2, 0);
            put(32, 2, 0);
            put(53, 8, 0x90);
            put(63, 1, 0);
        }
        _ if random.index(2) == 0 => put(42, 2, 3),
        _ => {
            put(42, 2, 1);
            put(108, 1, 0);
            put(116, 5, 0);
            put(121, 7, 0);
        }
    }
    if random.index(3) == 0 {
        // An architecture register, nothing in the subregister.
        put(32, 2, 0);
        put(53, 8, [0, 0x10, 0x20, 0x30, 0xa0, 0x90][random.index(6)]);
        put(63, 1, 0);
    }
    if random.index(2) == 0 {
        put(48, 5, 0);
        put(64, 5, 0);
        put(61, 2, 1);
    }
    bits.to_le_bytes().to_vec()
}

#[test]
fn any_bytes_survive_listing_and_assembling() {
    // WARPSMITH_WORDS asks for more of them.
    let words = std::env::var("WARPSMITH_WORDS").map_or(20_000, |n| n.parse().expect("a number"));
    let mut random = Random(1);
    let (mut legal, mut short, mut suffixed) = (0, 0, 0);
    for _ in 0..words / 1000 {
        let tail = random.index(8) as u8;
        let code: Vec<u8> = (0..1000)
            .flat_map(|n| match n % 16 {
                0 => random.bits().to_le_bytes().to_vec(),
                _ => random_code(&mut random),
            })
            .chain(0..tail)
            .collect();
        let lines = set::disassemble(&Ivb, &code);
        let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&Ivb, &text.join(";\n"), "t").expect("a listing assembles");
        assert_eq!(back.bytes, code);
        for l in &lines {
            let Ok(i) = &l.instr else { continue };
            assert_eq!(Ivb.encode(&Ivb.fields(i)), Ok(*i));
            assert!(!l.text.contains(".word"), "{}: {}", l.code, Ivb.print(i, 0));
            legal += 1;
            short += usize::from(l.code.len() == 8);
            suffixed += usize::from(l.text.contains('?'));
        }
    }
    println!(
        "{words} random codes listed and assembled without difference, {legal} of them legal, \
         {short} compact, {suffixed} with bits that the text does not name"
    );
}

#[test]
fn labels_and_errors_name_their_place() {
    let source = ".isa ivb\n(+f0.0) if(8) JIP: no UIP: end { align1 1Q };\n\
        mov(8) g2<1>F g3<8,8,1>F { align1 1Q compacted };\n\
        no: else(8) JIP: end { align1 1Q }; end: endif(8) JIP: 2 { align1 1Q }; jmpi(1) end { align1 WE_all 1N }";
    let p = set::assemble(&Ivb, source, "t").unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(p.labels, [("no".into(), 24), ("end".into(), 40)]);
    let lines = set::disassemble(&Ivb, &p.bytes);
    let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
    assert_eq!(
        text,
        [
            "(+f0.0) if(8) JIP: 3 UIP: 5 { align1 1Q }",
            "mov(8) g2<1>F g3<8,8,1>F { align1 1Q compacted }",
            "else(8) JIP: 2 { align1 1Q }",
            "endif(8) JIP: 2 { align1 1Q }",
            "jmpi(1) -4D { align1 WE_all 1N }",
        ]
    );
    let mov = "mov(8) g2<1>F ";
    for (source, message) in [
        ("ad(8) g1<1>F", "t:1:1: Ivy Bridge has no instruction ad, did you mean add?"),
        ("else(8) JIP: x {", "t:1:17: expected an option, one of align1 align16 WE_all NoDDClr NoDDChk 1Q compacted atomic switch AccWrEnable, EOT of a message, or `}`, found the end"),
        ("else(8) JIP: x", "t:1:14: the label x is not defined, define it with `x:`"),
        (&format!("{mov}g128<8,8,1>F"), "t:1:15: expected a register such as g12, acc0, null or g[a0], found `g128`"),
        (&format!("{mov}g3<8,3,1>F"), "t:1:20: the width is one of 1 2 4 8 16"),
        (&format!("{mov}g3<32,8,4>F"), "t:1:1: mov: the region crosses into a third register (section 3.3.9 3A, 3B)"),
        (&format!("{mov}g127.4<4,4,1>F"), "t:1:1: mov: the region goes on behind the last register, g127"),
        (&format!("{mov}g3.8<8,8,1>F"), "t:1:18: a register has 8 elements of F"),
        (&format!("{mov}g3<8,8,1>Q"), "t:1:24: expected a type, one of UD D UW W UB B DF F, found `Q`"),
        (&format!("{mov}g3<8,8,1>F {{ 1H }}"), "t:1:28: with 8 channels it is one of 1Q 2Q 3Q 4Q"),
        (&format!("{mov}g3.7<0,1,0>F {{ compacted }}"), "t:1:30: this instruction has no compact encoding, leave out `compacted`"),
        ("mov(3) g2<1>F 1D", "t:1:5: the execution size is one of 1 2 4 8 16 32"),
        ("mov(8) g2<1>F 0x100000000D", "t:1:15: the value does not fit 32 bits of D"),
        ("wait(1) g1<1>UD", "t:1:1: wait: 1 in field dst_file is reserved"),
        ("(+f0.0) else(8) JIP: 2", "t:1:1: else: it takes no predicate (section 6.24)"),
        ("(+f0.0) cmp.z.f0.1(8) g1<1>F g2<8,8,1>F 0x0F", "t:1:3: predicate and condition have one flag register"),
        ("send(8) g2<1>UW g3<8,8,1>UD 0x02106e01 disk { align1 1Q }", "t:1:40: no shared function of that name, one of: null, sampler, gateway, sampler cache, render, urb, thread spawner, vme, const, data, pi"),
        ("send(8) g2<1>UW g126<8,8,1>UD 0x0a106e01 data", "t:1:1: send: the message goes on behind the last register, g127"),
        ("add(8) g1<1>F 0x0F g2<8,8,1>F", "t:1:15: an immediate is the last source only"),
    ] {
        let e = set::assemble(&Ivb, source, "t").expect_err(source);
        assert_eq!(e.to_string(), message);
    }
    for (code, message) in [
        ("5e000000000000000000000000000000", "5e000000000000000000000000000000 begins no encoding of the table"),
        ("0100", "the instruction has 16 bytes, 2 are left"),
        ("22000020000000000000000000000000", "if: this opcode has no compact encoding"),
        ("80000000000000000000000000000000", "illegal: reserved bits 0x80 are set"),
        ("0100e000000000000000000000000000", "mov: 7 in field exec_size is reserved"),
    ] {
        let e = Ivb.decode(&bytes(code)).expect_err(code);
        assert_eq!(e.to_string(), message);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 1000 }))]

    #[test]
    fn no_bytes_stop_the_disassembler(code in proptest::collection::vec(any::<u8>(), 0..80)) {
        let lines = set::disassemble(&Ivb, &code);
        let text: Vec<&str> = lines.iter().map(|l| l.text.as_str()).collect();
        let back = set::assemble(&Ivb, &text.join("\n"), "t").expect("a listing assembles");
        prop_assert_eq!(back.bytes, code);
    }

    #[test]
    fn no_text_stops_the_assembler(text in "\\PC{0,60}") {
        let _ = set::assemble(&Ivb, &text, "t");
    }

    #[test]
    fn no_pieces_of_text_stop_the_assembler(
        pieces in proptest::collection::vec(0..PIECES.len(), 0..24),
    ) {
        let text: Vec<&str> = pieces.into_iter().map(|n| PIECES[n]).collect();
        if let Err(e) = set::assemble(&Ivb, &text.concat(), "t") {
            prop_assert!(e.span.line >= 1 && e.span.col >= 1 && !e.message.is_empty());
        }
    }
}

/// Pieces of the syntax.
const PIECES: [&str; 60] = [
    "add", "mov", "cmp", "mad", "send", "math ", "if", "jmpi", "wait", "nop", "sel", "(8)", "(16)", "(1)", ".sat",
    ".nz", ".f0.0", "(+f0.0", ".any4h", ") ", "(-f1.1) ", " ", "g1", "g127", ".7", "<8,8,1>", "<0,1,0>", "<1>", "<4>",
    "<VxH,1,0>", ".xyzw", ".x", "F", "UD", "W", "UB", "DF", "g[a0", ".2", " -16", "]", "null", "ip", "acc0", " 0x1F",
    " -5W", " 0x30VF", "inv", "pow", " JIP: ", " UIP: ", "-2", "x", " 0x0a1b render ", "{ ", "align1 ", "align16 ",
    "1Q ", "compacted ", "}",
];

#[test]
fn every_legal_instruction_lowers_or_says_why_not() {
    let mut random = Random(0x1b);
    let samples: Vec<Instr> = (0..OPS.len()).map(|row| Ivb.sample(row).expect("a sample of every opcode")).collect();
    let mut wide = || u128::from(random.bits()) << 64 | u128::from(random.bits());
    let (mut legal, mut lowered, mut uops) = (0, 0, 0);
    for n in 0..300_000usize {
        let sample = samples[n % samples.len()].code.bits();
        // One bit of 8 to 256 is another one.
        let change = (0..1 + n % 6).fold(wide() & wide(), |c, _| c & wide());
        let bits = sample ^ (change & !0x2000_007f);
        let Ok(instr) = Ivb.decode(&bits.to_le_bytes()) else {
            continue;
        };
        legal += 1;
        for instr in [Some(instr), ivb::compacted(&instr)].into_iter().flatten() {
            if let Ok(l) = Ivb.lower(&instr, 0x40) {
                lowered += 1;
                uops += l.uops.len();
                assert!(l.lanes.count <= 32 && l.uops.len() < 32);
            }
        }
    }
    println!("{legal} legal instructions, {lowered} lowered to {uops} micro-operations");
    assert!(lowered > 10_000, "{lowered}");
}

/// The only micro-operations that a chip's instruction may be made of are those that the model executes.
#[test]
fn chips_execute_47_opcodes_as_the_model_does() {
    let mut random = Random(0x1c);
    let samples: Vec<Instr> = (0..OPS.len()).map(|row| Ivb.sample(row).expect("a sample of every opcode")).collect();
    let mut wide = || u128::from(random.bits()) << 64 | u128::from(random.bits());
    let (mut executed, mut reasons) = (vec![0; OPS.len()], std::collections::BTreeMap::new());
    for n in 0..300_000usize {
        let sample = samples[n % samples.len()].code.bits();
        let change = (0..1 + n % 6).fold(wide() & wide(), |c, _| c & wide());
        let bits = sample ^ (change & !0x2000_007f);
        let Ok(instr) = Ivb.decode(&bits.to_le_bytes()) else { continue };
        match ivb::chip::on_chip(&instr, 0x40) {
            Ok(chip) => {
                executed[instr.row] += 1;
                assert!(Ivb.lower(&instr, 0x40).is_ok(), "{chip:?}");
                // A compact instruction is the one it stands for.
                let short = ivb::compacted(&instr).map(|i| ivb::chip::on_chip(&i, 0x40));
                let same = |s: Result<ivb::chip::OnChip, _>| s == Ok(ivb::chip::OnChip { length: 8, ..chip });
                assert!(short.is_none_or(same), "{chip:?}");
            }
            Err(reason) => *reasons.entry(reason).or_insert(0) += 1,
        }
    }
    let names = OPS.iter().zip(&executed).filter(|(_, n)| **n > 0).map(|(op, _)| op.name);
    let mut names: Vec<&str> = names.collect();
    println!("{executed:?} {reasons:#?}");
    let mut expected = ivb::chip::EXECUTED.to_vec();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(reasons.keys().all(|r| !r.ends_with('.') && r.len() < 80), "{reasons:?}");
    assert!(reasons.len() > 15, "{reasons:?}");
}

/// Why chips do not execute instructions that the model does.
#[test]
fn chips_say_what_they_lack() {
    let cases = [
        ("dp4(8) g1<1>F g2<8,8,1>F g3<8,8,1>F", "chips do not have this opcode"),
        ("avg(8) g1<1>UD g2<8,8,1>UD g3<8,8,1>D", "chips do not compare UD with D and W"),
        ("frc(8) g1<1>F 1.5F", "chips take the fraction of a register"),
        ("add(8) g1<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 1Q AccWrEnable }", "chips have no accumulators"),
        ("add(4) g1<1>UD g2<4,4,1>UD g3<4,4,1>UD", "execution sizes of chips are 1, 8 and 16"),
        ("add(8) g1<1>UD g2<8,8,1>UD g3<8,8,1>UD { align1 3Q }", "chips have 16 channels"),
        ("mov(1) g1<1>UD g2<0,1,0>UD", "one channel of chips has the option WE_all"),
        ("mov(8) g1<1>UD g2<8,4,1>UD", "regions of chips are rows, packed words and scalars"),
        ("mov(8) g1<1>UD g2<8,8,1>UB", "types of chips are UD, D, UW, W and F"),
        ("mov(8) g1<1>UD a0<0,1,0>UD", "operands of chips are general registers"),
        ("mov(8) g1<1>UD g[a0]<8,8,1>UD", "chips have no indirect operands"),
        ("add(8) g1<1>F g2<8,8,1>D g3<8,8,1>D", "chips convert in mov alone"),
        ("cmp.l.f0.0(8) g1<1>UD g2<8,8,1>UD g3<8,8,1>D", "chips do not compare UD with D and W"),
        ("shl.sat(8) g1<1>UD g2<8,8,1>UD g3<8,8,1>UD", "chips saturate in mov, add, mul, mad and roundings alone"),
        ("math intdiv(8) g1<1>D g2<8,8,1>D g3<8,8,1>D", "chips do not divide integers"),
        ("wait(1) n1<1>UD", "chips wait for n0 alone"),
        ("send(8) g10<1>UD g2<8,8,1>UD 0x02116e10 data", "surfaces of chips are 254 and 255"),
        ("send(8) g2<1>UD g2<8,8,1>UD 0x024160ff data", "chips load over the addresses with the last element alone"),
    ];
    for (text, reason) in cases {
        let instr = Ivb.parse(text, &Place::at(0)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert_eq!(ivb::chip::on_chip(&instr, 0), Err(reason), "{text}");
    }
    let executed = [
        "sel.l(8) g1<1>F g2<8,8,1>F (abs)g3<8,8,1>F",
        "math pow(16) g1<1>F g4<8,8,1>F g6<8,8,1>F { align1 1H }",
        "avg(8) g1<1>UD g2<8,8,1>UD 5D",
        "cmp.l.f0.0(8) g1<1>UD g2<8,8,1>UD 5D",
        "mov(8) g1<1>UD g2<4,4,1>UD",
        "mov(8) g1<1>UD g2<1,1,0>UD",
        "mov(8) g1<1>UD g2.1<4,2,2>UW",
        "add(16) g12<1>UD g10<0,1,0>UD g1<8,8,1>UW { align1 1H }",
        "send(8) g3<1>UD g2<8,8,1>UD 0x02216cff data",
        "send(8) g1<1>UD g2<8,8,1>UD 0x02216cff data",
    ];
    for text in executed {
        let instr = Ivb.parse(text, &Place::at(0)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        assert!(ivb::chip::on_chip(&instr, 0).is_ok(), "{text}: {:?}", ivb::chip::on_chip(&instr, 0));
    }
}
