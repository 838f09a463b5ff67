//! Random programs of the intermediate representation: every pass keeps their results.

use super::{cfg, dce, gvn, hoist, known, simplify, ssa};
use crate::error::Loc;
use crate::ir::eval::Machine;
use crate::ir::verify::verify;
use crate::ir::*;
use crate::program::OptLevel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Words of parameters a program reads.
const INPUTS: u32 = 6;
/// Words of global memory a thread writes its results to.
const RESULTS: u32 = 4;

struct Gen {
    rng: ChaCha8Rng,
    f: Function,
    words: Vec<Value>,
    preds: Vec<Value>,
}

impl Gen {
    fn new(seed: u64) -> Gen {
        let f = Function {
            name: format!("random_{seed}"),
            params: Vec::new(),
            constant_params: None,
            param_bytes: 4 * INPUTS,
            environment: Vec::new(),
            types: Vec::new(),
            blocks: Vec::new(),
            shared_bytes: 16 + 4 * INPUTS,
            shared: Vec::new(),
            dynamic_shared: false,
            local_bytes: 0,
            textures: Vec::new(),
            required_block: None,
            max_threads: None,
            ssa: false,
            routines: Vec::new(),
        };
        Gen { rng: ChaCha8Rng::seed_from_u64(seed), f, words: Vec::new(), preds: Vec::new() }
    }

    fn constant(&mut self) -> u32 {
        const CORNERS: [u32; 14] = [0, 1, 2, 3, 7, 8, 16, 24, 31, 32, 0xff, 0xffff, 0x8000_0000, u32::MAX];
        match self.rng.gen_range(0..4) {
            0 => self.rng.gen(),
            1 => self.rng.gen_range(0..64),
            _ => CORNERS[self.rng.gen_range(0..CORNERS.len())],
        }
    }

    fn word(&mut self) -> Operand {
        if self.words.is_empty() || self.rng.gen_ratio(1, 4) {
            return Operand::Imm(self.constant());
        }
        Operand::Value(self.words[self.rng.gen_range(0..self.words.len())])
    }

    fn pred(&mut self) -> Operand {
        if self.preds.is_empty() {
            return Operand::Imm(self.rng.gen_range(0..2));
        }
        Operand::Value(self.preds[self.rng.gen_range(0..self.preds.len())])
    }

    /// A result: a new value or, to make phis, one that has a value already.
    fn target(&mut self, ty: Ty) -> Value {
        let list = if ty == Ty::Word { &self.words } else { &self.preds };
        if list.len() > 3 && self.rng.gen_ratio(1, 3) {
            return list[self.rng.gen_range(0..list.len())];
        }
        let v = self.f.value(ty);
        if ty == Ty::Word {
            self.words.push(v);
        } else {
            self.preds.push(v);
        }
        v
    }

    fn inst(&mut self) -> Inst {
        let signed = self.rng.gen();
        let narrow = [MemTy::U8, MemTy::S8, MemTy::U16, MemTy::S16][self.rng.gen_range(0..4)];
        let rel = [Rel::LT, Rel::EQ, Rel::LE, Rel::GT, Rel::NE, Rel::GE][self.rng.gen_range(0..6)];
        let op = match self.rng.gen_range(0..24) {
            0 | 1 => Op::Add,
            2 => Op::Sub,
            3 => Op::Mul,
            4 => Op::MulHi { signed },
            5 => Op::Mul16 { signed },
            6 => Op::Mul24 { signed, high: self.rng.gen() },
            7 => Op::Min { signed },
            8 => Op::Max { signed },
            9 => Op::And,
            10 => Op::Or,
            11 => Op::Xor,
            12 => Op::Not,
            13 => Op::Shl,
            14 => Op::Shr { signed },
            15 => Op::Ext(narrow),
            16 => Op::Select,
            17 => Op::Sad { signed },
            18 | 19 => Op::Cmp { rel, signed },
            20 => Op::Special([Special::TidX, Special::NTidX, Special::CtaIdX][self.rng.gen_range(0..3)]),
            21 => Op::Add64,
            22 => Op::Sub64,
            _ => Op::Copy,
        };
        let logic = matches!(op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Select | Op::Copy);
        let ty = match op {
            Op::Cmp { .. } => Ty::Pred,
            _ if logic && self.rng.gen_ratio(1, 4) => Ty::Pred,
            _ => Ty::Word,
        };
        let count = match op {
            Op::Special(_) => 0,
            Op::Not | Op::Ext(_) | Op::Copy => 1,
            Op::Sad { .. } | Op::Select => 3,
            Op::Add64 | Op::Sub64 => 4,
            _ => 2,
        };
        let source = if matches!(op, Op::Cmp { .. }) { Ty::Word } else { ty };
        let src = (0..count)
            .map(|k| match (op, k) {
                (Op::Select, 0) => self.pred(),
                _ if source == Ty::Pred => self.pred(),
                _ => self.word(),
            })
            .collect();
        let mut dst = vec![self.target(ty)];
        if count == 4 {
            let high = self.f.value(Ty::Word);
            self.words.push(high);
            dst.push(high);
        }
        Inst { op, dst, src, loc: Loc::default() }
    }

