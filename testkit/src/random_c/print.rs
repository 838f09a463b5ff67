//! Programs as CUDA C; the same text is compiled for the host behind `shim.h`.

use super::program::*;
use std::fmt::Write;

/// Prelude for both compilers: types, and helpers whose behaviour is defined for all operands.
pub const PRELUDE: &str = include_str!("prelude.h");

/// The text of one program: tables, functions, and the kernel `k<number>`; what is not used is left out.
pub fn program(p: &Program, number: usize) -> String {
    let mut code = String::new();
    function(&mut code, p, &p.kernel, &format!("k{number}"), number);
    for (i, f) in p.functions.iter().enumerate().rev() {
        let name = format!("f{number}_{i}");
        if code.contains(&format!("{name}(")) {
            let mut text = String::new();
            function(&mut text, p, f, &name, number);
            code.insert_str(0, &text);
        }
    }
    let mut out = format!("// seed {}\n", p.seed);
    let constants = p.constants.iter().enumerate().map(|t| ("__constant__", "ct", t));
    let globals = p.globals.iter().enumerate().map(|t| ("__device__ const volatile", "gt", t));
    for (space, stem, (i, (ty, values))) in constants.chain(globals) {
        let name = format!("{stem}{number}_{i}[");
        if code.contains(&name) {
            let list: Vec<String> = values.iter().map(|v| literal(*ty, *v)).collect();
            let _ = writeln!(out, "{space} {} {name}{TABLE}] = {{ {} }};", ty.name(), list.join(", "));
        }
    }
    out + &code
}

fn function(out: &mut String, p: &Program, f: &Function, name: &str, number: usize) {
    let w = Writer { number };
    match f.returns {
        Some(ty) => {
            let pointer = f.pointer.map(|ty| format!("{} *q", ty.name()));
            let params: Vec<String> =
                (0..f.params).map(|i| format!("{} v{i}", f.vars[i].0.name())).chain(pointer).collect();
            let apart = if f.apart { "NOINLINE " } else { "" };
            let _ = writeln!(out, "static __device__ {apart}{} {name}({})\n{{", ty.name(), params.join(", "));
        }
        None => {
            let params: String =
                p.params.iter().enumerate().map(|(i, (ty, _))| format!(", {} p{i}", ty.name())).collect();
            let _ = writeln!(out, "KERNEL void {name}(const u32 *in, u64 *out{params})\n{{");
            for (i, ty) in p.shared.iter().enumerate() {
                let _ = writeln!(out, "    __shared__ {} sh{i}[{THREADS}];", ty.name());
            }
            let tid = if p.plane { "threadIdx.y * 8 + threadIdx.x" } else { "threadIdx.x" };
            let _ = writeln!(out, "    u32 tid = {tid};");
            let _ = writeln!(out, "    u64 *to = out + (blockIdx.x * {THREADS} + tid) * {RESULTS};");
        }
    }
    if !f.fields.is_empty() {
        let fields: Vec<String> = f
            .fields
            .iter()
            .enumerate()
            .map(|(i, (bits, signed))| format!("{} b{i} : {bits};", if *signed { "i32" } else { "u32" }))
            .collect();
        let _ = writeln!(out, "    struct {{ {} }} s = {{}};", fields.join(" "));
    }
    for (i, (ty, first)) in f.vars.iter().enumerate().skip(f.params) {
        let _ = writeln!(out, "    {} v{i} = {};", ty.name(), w.expr(first));
    }
    let mut body = String::new();
    w.block(&mut body, &f.body, 1);
    for i in (0..f.counters).filter(|i| body.contains(&format!("c{i}"))) {
        let _ = writeln!(out, "    i32 c{i} = 0;");
    }
    for (i, ty) in f.arrays.iter().enumerate() {
        let list: Vec<String> = (0..TABLE).map(|k| literal(*ty, k as i64 * 37 - 11)).collect();
        let _ = writeln!(out, "    {} a{i}[{TABLE}] = {{ {} }};", ty.name(), list.join(", "));
    }
    out.push_str(&body);
    if let Some(e) = &f.last {
        let _ = writeln!(out, "    return {};", w.expr(e));
    }
    let _ = writeln!(out, "}}\n");
}

