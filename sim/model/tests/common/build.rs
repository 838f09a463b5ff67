//! Programs for tests, built from decoded instructions and encoded with the isa crate.

use warpsmith_isa::{decode, encode, AddKind, Dst, Instr, Marker, MemRef, MemSize, Op, Pred, Src, Width, FORMS};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// A long instruction without marker or predicate.
pub fn long(op: Op, dst: Dst, src: &[Src]) -> Instr {
    let mut s = [Src::None; 3];
    s[..src.len()].copy_from_slice(src);
    Instr { form: 0, op, long: true, marker: Marker::None, pred: Pred::ALWAYS, dst, cdst: None, src: s }
}

/// The words of an instruction: the form whose encoding decodes to the same operation.
pub fn words(instr: &Instr) -> [u32; 2] {
    for form in 0..FORMS.len() as u8 {
        let candidate = Instr { form, ..*instr };
        if let Ok((w0, w1)) = encode(&candidate) {
            if decode(w0, w1) == Ok(candidate) {
                return [w0, w1];
            }
        }
    }
    panic!("no form encodes {instr:?}");
}

/// Assembles long instructions; instruction i lies at byte 8 i.
pub fn assemble(program: &[Instr]) -> Vec<u32> {
    program.iter().flat_map(words).collect()
}

pub fn nop() -> Instr {
    long(Op::Nop, Dst::None, &[])
}

pub fn exit() -> Instr {
    Instr { marker: Marker::Exit, ..nop() }
}

pub fn join() -> Instr {
    Instr { marker: Marker::Join, ..nop() }
}

/// `r = value` by the immediate move.
pub fn mvi(r: u8, value: u32) -> Instr {
    long(Op::Mov { width: Width::W32, lanes: 15 }, Dst::Reg(r), &[Src::Imm(value)])
}

/// `d = a + b` on registers.
pub fn add(d: u8, a: u8, b: u8) -> Instr {
    arith(AddKind::Add, d, a, b)
}

pub fn arith(kind: AddKind, d: u8, a: u8, b: u8) -> Instr {
    long(Op::IAdd { kind, width: Width::W32, sat: false }, Dst::Reg(d), &[Src::Reg(a), Src::Reg(b)])
}

/// Sets `$c0` from `a - b`.
pub fn compare(a: u8, b: u8) -> Instr {
    Instr { dst: Dst::Discard, cdst: Some(0), ..arith(AddKind::Sub, 0, a, b) }
}

/// `d = a << n`.
pub fn shl(d: u8, a: u8, n: u32) -> Instr {
    long(Op::Shift { right: false, signed: false, width: Width::W32 }, Dst::Reg(d), &[Src::Reg(a), Src::Imm(n)])
}

/// `g[a] = data`.
pub fn store(a: u8, data: u8, size: MemSize) -> Instr {
    long(Op::StGlobal { space: 14, size }, Dst::None, &[Src::Reg(a), Src::Reg(data)])
}

/// `d = g[a]`.
pub fn load(d: u8, a: u8, size: MemSize) -> Instr {
    let dst = match size {
        MemSize::B64 => Dst::Pair(d),
        MemSize::B128 => Dst::Quad(d),
        _ => Dst::Reg(d),
    };
    long(Op::LdGlobal { space: 14, size }, dst, &[Src::Reg(a)])
}

/// A control instruction.
pub fn flow(op: Op) -> Instr {
    long(op, Dst::None, &[])
}

/// The same instruction under condition `code` of `$c0`.
pub fn when(code: u8, instr: Instr) -> Instr {
    Instr { pred: Pred { code, creg: 0 }, ..instr }
}

pub fn exiting(instr: Instr) -> Instr {
    Instr { marker: Marker::Exit, ..instr }
}

pub fn joining(instr: Instr) -> Instr {
    Instr { marker: Marker::Join, ..instr }
}

/// Reference to memory without address register.
pub fn at(offset: i32, size: MemSize) -> MemRef {
    MemRef { areg: 0, offset, post_inc: false, size }
}

/// A launch of these instructions: 32 threads, 16 registers, 64 KiB of global memory.
pub fn launch(program: &[Instr]) -> Launch {
    Launch { global_bytes: 65536, ..Launch::from_words("test", assemble(program)) }
}

/// Runs a launch to its end.
pub fn run(launch: &Launch) -> Machine {
    let mut m = Machine::new(launch, ModelConfig::default());
    m.run(1_000_000).unwrap_or_else(|e| panic!("{e}"));
    m
}

/// Runs a launch that must trap.
pub fn trap(launch: &Launch) -> warpsmith_model::Trap {
    let mut m = Machine::new(launch, ModelConfig::default());
    match m.run(1_000_000) {
        Err(warpsmith_model::RunError::Trap(t)) => t,
        other => panic!("expected a trap, the run gave {other:?}"),
    }
}

/// Words of global memory from an address.
pub fn memory(m: &Machine, address: u32, count: u32) -> Vec<u32> {
    (0..count).map(|i| m.global().word(address + 4 * i)).collect()
}