    fn block(&mut self, term: Term) {
        let n = self.rng.gen_range(1..8);
        let insts = (0..n).map(|_| self.inst()).collect();
        self.f.blocks.push(Block { phis: Vec::new(), insts, term, loc: Loc::default() });
    }

    /// Loads, blocks that branch forward, a loop of a few rounds around the last ones, stores.
    fn program(mut self) -> Function {
        let loads = (0..INPUTS)
            .map(|k| {
                let v = self.f.value(Ty::Word);
                self.words.push(v);
                Inst {
                    op: Op::Load { space: Space::Param, ty: MemTy::B32, offset: 4 * k as i32, volatile: false },
                    dst: vec![v],
                    src: vec![Operand::Imm(0)],
                    loc: Loc::default(),
                }
            })
            .collect();
        let rounds = self.f.value(Ty::Word);
        let again = self.f.value(Ty::Pred);
        let middle = self.rng.gen_range(2..7u32);
        let end = middle + 1;
        self.f.blocks.push(Block { phis: Vec::new(), insts: loads, term: Term::Jump(BlockId(1)), loc: Loc::default() });
        self.f.blocks[0].insts.push(Inst {
            op: Op::Copy,
            dst: vec![rounds],
            src: vec![Operand::Imm(3)],
            loc: Loc::default(),
        });
        for b in 1..middle {
            let a = self.rng.gen_range(b + 1..=middle);
            let c = self.rng.gen_range(b + 1..=middle);
            self.block(Term::Jump(BlockId(a)));
            let cond = self.pred();
            self.f.blocks[b as usize].term = match self.rng.gen_range(0..3) {
                0 => Term::Jump(BlockId(a)),
                _ => Term::Branch { cond, then: BlockId(a), other: BlockId(c) },
            };
        }
        self.block(Term::Jump(BlockId(end)));
        let back = self.rng.gen_range(1..=middle);
        self.f.blocks[middle as usize].insts.extend([
            Inst {
                op: Op::Sub,
                dst: vec![rounds],
                src: vec![Operand::Value(rounds), Operand::Imm(1)],
                loc: Loc::default(),
            },
            Inst {
                op: Op::Cmp { rel: Rel::NE, signed: false },
                dst: vec![again],
                src: vec![Operand::Value(rounds), Operand::Imm(0)],
                loc: Loc::default(),
            },
        ]);
        self.f.blocks[middle as usize].term =
            Term::Branch { cond: Operand::Value(again), then: BlockId(back), other: BlockId(end) };
        let tid = self.f.value(Ty::Word);
        let at = self.f.value(Ty::Word);
        let mut insts = vec![
            Inst { op: Op::Special(Special::TidX), dst: vec![tid], src: vec![], loc: Loc::default() },
            Inst {
                op: Op::Mul,
                dst: vec![at],
                src: vec![Operand::Value(tid), Operand::Imm(4 * RESULTS)],
                loc: Loc::default(),
            },
        ];
        for k in 0..RESULTS {
            let value = self.word();
            insts.push(Inst {
                op: Op::Store { space: Space::Global, ty: MemTy::B32, offset: 4 * k as i32, volatile: false },
                dst: vec![],
                src: vec![Operand::Value(at), value],
                loc: Loc::default(),
            });
        }
        self.f.blocks.push(Block { phis: Vec::new(), insts, term: Term::Return, loc: Loc::default() });
        self.f
    }
}

