//! `component.xml` against the Verilog, as Yosys reads it, and against the contract.

use super::support::outcome;
use super::{made, starts, written};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use warpsmith_contract::registers;
use warpsmith_fpga::package::Wrapper;
use warpsmith_hdl::config::NAMES;

/// Ports of a module as Yosys reads them: name to direction and width.
fn ports(verilog: &Path, module: &str) -> BTreeMap<String, (String, usize)> {
    let out = Command::new("yosys")
        .args(["-q", "-p"])
        .arg(format!("read_verilog -lib \"{}\"; write_json", verilog.display()))
        .output()
        .expect("yosys starts");
    let (code, out, err) = outcome(&out);
    assert_eq!(code, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let ports = json["modules"][module]["ports"].as_object().expect("ports");
    ports
        .iter()
        .map(|(name, p)| {
            let direction = p["direction"].as_str().expect("text").to_string();
            (name.clone(), (direction, p["bits"].as_array().expect("bits").len()))
        })
        .collect()
}

#[test]
fn ip_xact_says_what_the_verilog_says() {
    if !starts(&["yosys"]) {
        return;
    }
    for config in NAMES {
        let package = made(config, &[], &Wrapper::Axi);
        let dir = written(&package);
        let xml = roxmltree::Document::parse(&package.files["component.xml"]).expect("well-formed");
        let root = xml.root_element();
        type Node<'a> = roxmltree::Node<'a, 'a>;
        fn all<'a>(node: Node<'a>, tag: &'a str) -> Vec<Node<'a>> {
            node.descendants().filter(|n| n.tag_name().name() == tag).collect()
        }
        fn text<'a>(node: Node<'a>, tag: &'a str) -> &'a str {
            all(node, tag).first().and_then(|n| n.text()).unwrap_or_default()
        }

        let real = ports(&dir.path().join("rtl/warpsmith_axi.v"), "warpsmith_axi");
        let shown: BTreeMap<String, (String, usize)> = all(root, "port")
            .into_iter()
            .map(|p| {
                let width = match all(p, "vector").first() {
                    None => 1,
                    Some(v) => {
                        assert_eq!(text(*v, "right"), "0");
                        text(*v, "left").parse::<usize>().expect("a number") + 1
                    }
                };
                let direction = format!("{}put", text(p, "direction"));
                (text(p, "name").to_string(), (direction, width))
            })
            .collect();
        assert_eq!(shown, real, "{config}");
        assert!(real.len() > 50);

        // Every port belongs to one bus interface, under the name it has there.
        let mut mapped = BTreeSet::new();
        for bus in all(root, "busInterface") {
            let side = text(bus, "name");
            for map in all(bus, "portMap") {
                let logical = text(all(map, "logicalPort")[0], "name");
                let physical = text(all(map, "physicalPort")[0], "name");
                if let Some(field) = physical.strip_prefix(&format!("{side}_")) {
                    assert_eq!(logical, field.to_uppercase());
                } else {
                    let pair = (physical, logical);
                    assert!([("aclk", "CLK"), ("aresetn", "RST"), ("irq", "INTERRUPT")].contains(&pair), "{pair:?}");
                }
                assert!(mapped.insert(physical.to_string()), "{physical} twice");
            }
            let names: Vec<&str> = all(bus, "parameter").iter().map(|p| text(*p, "name")).collect();
            let values: Vec<&str> = all(bus, "parameter").iter().map(|p| text(*p, "value")).collect();
            let has = |n, v| names.iter().zip(&values).any(|p| p == (&n, &v));
            assert!(
                match side {
                    "s_axi" => has("PROTOCOL", "AXI4LITE") && all(bus, "slave").len() == 1,
                    "m_axi" => has("PROTOCOL", "AXI4") && all(bus, "master").len() == 1,
                    "aclk" => has("ASSOCIATED_BUSIF", "s_axi:m_axi") && has("ASSOCIATED_RESET", "aresetn"),
                    "aresetn" => has("POLARITY", "ACTIVE_LOW"),
                    _ => side == "irq" && all(bus, "master").len() == 1,
                },
                "{side}: {names:?} {values:?}"
            );
        }
        assert_eq!(mapped, real.keys().cloned().collect(), "{config}");
        for (reference, of) in [("memoryMapRef", "memoryMap"), ("addressSpaceRef", "addressSpace")] {
            for r in all(root, reference) {
                let name = r.attributes().next().expect("a name").value();
                assert!(all(root, of).iter().any(|m| text(*m, "name") == name), "{name}");
            }
        }
        for view in all(root, "view") {
            assert_eq!(text(view, "modelName"), "warpsmith_axi");
            let set = text(view, "localName");
            assert!(all(root, "fileSet").iter().any(|f| text(*f, "name") == set), "{set}");
        }
        for file in all(root, "file") {
            let name = text(file, "name");
            assert!(package.files.contains_key(name), "{name}");
        }

        // Registers are those of the contract, as the pages show them.
        let agreed: BTreeSet<(String, u32, &str)> = registers::CHIP
            .iter()
            .chain(registers::AXI)
            .map(|r| (r.name.to_string(), r.address, r.access.name()))
            .collect();
        let shown: BTreeSet<(String, u32, &str)> = all(root, "register")
            .into_iter()
            .map(|r| {
                let offset = text(r, "addressOffset").trim_start_matches("0x");
                (text(r, "name").into(), u32::from_str_radix(offset, 16).expect("hex"), text(r, "access"))
            })
            .collect();
        assert_eq!(shown, agreed);
        assert_eq!(shown.len(), 26);
        // The script names the same sources and top.
        let script = &package.files["package_ip.tcl"];
        for word in ["$here/rtl/warpsmith.v", "$here/rtl/warpsmith_axi.v", "set_property top warpsmith_axi "] {
            assert!(script.contains(word), "{word}");
        }
    }
}
