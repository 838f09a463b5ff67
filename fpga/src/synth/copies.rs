//! Copies of protected registers after synthesis: each has to be a flip-flop of its own that something reads. Of a block
//! that is there twice both instances have to be there, whose modules are kept.
//!
//! Synthesis keeps the function of what reads the copies, voters and comparisons, as long as it does not know that the
//! copies are equal. So it is enough that none was joined with another or lost.

use super::flow::{SynthError, Workshop};
use super::netlist::{Bit, Module, Netlist};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use warpsmith_contract::site::TWICE;
use warpsmith_contract::{Site, SiteKind};

/// Where Yosys writes the netlist that is searched.
pub(super) const NETLIST: &str = "netlist.json";

/// Where the chip is below the top.
const CHIPS: [&str; 3] = ["", "chip.", "uart.chip."];

/// The register in a copy's own module, whose output is `q`.
const REGISTER: &str = "r";

/// Names that an error lists.
const LISTED: usize = 6;

/// A register in copies.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Register {
    /// Paths of its copies.
    copies: Vec<String>,
    width: usize,
}

/// What is there more than once in the chip in `rtl/`.
#[derive(Default)]
pub(crate) struct Expected {
    /// Registers in copies by their paths.
    registers: BTreeMap<String, Register>,
    /// Blocks that are there twice by their paths, with the bits of the registers of one.
    blocks: BTreeMap<String, u64>,
}

impl Expected {
    /// Of the emitted chip.
    ///
    /// # Errors
    /// `rtl/sites.json` is missing or no list of sites.
    pub fn of(shop: &Workshop) -> Result<Self, SynthError> {
        let sites: Vec<Site> = serde_json::from_str(&shop.read("rtl/sites.json")?).map_err(|e| SynthError::Output {
            path: shop.out.join("rtl/sites.json"),
            what: format!("the list of sites that `warpsmith emit` writes was expected ({e})"),
        })?;
        Ok(Self::among(&sites))
    }

    fn among(sites: &[Site]) -> Self {
        let mut registers: BTreeMap<String, Register> = BTreeMap::new();
        let mut blocks: BTreeMap<String, u64> = BTreeMap::new();
        let within = format!(".u_{}.", TWICE[0]);
        for site in sites {
            for (at, _) in site.path.match_indices(&within) {
                let bits = blocks.entry(site.path[..at].into()).or_default();
                *bits += if site.kind == SiteKind::Reg { u64::from(site.width) } else { 0 };
            }
        }
        for site in sites.iter().filter(|s| s.kind == SiteKind::Reg && s.block.starts_with("copy_")) {
            // REGISTER.COPY.r
            let Some((register, _)) = site.path.rsplit_once('.').and_then(|(copy, _)| copy.rsplit_once('.')) else {
                continue;
            };
            let width = site.width as usize;
            let entry = registers.entry(register.into()).or_insert(Register { copies: vec![], width });
            entry.copies.push(site.path.clone());
        }
        Expected { registers, blocks }
    }

    /// Whether the chip has none.
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.blocks.is_empty()
    }

    /// Looks for all of them in the netlist, whose module at the top is `top`: their bits, those of one copy counted.
    ///
    /// # Errors
    /// [`SynthError::Unprotected`] with the registers whose copies are not all there.
    pub fn check(&self, shop: &Workshop, top: &str) -> Result<Option<u64>, SynthError> {
        if self.is_empty() {
            return Ok(None);
        }
        let path = shop.out.join(NETLIST);
        let netlist: Netlist = serde_json::from_str(&shop.read(NETLIST)?).map_err(|e| SynthError::Output {
            path: path.clone(),
            what: format!("a netlist as Yosys' write_json writes it was expected ({e})"),
        })?;
        let found = Found::of(&netlist, top)
            .ok_or_else(|| SynthError::Output { path: path.clone(), what: format!("a module `{top}` was expected") })?;
        let mut names = vec![];
        let mut unprotected = 0;
        for (name, bits) in &self.blocks {
            if !TWICE.iter().all(|instance| found.has(&format!("{name}.u_{instance}"))) {
                unprotected += bits;
                names.push(format!("{name} (1 of 2 blocks)"));
            }
        }
        for (name, register) in &self.registers {
            let bits = found.unprotected(register);
            if bits > 0 {
                unprotected += bits;
                names.push(format!("{name} ({bits} of {} bits)", register.width));
            }
        }
        let all = self.registers.values().map(|r| r.width as u64).chain(self.blocks.values().copied()).sum();
        if names.is_empty() {
            return Ok(Some(all));
        }
        let more = names.len().saturating_sub(LISTED);
        names.truncate(LISTED);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        Err(SynthError::Unprotected { path, unprotected, all, names: names.join(", ") })
    }
}

