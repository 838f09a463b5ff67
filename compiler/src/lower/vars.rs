//! Places of variables and parameters: offsets in shared, constant and local memory, numbers of
//! variables in global memory.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::inline::Flat;
use super::{contents, place, warp};
use crate::error::CompileError;
use crate::ir;
use crate::program::{Options, Unit};
use crate::ptx::ast::{
    Base, Function, Module, Operand, SourceLine, Space, Statement, Symbol, TypeKind, VarId, Variable,
};
use warpsmith_isa::arch::{PARAM_BASE, PARAM_BYTES};
use warpsmith_isa::ChipInfo as Target;

/// Bytes of a kernel's parameters at most, as in CUDA.
const MOST_PARAMETERS: u32 = 4096;

/// Alignment of parameters in constant memory: that of the largest vectors.
const CONSTANT_ALIGN: u32 = 128;

/// Where a symbol's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymbolPlace {
    /// Byte address in shared memory.
    Shared(u32),
    /// Byte offset in constant bank 0.
    Const(u32),
    /// Byte offset in the thread's local memory.
    Local(u32),
    /// Index into [`Unit::globals`].
    Global(u32),
    /// Parameter of the kernel, by its index.
    Param(usize),
    /// Storage of a call's parameter or result.
    Call,
    /// Declared, never placed: a variable of another file.
    Missing,
}

/// Where everything of one kernel is.
pub(super) struct Layout {
    names: HashMap<String, SymbolPlace>,
    locals: Vec<SymbolPlace>,
    /// Parameters with their offsets; pointers' kinds as far as `.ptr` says.
    pub params: Vec<ir::Param>,
    /// Bytes of parameters in front of shared memory, a multiple of 4.
    pub param_bytes: u32,
    /// Where the kernel's own parameters are in constant bank 0; `None`: in front of shared memory.
    pub constant_params: Option<ir::ConstantParams>,
    /// Parameter words that are `%envreg` registers: (number, byte offset), ascending.
    pub environment: Vec<(u8, u32)>,
    /// Shared bytes; dynamic shared memory begins at their end.
    pub shared_bytes: u32,
    /// Variables in shared memory.
    pub shared: Vec<ir::SharedVariable>,
    /// Arrays without a size, or `__local` arguments, are there.
    pub dynamic_shared: bool,
    /// Local bytes a thread.
    pub local_bytes: u32,
    /// Threads of a block at most, as the source says or shared memory allows.
    pub max_threads: Option<u32>,
    /// Texture and surface references that the kernel names, by their index in [`Unit::globals`].
    pub textures: Vec<u32>,
}

impl Layout {
    /// The memory that holds the kernel's own parameters.
    pub(super) fn param_space(&self) -> ir::Space {
        match self.constant_params {
            Some(_) => ir::Space::Const,
            None => ir::Space::Param,
        }
    }

    /// Address of a parameter in that memory.
    pub(super) fn param_address(&self, index: usize) -> u32 {
        let first = self.constant_params.map_or(0, |p| p.offset);
        first + self.params.get(index).map_or(0, |p| p.offset)
    }

    /// Place of a symbol.
    pub(super) fn place(&self, s: &Symbol) -> Option<SymbolPlace> {
        match s {
            Symbol::Local(v) => self.locals.get(v.0 as usize).copied(),
            Symbol::Name(name) => self.names.get(name).copied(),
        }
    }
}

/// Alignment of stacks in local memory, in bytes.
const STACK_ALIGN: u32 = 16;

