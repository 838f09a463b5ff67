//! A chip ready to simulate: the emitted folder, its parameters, and the built design.

use crate::design::Design;
use crate::error::CosimError;
use crate::folder;
use crate::simulation::Collect;
use std::path::{Path, PathBuf};
use warpsmith_contract::registers::PARAMS;
use warpsmith_contract::trace::missing_trace_ports;
use warpsmith_contract::{ports, Manifest};
use warpsmith_engine_verilator::BuildOptions;
use warpsmith_isa::{ChipInfo, Isa, Options, Tier};
use warpsmith_model::Launch;

/// Sizes of an emitted folder's chip, without building anything.
///
/// # Errors
/// A folder that is no chip.
pub fn chip_info(folder: &Path) -> Result<ChipInfo, CosimError> {
    of_manifest(&folder::load(folder)?)
}

fn of_manifest(m: &Manifest) -> Result<ChipInfo, CosimError> {
    let isa = isa_of(m).map_err(CosimError::Manifest)?;
    let tier = Tier::from_rows(&m.forms);
    let info = ChipInfo::from_numbers(&m.name, isa, tier, |k| folder::number(m, k))?;
    info.check().map_err(|what| CosimError::Manifest(format!("{what} is no chip")))?;
    Ok(ChipInfo { options: options_of(m), cache_bytes: cache_bytes_of(m), ..info })
}

/// Bytes of an emitted chip's L2, without one of an L1; a manifest says nothing of a cache that there is not.
pub fn cache_bytes_of(manifest: &Manifest) -> u32 {
    let bytes = |key| manifest.number(key).filter(|n| *n > 0);
    bytes("l2_bytes").or(bytes("l1_bytes")).unwrap_or(0)
}

/// What an emitted chip has on top of the plain ones of its set; a manifest says nothing of what it has not.
pub fn options_of(manifest: &Manifest) -> Options {
    Options::of_keys(|key| manifest.config.get(key).and_then(|v| v.as_bool()).unwrap_or(false))
}

/// The instruction set of an emitted chip; a manifest without one is of SM 1.0.
///
/// # Errors
/// A set that there are no chips of.
pub fn isa_of(manifest: &Manifest) -> Result<Isa, String> {
    let Some(value) = manifest.config.get("isa") else { return Ok(Isa::default()) };
    let named = value.as_str().and_then(Isa::by_name);
    named.ok_or_else(|| format!("config.isa is {value}; there are chips of {}", Isa::ALL.map(Isa::name).join(", ")))
}

/// An emitted chip, built and loaded.
#[derive(Clone)]
pub struct Chip {
    pub(crate) folder: PathBuf,
    pub(crate) design: Design,
    pub(crate) info: ChipInfo,
}

/// Ports the host drives; their absence is an error of the folder.
const NEEDED: [ports::ChipPort; 12] = [
    ports::CLOCK,
    ports::RESET,
    ports::BUS_VALID,
    ports::BUS_WRITE,
    ports::BUS_ADDRESS,
    ports::BUS_WDATA,
    ports::BUS_RDATA,
    ports::DONE,
    ports::MEM_VALID,
    ports::MEM_READY,
    ports::MEM_RVALID,
    ports::MEM_RDATA,
];

impl Chip {
    /// Opens an emitted folder: builds its simulation, or takes it from the cache.
    ///
    /// # Errors
    /// A missing tool, a folder that is no chip, Verilog that does not compile.
    pub fn open(folder: &Path, options: &BuildOptions) -> Result<Self, CosimError> {
        Self::on(folder, Design::open(folder, options)?)
    }

    /// A folder whose design stands on an engine already.
    ///
    /// # Errors
    /// A design that is no chip.
    pub fn on(folder: &Path, design: Design) -> Result<Self, CosimError> {
        let m = design.manifest();
        if let Some(port) = NEEDED.map(|p| p.name).iter().find(|p| m.port(p).is_none()) {
            return Err(CosimError::Manifest(format!(
                "the top module `{}` has no port `{port}`: this is not a whole chip",
                m.top
            )));
        }
        let info = of_manifest(m)?;
        Ok(Chip { folder: folder.to_path_buf(), design, info })
    }

    /// Parameters.
    pub fn info(&self) -> &ChipInfo {
        &self.info
    }

    /// The built design.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The emitted folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Refuses a chip whose trace port is absent or incomplete.
    ///
    /// # Errors
    /// [`CosimError::NoTrace`] naming the first missing port.
    pub(crate) fn need_trace(&self, collect: Collect) -> Result<(), CosimError> {
        match missing_trace_ports(self.design.manifest(), collect).into_iter().next() {
            Some(port) => Err(CosimError::NoTrace { folder: self.folder.clone(), port }),
            None => Ok(()),
        }
    }
}

