//! The testbench's kernel: `kernels/vector_add`, or that of the chip's set, as words for `$readmemh`.

use super::error::PackageError;
use crate::chip::ChipManifest;
use warpsmith_contract::registers::PROGRAM_RAM;
use warpsmith_cosim::chip::Placement;
use warpsmith_cosim::launch_sequence;
use warpsmith_isa::set::assemble;
use warpsmith_isa::{Isa, Semantics};
use warpsmith_model::launch::GlobalSection;
use warpsmith_model::{GlobalMemory, Launch};

const SASS: &str = include_str!("../../../kernels/vector_add/vector_add.sass");
const FERMI: &str = include_str!("../../../kernels/fermi/vector_add/vector_add.sass");
const G13: &str = include_str!("../../../kernels/g13/vector_add/vector_add.asm");
const IVB: &str = include_str!("../../../kernels/ivb/vector_add/vector_add.asm");
const A: &str = include_str!("../../../kernels/vector_add/a.hex");
const B: &str = include_str!("../../../kernels/vector_add/b.hex");
const SUM: &str = include_str!("../../../kernels/vector_add/expect.hex");

/// Words that are added, threads of a block.
const COUNT: u32 = 215;
const THREADS: u32 = 45;

/// The launch on a chip.
pub struct Run {
    launch: Launch,
    /// Addresses and values a host writes to the bus before the program.
    pub writes: Vec<(u32, u32)>,
    /// Words of the program.
    pub code: Vec<u32>,
    /// Global memory before and after, words.
    pub before: Vec<u32>,
    after: Vec<u32>,
}

fn section(offset: u64, hex: &str) -> GlobalSection {
    let word = |l| u32::from_str_radix(l, 16).expect("the files of kernels/ are hex words");
    GlobalSection::new(offset, hex.lines().flat_map(|l| word(l).to_le_bytes()).collect())
}

/// What `launch.toml` of the set's `vector_add` says.
fn vector_add(isa: Isa, semantics: Semantics) -> Launch {
    let [a, b, c] = [0x000, 0x400, 0x800];
    let of_set = |text, registers, params| {
        let code = assemble(isa.set(), text, "vector_add").expect("the kernel is right");
        Launch { name: "vector_add".into(), registers, params, ..Launch::from_code(isa, code.bytes) }
    };
    let mut launch = match isa {
        Isa::Sm10 => {
            let code = warpsmith_isa::assemble_in(Some(semantics), SASS, "vector_add.sass");
            let plain = Launch::from_words("vector_add", code.expect("the kernel is right").words);
            let program = plain.program.clone().read_as(semantics);
            Launch { registers: 5, shared_bytes: 32, params: vec![a, b, c, COUNT], program, ..plain }
        }
        Isa::Fermi => of_set(FERMI, 3, vec![a, b, c, COUNT]),
        // An address is a pair of uniforms.
        Isa::G13 => of_set(G13, 5, vec![a, 0, b, 0, c, 0, COUNT]),
        Isa::Ivb => Launch { simd: 16, ..of_set(IVB, 0, vec![a, b, c, COUNT, THREADS]) },
    };
    launch.grid = [5, 1];
    launch.block = [THREADS, 1, 1];
    launch.global_bytes = 4096;
    launch.globals = vec![section(a.into(), A), section(b.into(), B)];
    launch.expects = vec![section(c.into(), SUM)];
    launch
}

impl Run {
    /// Places the kernel on a chip.
    ///
    /// # Errors
    /// It does not fit; the manifest lacks a parameter.
    pub fn new(chip: &ChipManifest) -> Result<Self, PackageError> {
        let info = chip.info()?;
        let launch = vector_add(info.isa, info.tier.semantics());
        let placement = Placement::new(&info, &launch)?;
        let (code, writes): (Vec<_>, Vec<_>) =
            launch_sequence(&launch, &placement).into_iter().partition(|(address, _)| *address >= PROGRAM_RAM.address);
        let image = |sections: &[&[GlobalSection]]| -> Vec<u32> {
            let mut memory = GlobalMemory::new(launch.global_bytes);
            for s in sections.iter().copied().flatten() {
                memory.write(s.offset, &s.bytes);
            }
            let words = 0..launch.global_bytes as u32 / 4;
            words.map(|i| memory.word(4 * i)).collect()
        };
        let before = image(&[&launch.globals]);
        let after = image(&[&launch.globals, &launch.expects]);
        Ok(Run { writes, code: code.into_iter().map(|(_, word)| word).collect(), before, after, launch })
    }

    /// Name of the kernel.
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// Name, meaning and text of the testbench's files.
    pub fn files(&self) -> [(&'static str, &'static str, String); 4] {
        let hex = |words: &[u32]| lines(words.iter().map(|w| format!("{w:08x}")));
        let writes = self.writes.iter().map(|(a, v)| format!("{a:08x}{v:08x}"));
        [
            ("writes.hex", "bus writes before the start: address, value", lines(writes)),
            ("program.hex", "words of the kernel", hex(&self.code)),
            ("memory.hex", "global memory before", hex(&self.before)),
            ("expected.hex", "global memory after", hex(&self.after)),
        ]
    }
}

/// A line for each.
pub(super) fn lines<T: std::fmt::Display>(items: impl Iterator<Item = T>) -> String {
    items.map(|i| format!("{i}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use warpsmith_model::{Model, ModelConfig};

    #[test]
    fn the_kernel_of_every_set_gives_what_the_testbench_expects() {
        for isa in Isa::ALL {
            let launch = vector_add(isa, Semantics::G80);
            let mut model = Model::new(&launch, ModelConfig::default());
            model.run(100_000, 1, None).unwrap_or_else(|e| panic!("{isa}: {e:?}"));
            let memory = model.state().global;
            let expected = |at: &GlobalSection| {
                let words = at.bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                words.zip(at.offset as u32 / 4..).for_each(|(word, i)| {
                    assert_eq!(memory.word(4 * i), word, "{isa}: word {i}");
                });
            };
            launch.globals.iter().chain(&launch.expects).for_each(expected);
            assert!((0x800 / 4 + COUNT..1024).all(|i| memory.word(4 * i) == 0), "{isa}: words behind the sum");
        }
    }

    #[test]
    fn the_launch_is_that_of_the_launch_file() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut file = warpsmith_launch_file::load(root.join("kernels/vector_add/launch.toml")).unwrap();
        let ours = vector_add(Isa::Sm10, Semantics::G80);
        for section in file.globals.iter_mut().chain(&mut file.expects) {
            section.line = None;
        }
        file.constants.clone_from(&ours.constants);
        file.file.clone_from(&ours.file);
        file.program_file.clone_from(&ours.program_file);
        file.lines = ours.lines;
        // The package carries the instruction words alone.
        file.source.clone_from(&ours.source);
        assert!(file == ours, "the packaged launch differs from kernels/vector_add/launch.toml");
    }
}
