//! Lane and special-function unit against the golden model: a sample of every operation always,
//! all inputs (or 2^27 random operands) in `make soak`.
//!
//! One operation alone: `cargo test --release exhaustive::all_inputs_of::rcp -- --ignored`.
//! tests/README.md says how a sweep is resumed.

use crate::support::sweep;
use std::sync::Mutex;
use sweep::leaf::{Range, CHUNK};
use sweep::operations::{operation, Operation};
use sweep::{check, same, sweep, Plan};

/// Operations of a sample.
const SAMPLE: Range = Range {
    first: 0,
    count: 1 << 22,
    // Odd, and 2^22 of it just pass 2^32: every part of the range, all low bits.
    stride: 1025,
};

fn sample(name: &'static str) {
    let op = operation(name);
    let Some(built) = op.leaf.built() else { return };
    check(&op, built, SAMPLE, false, |_| ()).unwrap_or_else(|e| panic!("{e}"));
}

fn whole(name: &'static str) {
    // One operation at a time has all cores.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|failed| failed.into_inner());
    let op = operation(name);
    let Some(built) = op.leaf.built() else { return };
    sweep(&op, built, &Plan::whole(&op)).unwrap_or_else(|e| panic!("{e}"));
}

/// Tests `sample_of::NAME` of all, and the long ones of each list in a module of its own.
macro_rules! operations {
    ($($module:ident: $($name:ident)*;)*) => {
        mod sample_of {
            $($(
                #[test]
                fn $name() {
                    super::sample(stringify!($name));
                }
            )*)*
        }
        $(mod $module {
            $(
                #[test]
                #[ignore = "minutes: make soak"]
                fn $name() {
                    super::whole(stringify!($name));
                }
            )*
        })*
    };
}

operations!(
    all_inputs_of: rcp rsq lg2 ex2 sin cos rro_sin rro_ex2
         f2i_s32_nearest f2i_s32_down f2i_s32_up f2i_s32_zero
         f2i_u32_nearest f2i_u32_down f2i_u32_up f2i_u32_zero
         i2f_s32_nearest i2f_s32_zero i2f_u32_nearest i2f_u32_zero
         f2f_round_nearest f2f_round_down f2f_round_up f2f_round_zero;
    many_operands_of: fadd_nearest fadd_zero fmul_nearest fmul_zero fmad;
);

/// `op` with one bit of the result wrong for one first operand.
fn wrong_at(op: Operation, x: u32) -> Operation {
    let right = op.model;
    Operation {
        model: Box::new(move |o| {
            let (y, flags) = right(o);
            (y ^ u32::from(o[0] == x), flags)
        }),
        ..op
    }
}

#[test]
fn a_single_wrong_result_is_found_and_named() {
    let x = 1025 * 3_000_000;
    let op = wrong_at(operation("rcp"), x);
    let Some(built) = op.leaf.built() else { return };
    let said = check(&op, built, SAMPLE, false, |_| ()).expect_err("the model is wrong");
    let right = (operation("rcp").model)([x, 0, 0]).0;
    let want = format!("rcp of {x:08x}: Verilog {right:08x}, model {:08x}", right ^ 1);
    assert_eq!(said, want);

    // Neither does a whole sweep count the shard.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = Plan { shards: 4, shard: 1 << 10, jobs: 2, fast: false, folder: folder.path().into() };
    let op = wrong_at(operation("rcp"), 2500);
    let said = sweep(&op, built, &plan).expect_err("the model is wrong");
    assert!(said.starts_with("rcp of 000009c4: Verilog "), "{said}");
    let text = std::fs::read_to_string(folder.path().join("rcp.txt")).expect("progress");
    assert!(!text.contains("done 2\n"), "{text}");
}

#[test]
fn a_wrong_flag_is_found() {
    let op = operation("i2f_s32_nearest");
    let right = op.model;
    let op = Operation {
        model: Box::new(move |o| {
            let (y, flags) = right(o);
            (y, flags ^ u8::from(o[0] == 0))
        }),
        ..op
    };
    let Some(built) = op.leaf.built() else { return };
    let said = check(&op, built, SAMPLE, false, |_| ()).expect_err("the model is wrong");
    let want = "i2f_s32_nearest of 00000000: Verilog 00000000 flags 1, model 00000000 flags 0";
    assert_eq!(said, want);
}

/// What compares the simulation on vectors with the plain one objects: two modes of rounding agree
/// on integers and no further.
#[test]
fn simulations_that_differ_are_told_apart() {
    let (down, up) = (operation("f2i_s32_down"), operation("f2i_s32_up"));
    let Some(built) = down.leaf.built() else { return };
    let compare = |first: u64, other: &Operation, asked: u64| {
        let range = Range { first, count: 2 * CHUNK, stride: 1 };
        let (a, b) = (built.start(&down, range, false), built.start(other, range, false));
        same(&a, &b, asked)
    };
    // Denormals are zeros; from the smallest normal number on the modes part.
    assert_eq!(compare(0, &up, 2 * CHUNK), Ok(()));
    assert_eq!(compare(0x80_0000 - CHUNK, &up, 2 * CHUNK), Err(CHUNK));
    // A simulation that ends early.
    assert_eq!(compare(0, &down, 3 * CHUNK), Err(2 * CHUNK));
}

#[test]
fn a_sweep_goes_on_where_it_was_stopped() {
    let op = operation("i2f_u32_zero");
    let Some(built) = op.leaf.built() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plan = Plan { shards: 20, shard: 1 << 10, jobs: 2, fast: false, folder: folder.path().into() };
    let path = folder.path().join("i2f_u32_zero.txt");
    let run = || sweep(&op, built, &plan).unwrap_or_else(|e| panic!("{e}")) >> 10;
    assert_eq!((run(), run()), (20, 0));
    let text = std::fs::read_to_string(&path).expect("progress");
    let (head, _) = text.split_once('\n').expect("a first line");
    assert_eq!(text.lines().count(), 21);

    // The machine stopped while "done 13" was being written: shard 1 is not finished.
    std::fs::write(&path, format!("{head}\ndone 7\ndone 19\ndone 1")).expect("written");
    assert_eq!((run(), run()), (18, 0));
    // Another leaf, control word or model.
    std::fs::write(&path, text.replacen("model ", "model 0", 1)).expect("written");
    assert_eq!((run(), run()), (20, 0));
    assert!(std::fs::read_to_string(&path).is_ok_and(|t| t.starts_with(head)));
}