/// Whether a cell is a flip-flop: of Xilinx, ECP5, Gowin or Yosys' gates.
fn is_flip_flop(kind: &str) -> bool {
    kind.contains("DFF") || ["FDRE", "FDSE", "FDCE", "FDPE", "TRELLIS_FF"].contains(&kind)
}

/// Nets of a module: the flip-flop that drives each, and how often each is at a cell or port.
struct Nets<'a> {
    module: &'a Module,
    driver: HashMap<&'a Bit, &'a str>,
    uses: HashMap<&'a Bit, u32>,
}

impl<'a> Nets<'a> {
    fn of(module: &'a Module) -> Self {
        let (mut driver, mut uses) = (HashMap::new(), HashMap::new());
        for (name, cell) in &module.cells {
            if let (true, Some([q])) = (is_flip_flop(&cell.kind), cell.connections.get("Q").map(Vec::as_slice)) {
                driver.insert(q, name.as_str());
            }
            cell.connections.values().flatten().for_each(|bit| *uses.entry(bit).or_default() += 1);
        }
        module.ports.values().flat_map(|p| &p.bits).for_each(|bit| *uses.entry(bit).or_default() += 1);
        Nets { module, driver, uses }
    }

    /// Whether something beside its driver has the net.
    fn is_read(&self, bit: &Bit) -> bool {
        self.uses.get(bit).is_some_and(|n| *n > 1)
    }
}

/// A netlist that is searched.
struct Found<'a> {
    modules: BTreeMap<&'a str, Nets<'a>>,
    top: &'a str,
}

/// A flip-flop: the instance it is in, and its cell.
type FlipFlop<'a> = (String, &'a str);

impl<'a> Found<'a> {
    fn of(netlist: &'a Netlist, top: &str) -> Option<Self> {
        let (top, _) = netlist.modules.get_key_value(top)?;
        Some(Found { modules: netlist.modules.iter().map(|(n, m)| (n.as_str(), Nets::of(m))).collect(), top })
    }

