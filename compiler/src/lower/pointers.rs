//! Function pointers: a function whose address is taken has a number, and a call through a pointer is a comparison and
//! a call for each function that it may mean.

use crate::ptx::ast::{Base, Body, Function, Init, Inst, Module, Operand, Param, Statement, Symbol, Variable};
use std::collections::{HashMap, HashSet};

/// The number in the place of the address of the n-th function whose address is taken: none is a null pointer.
pub(super) fn number(n: usize) -> u32 {
    n as u32 + 1
}

/// What C++ calls where an object has no function; its number is that of a null pointer.
const PURE: &str = "__cxa_pure_virtual";

/// Replaces addresses of functions, in code and in initial values, by their numbers.
pub fn number_functions(module: &mut Module) {
    let functions: HashMap<String, String> = names(module);
    let mut pointed: Vec<String> = Vec::new();
    let mut mentions: HashMap<String, Vec<String>> = HashMap::new();
    let mut of = |owner: &str, name: &str| {
        if name == PURE {
            return Some(0);
        }
        let name = functions.get(name)?;
        mentions.entry(owner.into()).or_default().push(name.clone());
        let n = pointed.iter().position(|p| p == name).unwrap_or_else(|| {
            pointed.push(name.clone());
            pointed.len() - 1
        });
        Some(u64::from(number(n)))
    };
    for f in &mut module.functions {
        let (owner, Some(body)) = (&f.name, &mut f.body) else { continue };
        body.vars.iter_mut().for_each(|v| in_values(v, &mut |name| of(owner, name)));
        let insts = body.code.iter_mut().filter_map(|s| match s {
            Statement::Inst(i) if i.name() != "call" => Some(i),
            _ => None,
        });
        for arg in insts.flat_map(|i| &mut i.args) {
            if let Operand::Symbol(Symbol::Name(name), 0) = arg {
                if let Some(n) = of(owner, name) {
                    *arg = Operand::Int(n);
                }
            }
        }
    }
    for v in &mut module.vars {
        let owner = v.name.clone();
        in_values(v, &mut |name| of(&owner, name));
    }
    (module.pointed, module.mentions) = (pointed, mentions);
}

/// Functions with a body, kernels left out, by their names and the other names of them.
fn names(module: &Module) -> HashMap<String, String> {
    let own =
        module.functions.iter().filter(|f| !f.entry && f.body.is_some()).map(|f| (f.name.clone(), f.name.clone()));
    let all: HashMap<String, String> = own.collect();
    let aliases = module.aliases.iter().filter(|(_, to)| all.contains_key(to)).cloned();
    aliases.chain(all.clone()).collect()
}

fn in_values(v: &mut Variable, of: &mut impl FnMut(&str) -> Option<u64>) {
    for init in &mut v.init {
        let Init::Symbol { name, offset: 0, mask } = init else { continue };
        let Some(n) = of(name) else { continue };
        // `0xFF00(x)` is the second byte of an address.
        *init = Init::Int(match mask {
            Some(mask) if *mask != 0 => (n & *mask) >> mask.trailing_zeros(),
            _ => n,
        });
    }
}

/// Bytes of results and of parameters: what a call and a function must have alike.
pub(super) type Shape = (Vec<u64>, Vec<u64>);

/// The shape of a function.
fn shape(f: &Function) -> Shape {
    let bytes = |list: &[Param]| list.iter().map(Param::bytes).collect();
    (bytes(&f.results), bytes(&f.params))
}

/// Bytes of what a call passes, variables by `vars`.
pub(super) fn passed(list: &[Operand], vars: &[Variable]) -> Vec<u64> {
    let bytes = |a: &Operand| match a {
        Operand::Symbol(Symbol::Local(v), 0) => vars.get(v.0 as usize).map_or(4, Variable::bytes),
        _ => 4,
    };
    list.iter().map(bytes).collect()
}

/// A `call` taken apart.
pub(super) struct Call {
    pub results: Vec<Operand>,
    /// The function's name, or the register with its number.
    pub target: Option<Operand>,
    pub params: Vec<Operand>,
}

