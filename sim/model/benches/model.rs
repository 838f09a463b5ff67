//! Speed of the model in thread instructions per second, on the inner loop of an integer matrix
//! product: two global loads, a multiply-add, address steps, a compare and a branch.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use warpsmith_model::{Launch, Machine, ModelConfig};

/// A thousand rounds of the loop: R1 address in A, R2 address in B, R3 sum, R4 rounds left.
fn words() -> Vec<u32> {
    use warpsmith_isa::*;
    let long = |op, dst, src: [Src; 3], cdst| Instr {
        form: 0,
        op,
        long: true,
        marker: Marker::None,
        pred: Pred::ALWAYS,
        dst,
        cdst,
        src,
    };
    let mvi = |r, v| {
        let op = Op::Mov { width: Width::W32, lanes: 15 };
        long(op, Dst::Reg(r), [Src::Imm(v), Src::None, Src::None], None)
    };
    let add = |d, a, b, cdst| {
        let op = Op::IAdd { kind: AddKind::Add, width: Width::W32, sat: false };
        long(op, d, [Src::Reg(a), Src::Reg(b), Src::None], cdst)
    };
    let load = |d, a| {
        let op = Op::LdGlobal { space: 14, size: MemSize::B32 };
        long(op, Dst::Reg(d), [Src::Reg(a), Src::None, Src::None], None)
    };
    let mad = {
        let op = Op::IMad { kind: AddKind::Add, mul: MulKind::U16, sat: false };
        long(op, Dst::Reg(3), [Src::Half(10), Src::Half(12), Src::Reg(3)], None)
    };
    let mut loop_back = long(Op::Bra { target: 8 * 6 }, Dst::None, [Src::None; 3], None);
    loop_back.pred = Pred { code: 5, creg: 0 };
    let mut end = long(Op::Nop, Dst::None, [Src::None; 3], None);
    end.marker = Marker::Exit;
    let program = [
        mvi(1, 0),
        mvi(2, 0),
        mvi(3, 0),
        mvi(4, 1000),
        mvi(8, 4),
        mvi(9, u32::MAX),
        load(5, 1),
        load(6, 2),
        mad,
        add(Dst::Reg(1), 1, 8, None),
        add(Dst::Reg(2), 2, 8, None),
        add(Dst::Reg(4), 4, 9, Some(0)),
        loop_back,
        end,
    ];
    program
        .iter()
        .flat_map(|i| {
            (0..FORMS.len() as u8)
                .find_map(|form| {
                    let c = Instr { form, ..*i };
                    let (w0, w1) = encode(&c).ok()?;
                    (decode(w0, w1) == Ok(c)).then_some([w0, w1])
                })
                .expect("every instruction of the benchmark has a form")
        })
        .collect()
}

fn matrix_loop(c: &mut Criterion) {
    let launch = Launch { block: [256, 1, 1], global_bytes: 65536, ..Launch::from_words("matrix loop", words()) };
    let threads = {
        let mut m = Machine::new(&launch, ModelConfig::default());
        m.run(u64::MAX).expect("the loop ends").thread_instructions
    };
    let mut group = c.benchmark_group("model");
    group.throughput(Throughput::Elements(threads));
    group.sample_size(10);
    let plain = ModelConfig::default();
    for (name, config) in [
        ("integer matrix loop", plain.clone()),
        ("integer matrix loop, without the quick path", ModelConfig { plain: true, ..plain.clone() }),
        ("integer matrix loop, undefined bits tracked", ModelConfig { tracked: true, ..plain }),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let mut m = Machine::new(&launch, config.clone());
                m.run(u64::MAX).expect("the loop ends")
            });
        });
    }
    group.finish();
}

criterion_group!(benches, matrix_loop);
criterion_main!(benches);
