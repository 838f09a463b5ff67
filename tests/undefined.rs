//! Values that a program never wrote: what they spread to and is dropped disturbs nobody; branches, addresses and
//! stores to global memory that depend on them are told, by the model alone and in lockstep, whatever the chip
//! powered on with.

use crate::support::{self, set_chip};
use support::{outcome, warpsmith};
use warpsmith_cosim::{cosim, undefined_line, Chip, CosimOptions, CosimReport, Outcome, RunOptions};
use warpsmith_isa::{assemble, Isa, Tier};
use warpsmith_model::undefined::Places;
use warpsmith_model::{sets, uop, Launch, Machine, ModelConfig};

/// 40 threads; parameters from byte 16 of shared memory: 0x100. R1 is the address of a word of the thread.
const PROLOGUE: &str = "
    SHL R1, R0, 0x2;
    IADD R1, g [0x4], R1;
";

fn launch(body: &str) -> Launch {
    let source = format!("{PROLOGUE}{body}\n    MVI R7, 0x0;\n    RET;\n");
    let program = assemble(&source, "undefined.sass").unwrap_or_else(|e| panic!("{source}: {e}"));
    let mut launch = Launch::from_words("undefined", program.words);
    launch.block = [40, 1, 1];
    launch.registers = 8;
    launch.shared_bytes = 256;
    launch.local_bytes = 16;
    launch.params = vec![0x100];
    launch.global_bytes = 1024;
    launch
}

/// A program of another set, 40 threads; parameters 0x100 and, of 64 bits in G13, 0.
fn of_set(isa: Isa, body: &str) -> Launch {
    let program = warpsmith_isa::set::assemble(isa.set(), body, "undefined");
    let code = program.unwrap_or_else(|e| panic!("{body}: {e}")).bytes;
    Launch {
        block: [40, 1, 1],
        registers: 16,
        shared_bytes: 256,
        local_bytes: 16,
        params: vec![0x100, 0, 0xff],
        global_bytes: 1024,
        ..Launch::from_code(isa, code)
    }
}

/// The places that the model alone finds.
fn alone(launch: &Launch, fill: Option<u64>) -> Places {
    alone_with(launch, fill, 100_000)
}

fn alone_for(launch: &Launch, limit: u64) -> Places {
    alone_with(launch, None, limit)
}

fn alone_with(launch: &Launch, fill: Option<u64>, limit: u64) -> Places {
    if let Some(set) = sets::of(launch.isa()) {
        let mut machine = uop::Machine::new(set, launch, 16);
        machine.track();
        let ended = machine.run(limit);
        ended.unwrap_or_else(|e| panic!("{e}"));
        return machine.undefined();
    }
    let tier = Tier::full().at(launch.level);
    let config = ModelConfig { tier, tracked: true, fill, ..ModelConfig::default() };
    let mut machine = Machine::new(launch, config);
    machine.run(limit).unwrap_or_else(|e| panic!("{e}"));
    machine.undefined()
}

fn beside(chip: &Chip, launch: &Launch, seed: u64) -> CosimReport {
    let run = RunOptions { seed, ..RunOptions::default() };
    let options = CosimOptions { run, ..CosimOptions::default() };
    cosim(chip, launch, &options).unwrap_or_else(|e| panic!("{e}"))
}

fn texts(places: &Places, isa: Isa) -> Vec<String> {
    let text = |f: &warpsmith_model::undefined::Found| f.text(isa);
    places.list().iter().map(text).collect()
}

/// Nothing is told, and model and chip agree.
#[track_caller]
fn quiet(chip: &Chip, launch: &Launch) {
    let (body, isa) = (warpsmith_cosim::instruction::at(launch, 0), launch.isa());
    let body = format!("{isa} {body:?}");
    for seed in 1..4 {
        let found = alone(launch, Some(seed));
        assert!(found.is_empty(), "{body}: {:?}", texts(&found, isa));
        let report = beside(chip, launch, seed);
        assert!(report.outcome.is_agreement(), "{body}: {}", report.outcome);
        let found = texts(&report.undefined, isa);
        assert!(found.is_empty(), "{body}: {found:?}");
    }
}

/// One place is told, by the model alone and beside the chip, and both go on in agreement.
#[track_caller]
fn told(chip: Option<&Chip>, launch: &Launch, what: &str) {
    let found = texts(&alone(launch, None), launch.isa());
    assert_eq!(found.len(), 1, "{what}: {found:?}");
    assert!(found[0].starts_with(what), "{what}: {found:?}");
    for seed in 1..4 {
        let Some(chip) = chip else { continue };
        let report = beside(chip, launch, seed);
        assert!(report.outcome.is_agreement(), "{what}: {}", report.outcome);
        let found = texts(&report.undefined, launch.isa());
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert!(found[0].starts_with(what), "{what}: {found:?}");
    }
}

