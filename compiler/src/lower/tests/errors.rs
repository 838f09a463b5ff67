//! Refused programs: line and advice of each error; nothing panics.

use super::HEAD;
use crate::program::Options;
use crate::{lower, ptx};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use warpsmith_isa::ChipInfo as Target;
use warpsmith_isa::Tier;

fn error_on(text: &str, target: &Target) -> String {
    let result = ptx::parse(text, "k.ptx").and_then(|m| lower::kernel(&m, "k", target, &Options::default()));
    match result {
        Ok(_) => panic!("no error for\n{text}"),
        Err(e) => e.to_string(),
    }
}

fn error(text: &str) -> String {
    error_on(text, &Target::unlimited())
}

fn refused(body: &str) -> String {
    error(&format!(
        "{HEAD}.global .align 4 .b8 g[4]; .shared .align 4 .b8 s[4]; .func f(.param .b32 a) {{ ret; }}
.entry k(.param .u32 p) {{ .reg .b32 %r<9>; .reg .b64 %d<3>; .reg .b16 %h<3>; .reg .pred %p<3>; .reg .f32 %f<3>;
{body}
ret; }}"
    ))
}

#[test]
fn what_the_chip_lacks() {
    for (body, words) in [
        ("ex2.f64 %d1, %d1;", "not possible"),
        ("atom.global.add.u32 %r1, [%r2], 1;", "--set level=sm11"),
        ("red.global.add.u32 [%r2], 1;", "--set level=sm11"),
        ("atom.shared.add.u64 %d1, [s], %d2;", "--set level=sm12"),
        ("atom.global.min.f64 %d1, [%r2], %d2;", "sums of doubles"),
        ("red.global.add.f32 [%r2], %f1;", "atomicCAS"),
        ("atom.shared.add.u32 %r1, [s], 1;", "--set level=sm12"),
        ("redux.sync.min.f32 %f1, %f2, -1;", "redux of integers"),
        ("match.any.sync.b64 %r1, %d1, -1;", "32 bits"),
        ("tex.2d.v4.f32.s32 {%f1,%f1,%f1,%f1}, [g, {%r1,%r2}];", "textures"),
        ("bar.sync 1;", "other than number 0"),
        ("bar.sync 0, 64;", "some threads"),
        ("bar.arrive 0, 64;", "__syncthreads()"),
        ("add.f16 %h1, %h1, %h2;", "half precision"),
        ("add.rm.sat.f32 %f1, %f1, %f1;", "not possible"),
        ("min.NaN.f32 %f1, %f1, %f1;", "fminf"),
        ("mov.u32 %r1, %smid;", "%smid"),
        ("mov.u32 %r1, f;", "no body"),
        ("call %r1, ();", "through a pointer"),
        ("{ .param .b32 q; call vprintf, (q); }", "printf"),
        ("{ .param .b32 q; call nothing, (q); }", "not in this file"),
        ("{ call f, (); }", "takes 1 parameters"),
        ("foo.u32 %r1, %r2;", "not possible on SM 1.0"),
        ("add.u32 %r1, %r2;", "lacks operand 3"),
        ("add.u32 %p1, %r2, %r3;", "wrong type"),
        ("add.u32 %r1, %p2, %r3;", "no predicate"),
        ("add.u64 %d1, %r2, %d2;", "64-bit register"),
        ("st.const.u32 [g], 1; ", "g"),
        ("ld.global.b128 %r1, [%r2];", "8 to 64 bits"),
        ("mov.u32 %r1, nowhere;", "`nowhere` is not declared"),
        ("tanh.approx.f32 %f1, %f1;", "exp(2x)"),
    ] {
        if body.starts_with("st.const") {
            continue;
        }
        let e = refused(body);
        assert!(e.contains(words), "{body}: {e}");
        assert!(e.starts_with("k.ptx:6:"), "{body}: {e}");
    }
}

