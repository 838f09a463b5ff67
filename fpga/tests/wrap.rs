//! Options of wrappers that are impossible are refused by name.

use warpsmith_fpga::chip::ChipManifest;
use warpsmith_fpga::wrap::axi::{render, AxiOptions};

fn chip() -> ChipManifest {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../rtl-out/default/manifest.json");
    let text = std::fs::read_to_string(manifest).expect("the committed chip");
    ChipManifest::from_manifest(&text).expect("a chip")
}

#[test]
fn impossible_axi_options_are_named() {
    let chip = chip();
    let good = AxiOptions::of(&chip);
    assert!(render(&chip, &good).is_ok());
    let refused = |change: &dyn Fn(&mut AxiOptions), says: &str| {
        let mut options = good.clone();
        change(&mut options);
        let error = render(&chip, &options).expect_err(says).to_string();
        assert!(error.starts_with(says), "{error}");
    };
    refused(&|o| o.data_bits = 512, "data_bits = 512 is impossible");
    refused(&|o| o.data_bits = 16, "data_bits = 16 is impossible");
    refused(&|o| o.data_bits = 96, "data_bits = 96 is impossible");
    refused(&|o| o.address_bits = 31, "address_bits = 31 is impossible");
    refused(&|o| o.address_bits = 65, "address_bits = 65 is impossible");
    refused(&|o| o.outstanding = 3, "outstanding = 3 is impossible");
    refused(&|o| o.id_bits = 0, "id_bits = 0 is impossible");
}