#[test]
fn what_is_computed_on_an_unwritten_register_and_dropped_disturbs_nobody() {
    let chip = set_chip::native("default", &[]);
    let quiet = |body: &str| quiet(&chip, &launch(body));
    quiet("IADD R5, R5, R6; FMUL R4, R5, R6; I2F.F32.S32 R4, R5; RCP R3, R4;");
    // Zeros and ones of the other operand decide; shifts and halves move what is defined.
    quiet(
        "MVI R4, 0x0; LOP.AND R5, R6, R4; ISET.C0 o[0x7f], R5, R4, EQ; BRA C0.NE, on; GST.U32 global14[R1], R4;
        on: MVI R4, 0xff; LOP.AND R5, R6, R4; SHR R5, R5, 0x8; GST.U32 global14[R1], R5;",
    );
    quiet("MVI R4, 0x12; MOV.U16 R6L, R4L; I2I.U32.U16 R5, R6L; GST.U32 global14[R1], R5;");
    quiet("SHL R5, R6, 0x10; IADD R5, R5, R1; I2I.U32.U16 R5, R5L; GST.U32 global14[R1], R5;");
    // A guard that nobody knows, and a result that nobody reads.
    quiet("MOV R5 (C2.NE), R1; ISET.C1 R4, R5, R6, GT; IADD R4 (C1.NE), R4, R1;");
    // Shared and local memory: what was written is defined, a word or a byte.
    quiet("SHL R4, R0, 0x2; R2A A1, R4, 0x0; R2G.U32.U32 g[A1+0x8], R1; BAR.ARV.WAIT b0, 0xfff; MOV R5, g [A1+0x8]; GST.U32 global14[R1], R5;",
    );
    quiet(
        "R2A A1, R7, 0x0; MVI R4, 0x0; R2A A1, R4, 0x0; LST.U32 local[A1+0x4], R6; LST.U8 local[A1+0x0], R1;
        LLD.U8 R5, local[A1+0x0]; GST.U32 global14[R1], R5; LLD.U32 R5, local[A1+0x4];",
    );
}

#[test]
fn branches_addresses_and_stores_that_depend_on_unwritten_values_are_told() {
    let chip = set_chip::native("default", &[]);
    let told = |body: &str, what: &str| told(Some(&chip), &launch(body), what);
    told(
        "MVI R4, 0x0; ISET.C0 o[0x7f], R6, R4, LT; BRA C0.NE, on; MVI R4, 0x1; on: GST.U32 global14[R1], R4;",
        "the branch depends on R6, which the program never wrote (block (0, 0), warp 0, lane 0)",
    );
    told("BRA C3.NE, on; MVI R4, 0x1; on: NOP;", "the branch reads C3, ");
    told("GST.U32 global14[R1], R6;", "the store to global memory reads R6, ");
    told("IADD R5, R6, R1; GST.U16 global14[R1], R5;", "the store to global memory depends on R6, ");
    told("GST.U32 global14[R1] (C1.NE), R1;", "the store to global memory reads C1, ");
    told(
        "MVI R4, 0xfc; LOP.AND R5, R6, R4; GLD.U32 R4, global14[R5]; GST.U32 global14[R1], R4;",
        "the address depends on R6, ",
    );
    told("MVI R4, 0xfc; LOP.AND R5, R6, R4; GST.U32 global14[R5], R4;", "the address depends on R6, ");
    told(
        "MOV R5, g [0x10]; GST.U32 global14[R1], R5;",
        "the store to global memory depends on byte 0x40 of shared memory, ",
    );
    told(
        "MVI R4, 0x0; R2A A1, R4, 0x0; LLD.U32 R5, local[A1+0x8]; GST.U32 global14[R1], R5;",
        "the store to global memory depends on byte 0x8 of local memory, ",
    );
    // Through shared memory, where the origin is kept.
    told("MVI R4, 0x40; R2A A1, R4, 0x0; R2G.U32.U32 g[A1+0x0], R6; BAR.ARV.WAIT b0, 0xfff; MOV R5, g [A1+0x0]; GST.U32 global14[R1], R5;",
        "the store to global memory depends on R6, ",
    );
    // A part of a register is unwritten.
    told("MOV.U16 R6L, R1L; GST.U32 global14[R1], R6;", "the store to global memory reads R6, ");
    // The lanes of one side of a branch alone have written it.
    told(
        "MVI R4, 0x110; SSY join; ISET.C0 o[0x7f], R1, R4, LT; BRA C0.NE, small; MVI R6, 0x1; BRA join;
        small: NOP; join: NOP.S; GST.U32 global14[R1], R6;",
        "the store to global memory reads R6, which the program never wrote (block (0, 0), warp 0, lane 0)",
    );
}