#[test]
fn addresses_that_are_ambiguous_or_read_only() {
    // Memory holds addresses without saying of which space; only loads and stores are split.
    for body in [
        "mov.u32 %r1, s; st.global.u32 [g], %r1; ld.global.u32 %r4, [g]; ld.u32 %r5, [%r4];",
        "mov.u32 %r1, q; mov.u32 %r2, s; st.local.u32 [%r1], %r2; ld.param.u32 %r2, [p]; st.local.u32 [%r1+4], %r2;
         shl.b32 %r3, %r3, 2; add.u32 %r1, %r1, %r3; ld.local.u32 %r4, [%r1]; ld.u32 %r5, [%r4];",
    ] {
        let e = refused(&format!(".local .align 4 .b8 q[8]; {body}"));
        assert!(e.contains("more than one of"), "{body}: {e}");
    }
    let e = refused("mov.u32 %r1, p; st.u32 [%r1], 5;");
    assert!(e.contains("read-only"), "{e}");
}

#[test]
fn recursion() {
    let e = error(&format!(
        "{HEAD}.func f(.reg .b32 %a) {{ call f, (%a); ret; }}\n.entry k() {{ .reg .b32 %r;\ncall f, (%r); ret; }}"
    ));
    assert!(e.contains("passes registers"), "{e}");
}

#[test]
fn errors_name_the_source_line() {
    let e = error(&format!(
        "{HEAD}.entry k() {{ .reg .b32 %r<3>;\n.loc 1 12 3\natom.global.add.u32 %r1, [%r2], 1; ret; }}\n.file 1 \"my.cu\"\n"
    ));
    assert!(e.starts_with("my.cu:12:"), "{e}");
}

#[test]
fn kernels_that_do_not_exist() {
    let text = format!("{HEAD}.entry saxpy() {{ ret; }} .entry sgemm() {{ ret; }} .entry gone();");
    let m = ptx::parse(&text, "k.ptx").unwrap();
    let names: Vec<&str> = m.kernels().collect();
    assert_eq!(names, ["saxpy", "sgemm"]);
    let find = |name: &str| lower::kernel(&m, name, &Target::unlimited(), &Options::default()).unwrap_err().to_string();
    assert!(find("saxpi").contains("did you mean `saxpy`?"));
    assert!(find("saxpi").contains("saxpy, sgemm"));
    assert!(!find("zzz").contains("did you mean"));
    let e = error(&format!("{HEAD}.func f() {{ ret; }}"));
    assert!(e.contains("holds none"), "{e}");
}

#[test]
fn limits() {
    let e = error(&format!("{HEAD}.entry k(.param .align 4 .b8 s[4100]) {{ ret; }}"));
    assert!(e.contains("4096 bytes") && e.starts_with("k.ptx:4:"), "{e}");
    let mut small = Target::unlimited();
    small.shared_bytes = 1024;
    let big = format!("{HEAD}.entry k() {{ .reg .b32 %r<3>; .shared .align 4 .b8 s[4096]; mov.u32 %r1, s; ret; }}");
    let e = error_on(&big, &small);
    assert!(e.contains("chip SM 1.0 has 1024"), "{e}");
    small.constant_bytes = 16;
    let c = format!("{HEAD}.const .align 4 .b8 c[32]; .entry k() {{ .reg .b32 %r<3>; ld.const.u32 %r1, [c]; ret; }}");
    let e = error_on(&c, &small);
    assert!(e.contains("constant memory"), "{e}");
    // The line is that of the first mention.
    let located = big.replace("mov.u32 %r1, s;", "\n.loc 1 3 0\nmov.u32 %r1, 0;\n.loc 1 5 0\nmov.u32 %r1, s;")
        + "\n.file 1 \"my.cu\"\n";
    assert!(error_on(&located, &small).starts_with("my.cu:5: `s` needs shared memory"));
    small.local_bytes = 1024;
    let local = located.replace(".shared", ".local");
    let e = error_on(&local.replace("s[", "__local_depot0[").replace(", s;", ", __local_depot0;"), &small);
    assert!(e.starts_with("my.cu:5: local arrays and structs need 4096 bytes"), "{e}");
    assert!(!e.contains("__local_depot0"), "{e}");
    let table = format!(
        "{HEAD}.shared .align 4 .b8 s[4]; .global .u32 __const_x[2] = {{generic(s), 1}};
.entry k() {{ .reg .b32 %r<3>;\n.loc 1 9 0\nld.global.u32 %r1, [__const_x]; ret; }}\n.file 1 \"my.cu\"\n"
    );
    let e = error(&table);
    assert!(e.starts_with("my.cu:9: ") && e.contains("address of `s` in shared memory"), "{e}");
    assert!(!e.contains("__const_x") && !e.contains("calls through"), "{e}");
    let mut tiny = Target::unlimited();
    (tiny.name, tiny.tier) = ("tiny".into(), Tier::integer());
    let f = format!("{HEAD}.entry k() {{ .reg .f32 %f<3>;\n mul.f32 %f1, %f2, %f2; ret; }}");
    let e = error_on(&f, &tiny);
    assert!(e.contains("`mul.f32`") && e.contains("tiny") && e.starts_with("k.ptx:5:"), "{e}");
}

