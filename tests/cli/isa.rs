//! Assembler, disassembler and pages of SM 1.0.

use super::{folder, refuses};
use crate::support::{self, args, outcome, prints, warpsmith};

#[test]
fn names_of_the_manuals_have_pages() {
    let show = |set: &str, name: &str, form: &str| {
        let out = prints(&["isa", "show", name, "--isa", set]);
        assert!(out.contains(form), "{set} {name}: {out}");
    };
    for (name, forms) in [("mov", ["mov_imm16", "mov_imm32"]), ("fadd", ["fadd16", "fadd32"])] {
        forms.iter().for_each(|form| show("g13", name, form));
    }
    show("g13", "fmadd", "fmadd32");
    show("g13", "fmul", "fmul16");
    for name in ["GLD.U32", "LOP.PASS", "ISET.S32.CO", "IADD.CARRY0", "BAR.ARV.WAIT", "MVC.U16"] {
        show("sm10", name, name.split('.').next().unwrap_or(name));
    }
    show("fermi", "MUFU.COS", "MUFU");
    show("ivb", "cmp.cmod", "cmp");
}

#[test]
fn every_instruction_of_sm_10_is_listed_as_built() {
    let (code, out, _) = outcome(&warpsmith(&["isa", "list"]));
    assert_eq!(code, 0);
    let (head, rows) = out.split_once('\n').expect("a head");
    let column = |name: &str| head.find(name).expect("a column");
    let (since, model, rtl) = (column("since"), column("model"), column("rtl"));
    let mut refused = vec![];
    for row in rows.lines() {
        let yes = |at: usize| row[at..].starts_with("yes ");
        assert_eq!(yes(model), yes(rtl), "{row}");
        if row[since..].starts_with("SM 1.0") && !yes(rtl) {
            refused.push(row.split(' ').next().expect("a spelling"));
        }
    }
    assert_eq!(rows.lines().count(), warpsmith_isa::FORMS.len());
    // Textures, quads and fragments, nothing that computes.
    let graphics = "TEX32 TEX32.FETCH QUADOP TEX TXB TXL TXQ TEXCSAA DISCARD QUADON QUADPOP";
    assert_eq!(refused.join(" "), graphics);
}

#[test]
fn assembling_and_disassembling_are_inverse_on_our_kernels() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for name in support::kernel_names() {
        let source = support::root().join("kernels").join(&name).join(format!("{name}.sass"));
        let (hex, bin, back) = (dir.path().join("k.hex"), dir.path().join("k.bin"), dir.path().join("back.sass"));
        for out in [&hex, &bin] {
            let (code, _, err) = outcome(&warpsmith(&args!["asm", &source, "-o", out]));
            assert_eq!((code, err.as_str()), (0, ""), "{name}");
        }
        let listing = prints(&args!["disasm", &bin]);
        std::fs::write(&back, listing).expect("written");
        let (_, words, err) = outcome(&warpsmith(&args!["asm", &back]));
        assert_eq!(words, std::fs::read_to_string(&hex).expect("readable"), "{name}: {err}");
    }
}

#[test]
fn cubin_of_the_assembler_disassembles_and_launches() {
    let source =
        b".kernel answer\n.registers 2\n.shared 20\nMVI R0, 0x2a;\nMOV R1, g [0x4];\nGST.U32 global14[R1], R0;\nRET;\n";
    let (dir, path) = folder(&[("k.sass", source)]);
    let cubin = dir.path().join("k.cubin");
    prints(&args!["asm", &path, "-o", &cubin]);
    let (code, text, _) = outcome(&warpsmith(&args!["disasm", &cubin, "--kernel", "answer"]));
    assert_eq!(code, 0);
    assert!(text.contains("MVI R0, 0x2a;") && text.contains(".registers 2"), "{text}");
    refuses(&args!["disasm", &cubin, "--kernel", "question"], &["question", "answer"]);
    let launch = "program = \"k.cubin\"\nkernel = \"answer\"\ngrid = [1, 1]\nblock = [1, 1, 1]\nparams = [16]\nglobal_bytes = 64\n[[expect]]\noffset = 16\nwords = [42]\n";
    std::fs::write(dir.path().join("l.toml"), launch).expect("written");
    prints(&args!["run", &dir.path().join("l.toml")]);
}

#[test]
fn instruction_set_page_has_a_section_for_every_form() {
    let (code, page, _) = outcome(&warpsmith(&["isa", "doc"]));
    assert_eq!(code, 0);
    for form in &warpsmith_isa::FORMS {
        assert!(page.contains(form.mnemonic), "{} is missing", form.mnemonic);
        assert!(page.contains(form.doc), "{} is not described", form.mnemonic);
    }
}