    /// The flip-flop behind each bit of the register at a path, in or below an instance of a module; one that nothing
    /// reads is none. Flattening joins the names of instances by dots.
    fn flip_flops(&self, module: &str, path: &str, instance: &str) -> Option<Vec<Option<FlipFlop<'a>>>> {
        let nets = &self.modules[module];
        let dots = path.match_indices('.').map(|(at, _)| at).collect::<Vec<_>>();
        for at in dots.into_iter().rev() {
            let (name, below) = (&path[..at], &path[at + 1..]);
            let Some(cell) = nets.module.cells.get(name).filter(|c| self.modules.contains_key(c.kind.as_str())) else {
                continue;
            };
            let mut found = self.flip_flops(&cell.kind, below, &format!("{instance}{name}."))?;
            // What leaves a copy's own module has to be read outside.
            if let Some(out) = cell.connections.get("q").filter(|_| !below.contains('.')) {
                for (flip_flop, bit) in found.iter_mut().zip(out) {
                    flip_flop.take_if(|_| !nets.is_read(bit));
                }
            }
            return Some(found);
        }
        // In a copy's own module the port may have taken the register's name.
        let port = || nets.module.ports.get("q").filter(|_| path == REGISTER);
        let net = nets.module.netnames.get(path).or_else(port)?;
        let one = |bit: &Bit| {
            let cell = nets.driver.get(bit).filter(|_| nets.is_read(bit))?;
            Some((instance.to_string(), *cell))
        };
        Some(net.bits.iter().map(one).collect())
    }

    /// Whether there is an instance of a module at a path of the chip.
    fn has(&self, path: &str) -> bool {
        CHIPS.iter().any(|chip| self.has_below(self.top, &format!("{chip}{path}")))
    }

    fn has_below(&self, module: &str, path: &str) -> bool {
        let cells = &self.modules[module].module.cells;
        let is_module = |name: &str| cells.get(name).filter(|c| self.modules.contains_key(c.kind.as_str()));
        is_module(path).is_some()
            || path
                .match_indices('.')
                .any(|(at, _)| is_module(&path[..at]).is_some_and(|cell| self.has_below(&cell.kind, &path[at + 1..])))
    }

    /// Bits of a register that do not have as many flip-flops as copies.
    fn unprotected(&self, register: &Register) -> u64 {
        let copies: Vec<_> = register.copies.iter().map(|path| self.at(path).unwrap_or_default()).collect();
        let whole = |bit: &usize| {
            let flip_flops: BTreeSet<_> = copies.iter().filter_map(|c| c.get(*bit)?.as_ref()).collect();
            flip_flops.len() == copies.len()
        };
        (0..register.width).filter(|bit| !whole(bit)).count() as u64
    }

    /// As [`Found::flip_flops`], from the chip on: it may be an instance below the top.
    fn at(&self, path: &str) -> Option<Vec<Option<FlipFlop<'a>>>> {
        CHIPS.iter().find_map(|chip| self.flip_flops(self.top, &format!("{chip}{path}"), ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{json, Value};

    /// A register of two bits in three copies.
    fn expected() -> Expected {
        let copy = |name: &str| Site {
            path: format!("u_warps.u_live_copies.{name}.r"),
            block: "copy_2".into(),
            kind: SiteKind::Reg,
            width: 2,
            depth: 1,
            zeroed: true,
        };
        let mut sites = vec![copy("u_a"), copy("u_b"), copy("u_c")];
        sites.push(Site { path: "u_launch.go".into(), block: "launch".into(), zeroed: false, ..copy("u_a") });
        Expected::among(&sites)
    }

    fn flip_flop(d: u64, q: u64) -> Value {
        json!({"type": "FDRE", "connections": {"D": [d], "Q": [q]}})
    }

    fn table(inputs: [u64; 3], output: u64) -> Value {
        json!({"type": "LUT3", "connections": {"I0": [inputs[0]], "I1": [inputs[1]], "I2": [inputs[2]], "O": [output]}})
    }

    /// Three instances of the copy's module, and a voter of each bit.
    fn kept() -> Value {
        let copy = |q: [u64; 2]| json!({"type": "copy_2", "connections": {"d": [2, 3], "q": q}});
        let r = json!({"bits": [4, 5]});
        json!({"modules": {
            "copy_2": {
                "ports": {"d": {"bits": [2, 3]}, "q": r},
                "cells": {"x": flip_flop(2, 4), "y": flip_flop(3, 5)},
                "netnames": {"r": r},
            },
            "top": {"cells": {
                "chip.u_warps.u_live_copies.u_a": copy([10, 11]),
                "chip.u_warps.u_live_copies.u_b": copy([12, 13]),
                "chip.u_warps.u_live_copies.u_c": copy([14, 15]),
                "low": table([10, 12, 14], 20),
                "high": table([11, 13, 15], 21),
            }},
        }})
    }

    /// The same flattened: copies 0, 1 and 2 of each bit are the flip-flops of these numbers.
    fn flat(copies: [[u64; 2]; 3]) -> Value {
        let mut cells = serde_json::Map::new();
        for q in copies.into_iter().flatten() {
            cells.insert(format!("f{q}"), flip_flop(2, q));
        }
        for bit in [0, 1] {
            cells.insert(format!("voter{bit}"), table(copies.map(|c| c[bit]), 90 + bit as u64));
        }
        let names = ["u_a", "u_b", "u_c"].into_iter().zip(copies);
        let nets: serde_json::Map<_, _> =
            names.map(|(n, q)| (format!("u_warps.u_live_copies.{n}.r"), json!({"bits": q}))).collect();
        json!({"modules": {"top": {"cells": cells, "netnames": nets}}})
    }

    fn checked(netlist: &Value) -> Result<Option<u64>, SynthError> {
        checked_for(&expected(), netlist)
    }

    fn checked_for(expected: &Expected, netlist: &Value) -> Result<Option<u64>, SynthError> {
        let dir = tempfile::tempdir().expect("a folder");
        let mut say = |_: super::super::Step| ();
        let shop = Workshop::new(dir.path(), &mut say).expect("a workshop");
        shop.write(NETLIST, netlist.to_string()).expect("room");
        expected.check(&shop, "top")
    }

    #[track_caller]
    fn objects(netlist: &Value, told: &str) {
        let error = checked(netlist).expect_err("copies are missing").to_string();
        assert!(error.contains("netlist.json: ") && error.contains(told), "{error}");
        assert!(error.contains("u_warps.u_live_copies (") && error.contains("keep_hierarchy"), "{error}");
    }

    #[test]
    fn copies_that_are_flip_flops_of_their_own_pass() {
        assert_eq!(checked(&kept()).expect("all there"), Some(2));
        assert_eq!(checked(&flat([[30, 31], [32, 33], [34, 35]])).expect("all there"), Some(2));
    }

    #[test]
    fn joined_and_lost_copies_are_told() {
        objects(&flat([[30, 31], [30, 31], [30, 31]]), "2 of 2 bits");
        objects(&flat([[30, 31], [32, 33], [34, 33]]), "1 of 2 bits");
        let mut lost = kept();
        let cells = lost["modules"]["top"]["cells"].as_object_mut().expect("cells");
        cells.remove("chip.u_warps.u_live_copies.u_b");
        objects(&lost, "2 of 2 bits");
        // A copy that is one bit short, in the module of all copies.
        let mut short = kept();
        short["modules"]["copy_2"]["cells"].as_object_mut().expect("cells").remove("y");
        objects(&short, "1 of 2 bits");
        objects(&json!({"modules": {"top": {}}}), "2 of 2 bits");
    }

    #[test]
    fn a_copy_that_no_voter_reads_is_told() {
        let mut unread = kept();
        unread["modules"]["top"]["cells"]["high"] = table([11, 13, 13], 21);
        objects(&unread, "1 of 2 bits");
    }

    #[test]
    fn a_block_that_is_there_once_is_told() {
        let site = |path: &str, kind| Site {
            path: path.into(),
            block: "lane".into(),
            kind,
            width: 3,
            depth: 1,
            zeroed: false,
        };
        let sites = [
            site("u_sm_0.u_lane_1.u_original.x", SiteKind::Reg),
            site("u_sm_0.u_lane_1.u_original.u_int.y", SiteKind::Reg),
            site("u_sm_0.u_lane_1.u_original.z", SiteKind::Out),
            site("u_sm_0.u_decode.u_original.z", SiteKind::Out),
        ];
        let expected = Expected::among(&sites);
        let checked = |cells: &[&str]| {
            let cell = |kind: &str| json!({"type": kind, "connections": {}});
            let mut top: serde_json::Map<_, _> = cells.iter().map(|c| ((*c).to_string(), cell("lane"))).collect();
            top.insert("chip.u_sm_0".into(), cell("sm"));
            let sm = json!({"cells": {"u_decode.u_original": cell("lane"), "u_decode.u_duplicate": cell("lane")}});
            checked_for(&expected, &json!({"modules": {"lane": {}, "sm": sm, "top": {"cells": top}}}))
        };
        let both = ["chip.u_sm_0.u_lane_1.u_original", "chip.u_sm_0.u_lane_1.u_duplicate"];
        assert_eq!(checked(&both).expect("both are there"), Some(6));
        let error = checked(&both[..1]).expect_err("one is not there").to_string();
        assert!(error.contains("6 unprotected bits of 6: u_sm_0.u_lane_1 (1 of 2 blocks)"), "{error}");
    }

    #[test]
    fn another_netlist_is_no_proof() {
        let error = checked(&json!({"modules": {"other": {}}})).expect_err("no top").to_string();
        assert!(error.contains("a module `top` was expected"), "{error}");
        assert!(checked(&json!([])).expect_err("no netlist").to_string().contains("write_json"));
        assert!(Expected::among(&[]).is_empty());
    }
}
