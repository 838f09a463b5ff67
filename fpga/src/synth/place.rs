//! Yosys, nextpnr and a packer: boards with ECP5 and Gowin, and the chip alone on an ECP5.

use super::board::{Board, ULX3S};
use super::copies::Expected;
use super::ecp5::Part;
use super::flow::{fits, Options, SynthError, Workshop};
use super::harness;
use super::pll::{self, Family, Pll};
use super::report::{cells_of, gowin_places, Nextpnr, Report, Tried};
use super::tools::{Program, Tool};
use crate::chip::ChipManifest;
use crate::wrap::uart::{self, UartOptions};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A board: sources beside `rtl/`, then to its bitstream.
pub(super) fn board(
    shop: &mut Workshop, chip: &ChipManifest, board: &'static Board, options: &Options,
) -> Result<Report, SynthError> {
    let pll = clock_of(board, options)?;
    let sources = sources(shop, chip, board)?;
    let constraints = board.constraints.0;
    let mut script = String::new();
    for file in &sources {
        let _ = writeln!(script, "read_verilog {file}");
    }
    for (name, value) in &pll.parameters {
        let _ = writeln!(script, "chparam -set {name} {value} top");
    }
    let report = match board.family {
        Family::Ecp5 => {
            let pins = ["--lpf", constraints];
            ecp5_flow(shop, &script, &Expected::of(shop)?, &pins, pll.mhz, &part(board, options), options)?
        }
        _ => gowin_flow(shop, &script, board, &pll, options)?,
    };
    Ok(report)
}

/// Parameters of the board's `top` for the clock asked for: the PLL's, and the UART's divisor.
pub(super) fn clock_of(board: &'static Board, options: &Options) -> Result<Pll, SynthError> {
    let wanted = options.clock_mhz.unwrap_or(f64::from(board.clock_khz) / 1000.0);
    let input = f64::from(board.input_khz) / 1000.0;
    let mut pll =
        pll::solve(board.family, input, wanted).ok_or(SynthError::Clock { mhz: wanted, board: board.name })?;
    pll.parameters.push(("DIVISOR", board.divisor(pll.mhz)?));
    Ok(pll)
}

/// Writes what stands around the chip; names of all Verilog files in order.
pub(super) fn sources(
    shop: &mut Workshop, chip: &ChipManifest, board: &'static Board,
) -> Result<Vec<&'static str>, SynthError> {
    let memory = UartOptions { memory_bytes: board.memory_bytes.into() };
    shop.write("warpsmith_uart.v", uart::render(chip, &memory)?)?;
    shop.write("top.v", board.top)?;
    shop.write(board.constraints.0, board.constraints.1)?;
    let mut names = vec!["rtl/warpsmith.v", "warpsmith_uart.v"];
    for (name, text) in board.common {
        shop.write(name, text)?;
        names.push(name);
    }
    names.push("top.v");
    Ok(names)
}

/// The chip alone, its ports on shift registers.
pub(super) fn ecp5(shop: &mut Workshop, chip: &ChipManifest, options: &Options) -> Result<Report, SynthError> {
    shop.write("top.v", harness::shift(chip))?;
    let script = "read_verilog rtl/warpsmith.v\nread_verilog top.v\n";
    let mhz = options.clock_mhz.unwrap_or(50.0);
    ecp5_flow(shop, script, &Expected::of(shop)?, &["--lpf-allow-unconstrained"], mhz, &part(&ULX3S, options), options)
}

/// The ECP5 of the options, or that of a board.
fn part(board: &Board, options: &Options) -> Part {
    options.part.clone().unwrap_or_else(|| board.device.parse().expect("a board's part is one"))
}

/// Yosys' own script for ABC9, but for what it takes a wire to cost beside a table of 236 ps: 1500 ps as
/// routed, not 300. With 300 a long carry chain is the longest path, and every other path may grow
/// to as many tables as it lasts.
const ABC: &str = "+&scorr; &sweep; &dc2; &dch -f -r; &ps; &if -W 1500 -v; &mfs";

/// Up to this clock cells are placed by wire length alone: less wire, routed sooner, a slower clock. A system of LiteX
/// with `tiny`, 40 MHz asked for, is routed in ten minutes so, and has 9,000 arcs left after an hour otherwise.
const UNHURRIED_MHZ: f64 = 40.0;