/// Places all that a kernel uses.
pub(super) fn layout(
    module: &Module, unit: &Unit, kernel: &Function, flat: &Flat, target: &Target, options: &Options,
) -> Result<Layout, CompileError> {
    let (params, own_bytes) = params(module, kernel)?;
    let numbers = match options.environment {
        true => environment(flat),
        false => BTreeSet::new(),
    };
    let beside = 4 * numbers.len() as u32;
    let constant_params = match own_bytes + beside > PARAM_BYTES {
        true => Some(constant_params(module, unit, kernel, own_bytes, target)?),
        false => None,
    };
    let first = if constant_params.is_some() { 0 } else { own_bytes };
    let environment = numbers.into_iter().zip((first..).step_by(4)).collect();
    let param_bytes = first + beside;
    let mut l = Layout {
        names: HashMap::new(),
        locals: Vec::new(),
        dynamic_shared: params.iter().any(|p| p.kind == ir::ParamKind::Shared),
        params,
        param_bytes,
        constant_params,
        environment,
        shared_bytes: PARAM_BASE + param_bytes,
        shared: Vec::new(),
        local_bytes: 0,
        max_threads: kernel.max_threads,
        textures: Vec::new(),
    };
    for (i, g) in unit.globals.iter().enumerate() {
        let place = g.constant_offset.map_or(SymbolPlace::Global(i as u32), SymbolPlace::Const);
        l.names.insert(g.name.clone(), place);
    }
    for (i, p) in kernel.params.iter().enumerate() {
        l.names.insert(p.name.clone(), SymbolPlace::Param(i));
    }
    let used = used(flat);
    let textures = (0..).zip(&unit.globals).filter(|(_, g)| g.texture && used.contains(g.name.as_str()));
    l.textures = textures.map(|(n, _)| n).collect();
    let stacked: HashSet<VarId> = flat.stacks.iter().flatten().flatten().copied().collect();
    let mut dynamic: Vec<(Option<&str>, usize, u32)> = Vec::new();
    let named = module.vars.iter().map(|v| (Some(v.name.as_str()), v));
    let own = flat.vars.iter().map(|v| (None, v));
    for (at, (name, v)) in named.chain(own).enumerate() {
        if name.is_some_and(|n| !used.contains(n)) {
            continue;
        }
        let own = VarId(at.saturating_sub(module.vars.len()) as u32);
        let symbol = name.map_or(Symbol::Local(own), |n| Symbol::Name(n.into()));
        let source = || mention(flat, &symbol);
        contents::no_addresses(module, v, &flat.vars, source)?;
        let too_large = || {
            place::at(
                module,
                v.line,
                source(),
                format!("`{}` does not fit: {} bytes are more than the chip's memory", place::name(&v.name), v.bytes()),
            )
        };
        let mut bytes = u32::try_from(v.bytes()).ok().filter(|b| *b < 1 << 28).ok_or_else(too_large)?;
        if name.is_none() && v.name == warp::EXCHANGE {
            let warps = warp::most_warps(kernel, target);
            bytes *= warps;
            l.max_threads = Some(kernel.max_threads.unwrap_or(u32::MAX).min(32 * warps));
        }
        let place = match v.space {
            Space::Shared if v.count.is_none() => {
                dynamic.push((name, at, v.align));
                SymbolPlace::Missing
            }
            Space::Shared => {
                let at = l.shared_bytes.next_multiple_of(v.align);
                l.shared_bytes = at + bytes;
                if l.shared_bytes > target.shared_bytes {
                    return Err(place::at(
                        module,
                        v.line,
                        source(),
                        format!(
                            "`{}` needs shared memory up to byte {}, chip {} has {}: {}",
                            place::short(&v.name),
                            l.shared_bytes,
                            target.name,
                            target.shared_bytes,
                            Target::remedy("shared_bytes", l.shared_bytes.into(), "make shared arrays smaller")
                        ),
                    ));
                }
                l.shared.push(ir::SharedVariable { name: place::name(&v.name), address: at, bytes });
                SymbolPlace::Shared(at)
            }
            // Stacks share memory: below.
            Space::Local if name.is_none() && stacked.contains(&own) => SymbolPlace::Local(0),
            Space::Local => {
                let at = l.local_bytes.next_multiple_of(v.align);
                l.local_bytes = at + bytes;
                check_local(module, v, source(), l.local_bytes, target)?;
                SymbolPlace::Local(at)
            }
            Space::Param => SymbolPlace::Call,
            Space::Global | Space::Const => match name.and_then(|n| l.names.get(n)) {
                Some(place) => {
                    check_const(module, unit, v, source(), *place, target)?;
                    *place
                }
                None => SymbolPlace::Missing,
            },
        };
        match name {
            Some(name) => {
                l.names.insert(name.into(), place);
            }
            None => l.locals.push(place),
        }
    }
    l.dynamic_shared |= !dynamic.is_empty();
    if l.dynamic_shared {
        let align = dynamic.iter().map(|d| d.2).fold(16, u32::max);
        l.shared_bytes = l.shared_bytes.next_multiple_of(align);
    }
    for (name, at, _) in dynamic {
        let place = SymbolPlace::Shared(l.shared_bytes);
        match name {
            Some(name) => {
                l.names.insert(name.into(), place);
            }
            None => {
                if let Some(p) = l.locals.get_mut(at - module.vars.len()) {
                    *p = place;
                }
            }
        }
    }
    for list in &flat.stacks {
        let start = l.local_bytes.next_multiple_of(STACK_ALIGN);
        for stack in list {
            let mut at = start;
            for own in stack {
                let v = &flat.vars[own.0 as usize];
                at = at.next_multiple_of(v.align);
                l.locals[own.0 as usize] = SymbolPlace::Local(at);
                at += v.bytes() as u32;
                check_local(module, v, mention(flat, &Symbol::Local(*own)), at, target)?;
            }
            l.local_bytes = l.local_bytes.max(at);
        }
    }
    l.local_bytes = l.local_bytes.next_multiple_of(4);
    Ok(l)
}

