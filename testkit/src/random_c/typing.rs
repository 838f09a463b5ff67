//! Types of random programs: what the printer relies on, so that every program is C.

use super::flow::children;
use super::program::*;

/// Checks every expression of a program.
///
/// # Errors
/// The first expression whose type is not the one its place asks for.
pub fn check(p: &Program) -> Result<(), String> {
    for (i, f) in p.functions.iter().enumerate() {
        let scope = Scope { p, f, callable: &p.functions[..i] };
        scope.function().map_err(|e| format!("function {i}: {e}"))?;
    }
    let scope = Scope { p, f: &p.kernel, callable: &p.functions };
    scope.function().map_err(|e| format!("kernel: {e}"))
}

struct Scope<'a> {
    p: &'a Program,
    f: &'a Function,
    callable: &'a [Function],
}

impl Scope<'_> {
    fn function(&self) -> Result<(), String> {
        for (ty, first) in &self.f.vars {
            self.of(first, *ty)?;
        }
        self.body(&self.f.body)?;
        match (&self.f.last, self.f.returns) {
            (Some(e), Some(ty)) => self.of(e, ty),
            (None, None) => Ok(()),
            (last, returns) => Err(format!("{last:?} is returned as {returns:?}")),
        }
    }

    fn body(&self, body: &[Stmt]) -> Result<(), String> {
        body.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&self, s: &Stmt) -> Result<(), String> {
        match s {
            Stmt::Assign(v, e) => self.of(e, self.var(*v)?)?,
            Stmt::SetField(_, e) => self.integer(e)?,
            Stmt::StoreLocal(a, i, e) => {
                let table = match *a {
                    POINTER => Table::Pointer,
                    a => Table::Local(a),
                };
                self.integer(i)?;
                self.of(e, self.table(table)?.unwrap_or(e.ty()))?;
            }
            Stmt::StoreShared(a, e) => {
                self.of(e, self.table(Table::Shared(*a))?.unwrap_or(e.ty()))?;
            }
            Stmt::Result(_, e) => self.any(e)?,
            Stmt::If(c, ..) => self.integer(c)?,
            Stmt::Loop(_, _, most, more, _) => {
                self.of(most, Ty::I32)?;
                more.iter().try_for_each(|c| self.integer(c))?;
            }
            Stmt::Switch(e, ..) => self.of(e, Ty::I32)?,
            Stmt::Return(Some(e)) => match self.f.returns {
                Some(ty) => self.of(e, ty)?,
                None => return Err(format!("the kernel returns {e:?}")),
            },
            Stmt::Return(None) if self.f.returns.is_some() => return Err("a function returns nothing".into()),
            _ => {}
        }
        children(s).into_iter().try_for_each(|c| self.body(c))
    }

    fn var(&self, v: usize) -> Result<Ty, String> {
        let var = self.f.vars.get(v).map(|v| v.0);
        var.ok_or(format!("there is no variable {v}"))
    }

    /// Type of a table's elements; none where each load chooses it.
    fn table(&self, t: Table) -> Result<Option<Ty>, String> {
        let found = match t {
            Table::Input | Table::Vector(..) => return Ok(None),
            Table::Local(i) => self.f.arrays.get(i).copied(),
            Table::Constant(i) => self.p.constants.get(i).map(|t| t.0),
            Table::Global(i) => self.p.globals.get(i).map(|t| t.0),
            Table::Shared(i) => self.p.shared.get(i).copied(),
            Table::Pointer => self.f.pointer,
        };
        found.map(Some).ok_or(format!("there is no {t:?}"))
    }

    /// An expression of one type.
    fn of(&self, e: &Expr, ty: Ty) -> Result<(), String> {
        if e.ty() != ty {
            return Err(format!("{ty:?} is wanted, not {:?}: {e:?}", e.ty()));
        }
        self.any(e)
    }

    fn integer(&self, e: &Expr) -> Result<(), String> {
        if e.ty() == Ty::F32 {
            return Err(format!("an integer is wanted: {e:?}"));
        }
        self.any(e)
    }

    /// An expression whose operands have the types they need.
    fn any(&self, e: &Expr) -> Result<(), String> {
        match e {
            Expr::Literal(..) | Expr::Thread | Expr::Block | Expr::Field(_) => Ok(()),
            Expr::Var(ty, v) if self.var(*v)? == *ty => Ok(()),
            Expr::Var(..) => Err(format!("the variable has another type: {e:?}")),
            Expr::Param(ty, i) => match self.p.params.get(*i) {
                Some(p) if p.0 == *ty => Ok(()),
                _ => Err(format!("the parameter has another type: {e:?}")),
            },
            Expr::Binary(Ty::F32, op, ..) if !["+", "-", "*"].contains(op) => {
                Err(format!("floats have no {op}: {e:?}"))
            }
            Expr::Binary(ty, "<<" | ">>", a, b) => {
                self.of(a, *ty)?;
                self.of(b, Ty::U32)
            }
            Expr::Binary(ty, _, a, b) | Expr::Compare(ty, _, a, b) => {
                self.of(a, *ty)?;
                self.of(b, *ty)
            }
            Expr::Unary(Ty::F32, op, _) if *op != "-" => Err(format!("floats have no {op}: {e:?}")),
            Expr::Unary(ty, _, a) => self.of(a, *ty),
            Expr::Logic(_, a, b) => {
                self.integer(a)?;
                self.integer(b)
            }
            Expr::Not(a) => self.integer(a),
            // A float becomes a float by way of an integer.
            Expr::Cast(Ty::F32, a) => self.integer(a),
            Expr::Cast(_, a) => self.any(a),
            Expr::Choose(ty, c, a, b) => {
                self.integer(c)?;
                self.of(a, *ty)?;
                self.of(b, *ty)
            }
            Expr::Load(ty, table, i) => {
                self.integer(i)?;
                match self.table(*table)? {
                    Some(own) if own != *ty => Err(format!("the table holds {own:?}: {e:?}")),
                    _ => Ok(()),
                }
            }
            Expr::Call(ty, i, args, array) => {
                let f = self.callable.get(*i).ok_or(format!("no function: {e:?}"))?;
                let behind = array.map(|a| self.f.arrays.get(a).copied());
                if f.returns != Some(*ty) || f.params != args.len() || f.pointer.map(Some) != behind {
                    return Err(format!("the function has other parameters: {e:?}"));
                }
                let params = args.iter().zip(&f.vars);
                params.into_iter().try_for_each(|(a, v)| self.of(a, v.0))
            }
            Expr::Builtin(ty, _, _) if *ty == Ty::F32 => Err(format!("no float: {e:?}")),
            Expr::Builtin(_, _, args) => args.iter().try_for_each(|a| self.integer(a)),
        }
    }
}
