//! What the environment and the settings file say: devices, limits, checks.

use serde::Deserialize;
use std::path::PathBuf;
use warpsmith_model::Mutant;

/// Variable that names the settings file.
pub const CONFIG: &str = "WARPSMITH_OPENCL_CONFIG";
/// Devices: `model`, `model:CHIP`, `rtl`, `rtl:CHIP`, `uart:PATH[@BAUD]`, separated by commas; the first is the default.
pub const DEVICE: &str = "WARPSMITH_DEVICE";
/// 1: every launch in lockstep with the model.
pub const COSIM: &str = "WARPSMITH_COSIM";
/// 1: every launch watched for races, accesses outside buffers, barriers, undefined values.
pub const CHECK: &str = "WARPSMITH_CHECK";
/// Folder for profile and timeline of every launch.
pub const PROFILE: &str = "WARPSMITH_PROFILE";
/// Folder for every launch as a launch file.
pub const RECORD: &str = "WARPSMITH_RECORD";
/// What runs RTL devices: native, verilator or auto.
pub const ENGINE: &str = "WARPSMITH_ENGINE";
/// Clock of the chip in MHz, for the times of commands.
pub const CLOCK_MHZ: &str = "WARPSMITH_CLOCK_MHZ";
/// Cycles (model: warp instructions) after which a kernel is stopped.
pub const CYCLE_LIMIT: &str = "WARPSMITH_CYCLE_LIMIT";
/// Power-on state of RTL devices.
pub const SEED: &str = "WARPSMITH_SEED";
/// 1: every failing call on stderr.
pub const VERBOSE: &str = "WARPSMITH_VERBOSE";
/// A deliberate error in the model, by name, that lockstep must notice: for checks of the check.
pub const MUTANT: &str = "WARPSMITH_MUTANT";

/// Devices when nothing names any.
const DEVICES: &str = "model,rtl";

/// The chip of a device that names none: the one for compiled programs.
pub const CHIP: &str = "compute";

/// What runs RTL devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineName {
    /// The netlist, run in this process.
    Native,
    /// The emitted Verilog, compiled by Verilator.
    Verilator,
    /// Verilator where the chip has been compiled before, native elsewhere; said once on stderr.
    #[default]
    Auto,
}

/// The settings file; every key may be left out, and a variable of the environment replaces it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// [`DEVICE`].
    pub device: String,
    /// [`COSIM`].
    pub cosim: bool,
    /// [`CHECK`].
    pub check: bool,
    /// [`PROFILE`].
    pub profile: Option<PathBuf>,
    /// [`RECORD`].
    pub record: Option<PathBuf>,
    /// [`ENGINE`].
    pub engine: EngineName,
    /// [`CLOCK_MHZ`].
    pub clock_mhz: Option<u32>,
    /// [`CYCLE_LIMIT`].
    pub cycle_limit: Option<u64>,
    /// [`SEED`].
    pub seed: Option<u64>,
    /// [`VERBOSE`].
    pub verbose: bool,
    /// [`MUTANT`].
    pub mutant: Option<String>,
}

impl Settings {
    /// Names of the devices in order.
    pub fn devices(&self) -> impl Iterator<Item = &str> {
        self.device.split(',').map(str::trim)
    }

    /// Clock in MHz; the boards of this project run at 15 to 25.
    pub fn clock(&self) -> u32 {
        self.clock_mhz.unwrap_or(25)
    }

    /// The error of the model.
    ///
    /// # Errors
    /// No such error.
    pub fn mutant(&self) -> Result<Option<Mutant>, String> {
        let Some(name) = &self.mutant else {
            return Ok(None);
        };
        let known = Mutant::ALL.iter().find(|m| m.0 == name);
        let known = known.ok_or_else(|| {
            let names: Vec<&str> = Mutant::ALL.iter().map(|m| m.0).collect();
            format!("{MUTANT}={name}: there are {}", names.join(", "))
        });
        Ok(Some(known?.1))
    }

    /// Limit of a launch in cycles.
    pub fn limit(&self) -> u64 {
        self.cycle_limit.unwrap_or(1_000_000_000)
    }