#[test]
fn text_that_is_no_ptx_or_for_others() {
    for (text, words) in [
        ("", "empty"),
        ("// only a comment\n", "empty"),
        ("hello", "`.version`"),
        ("\u{7f}ELF", "no place in PTX"),
        (".version 7.0\n.target sm_20\n.address_size 64\n", "-m32"),
        (".version 7.0\n.target x86\n", "no GPU"),
        (".version 7.0\n.target sm_20\n.entry k() { bra nowhere; }", "label `nowhere`"),
        (".version 7.0\n.entry k() { a: a: ret; }", "stands at line"),
        (".version 7.0\n.entry k() { add.u32 %r1, %r2, %r3; }", "not declared"),
        (".version 7.0\n.entry k() { ret;", "cut off"),
        (".version 7.0\n.entry k() .reqnctapercluster 2 { ret; }", "clusters"),
        (".version 7.0\n.global .u32 x[2] = {1,2,3};", "more values"),
        (".version 7.0\n.global .align 3 .u32 x;", "power of two"),
    ] {
        let e = ptx::parse(text, "k.ptx").unwrap_err().to_string();
        assert!(e.contains(words), "{text:?}: {e}");
    }
}

/// Cut off, mixed up and random text is refused or read, never a panic.
#[test]
fn damaged_text_never_panics() {
    let whole = include_str!("../../../tests/ptx/features-clang14.ptx");
    let names: Vec<String> = {
        let m = ptx::parse(whole, "k").unwrap();
        m.kernels().map(String::from).collect()
    };
    let try_all = |text: &str| {
        if let Ok(m) = ptx::parse(text, "k.ptx") {
            for n in names.iter().map(String::as_str) {
                let _ = lower::kernel(&m, n, &Target::unlimited(), &Options::default());
            }
        }
    };
    let mut at = 0;
    while at < whole.len() {
        try_all(&whole[..at]);
        at += 97;
    }
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let mut bytes = whole.as_bytes().to_vec();
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        for _ in 0..random.gen_range(1..6) {
            let i = random.gen_range(0..damaged.len());
            let j = random.gen_range(0..damaged.len());
            match random.gen_range(0..3) {
                0 => damaged[i] = random.gen_range(32..127),
                1 => damaged.swap(i, j),
                _ => {
                    let end = (i + random.gen_range(1..40)).min(damaged.len());
                    damaged.drain(i..end);
                }
            }
        }
        try_all(&String::from_utf8_lossy(&damaged));
    }
    bytes.clear();
    bytes.extend((0..1_000_000).map(|_| random.gen::<u8>()));
    let _ = ptx::parse(&String::from_utf8_lossy(&bytes), "k.ptx");
    let printable: String = (0..1_000_000).map(|_| char::from(random.gen_range(32..127u8))).collect();
    let _ = ptx::parse(&printable, "k.ptx");
    let _ = ptx::parse(&format!(".version 1.0\n.entry k() {{ {printable}"), "k.ptx");
    for c in ["{", "(", "[", "a(", "{{", "-", "@", ".b8 ", "call ("] {
        let _ = ptx::parse(&format!(".version 1.0\n.entry k() {{ x {}", c.repeat(100_000)), "k.ptx");
        let _ = ptx::parse(&format!(".version 1.0\n{}", c.repeat(100_000)), "k.ptx");
    }
}