#[test]
fn the_other_sets_tell_of_unwritten_values_too() {
    let chip = set_chip::native("default", &["isa=fermi"]);
    // R1: the address of a word of the thread.
    let fermi = |body: &str| {
        let text = format!("S2R R0, SR_Tid_X; ISCADD R1, R0, c[0x0][0x20], 0x2; {body} EXIT;");
        of_set(Isa::Fermi, &text)
    };
    quiet(&chip, &fermi("IADD R5, R5, R6; FMUL R4, R5, R6; MUFU.RCP R3, R4; LOP.AND R5, R6, RZ; ST [R1], R5;"));
    quiet(
        &chip,
        &fermi("SHL R4, R0, 0x2; STS [R4], R1; BAR.SYNC 0x0; LDS R5, [R4]; ST [R1], R5; @P2 IADD R7, R1, R6;"),
    );
    let told_by = |body: &str, what: &str| told(Some(&chip), &fermi(body), what);
    told_by("ST [R1], R6;", "the store to global memory reads R6, ");
    told_by("IADD R5, R6, R1; ST [R1], R5;", "the store to global memory depends on R6, ");
    told_by(
        "ISETP.LT.AND P0, PT, R6, R1, PT; @P0 BRA on; MOV R3, R1; on: NOP;",
        "the branch depends on R6, which the program never wrote (block (0, 0), warp 0, lane 0)",
    );
    told_by("@!P3 BRA on; MOV R3, R1; on: NOP;", "the branch reads P3, ");
    told_by("LOP.AND R5, R6, 0xfc; LD R4, [R5]; ST [R1], R4;", "the address depends on R6, ");
    told_by("@P3 ST [R1], R1;", "the store to global memory reads P3, ");
    told_by(
        "MOV32I R4, 0x40; LDS R5, [R4]; ST [R1], R5;",
        "the store to global memory depends on byte 0x40 of shared memory, ",
    );
    told_by(
        "MOV32I R4, 0x8; LDL R5, [R4]; ST [R1], R5;",
        "the store to global memory depends on byte 0x8 of local memory, ",
    );

    let chip = set_chip::native("default", &["isa=g13"]);
    // r2: the thread; u0_u1: the address of its word.
    let g13 = |body: &str| of_set(Isa::G13, &format!("get_sr r2, sr80\n{body}\nstop\n"));
    let store = "device_store 0, i32, x, r5, u0_u1, r2, unsigned, 0";
    quiet(&chip, &g13(&format!("iadd r5, r5, r6\nfmul32 r4, r5, r6\nand r5, r6, 0\n{store}")));
    let told_by = |body: &str, what: &str| told(Some(&chip), &g13(body), what);
    told_by(store, "the store to global memory reads r5, ");
    told_by(&format!("iadd r5, r6, r2\n{store}"), "the store to global memory depends on r6, ");
    // What is given up and not written is no longer defined, inside the lanes that give it up.
    quiet(&chip, &g13(&format!("mov_imm r5, 3, 0b0\niadd r5, r5.discard, r2\n{store}")));
    told_by(
        &format!("mov_imm r5, 3, 0b0\niadd r4, r5.discard, r2\n{store}"),
        "the store to global memory depends on r5, which the program has discarded",
    );
    told_by(
        &format!("mov_imm r5, 3, 0b0\niadd r4, r5h.discard, r2\n{store}"),
        "the store to global memory depends on r5, which the program has discarded",
    );
    quiet(&chip, &g13(&format!("mov_imm r5, 3, 0b0\niadd r4, r5l.discard, r2\nmov r5l, 1\n{store}")));
    told_by(
        "if_icmp r0l, ult, r6, r2, 1\njmp_exec_none on\nmov r4, r2\non:\npop_exec r0l, 1",
        "the branch reads r6, which the program never wrote (block (0, 0), warp 0, lane 0)",
    );
    told_by("and r5, r6, 7\ndevice_load 0, i32, x, r4, u0_u1, r5, unsigned\nwait 0", "the address depends on r6, ");
    told_by(
        &format!("mov_imm r4, 64, 0b0\nthreadgroup_load i32, x, r5, r4l, 0\n{store}"),
        "the store to global memory depends on byte 0x40 of shared memory, ",
    );

    let told_by = |body: &str, what: &str| {
        let end = "send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT };";
        told(None, &of_set(Isa::Ivb, &format!("{body}\nend: nop;\n{end}")), what);
    };
    told_by(
        "cmp.z.f0.0(8) null<1>UD g14<8,8,1>UD 0x00000001UD { align1 1Q switch };\n(+f0.0) halt(8) JIP: end UIP: end { align1 1Q };",
        "the branch depends on g14, ",
    );
    // g14: the addresses of words.
    let words = "shl(16) g14<1>UD g1<8,8,1>UW 0x00000002UD { align1 1H };\n\
                 add(16) g14<1>UD g14<8,8,1>UD g4<0,1,0>UD { align1 1H };";
    let write = "send(16) null<1>UD g14<8,8,1>UD 0x08035eff data { align1 1H };";
    told_by(&format!("{words}\n{write}"), "the store to global memory reads g16, ");
    told_by(
        &format!("{words}\nadd(16) g16<1>UD g30<8,8,1>UD g14<8,8,1>UD {{ align1 1H }};\n{write}"),
        "the store to global memory depends on g30, ",
    );
    told_by(
        "and(16) g14<1>UD g30<8,8,1>UD 0x000000fcUD { align1 1H };\nsend(16) g20<1>UD g14<8,8,1>UD 0x04215eff data { align1 1H };",
        "the address depends on g30, ",
    );
}