    /// From the environment of the process.
    ///
    /// # Errors
    /// A file that cannot be read or holds something else, a variable that is no number.
    pub fn from_environment() -> Result<Settings, String> {
        Self::from_variables(&|name| std::env::var(name).ok().filter(|v| !v.is_empty()))
    }

    /// From any table of variables.
    ///
    /// # Errors
    /// As [`Settings::from_environment`].
    pub fn from_variables(variable: &dyn Fn(&str) -> Option<String>) -> Result<Settings, String> {
        let mut s = match variable(CONFIG) {
            None => Settings::default(),
            Some(path) => {
                let text =
                    std::fs::read_to_string(&path).map_err(|e| format!("{CONFIG}={path}: cannot be read: {e}"))?;
                toml::from_str(&text).map_err(|e: toml::de::Error| {
                    let before = e.span().map_or("", |s| &text[..s.start]);
                    let line = before.matches('\n').count() + 1;
                    format!("{path}:{line}: {}", e.message().trim().replace('\n', ", "))
                })?
            }
        };
        if let Some(list) = variable(DEVICE) {
            s.device = list;
        }
        if s.device.is_empty() {
            s.device = DEVICES.into();
        }
        for (name, on) in [(COSIM, &mut s.cosim), (CHECK, &mut s.check), (VERBOSE, &mut s.verbose)] {
            if let Some(given) = truth(variable, name)? {
                *on = given;
            }
        }
        s.profile = variable(PROFILE).map(PathBuf::from).or(s.profile);
        s.record = variable(RECORD).map(PathBuf::from).or(s.record);
        s.mutant = variable(MUTANT).or(s.mutant);
        s.mutant()?;
        if let Some(name) = variable(ENGINE) {
            s.engine = match name.as_str() {
                "native" => EngineName::Native,
                "verilator" => EngineName::Verilator,
                "auto" => EngineName::Auto,
                _ => return Err(format!("{ENGINE}={name}: native, verilator or auto is needed")),
            };
        }
        if let Some(n) = number(variable, CLOCK_MHZ)? {
            s.clock_mhz = u32::try_from(n).ok();
        }
        s.cycle_limit = number(variable, CYCLE_LIMIT)?.or(s.cycle_limit);
        s.seed = number(variable, SEED)?.or(s.seed);
        if s.clock_mhz.is_some_and(|n| !(1..=10_000).contains(&n)) {
            return Err("the clock must be 1 to 10000 MHz".into());
        }
        Ok(s)
    }
}

fn truth(variable: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<Option<bool>, String> {
    match variable(name).as_deref() {
        None => Ok(None),
        Some("0" | "false" | "no") => Ok(Some(false)),
        Some("1" | "true" | "yes") => Ok(Some(true)),
        Some(other) => Err(format!("{name}={other}: 1 or 0 is needed")),
    }
}

fn number(variable: &dyn Fn(&str) -> Option<String>, name: &str) -> Result<Option<u64>, String> {
    match variable(name) {
        None => Ok(None),
        Some(text) => match text.replace('_', "").parse() {
            Ok(n) if n > 0 => Ok(Some(n)),
            _ => Err(format!("{name}={text}: a number above 0 is needed")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(list: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_variables(&|name| {
            let found = list.iter().find(|(n, _)| *n == name);
            found.map(|(_, v)| v.to_string())
        })
    }

    #[test]
    fn the_environment_chooses_devices_and_limits() {
        let s = of(&[(DEVICE, "model:tiny, rtl:tiny"), (COSIM, "1")]);
        let s = s.unwrap();
        assert_eq!(s.devices().collect::<Vec<_>>(), ["model:tiny", "rtl:tiny"]);
        assert!(s.cosim && s.record.is_none());
        assert_eq!(of(&[]).unwrap().device, DEVICES);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for (name, value) in [
            (COSIM, "maybe"),
            (CHECK, "perhaps"),
            (CYCLE_LIMIT, "0"),
            (ENGINE, "verilog"),
            (CLOCK_MHZ, "fast"),
            (CONFIG, "/nowhere/at.toml"),
            (MUTANT, "no-such-error"),
        ] {
            let e = of(&[(name, value)]).unwrap_err();
            assert!(e.contains(value), "{e}");
        }
    }
}
