//! The boards: device, clock, memory, files. One [`Board`] each; pins stand in `constraints/`.

use super::flow::SynthError;
use super::pll::Family;

/// A board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Board {
    /// Name of the target and of its folder.
    pub name: &'static str,
    /// Its name for a reader.
    pub title: &'static str,
    /// What a synthesis makes for it.
    pub makes: &'static str,
    /// Kind of FPGA.
    pub family: Family,
    /// Device as the tools name it, package and speed grade included.
    pub device: &'static str,
    /// Name of the oscillator's port.
    pub clock_port: &'static str,
    /// Its frequency in kHz.
    pub input_khz: u32,
    /// Clock of the chip unless `--clock` says otherwise, in kHz.
    pub clock_khz: u32,
    /// Global memory in block RAM, in bytes.
    pub memory_bytes: u32,
    /// Baud rate of the UART.
    pub baud: u32,
    /// Verilog of the module `top`.
    pub top: &'static str,
    /// Files of the modules in it, the chip's apart: name and text.
    pub common: &'static [(&'static str, &'static str)],
    /// File of pins and clocks, its name and text.
    pub constraints: (&'static str, &'static str),
}

/// Reset of every board.
const POWER_ON_RESET: (&str, &str) = ("power_on_reset.v", include_str!("../../common/power_on_reset.v"));
/// What those with an ECP5 have in common.
const ECP5_BOARD: (&str, &str) = ("ecp5_board.v", include_str!("../../common/ecp5_board.v"));

/// ULX3S with the largest ECP5.
pub const ULX3S: Board = Board {
    name: "ulx3s",
    title: "ULX3S (ECP5-85F)",
    makes: "ULX3S: bitstream for its ECP5-85F",
    family: Family::Ecp5,
    device: "LFE5U-85F-6BG381C",
    clock_port: "clk_25mhz",
    input_khz: 25_000,
    clock_khz: 20_000,
    memory_bytes: 65_536,
    baud: 1_000_000,
    top: include_str!("../../ulx3s/top.v"),
    common: &[POWER_ON_RESET, ECP5_BOARD],
    constraints: ("ulx3s.lpf", include_str!("../../../constraints/ulx3s.lpf")),
};

/// OrangeCrab with the largest ECP5, UART on the pins 0 and 1 of its header.
pub const ORANGECRAB: Board = Board {
    name: "orangecrab",
    title: "OrangeCrab (ECP5-85F)",
    makes: "OrangeCrab r0.2: bitstream for its ECP5-85F",
    family: Family::Ecp5,
    device: "LFE5U-85F-8MG285C",
    clock_port: "clk48",
    input_khz: 48_000,
    clock_khz: 24_000,
    memory_bytes: 65_536,
    baud: 1_000_000,
    top: include_str!("../../orangecrab/top.v"),
    common: &[POWER_ON_RESET, ECP5_BOARD],
    constraints: ("orangecrab.lpf", include_str!("../../../constraints/orangecrab.lpf")),
};

/// ECPIX-5 with the larger ECP5-5G.
pub const ECPIX5: Board = Board {
    name: "ecpix5",
    title: "ECPIX-5 (ECP5UM5G-85F)",
    makes: "ECPIX-5: bitstream for its ECP5UM5G-85F",
    family: Family::Ecp5,
    device: "LFE5UM5G-85F-8BG554I",
    clock_port: "clk100",
    input_khz: 100_000,
    clock_khz: 25_000,
    memory_bytes: 65_536,
    baud: 1_000_000,
    top: include_str!("../../ecpix5/top.v"),
    common: &[POWER_ON_RESET, ECP5_BOARD],
    constraints: ("ecpix5.lpf", include_str!("../../../constraints/ecpix5.lpf")),
};

/// Tang Nano 20K.
pub const TANG_NANO_20K: Board = Board {
    name: "tang_nano_20k",
    title: "Tang Nano 20K (GW2AR-18)",
    makes: "Tang Nano 20K: bitstream for its GW2AR-18",
    family: Family::Gowin,
    device: "GW2AR-LV18QN88C8/I7",
    clock_port: "clk_27mhz",
    input_khz: 27_000,
    clock_khz: 15_000,
    memory_bytes: 16_384,
    baud: 1_000_000,
    top: include_str!("../../tang_nano_20k/top.v"),
    common: &[POWER_ON_RESET],
    constraints: ("tang_nano_20k.cst", include_str!("../../../constraints/tang_nano_20k.cst")),
};

/// Arty A7 with the larger Artix.
pub const ARTY_A7: Board = Board {
    name: "arty_a7",
    title: "Arty A7-100T (Artix-7)",
    makes: "Arty A7-100T: Vivado project",
    family: Family::Series7,
    device: "xc7a100tcsg324-1",
    clock_port: "clk_100mhz",
    input_khz: 100_000,
    clock_khz: 25_000,
    memory_bytes: 131_072,
    baud: 1_000_000,
    top: include_str!("../../arty_a7/top.v"),
    common: &[POWER_ON_RESET],
    constraints: ("arty_a7.xdc", include_str!("../../../constraints/arty_a7.xdc")),
};

/// Every board whose top holds the chip with memory and UART.
pub const BOARDS: [&Board; 5] = [&ULX3S, &ORANGECRAB, &ECPIX5, &TANG_NANO_20K, &ARTY_A7];

impl Board {
    /// Cycles of a bit of the UART at a clock of `mhz`.
    ///
    /// # Errors
    /// [`SynthError::Baud`]: fewer than four, or more than 2 % off.
    pub fn divisor(&self, mhz: f64) -> Result<u32, SynthError> {
        let exact = mhz * 1e6 / f64::from(self.baud);
        let cycles = exact.round();
        if cycles < 4.0 || (cycles / exact - 1.0).abs() > 0.02 {
            return Err(SynthError::Baud { mhz, baud: self.baud });
        }
        // A positive number far below 2^32.
        Ok(cycles as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_would_slip_is_refused() {
        assert_eq!(ULX3S.divisor(20.0).ok(), Some(20));
        assert_eq!(ULX3S.divisor(24.3).ok(), Some(24));
        for mhz in [3.0, 12.5, 4.4] {
            let e = ULX3S.divisor(mhz).expect_err("more than 2 % off, or below 4");
            assert!(e.to_string().contains("whole number of MHz"), "{e}");
        }
    }
}
