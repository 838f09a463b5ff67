//! Programs: source or binary, their builds for each device, their kernels.

use crate::answer::{size, sizes, text, uint};
use crate::build::binary::{Binary, Kind, Part};
use crate::build::options::BuildOptions;
use crate::build::{back, check_library, front, linked, object, Declared, Front, Module, Text};
use crate::cl;
use crate::context::Context;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::registry::{Handle, Object};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpsmith_compiler::Compiled;

/// A build for one device.
#[derive(Clone, Debug)]
pub struct Build {
    status: i32,
    options: String,
    log: String,
    binary: Option<Arc<Binary>>,
    module: Option<Arc<Module>>,
}

impl Default for Build {
    fn default() -> Build {
        Build { status: cl::BUILD_NONE, options: String::new(), log: String::new(), binary: None, module: None }
    }
}

/// A program.
pub struct Program {
    handle: Handle,
    /// Its context.
    pub context: Arc<Context>,
    /// Its devices.
    pub devices: Vec<Arc<Device>>,
    /// OpenCL C; `None` for programs from binaries and from linking.
    source: Option<String>,
    builds: Mutex<BTreeMap<usize, Build>>,
    /// Kernel objects alive.
    kernels: Arc<AtomicUsize>,
}

impl Object for Program {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Program {
    /// A program from source.
    pub fn of_source(handle: Handle, context: Arc<Context>, source: String) -> Program {
        let devices = context.devices.clone();
        Program { handle, context, devices, source: Some(source), builds: Mutex::default(), kernels: Arc::default() }
    }

    /// A program from a binary for each device.
    pub fn of_binaries(
        handle: Handle, context: Arc<Context>, devices: Vec<Arc<Device>>, binaries: Vec<Binary>,
    ) -> Program {
        let build = |binary: Binary| Build { binary: Some(Arc::new(binary)), ..Build::default() };
        let builds = devices.iter().zip(binaries);
        let builds = builds.map(|(d, b)| (d.index, build(b))).collect();
        Program { handle, context, devices, source: None, builds: Mutex::new(builds), kernels: Arc::default() }
    }

    /// Its source, where it has one.
    pub fn source(&self) -> Option<String> {
        self.source.clone()
    }

    fn builds(&self) -> MutexGuard<'_, BTreeMap<usize, Build>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn build_for(&self, device: &Device) -> Build {
        self.builds().get(&device.index).cloned().unwrap_or_default()
    }

    /// Whether a device is one of its own.
    pub fn has(&self, device: &Device) -> bool {
        self.devices.iter().any(|d| d.index == device.index)
    }

    /// Whether it may be built anew.
    fn check_free(&self) -> Result<()> {
        let none = self.kernels.load(Ordering::SeqCst) == 0;
        need(none, cl::INVALID_OPERATION, "kernels of this program exist")
    }

    /// Keeps builds, and tells of the first that failed.
    fn keep(&self, builds: Vec<(usize, Build)>, failure: i32) -> Result<()> {
        let wrong = builds.iter().find(|(_, b)| b.status == cl::BUILD_ERROR);
        let log = wrong.map(|(_, b)| b.log.clone());
        self.builds().extend(builds);
        match log {
            None => Ok(()),
            Some(log) => {
                self.context.tell(&format!("the program cannot be built:\n{}", log.trim_end()));
                Err(Error::new(failure, "see the build log"))
            }
        }
    }

    /// Builds for devices.
    ///
    /// # Errors
    /// Those of `clBuildProgram`.
    pub fn build(&self, devices: &[Arc<Device>], options: &str) -> Result<()> {
        self.check_free()?;
        let parsed = parse(options, cl::INVALID_BUILD_OPTIONS)?;
        let from_source = self.source.as_ref().map(|source| {
            let text = Text { source: source.clone(), headers: Vec::new() };
            front(&text, &parsed)
        });
        let mut builds = Vec::new();
        for device in devices {
            let old = self.build_for(device);
            let made = match (&from_source, &old.binary) {
                (Some(front), _) => front.clone().map(|f| (f, parsed.clone(), options.to_string())),
                (None, Some(b)) if b.kind == Kind::Executable => {
                    let own = parse(&b.options, cl::INVALID_BINARY)?;
                    Ok((b.front.clone(), own, b.options.clone()))
                }
                _ => return Err(Error::new(cl::INVALID_BINARY, "this program is no executable for the device")),
            };
            builds.push((device.index, executable(device, made, options)));
        }
        self.keep(builds, cl::BUILD_PROGRAM_FAILURE)
    }

