//! Verilator's part of a build: models and its runtime as objects, each compiled once.

use crate::cache::{cached, put};
use crate::error::CxxError;
use crate::flags::GENERATED;
use crate::tool::{compiler, make, verilator, verilator_version};
use std::path::{Path, PathBuf};
use warpsmith_cache::key;

/// Arguments of make for a makefile of Verilator in `obj`.
fn makefile(name: &str) -> Vec<String> {
    let mut args: Vec<String> = ["-C", "obj", "-f", name, "-j2", "OPT_GLOBAL=-O2"].map(String::from).to_vec();
    // The makefile refuses folders with spaces in their names, though it uses none but its own.
    args.extend(["OBJCACHE=", "VM_PARALLEL_BUILDS=1", "CURDIR=."].map(String::from));
    args.push(format!("CXX={}", compiler().program));
    // From 5.018 on the makefile compiles a header in advance; one whose build did not find out how the compiler
    // takes it, as that of the Python package, names it as if it were an object.
    args.push("CFG_CXXFLAGS_PCH_I=-include".into());
    args
}

/// Runs Verilator's makefile in `obj` for some objects; `optimise` is for code that runs often and
/// for code that does not.
///
/// # Errors
/// A tool that is missing or fails.
fn objects(work: &Path, optimise: (&str, &str), wanted: &[&str], log: &mut String) -> Result<(), CxxError> {
    let mut args = makefile("Vtop.mk");
    args.push(format!("OPT_FAST={}", optimise.0));
    args.push(format!("OPT_SLOW={}", optimise.1));
    args.extend(wanted.iter().map(|o| o.to_string()));
    make().run(work, &args, log).map(drop)
}

/// Makefile that compiles a header in advance; `OPT` is the optimisation of the files that include it.
const AHEAD: &str = "include Vtop.mk\n%.h.gch: %.h\n\t$(CXX) $(CXXFLAGS) $(CPPFLAGS) $(OPT) -x c++-header -o $@ $<\n";

/// Files from which on it pays to compile their header in advance, which takes as long as to read it three or four
/// times.
const MANY: usize = 8;

/// Compiles the header of a model's many files in advance, where Verilator's makefile does not: half the time of a
/// file of `wide` goes into it. Returns the optimisation by which the files find it.
///
/// # Errors
/// A tool that is missing or fails.
fn headers(work: &Path, optimise: (&str, &str), log: &mut String) -> Result<[String; 2], CxxError> {
    let obj = work.join("obj");
    let mut found = [optimise.0, optimise.1].map(String::from);
    if obj.join("Vtop__pch.h").exists() {
        return Ok(found);
    }
    let entries = std::fs::read_dir(&obj).map_err(|source| CxxError::Cache { path: obj, source })?;
    let names = entries.filter_map(|e| e.ok()?.file_name().into_string().ok());
    let (slow, fast): (Vec<String>, Vec<String>) =
        names.filter(|n| n.ends_with(".cpp")).partition(|n| n.ends_with("Slow.cpp"));
    for (optimise, (name, files)) in found.iter_mut().zip([("fast.h", fast), ("slow.h", slow)]) {
        if files.len() >= MANY {
            put(work, "obj/ahead.mk", AHEAD)?;
            put(work, Path::new("obj").join(name), "#include \"Vtop__Syms.h\"\n")?;
            let mut args = makefile("ahead.mk");
            args.extend([format!("OPT={optimise}"), format!("{name}.gch")]);
            make().run(work, &args, log)?;
            *optimise = format!("{optimise} -include {name}");
        }
    }
    Ok(found)
}

/// A model as Verilator writes it, compiled: what is built around it varies more often.
#[derive(Clone, Copy, Debug)]
pub struct Model<'a> {
    /// Files for Verilator: name, text.
    pub sources: &'a [(&'a str, &'a [u8])],
    /// Arguments of Verilator before the sources: [`GENERATED`] and `--prefix Vtop` among them.
    pub args: &'a [String],
    /// Optimisation: code that runs often, code that does not.
    pub optimise: (&'a str, &'a str),
}

/// The archive of every model, beside its headers.
const ARCHIVE: &str = "Vtop__ALL.a";

impl Model<'_> {
    /// Path of its archive: from the cache, or compiled now.
    ///
    /// # Errors
    /// A tool that is missing or fails; [`CxxError::Cache`].
    pub fn build(&self, cache: &Path) -> Result<PathBuf, CxxError> {
        let versions = [verilator_version()?, compiler().version()?];
        let settings = format!("{:?} {:?} {GENERATED:?} {versions:?}", self.args, self.optimise);
        let texts = self.sources.iter().flat_map(|(n, t)| [n.as_bytes(), *t]);
        let key = key(texts.chain([settings.as_bytes()]));
        cached(cache, &format!("model-{key}"), ARCHIVE, |work, log| {
            for (name, text) in self.sources {
                put(work, name, text)?;
            }
            self.compile(work, log)
        })
    }

    fn compile(&self, work: &Path, log: &mut String) -> Result<(), CxxError> {
        let mut args: Vec<&str> = self.args.iter().map(String::as_str).collect();
        args.extend(["--Mdir", "obj"]);
        args.extend(self.sources.iter().map(|(n, _)| *n));
        verilator().run(work, &args, log)?;
        let [fast, slow] = headers(work, self.optimise, log)?;
        objects(work, (&fast, &slow), &[ARCHIVE], log)?;
        let io = |path: &Path| {
            let path = path.to_path_buf();
            move |source| CxxError::Cache { path, source }
        };
        let obj = work.join("obj");
        for entry in std::fs::read_dir(&obj).map_err(io(&obj))? {
            let from = entry.map_err(io(&obj))?.path();
            let name = from.file_name().unwrap_or_default();
            if name == ARCHIVE || from.extension().is_some_and(|e| e == "h") {
                std::fs::rename(&from, work.join(name)).map_err(io(&from))?;
            }
        }
        Ok(())
    }
}

/// The runtime of Verilator as objects: the same for every model.
pub struct Runtime {
    /// In the order of the link, after the model.
    pub objects: Vec<PathBuf>,
}

impl Runtime {
    /// From the cache, or compiled now; with `wave` for models that write waveforms.
    ///
    /// # Errors
    /// A tool that is missing or fails; [`CxxError::Cache`].
    pub fn new(cache: &Path, wave: bool) -> Result<Self, CxxError> {
        let mut names = vec!["verilated.o", "verilated_threads.o"];
        let mut flags = vec!["--cc", "--prefix", "Vtop", "--Mdir", "obj"];
        if wave {
            names.push("verilated_fst_c.o");
            flags.push("--trace-fst");
        }
        flags.extend(GENERATED);
        flags.push("empty.v");
        let versions = [verilator_version()?, compiler().version()?];
        let key = key(flags.iter().copied().chain(versions.iter().map(String::as_str)));
        let first = cached(cache, &format!("runtime-{key}"), names[0], |work, log| {
            put(work, "empty.v", "module empty(input clock); endmodule\n")?;
            verilator().run(work, &flags, log)?;
            objects(work, ("-O2", "-O1"), &names, log)?;
            for name in &names {
                let path = work.join(name);
                std::fs::rename(work.join("obj").join(name), &path)
                    .map_err(|source| CxxError::Cache { path, source })?;
            }
            Ok(())
        })?;
        let objects = names.iter().map(|n| first.with_file_name(n)).collect();
        Ok(Self { objects })
    }
}