/// A thread's local memory holds all up to the end of a variable.
pub(super) fn check_local(
    module: &Module, v: &Variable, source: Option<SourceLine>, end: u32, target: &Target,
) -> Result<(), CompileError> {
    if end <= target.local_bytes {
        return Ok(());
    }
    Err(place::at(
        module,
        v.line,
        source,
        format!(
            "local arrays and structs need {end} bytes a thread, chip {} has {}: make them smaller, or use a buffer in global memory",
            target.name, target.local_bytes
        ),
    ))
}

/// Constant memory holds the variable, and no address that only the launch knows is read from it wrongly.
fn check_const(
    module: &Module, unit: &Unit, v: &Variable, source: Option<SourceLine>, place: SymbolPlace, target: &Target,
) -> Result<(), CompileError> {
    let error = |message| Err(place::at(module, v.line, source, message));
    if let SymbolPlace::Const(at) = place {
        if u64::from(at) + v.bytes() > u64::from(target.bank_bytes()) {
            return error(format!(
                "`{}` ends at byte {} of constant memory, chip {} has {}: {}",
                place::name(&v.name),
                u64::from(at) + v.bytes(),
                target.name,
                target.bank_bytes(),
                Target::remedy("constant_bytes", u64::from(at) + v.bytes(), "use a buffer in global memory")
            ));
        }
    }
    let own = unit.globals.iter().find(|g| g.name == v.name);
    for (_, var, _) in own.map_or(&[][..], |g| &g.pointers) {
        let to = unit.globals.get(*var as usize);
        if let Some(to) = to.filter(|t| t.constant_offset.is_some()) {
            return error(format!(
                "`{}` holds the address of `{}` in constant memory, which loads through pointers cannot reach: leave `__constant__` away from `{}`",
                place::short(&v.name), place::short(&to.name), place::short(&to.name)
            ));
        }
    }
    Ok(())
}