    /// Compiles without linking.
    ///
    /// # Errors
    /// Those of `clCompileProgram`.
    pub fn compile(&self, devices: &[Arc<Device>], options: &str, headers: Vec<(String, String)>) -> Result<()> {
        self.check_free()?;
        let parsed = parse(options, cl::INVALID_COMPILER_OPTIONS)?;
        let source =
            self.source.clone().ok_or(Error::new(cl::INVALID_OPERATION, "only programs with source are compiled"))?;
        let text = Text { source, headers };
        let build = match object(&text, &parsed) {
            Ok((part, log)) => unlinked(Kind::Object, options, vec![part], log),
            Err(log) => failed(options, log),
        };
        let builds = devices.iter().map(|d| (d.index, build.clone())).collect();
        self.keep(builds, cl::COMPILE_PROGRAM_FAILURE)
    }

    /// A program of compiled ones.
    ///
    /// # Errors
    /// Those of `clLinkProgram`; a link that fails is a program with its log, and no error here.
    pub fn link(
        handle: Handle, context: Arc<Context>, devices: Vec<Arc<Device>>, options: &str, library: bool,
        inputs: &[Arc<Program>],
    ) -> Program {
        let mut builds = BTreeMap::new();
        for device in &devices {
            let binaries: Vec<_> = inputs.iter().filter_map(|p| p.build_for(device).binary).collect();
            let parts: Vec<Part> = binaries.iter().flat_map(|b| b.parts.clone()).collect();
            let build = match library {
                true => match check_library(&parts) {
                    Ok(()) => unlinked(Kind::Library, options, parts, String::new()),
                    Err(log) => failed(options, log),
                },
                false => executable(device, linked(&parts), options),
            };
            builds.insert(device.index, build);
        }
        Program { handle, context, devices, source: None, builds: Mutex::new(builds), kernels: Arc::default() }
    }

    /// Whether all its inputs can be linked for a device.
    pub fn is_object(&self, device: &Device) -> bool {
        let b = self.build_for(device);
        b.binary.is_some_and(|b| b.kind != Kind::Executable)
    }

    /// The first failed build's log.
    pub fn failure(&self) -> Option<String> {
        let builds = self.builds();
        let wrong = builds.values().find(|b| b.status == cl::BUILD_ERROR);
        wrong.map(|b| b.log.clone())
    }

    /// The kernel of a name on every device that has the program.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`, `CL_INVALID_KERNEL_NAME`.
    pub fn kernel(&self, name: &str) -> Result<BTreeMap<usize, Arc<Compiled>>> {
        let builds = self.builds();
        let modules: Vec<(usize, &Arc<Module>)> =
            builds.iter().filter_map(|(i, b)| Some((*i, b.module.as_ref()?))).collect();
        need(!modules.is_empty(), cl::INVALID_PROGRAM_EXECUTABLE, "the program has not been built")?;
        let found: BTreeMap<_, _> =
            modules.iter().filter_map(|(i, m)| Some((*i, m.kernels.get(name)?.clone()))).collect();
        if found.is_empty() {
            let names: Vec<&str> = modules[0].1.kernels.keys().map(String::as_str).collect();
            return Err(Error::new(
                cl::INVALID_KERNEL_NAME,
                format!("there is no kernel `{name}`; there are: {}", names.join(", ")),
            ));
        }
        Ok(found)
    }

    /// What the source says of a kernel.
    pub fn declared(&self, name: &str) -> Option<Declared> {
        let builds = self.builds();
        let module = builds.values().find_map(|b| b.module.as_ref())?;
        module.declared.get(name).cloned()
    }

    /// Names of all kernels.
    ///
    /// # Errors
    /// `CL_INVALID_PROGRAM_EXECUTABLE`.
    pub fn kernel_names(&self) -> Result<Vec<String>> {
        let builds = self.builds();
        let module = builds.values().find_map(|b| b.module.as_ref());
        let module = module.ok_or(Error::new(cl::INVALID_PROGRAM_EXECUTABLE, "the program has not been built"))?;
        Ok(module.kernels.keys().cloned().collect())
    }

