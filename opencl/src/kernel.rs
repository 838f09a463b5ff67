//! Kernels and their arguments.

use crate::answer::{size, sizes, text, uint, ulong};
use crate::buffer::Buffer;
use crate::build::{Declared, SAMPLER};
use crate::cl;
use crate::device::Device;
use crate::error::{need, Error, Result};
use crate::layout::{is_pointer, shared_bytes};
use crate::program::Program;
use crate::registry::{Handle, Object};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use warpsmith_compiler::ir::{Param, ParamKind};
use warpsmith_compiler::Compiled;
use warpsmith_isa::arch::PARAM_BASE;

/// An argument as it was set.
#[derive(Clone)]
pub enum Argument {
    /// A buffer; `None`: a null pointer. Kernels hold no references to buffers: the program could not tell when it may free
    /// the memory behind `CL_MEM_USE_HOST_PTR`.
    Buffer(Option<Weak<Buffer>>),
    /// An image, held as a buffer is.
    Image(Weak<Buffer>),
    /// Bytes of a value; a sampler is its word.
    Bytes(Vec<u8>),
    /// Bytes of local memory.
    Local(u32),
}

/// An object that a handle may be.
pub enum Given {
    /// A buffer or an image.
    Memory(Arc<Buffer>),
    /// The word of a sampler.
    Sampler(u32),
}

/// What an argument's handle must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A buffer.
    Buffer,
    /// An image of a type; whether the kernel writes it instead of reading it.
    Image(String, bool),
    /// A sampler.
    Sampler,
}

/// The `__local` ones of arguments with their parameters, each with its bytes.
pub fn locals<'a>(
    arguments: impl Iterator<Item = (&'a Param, &'a Argument)>,
) -> impl Iterator<Item = (&'a Param, u32)> {
    arguments.filter_map(|(p, a)| match a {
        Argument::Local(n) => Some((p, *n)),
        _ => None,
    })
}

/// A kernel.
pub struct Kernel {
    handle: Handle,
    /// Its program.
    pub program: Arc<Program>,
    /// Its name.
    pub name: String,
    /// Its code on each device, by the device's index.
    code: BTreeMap<usize, Arc<Compiled>>,
    declared: Declared,
    arguments: Mutex<Vec<Option<Argument>>>,
    count: Arc<AtomicUsize>,
}

impl Object for Kernel {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Kernel {
    /// A kernel of a program.
    pub fn new(handle: Handle, program: Arc<Program>, name: String, code: BTreeMap<usize, Arc<Compiled>>) -> Kernel {
        let count = program.kernel_count();
        count.fetch_add(1, Ordering::SeqCst);
        let declared = program.declared(&name).unwrap_or_default();
        let arguments = code.values().next().map_or(0, |c| c.kernel.params.len());
        Kernel { handle, program, name, code, declared, arguments: Mutex::new(vec![None; arguments]), count }
    }

    fn params(&self) -> &[Param] {
        self.code.values().next().map_or(&[], |c| &c.kernel.params)
    }

    /// Bytes of the value that sets an argument; a buffer's is its handle.
    pub fn argument_bytes(&self, index: u32) -> Option<usize> {
        let param = self.params().get(index as usize)?;
        Some(match is_pointer(param.kind) {
            true => size_of::<usize>(),
            false => param.bytes as usize,
        })
    }

    /// What an argument's handle must be.
    fn wanted(&self, index: u32) -> Wanted {
        match self.declared.objects.get(index as usize) {
            Some([ty, _]) if ty == SAMPLER => Wanted::Sampler,
            Some([ty, access]) if !ty.is_empty() => Wanted::Image(ty.clone(), access == "write_only"),
            _ => Wanted::Buffer,
        }
    }