impl Call {
    pub(super) fn of(inst: &Inst) -> Call {
        let mut args = inst.args.iter().peekable();
        let results = match args.peek() {
            Some(Operand::List(list)) => {
                args.next();
                list.clone()
            }
            _ => Vec::new(),
        };
        let target = args.next().cloned();
        let params = match args.next() {
            Some(Operand::List(list)) => list.clone(),
            _ => Vec::new(),
        };
        Call { results, target, params }
    }
}

/// Functions and variables that a kernel can get to: by name, in initial values, or through pointers. Where it can get to
/// no function that a call through a pointer may mean, another kernel of the file or the host, by way of a variable, has
/// put the pointer into memory.
pub(super) fn reached<'a>(module: &'a Module, kernel: &'a Function) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    follow(module, kernel.name.as_str(), &mut seen);
    let given = |name: &&str| module.function(name).is_some_and(|f| calls_a_stranger(module, f, &seen));
    if seen.iter().any(given) {
        module.kernels().for_each(|k| follow(module, k, &mut seen));
        let holds = |v: &&Variable| !v.name.starts_with("_ZT") && module.mentions.contains_key(&v.name);
        module.vars.iter().filter(holds).for_each(|v| follow(module, &v.name, &mut seen));
    }
    seen
}

/// True for functions with a call through a pointer that no function of `reached` fits.
fn calls_a_stranger(module: &Module, f: &Function, reached: &HashSet<&str>) -> bool {
    let Some(body) = &f.body else { return false };
    body.code.iter().any(|s| {
        let Statement::Inst(inst) = s else { return false };
        let call = if inst.name() == "call" { Call::of(inst) } else { return false };
        let wanted = || (passed(&call.results, &body.vars), passed(&call.params, &body.vars));
        matches!(call.target, Some(Operand::Reg(_))) && fitting(module, &wanted(), reached).is_empty()
    })
}

/// Adds what a function or variable can get to.
fn follow<'a>(module: &'a Module, from: &'a str, seen: &mut HashSet<&'a str>) {
    let variables: HashMap<&str, &Variable> = module.vars.iter().map(|v| (v.name.as_str(), v)).collect();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        open.extend(module.mentions.get(name).into_iter().flatten().map(String::as_str));
        if let Some(body) = module.function(name).and_then(|f| f.body.as_ref()) {
            for s in &body.code {
                if let Statement::Inst(inst) = s {
                    inst.args.iter().for_each(|a| named(a, &mut open));
                }
            }
        }
        let values = variables.get(name).into_iter().flat_map(|v| &v.init);
        open.extend(values.filter_map(|init| match init {
            Init::Symbol { name, .. } => Some(name.as_str()),
            _ => None,
        }));
    }
}

/// Names in an operand.
fn named<'a>(a: &'a Operand, out: &mut Vec<&'a str>) {
    match a {
        Operand::Symbol(Symbol::Name(name), _) | Operand::Address(Base::Symbol(Symbol::Name(name)), _) => {
            out.push(name);
        }
        Operand::Vector(l) | Operand::List(l) => l.iter().for_each(|a| named(a, out)),
        _ => {}
    }
}

/// Functions that a body may call: those it names, and those of `reached` that fit its calls through pointers.
pub(super) fn called<'a>(module: &'a Module, body: &Body, reached: &HashSet<&str>) -> Vec<&'a Function> {
    let mut out = Vec::new();
    for s in &body.code {
        let Statement::Inst(inst) = s else { continue };
        if inst.name() != "call" {
            continue;
        }
        let call = Call::of(inst);
        match &call.target {
            Some(Operand::Symbol(Symbol::Name(name), 0)) => out.extend(module.function(name)),
            Some(Operand::Reg(_)) => {
                let wanted = (passed(&call.results, &body.vars), passed(&call.params, &body.vars));
                out.extend(fitting(module, &wanted, reached).into_iter().map(|(_, f)| f));
            }
            _ => {}
        }
    }
    out
}

/// Numbers and functions whose address is taken, of a shape, as far as they are `reached`.
pub(super) fn fitting<'a>(module: &'a Module, wanted: &Shape, reached: &HashSet<&str>) -> Vec<(u32, &'a Function)> {
    let all = module.pointed.iter().enumerate().filter(|(_, name)| reached.contains(name.as_str()));
    let all = all.filter_map(|(n, name)| Some((number(n), module.function(name)?)));
    all.filter(|(_, f)| shape(f) == *wanted).collect()
}