/// Kernels of every set, on the model: none depends on what it did not write.
#[test]
fn kernels_depend_on_nothing_that_they_did_not_write() {
    let mut seen = 0;
    let mut folders = vec![support::root().join("kernels")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("readable") {
            let path = entry.expect("readable").path();
            let file = path.join("launch.toml");
            if !file.is_file() {
                folders.extend(path.is_dir().then_some(path));
                continue;
            }
            let launch = warpsmith_launch_file::load(&file).unwrap_or_else(|e| panic!("{e}"));
            let found = alone_for(&launch, u64::MAX);
            let lines = found.list().iter();
            let lines: Vec<String> = lines.map(|f| undefined_line(&launch, f)).collect();
            assert!(lines.is_empty(), "{}: {lines:#?}", file.display());
            seen += 1;
        }
    }
    assert!(seen >= 38, "{seen} kernels");
}

#[test]
fn a_trap_of_one_side_at_an_undefined_address_is_the_programs() {
    let chip = set_chip::native("default", &[]);
    let launch = launch("GLD.U32 R4, global14[R6];");
    let report = beside(&chip, &launch, 2);
    assert!(matches!(report.outcome, Outcome::Undefined(..)), "{}", report.outcome);
    let text = report.outcome.to_string();
    assert!(text.contains("GLD.U32 R4"), "{text}");
    assert!(text.contains("the address reads R6, which the program never wrote"), "{text}");
}

#[test]
fn the_command_line_warns_fails_or_says_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("k.toml");
    let text = "program = \"k.sass\"\nregisters = 8\nblock = [32, 1, 1]\ngrid = [1, 1]\nglobal_bytes = 256\n";
    std::fs::write(&path, text).expect("written");
    let source = "SHL R1, R0, 0x2;\nGST.U32 global14[R1], R6;\nRET;\n";
    std::fs::write(folder.path().join("k.sass"), source).expect("written");
    let path = path.to_str().expect("a name");
    let lockstep = ["cosim", "--engine", "native"];
    let line = "k.sass:2, pc 0x0008, GST.U32 global14[R1], R6: the store to global memory reads R6, \
                which the program never wrote (block (0, 0), warp 0, lane 0)";
    for (command, how, exit) in [
        (&lockstep[..], None, 0),
        (&lockstep[..], Some("warn"), 0),
        (&lockstep[..], Some("error"), 1),
        (&lockstep[..], Some("ignore"), 0),
        (&["run"][..], Some("warn"), 0),
        (&["run"][..], Some("error"), 1),
        (&["run"][..], Some("ignore"), 0),
        (&["run"][..], None, 0),
    ] {
        let mut args = command.to_vec();
        args.push(path);
        how.iter().for_each(|h| args.extend(["--undefined", h]));
        let (code, out, err) = outcome(&warpsmith(&args));
        assert_eq!(code, exit, "{args:?}: {out}{err}");
        let quiet = how == Some("ignore") || (command[0] == "run" && how.is_none());
        assert_eq!(out.contains(line), !quiet, "{args:?}: {out}");
        args.push("--json");
        let (_, out, _) = outcome(&warpsmith(&args));
        let json: serde_json::Value = serde_json::from_str(&out).expect("an object");
        let count = json.get("undefined").and_then(|n| n.as_u64());
        assert_eq!(count, (!quiet).then_some(1), "{args:?}: {out}");
        assert_eq!(json["outcome"], if exit == 0 { "pass" } else { "fail" });
    }
}
