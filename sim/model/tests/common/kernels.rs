//! Kernels in C on the model.

use warpsmith_isa::ChipInfo;
use warpsmith_model::{Launch, Machine, ModelConfig};

/// A program in C with kernels `f0`, `f1` … from a buffer `in` to a buffer `out`.
pub struct Kernels {
    dir: tempfile::TempDir,
    program: &'static str,
    /// Instructions that a launch may execute.
    limit: u64,
}

impl Kernels {
    /// A source as a file of this name.
    pub fn new(program: &'static str, source: impl AsRef<[u8]>) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(program), source).expect("a file");
        Kernels { dir, program, limit: 100_000_000 }
    }

    /// The same with so many instructions that a launch may execute, instead of 100 million.
    pub fn within(self, limit: u64) -> Self {
        Kernels { limit, ..self }
    }

    /// The program is in OpenCL C.
    pub fn is_opencl(&self) -> bool {
        self.program.ends_with(".cl")
    }

    /// The launch of kernel `f{i}` on blocks of so many threads, and the words that it leaves in `out`. `keys` are more
    /// of the launch file; `buffers` those behind the two.
    pub fn run(
        &self, i: usize, [grid, block]: [usize; 2], (input, words): (&[u32], usize), keys: &str,
        buffers: &[(&str, usize)],
    ) -> (Launch, Vec<u32>) {
        let bytes: Vec<u8> = input.iter().flat_map(|w| w.to_le_bytes()).collect();
        std::fs::write(self.dir.path().join("in.bin"), bytes).expect("a file");
        let more: String = buffers.iter().map(|b| format!(", \"{}\"", b.0)).collect();
        let program = self.program;
        let mut text = format!(
            "program = \"{program}\"\nkernel = \"f{i}\"\ngrid = [{grid}]\nblock = [{block}]\n{keys}\n\
             args = [\"in\", \"out\"{more}]\n[[buffer]]\nname = \"in\"\nfile = \"in.bin\"\n\
             [[buffer]]\nname = \"out\"\nbytes = {}\nfill = 1\n",
            4 * words
        );
        text.extend(buffers.iter().map(|(name, bytes)| format!("[[buffer]]\nname = \"{name}\"\nbytes = {bytes}\n")));
        let path = self.dir.path().join("l.toml");
        std::fs::write(&path, text).expect("a file");
        let launch = warpsmith_launch_file::load(&path).unwrap_or_else(|e| panic!("{program} f{i}: {e}"));
        let tier = ChipInfo::unlimited().tier.at(launch.level);
        let mut machine = Machine::new(&launch, ModelConfig { tier, ..ModelConfig::default() });
        machine.run(self.limit).unwrap_or_else(|e| panic!("{program} f{i}: {e}"));
        let out = launch.buffers.iter().find(|b| b.name == "out").map_or(0, |b| b.address);
        let found = (0..words as u32).map(|n| machine.global().word(out + 4 * n)).collect();
        (launch, found)
    }
}
