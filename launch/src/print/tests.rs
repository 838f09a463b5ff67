use super::*;
use crate::launch::{Buffer, ConstantSection};

/// The text of a format with arguments of these bytes.
fn text(format: &str, arguments: &[&[u8]]) -> String {
    let list: Vec<Argument> = arguments.iter().map(|a| Argument(a.to_vec())).collect();
    format::text(format.as_bytes(), &list, &|address| format!("string {address}").into_bytes())
}

fn int(format: &str, v: i32) -> String {
    text(format, &[&v.to_le_bytes()])
}

fn float(format: &str, v: f64) -> String {
    text(format, &[&v.to_le_bytes()])
}

/// Expected: what glibc prints.
#[test]
fn conversions_are_those_of_c() {
    for (format, value, expected) in [
        ("%d", -5, "-5"),
        ("[%6d]", -5, "[    -5]"),
        ("[%-6d]", -5, "[-5    ]"),
        ("[%06d]", -5, "[-00005]"),
        ("[%+d]", 7, "[+7]"),
        ("[% d]", 7, "[ 7]"),
        ("[%8.3d]", 7, "[     007]"),
        ("[%08.3d]", 7, "[     007]"),
        ("[%.0d]", 0, "[]"),
        ("%u", -1, "4294967295"),
        ("%x %%", -1, "ffffffff %"),
        ("%#X", 255, "0XFF"),
        ("%#x", 0, "0"),
        ("%#o", 8, "010"),
        ("%hhd", 0x1ff, "-1"),
        ("%hu", -1, "65535"),
        ("%lld", -1, "-1"),
        ("[%3c]", 65, "[  A]"),
        ("[%.4s]", 12, "[stri]"),
        ("%p", 0x1000, "0x1000"),
        ("%y", 1, "%y"),
    ] {
        assert_eq!(int(format, value), expected, "{format}");
    }
    for (format, value, expected) in [
        ("%f", 1.5, "1.500000"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 2.5, "2."),
        ("[%9.2f]", -3.2589, "[    -3.26]"),
        ("[%09.2f]", -3.2589, "[-00003.26]"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%.2E", 1e-7, "1.00E-07"),
        ("%g", 100000.0, "100000"),
        ("%g", 1e6, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001234, "1.234e-05"),
        ("%#g", 1.0, "1.00000"),
        ("%.3g", 1234.5, "1.23e+03"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", 0.1, "0x1.999999999999ap-4"),
        ("%.1a", 1.999, "0x2.0p+0"),
        ("%A", 10.5, "0X1.5P+3"),
        ("[%8f]", f64::INFINITY, "[     inf]"),
        ("[%08F]", f64::NEG_INFINITY, "[    -INF]"),
        ("%f", f64::NAN, "nan"),
    ] {
        assert_eq!(float(format, value), expected, "{format}");
    }
    assert_eq!(text("%f", &[&0.25f32.to_le_bytes()]), "0.250000");
    assert_eq!(text("[%*.*f]", &[&8i32.to_le_bytes(), &1i32.to_le_bytes(), &2.25f64.to_le_bytes()]), "[     2.2]");
    assert_eq!(text("[%-*d]", &[&3i32.to_le_bytes(), &1i32.to_le_bytes()]), "[1  ]");
    assert_eq!(text("%lld", &[&(-1i64 << 40).to_le_bytes()]), "-1099511627776");
    assert_eq!(text("%d %d", &[&1i32.to_le_bytes()]), "1 %d");
    assert_eq!(text("100%", &[]), "100%");
}

#[test]
fn vectors_are_lists() {
    let floats: Vec<u8> = [1.0f32, 2.5, -3.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
    assert_eq!(text("%v4hlf", &[&floats]), "1.000000,2.500000,-3.000000,4.000000");
    assert_eq!(text("(%5.1v3hlf)", &[&floats]), "(%5.1v3hlf)".replace("%5.1v3hlf", "  1.0,  2.5, -3.0"));
    assert_eq!(text("%v4hhd", &[&[1, 0xff, 3, 4]]), "1,-1,3,4");
    assert_eq!(text("%#v2hx", &[&[1, 2, 3, 4]]), "0x201,0x403");
    assert_eq!(text("%v5d", &[&floats]), "%v5d");
}

/// A launch whose buffer lies at byte 0, with a format at byte 4,096 of the memory that it lies in.
fn printed(region: u32, records: &[(u32, Vec<u32>)], constant: bool) -> Printed {
    let mut launch = Launch::from_words("k", Vec::new());
    let mut memory = GlobalMemory::new(1 << 22);
    let (start, format) = (1 << 21, b"n=%d;\0");
    launch.buffers.push(Buffer { name: BUFFER.into(), address: start, bytes: BYTES.into() });
    match constant {
        true => launch.constants.push(ConstantSection::new(0, 4096, format.to_vec())),
        false => memory.write(4096, format),
    }
    let mut put = |at: u32, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        memory.write(u64::from(start + at), &bytes);
    };
    put(0, &[region, 0]);
    for (at, words) in records {
        put(HEAD + at, &[4 * words.len() as u32]);
        put(HEAD + at + REGION_HEAD, words);
    }
    Printed::of(&launch, &memory)
}

#[test]
fn records_are_read_region_by_region() {
    let record = |n: u32, flag: u32| vec![16 | flag, 4096, 4, n];
    assert_eq!(printed(0, &[], false), Printed::default());
    let two = [record(1, 0), record(2, 0)].concat();
    assert_eq!(printed(REGION_BYTES, &[(0, two.clone())], false).text, "n=1;n=2;");
    assert_eq!(printed(64, &[(64, record(3, 0)), (0, two)], false).text, "n=1;n=2;n=3;");
    assert_eq!(printed(64, &[(0, record(4, CONSTANT))], true).text, "n=4;");
    // A place that was taken and not written ends the region.
    assert_eq!(printed(64, &[(0, [record(5, 0), vec![0; 4]].concat())], false).text, "n=5;");
}

#[test]
fn a_part_of_memory_with_the_name_alone_prints_nothing() {
    let mut launch = Launch::from_words("k", Vec::new());
    let last = u32::MAX - 3;
    launch.buffers.push(Buffer { name: BUFFER.into(), address: last, bytes: 4 });
    let mut memory = GlobalMemory::new(1 << 32);
    memory.write(last.into(), &[0xff; 4]);
    assert_eq!(Printed::of(&launch, &memory), Printed::default());
}
