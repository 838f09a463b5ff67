//! Emits named configurations into folders: `cargo run -p warpsmith-hdl --example emit -- DIR tiny default`.
//! A name with `-plain` behind it leaves the trace port out.

use std::path::Path;
use warpsmith_hdl::{chip, config::GpuConfig};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or("usage: emit DIR NAME…")?;
    for name in args {
        let mut cfg = GpuConfig::named(name.trim_end_matches("-plain"))?;
        cfg.trace = !name.ends_with("-plain");
        let emitted = chip(&cfg, &name);
        emitted.write(&Path::new(&dir).join(&name))?;
        let text = &emitted.files["warpsmith.v"];
        println!("{name}: {} lines, {} modules", text.lines().count(), text.matches("\nmodule ").count());
    }
    Ok(())
}