/// Memory written by a program.
fn results(f: &Function, params: &[u8]) -> Vec<(u32, u8)> {
    let mut m = Machine::new();
    m.params[..params.len()].copy_from_slice(params);
    m.block = [3, 1, 1];
    m.grid = [2, 1];
    m.ctaid = [1, 0];
    m.run(f).unwrap_or_else(|e| panic!("{e:?}\n{}", print::function(f)));
    m.global.into_iter().collect()
}

fn check(f: &Function, pass: &str, params: &[u8], expected: &[(u32, u8)]) {
    assert_eq!(verify(f), Vec::<String>::new(), "{pass}\n{}", print::function(f));
    assert_eq!(results(f, params), expected, "{pass} of {}\n{}", f.name, print::function(f));
}

#[test]
fn every_pass_leaves_what_a_program_computes() {
    for seed in 0..400 {
        let f = Gen::new(seed).program();
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let params: Vec<u8> = (0..INPUTS).flat_map(|k| (rng.gen::<u32>() >> (5 * k)).to_le_bytes()).collect();
        // A value read before it is written is 0 in single assignment.
        let mut single = f.clone();
        cfg::clean(&mut single);
        ssa::construct(&mut single);
        let expected = results(&single, &params);
        check(&single, "ssa", &params, &expected);
        dce::run(&mut single);
        check(&single, "dce", &params, &expected);
        type Pass = (&'static str, fn(&mut Function));
        let passes: [Pass; 4] = [
            ("simplify", |f| {
                let _ = simplify::run(f);
            }),
            ("gvn", |f| {
                let _ = gvn::run(f);
            }),
            ("cfg", |f| {
                let _ = cfg::clean(f);
            }),
            ("hoist", hoist::run),
        ];
        for round in 0..3 {
            for (name, pass) in passes {
                pass(&mut single);
                check(&single, &format!("{name} {round}"), &params, &expected);
            }
        }
        for level in [OptLevel::O0, OptLevel::O1, OptLevel::O2] {
            let mut whole = f.clone();
            super::run(&mut whole, level);
            check(&whole, &format!("{level:?}"), &params, &expected);
        }
    }
}

/// Facts hold for what instructions compute: every word is stored and compared with its facts.
#[test]
fn facts_hold() {
    for seed in 1000..1300 {
        let mut f = Gen::new(seed).program();
        cfg::clean(&mut f);
        ssa::construct(&mut f);
        let facts = known::facts(&f);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let params: Vec<u8> = (0..INPUTS).flat_map(|k| (rng.gen::<u32>() >> (6 * k)).to_le_bytes()).collect();
        // Behind every definition a store of the word to an address of its own.
        let mut probed = f.clone();
        for b in 0..probed.blocks.len() {
            let old = std::mem::take(&mut probed.blocks[b].insts);
            let mut insts: Vec<Inst> = Vec::new();
            let phis: Vec<Value> = f.blocks[b].phis.iter().map(|p| p.dst).collect();
            let probe = |v: Value| Inst {
                op: Op::Store { space: Space::Global, ty: MemTy::B32, offset: 0, volatile: false },
                dst: vec![],
                src: vec![Operand::Imm(0x10_0000 + 4 * v.0), Operand::Value(v)],
                loc: Loc::default(),
            };
            let word = |v: &Value| f.ty(*v) == Ty::Word;
            insts.extend(phis.into_iter().filter(word).map(probe));
            for i in old {
                let dst = i.dst.clone();
                insts.push(i);
                insts.extend(dst.into_iter().filter(word).map(probe));
            }
            probed.blocks[b].insts = insts;
        }
        let memory: std::collections::BTreeMap<u32, u8> = results(&probed, &params).into_iter().collect();
        for (v, known) in facts.iter().enumerate() {
            let at = 0x10_0000 + 4 * v as u32;
            let bytes: Option<Vec<u8>> = (at..at + 4).map(|a| memory.get(&a).copied()).collect();
            let Some(bytes) = bytes else { continue };
            let word = bytes.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b));
            let signed = word as i32;
            assert!(
                word & known.zeros == 0 && known.min <= signed && signed <= known.max,
                "seed {seed}: %{v} is {word:#x}, known {known:?}\n{}",
                print::function(&f)
            );
        }
    }
}