/// A constant as an expression of its type.
fn literal(ty: Ty, value: i64) -> String {
    match ty {
        Ty::F32 => format!("{}.0f", value % 512),
        Ty::I64 => format!("(i64){:#x}ull", value as u64),
        Ty::U64 => format!("{:#x}ull", value as u64),
        Ty::U32 => format!("{:#x}u", value as u32),
        Ty::I32 => format!("(i32){:#x}u", value as u32),
        Ty::I8 => format!("{}", value as i8),
        Ty::U8 => format!("{}", value as u8),
        Ty::I16 => format!("{}", value as i16),
        Ty::U16 => format!("{}", value as u16),
    }
}

struct Writer {
    number: usize,
}

impl Writer {
    fn block(&self, out: &mut String, body: &[Stmt], depth: usize) {
        for s in body {
            self.stmt(out, s, depth);
        }
    }

    fn braced(&self, out: &mut String, body: &[Stmt], depth: usize) {
        let _ = writeln!(out, "{{");
        self.block(out, body, depth + 1);
        let _ = write!(out, "{}}}", "    ".repeat(depth));
    }

    fn stmt(&self, out: &mut String, s: &Stmt, depth: usize) {
        let pad = "    ".repeat(depth);
        let _ = write!(out, "{pad}");
        match s {
            Stmt::Assign(v, e) => {
                let _ = writeln!(out, "v{v} = {};", self.expr(e));
            }
            Stmt::SetField(f, e) => {
                let _ = writeln!(out, "s.b{f} = {};", self.expr(e));
            }
            Stmt::StoreLocal(a, i, e) => {
                let array = match *a {
                    POINTER => "q".to_string(),
                    a => format!("a{a}"),
                };
                let _ = writeln!(out, "{array}[{}] = {};", self.index(i, TABLE), self.expr(e));
            }
            Stmt::StoreShared(a, e) => {
                let _ = writeln!(out, "sh{a}[tid] = {};", self.expr(e));
            }
            Stmt::Result(i, e) => {
                let value = match e.ty() {
                    Ty::F32 => format!("(i64)(i32)({})", self.expr(e)),
                    _ => self.expr(e),
                };
                let _ = writeln!(out, "to[{i}] = (u64)({value});");
            }
            Stmt::If(c, yes, no) => {
                let _ = write!(out, "if ({}) ", self.expr(c));
                self.braced(out, yes, depth);
                if !no.is_empty() {
                    let _ = write!(out, " else ");
                    self.braced(out, no, depth);
                }
                let _ = writeln!(out);
            }
            Stmt::Loop(kind, counter, most, more, body) => {
                let more = more.as_ref().map_or(String::new(), |e| format!(" && {}", self.expr(e)));
                let most = self.expr(most);
                match kind {
                    LoopKind::For => {
                        let _ = write!(out, "for (c{counter} = 0; c{counter} < {most}{more}; c{counter}++) ");
                        self.braced(out, body, depth);
                        let _ = writeln!(out);
                    }
                    LoopKind::While => {
                        let _ = writeln!(out, "c{counter} = 0;");
                        let _ = write!(out, "{pad}while (c{counter}++ < {most}{more}) ");
                        self.braced(out, body, depth);
                        let _ = writeln!(out);
                    }
                    LoopKind::DoWhile => {
                        let _ = writeln!(out, "c{counter} = 0;");
                        let _ = write!(out, "{pad}do ");
                        self.braced(out, body, depth);
                        let _ = writeln!(out, " while (++c{counter} < {most}{more});");
                    }
                }
            }
            Stmt::Switch(value, cases, default) => {
                let _ = writeln!(out, "switch ({}) {{", self.expr(value));
                for (labels, body, falls) in cases {
                    for l in labels {
                        let _ = writeln!(out, "{pad}case {l}:");
                    }
                    self.block(out, body, depth + 1);
                    if !falls {
                        let _ = writeln!(out, "{pad}    break;");
                    }
                }
                let _ = writeln!(out, "{pad}default:;");
                self.block(out, default, depth + 1);
                let _ = writeln!(out, "{pad}}}");
            }
            Stmt::Break => {
                let _ = writeln!(out, "break;");
            }
            Stmt::Continue => {
                let _ = writeln!(out, "continue;");
            }
            Stmt::Goto(l, None) => {
                let _ = writeln!(out, "goto l{l};");
            }
            Stmt::Goto(l, Some(c)) => {
                let _ = writeln!(out, "if (c{c}++ < 3) goto l{l};");
            }
            Stmt::Label(l) => {
                let _ = writeln!(out, "l{l}:;");
            }
            Stmt::Return(None) => {
                let _ = writeln!(out, "return;");
            }
            Stmt::Return(Some(e)) => {
                let _ = writeln!(out, "return {};", self.expr(e));
            }
            Stmt::Barrier => {
                let _ = writeln!(out, "__syncthreads();");
            }
        }
    }