/// The kernel's parameters with their offsets, and the bytes of all.
fn params(module: &Module, kernel: &Function) -> Result<(Vec<ir::Param>, u32), CompileError> {
    let error = |message: String| place::at(module, kernel.line, place::kernel(kernel), message);
    let mut offset = 0u32;
    let mut out = Vec::new();
    for p in &kernel.params {
        if p.reg.is_some() {
            return Err(error(format!("parameter `{}` of a kernel in a register", p.name)));
        }
        offset = offset.next_multiple_of(p.align);
        let bytes = p.bytes();
        if u64::from(offset) + bytes > u64::from(MOST_PARAMETERS) {
            return Err(error(format!(
                "the parameters of `{}` need more than {MOST_PARAMETERS} bytes (`{}` ends at {}): pass a pointer to a buffer instead of a large struct",
                place::name(&kernel.name),
                p.name.strip_prefix(kernel.name.as_str()).unwrap_or(&p.name).trim_start_matches('_'),
                u64::from(offset) + bytes
            )));
        }
        let space = p.pointer.map(|p| p.space);
        // clang calls them `KERNEL_param_0` and so on.
        let own = p.name.strip_prefix(kernel.name.as_str());
        let short = own.and_then(|n| n.strip_prefix('_')).unwrap_or(&p.name);
        out.push(ir::Param {
            name: short.into(),
            offset,
            bytes: bytes as u32,
            align: p.align,
            float: p.ty.kind == TypeKind::Float && p.ty.bits >= 32,
            kind: match space {
                None => ir::ParamKind::Value,
                Some(Some(Space::Shared)) => ir::ParamKind::Shared,
                Some(Some(Space::Const)) => ir::ParamKind::Constant,
                Some(_) => ir::ParamKind::Global,
            },
            target_align: p.pointer.map_or(1, |p| p.align),
        });
        offset += bytes as u32;
    }
    Ok((out, offset.next_multiple_of(4)))
}

/// The `%envreg` registers that the code reads: each is a word behind the kernel's own parameters.
fn environment(flat: &Flat) -> BTreeSet<u8> {
    let insts = flat.code.iter().filter_map(|s| match s {
        Statement::Inst(inst) => Some(inst),
        _ => None,
    });
    let number = |a: &Operand| match a {
        Operand::Special(name) => environment_register(name),
        _ => None,
    };
    insts.flat_map(|inst| &inst.args).filter_map(number).collect()
}

/// The place of parameters that are too many for the launch registers: constant bank 0, behind the variables.
fn constant_params(
    module: &Module, unit: &Unit, kernel: &Function, bytes: u32, target: &Target,
) -> Result<ir::ConstantParams, CompileError> {
    let place = ir::ConstantParams { offset: unit.constant_bytes.next_multiple_of(CONSTANT_ALIGN), bytes };
    if place.end() <= target.bank_bytes() {
        return Ok(place);
    }
    let message = format!(
        "the parameters of `{}` have {bytes} bytes; more than {PARAM_BYTES}, with offsets and sizes of an OpenCL launch, lie in constant memory, here up to byte {}, chip {} has {}: {}",
        place::name(&kernel.name),
        place.end(),
        target.name,
        target.bank_bytes(),
        Target::remedy("constant_bytes", place.end().into(), "pass a pointer to a buffer instead of a large struct")
    );
    Err(place::at(module, kernel.line, place::kernel(kernel), message))
}

/// The number in the name of an `envreg` register.
pub(super) fn environment_register(name: &str) -> Option<u8> {
    name.strip_prefix("envreg")?.parse().ok()
}

/// Source line of the first instruction that mentions a variable, else of the first that has one.
pub(super) fn mention(flat: &Flat, symbol: &Symbol) -> Option<SourceLine> {
    fn names(a: &Operand, symbol: &Symbol) -> bool {
        match a {
            Operand::Symbol(s, _) | Operand::Address(Base::Symbol(s), _) => s == symbol,
            Operand::Vector(l) | Operand::List(l) => l.iter().any(|a| names(a, symbol)),
            _ => false,
        }
    }
    let insts = || {
        flat.code.iter().filter_map(|s| match s {
            Statement::Inst(i) if i.source.is_some() => Some(i),
            _ => None,
        })
    };
    insts().find(|i| i.args.iter().any(|a| names(a, symbol))).or_else(|| insts().next()).and_then(|i| i.source)
}

/// Names that the code mentions.
fn used(flat: &Flat) -> HashSet<&str> {
    fn visit<'a>(a: &'a Operand, out: &mut HashSet<&'a str>) {
        match a {
            Operand::Symbol(Symbol::Name(n), _) | Operand::Address(Base::Symbol(Symbol::Name(n)), _) => {
                out.insert(n);
            }
            Operand::Vector(l) | Operand::List(l) => l.iter().for_each(|a| visit(a, out)),
            _ => {}
        }
    }
    let mut out = HashSet::new();
    for s in &flat.code {
        if let Statement::Inst(inst) = s {
            inst.args.iter().for_each(|a| visit(a, &mut out));
        }
    }
    out
}