    /// The count of kernel objects, for them to keep.
    pub fn kernel_count(&self) -> Arc<AtomicUsize> {
        self.kernels.clone()
    }

    /// Binaries in the order of the devices; empty where there is none.
    pub fn binaries(&self) -> Vec<Vec<u8>> {
        let of = |d: &Arc<Device>| self.build_for(d).binary.map_or(Vec::new(), |b| b.bytes());
        self.devices.iter().map(of).collect()
    }

    /// A value of `clGetProgramInfo`; `CL_PROGRAM_BINARIES` is not among them.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`, and `CL_INVALID_PROGRAM_EXECUTABLE` for kernels of a program that is not built.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::PROGRAM_REFERENCE_COUNT => uint(self.handle.count()),
            cl::PROGRAM_CONTEXT => size(self.context.handle().address()),
            cl::PROGRAM_NUM_DEVICES => uint(self.devices.len() as u32),
            cl::PROGRAM_DEVICES => {
                let list: Vec<usize> = self.devices.iter().map(|d| d.handle().address()).collect();
                sizes(&list)
            }
            cl::PROGRAM_SOURCE => text(self.source.as_deref().unwrap_or("")),
            cl::PROGRAM_BINARY_SIZES => {
                let list: Vec<usize> = self.binaries().iter().map(Vec::len).collect();
                sizes(&list)
            }
            cl::PROGRAM_NUM_KERNELS => size(self.kernel_names()?.len()),
            cl::PROGRAM_KERNEL_NAMES => text(&self.kernel_names()?.join(";")),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a program")),
        })
    }

    /// A value of `clGetProgramBuildInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn build_info(&self, device: &Device, name: u32) -> Result<Vec<u8>> {
        let b = self.build_for(device);
        Ok(match name {
            cl::PROGRAM_BUILD_STATUS => uint(b.status as u32),
            cl::PROGRAM_BUILD_OPTIONS => text(&b.options),
            cl::PROGRAM_BUILD_LOG => text(&b.log),
            cl::PROGRAM_BINARY_TYPE => uint(match b.binary.as_ref().map(|b| b.kind) {
                None => cl::PROGRAM_BINARY_TYPE_NONE,
                Some(Kind::Object) => cl::PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                Some(Kind::Library) => cl::PROGRAM_BINARY_TYPE_LIBRARY,
                Some(Kind::Executable) => cl::PROGRAM_BINARY_TYPE_EXECUTABLE,
            }),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a build")),
        })
    }
}

/// Options of a call.
///
/// # Errors
/// `code` for options that are none.
fn parse(options: &str, code: i32) -> Result<BuildOptions> {
    BuildOptions::parse(options).map_err(|e| Error::new(code, e))
}

fn failed(options: &str, log: String) -> Build {
    Build { status: cl::BUILD_ERROR, options: options.into(), log, binary: None, module: None }
}

/// A build of parts that wait for linking.
fn unlinked(kind: Kind, options: &str, parts: Vec<Part>, log: String) -> Build {
    Build {
        status: cl::BUILD_SUCCESS,
        options: options.into(),
        log,
        binary: Some(Arc::new(Binary { kind, options: options.into(), front: Front::default(), parts })),
        module: None,
    }
}

/// PTX of all kernels, the options it is compiled with, and these as text.
type Made = std::result::Result<(Front, BuildOptions, String), String>;

/// The build of an executable for a device; `options` as the call gave them.
fn executable(device: &Device, made: Made, options: &str) -> Build {
    let (front, parsed, own) = match made {
        Ok(m) => m,
        Err(log) => return failed(options, log),
    };
    match back(&front, &parsed, device.machine.info()) {
        Err(log) => failed(options, format!("{}{log}", front.log)),
        Ok(module) => Build {
            status: cl::BUILD_SUCCESS,
            options: options.into(),
            log: front.log.clone(),
            binary: Some(Arc::new(Binary { kind: Kind::Executable, options: own, front, parts: Vec::new() })),
            module: Some(Arc::new(module)),
        },
    }
}