    /// Sets an argument; `bytes` is the size of the call, `given` the value's bytes (`None`: a null pointer), `find` finds
    /// what is wanted by its handle.
    ///
    /// # Errors
    /// Those of `clSetKernelArg`.
    pub fn set(
        &self, index: u32, bytes: usize, given: Option<&[u8]>, find: impl FnOnce(usize, &Wanted) -> Result<Given>,
    ) -> Result<()> {
        let param = self.params().get(index as usize).ok_or_else(|| {
            let n = self.params().len();
            Error::new(cl::INVALID_ARG_INDEX, format!("{} has {n} arguments", self.name))
        })?;
        let sized = |wanted: usize| {
            need(
                bytes == wanted,
                cl::INVALID_ARG_SIZE,
                &format!("argument {index} of {} has {wanted} bytes, not {bytes}", self.name),
            )
        };
        let argument = match (param.kind, given) {
            (ParamKind::Shared, None) => {
                need(bytes > 0, cl::INVALID_ARG_SIZE, "a __local argument needs a byte at least")?;
                let n = u32::try_from(bytes).map_err(|_| Error::from(cl::INVALID_ARG_SIZE))?;
                Argument::Local(n)
            }
            (ParamKind::Shared, _) => {
                return Err(Error::new(cl::INVALID_ARG_VALUE, "a __local argument is a size and a null pointer"))
            }
            (kind, None) if is_pointer(kind) => {
                sized(size_of::<usize>())?;
                match self.wanted(index) {
                    Wanted::Buffer => Argument::Buffer(None),
                    Wanted::Sampler => return Err(Error::new(cl::INVALID_SAMPLER, "a sampler is needed")),
                    Wanted::Image(..) => return Err(Error::new(cl::INVALID_MEM_OBJECT, "an image is needed")),
                }
            }
            (kind, Some(value)) if is_pointer(kind) => {
                sized(size_of::<usize>())?;
                let mut handle = [0; size_of::<usize>()];
                handle.copy_from_slice(value);
                let wanted = self.wanted(index);
                match usize::from_ne_bytes(handle) {
                    0 if wanted == Wanted::Buffer => Argument::Buffer(None),
                    handle => match find(handle, &wanted)? {
                        Given::Memory(b) if b.image.is_some() => Argument::Image(Arc::downgrade(&b)),
                        Given::Memory(b) => Argument::Buffer(Some(Arc::downgrade(&b))),
                        Given::Sampler(word) => Argument::Bytes(word.to_le_bytes().to_vec()),
                    },
                }
            }
            (_, None) => return Err(Error::new(cl::INVALID_ARG_VALUE, "a value is needed, not a null pointer")),
            (_, Some(value)) => {
                sized(param.bytes as usize)?;
                Argument::Bytes(value.to_vec())
            }
        };
        let mut arguments = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        arguments[index as usize] = Some(argument);
        Ok(())
    }

    /// All arguments.
    ///
    /// # Errors
    /// `CL_INVALID_KERNEL_ARGS` when one is not set.
    pub fn arguments(&self) -> Result<Vec<Argument>> {
        let arguments = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        let list = arguments.iter().enumerate().map(|(n, a)| {
            a.clone().ok_or_else(|| {
                let what = format!("argument {n} of {} is not set", self.name);
                Error::new(cl::INVALID_KERNEL_ARGS, what)
            })
        });
        list.collect()
    }

    /// Its code on a device.
    pub fn code(&self, device: &Device) -> Option<&Arc<Compiled>> {
        self.code.get(&device.index)
    }

    /// Work-items of a group at most on a device: by registers, warps and what the source says.
    pub fn most_items(&self, device: &Device) -> Option<u32> {
        let k = &self.code(device)?.kernel;
        let info = device.machine.info();
        let warps = (info.registers / (32 * k.registers.max(1))).min(info.warps);
        let by_source = k.required_block.map(|b| b.iter().product());
        Some((32 * warps).min(by_source.or(k.max_threads).unwrap_or(u32::MAX)))
    }

    /// A value of `clGetKernelInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE` for a name that 1.2 does not have.
    pub fn info(&self, name: u32) -> Result<Vec<u8>> {
        Ok(match name {
            cl::KERNEL_FUNCTION_NAME => text(&self.name),
            cl::KERNEL_NUM_ARGS => uint(self.params().len() as u32),
            cl::KERNEL_REFERENCE_COUNT => uint(self.handle.count()),
            cl::KERNEL_CONTEXT => size(self.program.context.handle().address()),
            cl::KERNEL_PROGRAM => size(self.program.handle().address()),
            cl::KERNEL_ATTRIBUTES => {
                let d = &self.declared;
                let named = [("reqd_work_group_size", d.required_block), ("work_group_size_hint", d.hinted_block)];
                let blocks = named.iter().filter_map(|(name, block)| {
                    let [x, y, z] = (*block)?;
                    Some(format!("{name}({x},{y},{z})"))
                });
                let ty = d.hinted_type.iter();
                let list = blocks.chain(ty.map(|t| format!("vec_type_hint({t})")));
                text(&list.collect::<Vec<_>>().join(" "))
            }
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a kernel")),
        })
    }

    /// A value of `clGetKernelWorkGroupInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_DEVICE`, `CL_INVALID_VALUE`.
    pub fn group_info(&self, device: &Device, name: u32) -> Result<Vec<u8>> {
        let code = self.code(device).ok_or(Error::from(cl::INVALID_DEVICE))?;
        let k = &code.kernel;
        Ok(match name {
            // Programs make groups of three dimensions by dividing it: a power of two, where the source does not say.
            cl::KERNEL_WORK_GROUP_SIZE => {
                let most = self.most_items(device).unwrap_or(0);
                let said = k.required_block.is_some() || k.max_threads.is_some();
                size(if said || most == 0 { most } else { 1 << most.ilog2() } as usize)
            }
            cl::KERNEL_COMPILE_WORK_GROUP_SIZE => sizes(&k.required_block.unwrap_or_default().map(|n| n as usize)),
            cl::KERNEL_LOCAL_MEM_SIZE => ulong(self.local_bytes(k.shared_bytes, k.param_bytes)),
            cl::KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => size(32),
            cl::KERNEL_PRIVATE_MEM_SIZE => ulong(u64::from(k.local_bytes)),
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of a kernel on a device")),
        })
    }

    /// Local memory of a group: variables, and the arguments set so far.
    fn local_bytes(&self, own: u32, param_bytes: u32) -> u64 {
        let arguments = self.arguments.lock().unwrap_or_else(PoisonError::into_inner);
        let set = self.params().iter().zip(arguments.iter());
        let set = set.filter_map(|(p, a)| Some((p, a.as_ref()?)));
        shared_bytes(own, locals(set)).saturating_sub(u64::from(PARAM_BASE + param_bytes))
    }

    /// A value of `clGetKernelArgInfo`.
    ///
    /// # Errors
    /// `CL_INVALID_ARG_INDEX`, `CL_KERNEL_ARG_INFO_NOT_AVAILABLE`.
    pub fn argument_info(&self, index: u32, name: u32) -> Result<Vec<u8>> {
        let param = self.params().get(index as usize);
        let param = param.ok_or(Error::from(cl::INVALID_ARG_INDEX))?;
        let [own, ty, qualifiers] = self.declared.arguments.get(index as usize).ok_or_else(|| {
            let what = "build the program with -cl-kernel-arg-info";
            Error::new(cl::KERNEL_ARG_INFO_NOT_AVAILABLE, what)
        })?;
        let object = self.declared.objects.get(index as usize).map(|[ty, access]| (ty.as_str(), access.as_str()));
        Ok(match name {
            cl::KERNEL_ARG_ADDRESS_QUALIFIER if object.is_some_and(|(ty, _)| ty == SAMPLER) => {
                uint(cl::KERNEL_ARG_ADDRESS_PRIVATE)
            }
            cl::KERNEL_ARG_ADDRESS_QUALIFIER => uint(match param.kind {
                ParamKind::Global => cl::KERNEL_ARG_ADDRESS_GLOBAL,
                ParamKind::Constant => cl::KERNEL_ARG_ADDRESS_CONSTANT,
                ParamKind::Shared => cl::KERNEL_ARG_ADDRESS_LOCAL,
                ParamKind::Value => cl::KERNEL_ARG_ADDRESS_PRIVATE,
            }),
            cl::KERNEL_ARG_ACCESS_QUALIFIER => uint(match object {
                Some((_, "read_only")) => cl::KERNEL_ARG_ACCESS_READ_ONLY,
                Some((_, "write_only")) => cl::KERNEL_ARG_ACCESS_WRITE_ONLY,
                Some((_, "read_write")) => cl::KERNEL_ARG_ACCESS_READ_WRITE,
                _ => cl::KERNEL_ARG_ACCESS_NONE,
            }),
            cl::KERNEL_ARG_TYPE_NAME => text(ty),
            cl::KERNEL_ARG_NAME => text(own),
            cl::KERNEL_ARG_TYPE_QUALIFIER => {
                let bit = |word: &str| match word {
                    "const" => cl::KERNEL_ARG_TYPE_CONST,
                    "restrict" => cl::KERNEL_ARG_TYPE_RESTRICT,
                    "volatile" => cl::KERNEL_ARG_TYPE_VOLATILE,
                    _ => 0,
                };
                ulong(qualifiers.split(' ').map(bit).fold(0, |all, b| all | b))
            }
            _ => return Err(Error::new(cl::INVALID_VALUE, "no such value of an argument")),
        })
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }
}