/// Cells a device has, by nextpnr's names: tables, flip-flops, multipliers, block RAMs.
type Capacity = [(&'static str, u64); 4];

/// The Tang Nano 20K's device; its multipliers come in several sizes, nextpnr counts them.
const GW2A_18: Capacity = [("places of a LUT4", 20_736), ("DFF", 15_552), ("MULT9X9", 96), ("BSRAM", 46)];

/// Refuses a chip that Yosys counts more cells of than there are: placers look for room for minutes.
fn has_room(shop: &Workshop, device: &str, capacity: &Capacity, report: &Report) -> Result<(), SynthError> {
    let needs = [report.luts, report.ffs, report.dsps, report.brams as u64];
    let short = capacity.iter().zip(needs).find(|((_, there), n)| n > there);
    short.map_or(Ok(()), |((name, there), needed)| {
        Err(SynthError::DoesNotFit {
            device: device.into(),
            why: format!("{needed} {name}, there are {there}"),
            log: shop.out.join("synthesis.log"),
        })
    })
}

/// Synthesizes, places and routes for an ECP5, asked for a clock of `mhz`. `script` reads the sources of the module `top`, in which
/// `copies` are looked for; `pins`: nextpnr's options about them, without a file of constraints for the chip alone, which gets no bitstream.
pub(crate) fn ecp5_flow(
    shop: &mut Workshop, script: &str, copies: &Expected, pins: &[&str], mhz: f64, part: &Part, options: &Options,
) -> Result<Report, SynthError> {
    let yosys = shop.tool(Tool::Yosys)?;
    // Before an hour of work, not after.
    let tools = match options.route {
        true => Some((shop.tool(Tool::NextpnrEcp5)?, shop.tool(Tool::Ecppack)?)),
        false => None,
    };
    let script = format!(
        "scratchpad -set abc9.script \"{ABC}\"\n{script}\
         synth_ecp5 -nowidelut -top top -json netlist.json\ntee -q -o stat.json stat -json\n"
    );
    shop.write("synth.ys", script)?;
    shop.run("synthesis", &yosys, &["synth.ys"])?;
    let copied_bits = copies.check(shop, "top")?;
    let cells = cells(shop)?;
    let count = |kind: &str| cells.get(kind).copied().unwrap_or(0);
    let mut report = Report {
        device: part.name.clone(),
        // A carry cell takes two tables, a distributed RAM four and two for its write port.
        luts: count("LUT4") + 2 * count("CCU2C") + 6 * count("TRELLIS_DPR16X4"),
        ffs: count("TRELLIS_FF"),
        dsps: count("MULT18X18D"),
        brams: count("DP16KD") as f64,
        copied_bits,
        clock_mhz: Some(mhz),
        cells,
        ..Report::default()
    };
    let Some((nextpnr, ecppack)) = tools else {
        return Ok(report);
    };
    has_room(shop, &part.name, &part.capacity(), &report)?;
    let clock = mhz.to_string();
    let mut arguments = part.options().to_vec();
    arguments.extend([
        "--json", "netlist.json", "--timing-allow-fail",
        // Congestion decides: the default placer's wires are longer by two fifths than this one's, and
        // router 2 does not end.
        "--placer", "static", "--router", "router1", "--freq", &clock,
    ]);
    if mhz <= UNHURRIED_MHZ {
        arguments.push("--no-tmdriv");
    }
    arguments.extend(pins);
    let bitstream = pins[0] == "--lpf";
    let mut outputs = vec![(REPORT, PLACED), ("--textcfg", CONFIGURATION)];
    if !bitstream {
        outputs.push(("--write", ROUTED));
    }
    let found = routed(shop, &nextpnr, &arguments, &outputs, &mut report, options)?;
    report.luts = found.used("TRELLIS_COMB");
    report.ffs = found.used("TRELLIS_FF");
    report.dsps = found.used("MULT18X18D");
    report.brams = found.used("DP16KD") as f64;
    if bitstream {
        let arguments = ["--compress", CONFIGURATION, "--bit", "bitstream.bit"];
        shop.run("bitstream", &ecppack, &arguments)?;
        report.outputs.push("bitstream.bit".into());
    }
    Ok(report)
}

/// Of every report for Gowin.
const PLACES: &str =
    "LUT are places of a LUT4: those of adders, distributed RAM and flip-flops behind no LUT among them.";

/// Of those with a clock, as seen in `fpga/tests/flow.rs`.
const TOO_GOOD: &str = "The clock is too good: nextpnr leaves out paths through multipliers and what lies behind them.";

fn gowin_flow(
    shop: &mut Workshop, script: &str, board: &Board, pll: &Pll, options: &Options,
) -> Result<Report, SynthError> {
    let yosys = shop.tool(Tool::Pyosys)?;
    let tools = match options.route {
        true => Some((shop.tool(Tool::NextpnrGowin)?, shop.tool(Tool::GowinPack)?)),
        false => None,
    };
    // Without the multiplexers between tables: Yosys spends more tables around them than they save.
    let script = format!(
        "{script}synth_gowin -family gw2a -nowidelut -top top -json netlist.json\ntee -q -o stat.json stat -json\n"
    );
    shop.write("synth.ys", script)?;
    shop.run("synthesis", &yosys, &["synth.ys"])?;
    let copied_bits = Expected::of(shop)?.check(shop, "top")?;
    let cells = cells(shop)?;
    let some = |begins: &str| -> u64 {
        let of = cells.iter().filter(|(k, _)| k.starts_with(begins));
        of.map(|(_, n)| n).sum()
    };
    let mut report = Report {
        device: board.device.into(),
        luts: gowin_places(&shop.read("netlist.json")?).ok_or_else(|| SynthError::Output {
            path: shop.out.join("netlist.json"),
            what: "a netlist with a module `top` was expected".into(),
        })?,
        ffs: some("DFF"),
        dsps: some("MULT"),
        brams: (some("SP") + some("DP") + some("SDP") + some("pROM")) as f64,
        copied_bits,
        clock_mhz: Some(pll.mhz),
        cells: cells.clone(),
        remark: Some(PLACES.into()),
        ..Report::default()
    };
    let Some((nextpnr, pack)) = tools else {
        return Ok(report);
    };
    has_room(shop, board.device, &GW2A_18, &report)?;
    let pins = format!("cst={}", board.constraints.0);
    let mhz = pll.mhz.to_string();
    let arguments = [
        "--device", board.device, "--vopt", "family=GW2A-18C", "--vopt", &pins, "--json", "netlist.json",
        "--timing-allow-fail", "--freq", &mhz,
    ];
    let outputs = [(REPORT, PLACED), ("--write", "placed.json")];
    routed(shop, &nextpnr, &arguments, &outputs, &mut report, options)?;
    report.remark = Some(format!("{PLACES} {TOO_GOOD}"));
    let arguments = ["-d", "GW2A-18C", "-o", "bitstream.fs", "placed.json"];
    shop.run("bitstream", &pack, &arguments)?;
    report.outputs.push("bitstream.fs".into());
    Ok(report)
}

/// Cells that Yosys counted.
pub(super) fn cells(shop: &Workshop) -> Result<BTreeMap<String, u64>, SynthError> {
    cells_of(&shop.read("stat.json")?).ok_or_else(|| SynthError::Output {
        path: shop.out.join("stat.json"),
        what: "the counts of Yosys' `stat -json` were expected".into(),
    })
}

/// nextpnr's option for its report, and the file.
const REPORT: &str = "--report";
const PLACED: &str = "place.json";

/// The configuration of an ECP5 as nextpnr writes it, and of the chip alone the routed netlist.
pub const CONFIGURATION: &str = "place.config";
/// See [`CONFIGURATION`].
pub const ROUTED: &str = "routed.json";

/// Places and routes with each seed: clock, path and capacity of the fastest. Its files have the names in `outputs`, the
/// report first, each behind nextpnr's option; those of the others are removed. A seed that is not routed counts when none is.
fn routed(
    shop: &mut Workshop, nextpnr: &Program, arguments: &[&str], outputs: &[(&str, &str)], report: &mut Report,
    options: &Options,
) -> Result<Nextpnr, SynthError> {
    let numbers: Vec<u64> = (0..options.seeds).map(|n| options.seed.wrapping_add(n)).collect();
    let seeds: Vec<String> = numbers.iter().map(u64::to_string).collect();
    let run_of = |seed: &String| if seeds.len() == 1 { String::new() } else { seed.clone() };
    let file_of = |file: &str, seed: &String| match run_of(seed).as_str() {
        "" => file.to_string(),
        run => format!("{run}-{file}"),
    };
    let files: Vec<Vec<String>> =
        seeds.iter().map(|seed| outputs.iter().map(|(_, file)| file_of(file, seed)).collect()).collect();
    let runs: Vec<(String, Vec<&str>)> = seeds
        .iter()
        .zip(&files)
        .map(|(seed, files)| {
            let own = outputs.iter().zip(files).flat_map(|((option, _), file)| [*option, file.as_str()]);
            let all = arguments.iter().copied().chain(own).chain(["--seed", seed.as_str()]);
            (run_of(seed), all.collect())
        })
        .collect();
    let ended = shop.run_each("place and route", nextpnr, &runs);
    let (mut best, mut first_error): (Option<(usize, Nextpnr)>, _) = (None, None);
    for (n, result) in ended.into_iter().enumerate() {
        let found = result.and_then(|()| placed(shop, &files[n][0]));
        let mhz = found.as_ref().ok().and_then(Nextpnr::slowest);
        report.seeds.push(Tried { seed: numbers[n], fmax_mhz: mhz });
        match found {
            Ok(found) if best.as_ref().is_none_or(|(_, b)| mhz > b.slowest()) => best = Some((n, found)),
            Ok(_) => {}
            Err(e) => first_error = first_error.or(Some(e)),
        }
    }
    let Some((fastest, found)) = best else {
        let error = first_error.expect("each seed has a report or an error");
        return Err(fits(&report.device, Err(error)).expect_err("an error stays one"));
    };
    for (n, files) in files.iter().enumerate().filter(|_| seeds.len() > 1) {
        for ((_, name), file) in outputs.iter().zip(files) {
            match n == fastest {
                true => shop.rename(file, name)?,
                false => shop.remove(file)?,
            }
        }
    }
    report.seed = Some(numbers[fastest]);
    report.fmax_mhz = found.slowest();
    report.critical_path = found.critical();
    let kinds = found.utilization.iter().filter(|(_, u)| u.available > 0);
    report.available = kinds.map(|(k, u)| (k.clone(), u.available)).collect();
    Ok(found)
}

/// nextpnr's report.
fn placed(shop: &Workshop, file: &str) -> Result<Nextpnr, SynthError> {
    serde_json::from_str(&shop.read(file)?).map_err(|e| SynthError::Output {
        path: shop.out.join(file),
        what: format!("nextpnr's report was expected ({e})"),
    })
}