/// Where the memories of a launch lie on a chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Each constant bank's first word in the constant RAM and its words.
    pub banks: [(u32, u32); 16],
    /// Contents of the constant RAM, words.
    pub constants: Vec<u32>,
    /// First byte of local memory, a multiple of 128.
    pub local_base: u32,
    /// Bytes of local memory of all resident threads.
    pub local_total: u64,
    /// First byte after global memory rounded up to a whole line of the port.
    pub global_end: u64,
}

impl Placement {
    /// Places the memories.
    ///
    /// # Errors
    /// The launch needs more than the chip or the address space has.
    pub fn new(info: &ChipInfo, launch: &Launch) -> Result<Self, CosimError> {
        launch.check_fits(info)?;
        let mut banks = [(0, 0); 16];
        let mut constants: Vec<u32> = vec![];
        let contents = launch.constant_memory();
        for bank in 0..16u8 {
            let bytes = contents.bank_bytes(bank);
            banks[usize::from(bank)] = (constants.len() as u32, bytes.len() as u32 / 4);
            constants.extend(bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])));
        }
        let line = u64::from(4 * info.port_words);
        let global_end = launch.global_bytes.next_multiple_of(line);
        let start = global_end.next_multiple_of(128.max(line));
        let threads = u64::from(info.sms.next_power_of_two() * info.warps * 32);
        let local_total = u64::from(launch.local_bytes.div_ceil(4)) * threads * 4;
        if local_total > 0 && start + local_total > 1 << 32 {
            return Err(CosimError::Memory {
                launch: launch.file.display().to_string(),
                global: launch.global_bytes,
                local: local_total,
            });
        }
        if 4 * constants.len() as u64 > u64::from(info.constant_bytes) {
            return Err(CosimError::Launch(warpsmith_model::LaunchError {
                file: launch.file.clone(),
                line: None,
                message: format!(
                    "the constant banks need {} bytes together; configuration {} has {}: use a larger configuration",
                    4 * constants.len(),
                    info.name,
                    info.constant_bytes
                ),
            }));
        }
        if launch.chip_params().len() > PARAMS {
            return Err(CosimError::Launch(warpsmith_model::LaunchError {
                file: launch.file.clone(),
                line: None,
                message: format!(
                    "{} parameters; the chip takes {PARAMS} words: pass the rest through {}",
                    launch.params.len(),
                    match info.isa {
                        Isa::Ivb => "global memory",
                        _ => "constant or global memory",
                    }
                ),
            }));
        }
        // With no local memory the base is never used; keep it a valid word.
        let local_base = if local_total > 0 { start as u32 } else { 0 };
        Ok(Placement { banks, constants, local_base, local_total, global_end })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn info() -> ChipInfo {
        ChipInfo {
            name: "tiny".into(),
            isa: Isa::Sm10,
            sms: 3,
            lanes: 8,
            warps: 4,
            blocks: 2,
            registers: 2048,
            shared_bytes: 4096,
            constant_bytes: 1024,
            program_bytes: 4096,
            local_bytes: 65536,
            stack_depth: 16,
            port_words: 8,
            cache_bytes: 0,
            tier: Tier::integer(),
            options: Options::default(),
        }
    }

    #[test]
    fn local_memory_begins_at_the_line_after_global_memory() {
        let mut launch = crate::random::empty_launch("x");
        launch.global_bytes = 100;
        launch.local_bytes = 12;
        let p = Placement::new(&info(), &launch).unwrap();
        assert_eq!((p.global_end, p.local_base), (128, 128));
        // Three SMs take the space of four: 4 * 4 * 32 threads of 12 bytes.
        assert_eq!(p.local_total, 4 * 4 * 32 * 12);
    }

    #[test]
    fn local_memory_that_does_not_fit_is_refused() {
        let mut launch = crate::random::empty_launch("x");
        launch.global_bytes = (1 << 32) - 4;
        launch.local_bytes = 4;
        assert!(matches!(Placement::new(&info(), &launch), Err(CosimError::Memory { .. })));
    }

    #[test]
    fn constant_banks_follow_each_other_and_share_the_ram() {
        let mut launch = crate::random::empty_launch("x");
        let section = |bank, n: usize| warpsmith_model::launch::ConstantSection::new(bank, 4, vec![bank; n]);
        launch.constants = vec![section(3, 6), section(1, 4)];
        let p = Placement::new(&info(), &launch).unwrap();
        assert_eq!((p.banks[1], p.banks[3]), ((0, 2), (2, 3)));
        assert_eq!(p.constants, [0, 0x0101_0101, 0, 0x0303_0303, 0x0303]);
        launch.constants = vec![section(0, 800), section(2, 800)];
        assert!(Placement::new(&info(), &launch).is_err());
    }
}