    /// An index kept below `size`.
    fn index(&self, e: &Expr, size: usize) -> String {
        format!("(u32)({}) % {size}u", self.expr(e))
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Literal(ty, v) => literal(*ty, *v),
            Expr::Var(_, v) => format!("v{v}"),
            Expr::Thread => "tid".into(),
            Expr::Block => "blockIdx.x".into(),
            Expr::Param(_, i) => format!("p{i}"),
            Expr::Field(i) => format!("(i32)s.b{i}"),
            Expr::Binary(Ty::F32, op, a, b) => format!("({} {op} {})", self.expr(a), self.expr(b)),
            Expr::Binary(ty, op @ ("/" | "%"), a, b) => {
                let name = if *op == "/" { "div" } else { "rem" };
                format!("{name}_{}({}, {})", ty.name(), self.expr(a), self.expr(b))
            }
            Expr::Binary(ty, op @ ("<<" | ">>"), a, b) => {
                let wide = if *op == "<<" { ty.wide() } else { ty.name() };
                let mask = ty.bits() - 1;
                format!("({})(({wide})({}) {op} ({} & {mask}))", ty.name(), self.expr(a), self.expr(b))
            }
            Expr::Binary(ty, op, a, b) => {
                let (wide, name) = (ty.wide(), ty.name());
                format!("({name})(({wide})({}) {op} ({wide})({}))", self.expr(a), self.expr(b))
            }
            Expr::Unary(Ty::F32, _, a) => format!("(-({}))", self.expr(a)),
            Expr::Unary(ty, op, a) => {
                format!("({})({op}({})({}))", ty.name(), ty.wide(), self.expr(a))
            }
            Expr::Compare(ty, op, a, b) => {
                let n = ty.name();
                format!("(({n})({}) {op} ({n})({}))", self.expr(a), self.expr(b))
            }
            Expr::Logic(op, a, b) => format!("({} {op} {})", self.expr(a), self.expr(b)),
            Expr::Not(a) => format!("(!({}))", self.expr(a)),
            Expr::Cast(Ty::F32, a) => format!("(f32)(i32)(({}) & 0x3ff)", self.expr(a)),
            Expr::Cast(ty, a) if a.ty() == Ty::F32 => {
                format!("({})(i32)({})", ty.name(), self.expr(a))
            }
            Expr::Cast(ty, a) => format!("({})({})", ty.name(), self.expr(a)),
            Expr::Choose(_, c, a, b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            Expr::Load(ty, table, i) => match table {
                Table::Input => {
                    let size = INPUT * 4 / (ty.bits() as usize / 8);
                    format!("((const {}*)in)[{}]", ty.name(), self.index(i, size))
                }
                Table::Local(a) => format!("a{a}[{}]", self.index(i, TABLE)),
                Table::Constant(a) => format!("ct{}_{a}[{}]", self.number, self.index(i, TABLE)),
                Table::Global(a) => format!("gt{}_{a}[{}]", self.number, self.index(i, TABLE)),
                Table::Vector(vector, field) => {
                    let bytes = match *vector {
                        "uint2" => 8,
                        "uint4" => 16,
                        _ => 4,
                    };
                    format!("((const {vector}*)in)[{}].{field}", self.index(i, INPUT * 4 / bytes))
                }
                Table::Pointer => format!("q[{}]", self.index(i, TABLE)),
                Table::Shared(a) => format!("sh{a}[{}]", self.index(i, THREADS as usize)),
            },
            Expr::Call(_, f, args, array) => {
                let array = array.map(|a| format!("a{a}"));
                let args = args.iter().map(|a| self.expr(a)).chain(array);
                format!("f{}_{f}({})", self.number, args.collect::<Vec<_>>().join(", "))
            }
            Expr::Builtin(ty, name, args) => {
                format!("({})({})", ty.name(), self.call(name, args))
            }
        }
    }

    fn call(&self, name: &str, args: &[Expr]) -> String {
        let args: Vec<String> = args.iter().map(|a| self.expr(a)).collect();
        format!("{name}({})", args.join(", "))
    }
}
