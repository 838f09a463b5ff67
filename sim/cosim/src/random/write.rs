//! A launch constructed in memory, as a folder that can be run again.

use crate::error::CosimError;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use warpsmith_isa::set::words;
use warpsmith_isa::Isa;
use warpsmith_model::Launch;

/// Writes `launch.toml`, `program.hex` and the data files into `folder` (made when missing); gives
/// the path of `launch.toml`.
///
/// # Errors
/// [`CosimError::Write`] naming the file.
pub fn write_launch(launch: &Launch, folder: &Path) -> Result<PathBuf, CosimError> {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|source| CosimError::Write { path: path.clone(), source }).map(|()| path)
    };
    std::fs::create_dir_all(folder).map_err(|source| CosimError::Write { path: folder.into(), source })?;
    let lines = words::hex(launch.isa().set(), &launch.program.bytes);
    put("program.hex", (lines.join("\n") + "\n").as_bytes())?;
    let mut toml = String::new();
    let l = launch;
    let _ =
        writeln!(toml, "name = {:?}\nprogram = \"program.hex\"\ngrid = {:?}\nblock = {:?}", l.name, l.grid, l.block);
    if l.isa() != Isa::Sm10 {
        let _ = writeln!(toml, "isa = {:?}", l.isa().name());
    }
    let _ = writeln!(
        toml,
        "registers = {}\nshared_bytes = {}\nlocal_bytes = {}\nparams = {:?}\nglobal_bytes = {}",
        l.registers, l.shared_bytes, l.local_bytes, l.params, l.global_bytes
    );
    if l.simd != 0 {
        let _ = writeln!(toml, "simd = {}", l.simd);
    }
    if let Some(sip) = l.sip {
        let _ = writeln!(toml, "sip = {sip}");
    }
    if l.guard {
        toml.push_str("guard = true\n");
    }
    for (i, c) in l.constants.iter().enumerate() {
        let name = format!("constant{i}.bin");
        put(&name, &c.bytes)?;
        let _ = writeln!(toml, "\n[[constant]]\nbank = {}\noffset = {}\nfile = \"{name}\"", c.bank, c.offset);
    }
    for (what, list) in [("global", &l.globals), ("expect", &l.expects)] {
        for (i, g) in list.iter().enumerate() {
            let name = format!("{what}{i}.bin");
            put(&name, &g.bytes)?;
            let _ = writeln!(toml, "\n[[{what}]]\noffset = {}\nfile = \"{name}\"", g.offset);
            if let Some(u) = g.max_ulp {
                let _ = writeln!(toml, "max_ulp = {u}");
            }
        }
    }
    put("launch.toml", toml.as_bytes())
}
