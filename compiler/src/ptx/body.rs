//! Function bodies: scopes of registers and variables, labels, instructions, operands.

use std::collections::HashMap;

use super::ast::{Body, Function, Inst, LabelId, Operand, RegId, SourceLine, Space, Statement, Ty, VarId};
use super::cursor::{shorten, Cursor};
use super::declare;
use super::lex::TokenKind;
use super::parse::check_labels;
use super::rotate;
use crate::error::CompileError;

/// Scopes that may be nested at most.
const MAX_DEPTH: usize = 64;

/// Registers `%rN` declared at once (`%r<64>`).
struct Range<'a> {
    prefix: &'a str,
    count: u32,
    ty: Ty,
}

#[derive(Default)]
struct Scope<'a> {
    regs: HashMap<&'a str, RegId>,
    ranges: Vec<Range<'a>>,
    vars: HashMap<String, VarId>,
}

/// Names visible at the place reached, innermost scope last.
pub(super) struct Scopes<'a>(Vec<Scope<'a>>);

impl<'a> Scopes<'a> {
    /// One empty scope: the function's.
    pub(super) fn new() -> Self {
        Scopes(vec![Scope::default()])
    }

    /// Declares one register in the innermost scope.
    pub(super) fn declare_reg(&mut self, body: &mut Body, name: &'a str, ty: Ty) -> RegId {
        let id = new_reg(body, ty);
        if let Some(scope) = self.0.last_mut() {
            scope.regs.insert(name, id);
        }
        id
    }

    /// The register of a name, innermost scope first.
    pub(super) fn reg(&mut self, body: &mut Body, name: &'a str) -> Option<RegId> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = &name[stem.len()..];
        // `%r01` is not a member of `%r<N>`.
        let number = match number.parse::<u32>() {
            Ok(n) if number == "0" || !number.starts_with('0') => Some(n),
            _ => None,
        };
        for scope in self.0.iter_mut().rev() {
            if let Some(&id) = scope.regs.get(name) {
                return Some(id);
            }
            let Some(n) = number else { continue };
            let range = scope.ranges.iter().find(|r| r.prefix == stem && n < r.count);
            if let Some(range) = range {
                let id = new_reg(body, range.ty);
                scope.regs.insert(name, id);
                return Some(id);
            }
        }
        None
    }

    /// The variable of a name, innermost scope first.
    pub(super) fn var(&self, name: &str) -> Option<VarId> {
        self.0.iter().rev().find_map(|s| s.vars.get(name).copied())
    }
}

fn new_reg(body: &mut Body, ty: Ty) -> RegId {
    body.regs.push(ty);
    RegId(body.regs.len() as u32 - 1)
}

/// State while a body is read.
pub(super) struct Parser<'a, 'b> {
    pub(super) c: &'b mut Cursor<'a>,
    pub(super) scopes: &'b mut Scopes<'a>,
    pub(super) body: &'b mut Body,
    labels: HashMap<&'a str, LabelId>,
    placed: HashMap<LabelId, u32>,
    used: Vec<(LabelId, u32)>,
    source: Option<SourceLine>,
}

/// Reads a body from its `{` to its `}`.
pub(super) fn parse<'a>(
    c: &mut Cursor<'a>, f: &Function, scopes: &mut Scopes<'a>, body: &mut Body,
) -> Result<(), CompileError> {
    c.expect('{')?;
    let mut p =
        Parser { c, scopes, body, labels: HashMap::new(), placed: HashMap::new(), used: Vec::new(), source: None };
    let base = p.scopes.0.len();
    // Where the innermost scope's statements begin.
    let mut begin = 0;
    loop {
        if p.c.eat('{') {
            if p.scopes.0.len() > MAX_DEPTH {
                return Err(p.c.error("scopes nested too deep"));
            }
            p.scopes.0.push(Scope::default());
            begin = p.body.code.len();
        } else if p.c.eat('}') {
            if p.scopes.0.len() == base {
                break;
            }
            p.scopes.0.pop();
            rotate::mask(p.body, begin);
        } else if p.c.peek() == TokenKind::End {
            return Err(p.c.error(format!("the file ends inside function `{}`: it is cut off", f.name)));
        } else {
            p.statement()?;
        }
    }
    check_labels(p.c, &f.name, p.body, &p.used)
}

impl<'a> Parser<'a, '_> {
    fn statement(&mut self) -> Result<(), CompileError> {
        let line = self.c.line();
        if self.c.eat(';') {
            return Ok(());
        }
        if let TokenKind::Word(word) = self.c.peek() {
            if let Some(directive) = word.strip_prefix('.') {
                self.c.take();
                return self.directive(directive, line);
            }
            if self.c.peek_second() == TokenKind::Punct(':') {
                self.c.take();
                self.c.take();
                return self.label(word, line);
            }
        }
        let inst = self.inst()?;
        self.body.code.push(Statement::Inst(inst));
        Ok(())
    }

    fn directive(&mut self, word: &'a str, line: u32) -> Result<(), CompileError> {
        match word {
            "loc" => self.loc(line),
            "file" => {
                self.c.skip_line(line);
                Ok(())
            }
            "pragma" => {
                self.c.skip_statement();
                Ok(())
            }
            "reg" => self.registers(),
            _ => {
                let external = word == "extern";
                let word = if external { self.c.dotted().unwrap_or("") } else { word };
                let Some(space) = Space::parse(word) else {
                    return Err(self.c.error_at(line, format!("`.{}` is not known inside a function", shorten(word))));
                };
                let first = self.body.vars.len();
                declare::variables(self.c, space, external, &mut self.body.vars)?;
                for (i, v) in self.body.vars.iter().enumerate().skip(first) {
                    if let Some(scope) = self.scopes.0.last_mut() {
                        scope.vars.insert(v.name.clone(), VarId(i as u32));
                    }
                }
                Ok(())
            }
        }
    }

    /// `.loc file line column [, function_name …] [, inlined_at …]`; line 0 says nothing.
    fn loc(&mut self, line: u32) -> Result<(), CompileError> {
        let file = self.c.int32("the number of a file")?;
        let source = self.c.int32("a line")?;
        self.c.skip_line(line);
        if source != 0 {
            self.source = Some(SourceLine { file, line: source });
        }
        Ok(())
    }

    fn registers(&mut self) -> Result<(), CompileError> {
        let mut ty = None;
        let line = self.c.line();
        while let Some(name) = self.c.dotted() {
            match Ty::parse(name) {
                Some(t) => ty = Some(t),
                None => return Err(self.c.error_at(line, format!("`.{}` is no type of a register", shorten(name)))),
            }
        }
        let Some(ty) = ty else {
            return Err(self.c.expected("the type of registers"));
        };
        loop {
            let name = self.c.word("the name of a register")?;
            if self.c.eat('<') {
                let count = self.c.int32("a number of registers")?;
                self.c.expect('>')?;
                if let Some(scope) = self.scopes.0.last_mut() {
                    scope.ranges.push(Range { prefix: name, count, ty });
                }
            } else {
                self.scopes.declare_reg(self.body, name, ty);
            }
            if !self.c.eat(',') {
                return self.c.expect(';');
            }
        }
    }

    fn label_id(&mut self, name: &'a str) -> LabelId {
        let next = LabelId(self.body.labels.len() as u32);
        let id = *self.labels.entry(name).or_insert(next);
        if id == next {
            self.body.labels.push(name.into());
        }
        id
    }

    fn label(&mut self, name: &'a str, line: u32) -> Result<(), CompileError> {
        let id = self.label_id(name);
        if let Some(first) = self.placed.insert(id, line) {
            return Err(self.c.error_at(line, format!("label `{}` stands at line {first} already", shorten(name))));
        }
        match self.c.peek() {
            TokenKind::Word(".branchtargets") => {
                self.c.take();
                let mut targets = Vec::new();
                loop {
                    let line = self.c.line();
                    let name = self.c.word("a label")?;
                    let target = self.label_id(name);
                    self.used.push((target, line));
                    targets.push(target);
                    if !self.c.eat(',') {
                        break;
                    }
                }
                self.c.expect(';')?;
                self.body.code.push(Statement::Targets(id, targets));
            }
            TokenKind::Word(".callprototype" | ".calltargets") => self.c.skip_statement(),
            _ => self.body.code.push(Statement::Label(id)),
        }
        Ok(())
    }

    fn inst(&mut self) -> Result<Inst, CompileError> {
        let line = self.c.line();
        let mut guard = None;
        if self.c.eat('@') {
            let inverted = self.c.eat('!');
            let name = self.c.word("a predicate register")?;
            let reg = self.known_reg(name)?;
            guard = Some((reg, inverted));
        }
        let op = self.c.word("an instruction")?;
        let mut args = Vec::new();
        if !self.c.eat(';') {
            loop {
                let branch = op == "bra" || op.starts_with("bra.") || op.starts_with("brx.") && args.len() == 1;
                args.push(if branch {
                    let line = self.c.line();
                    let name = self.c.word("a label")?;
                    let id = self.label_id(name);
                    self.used.push((id, line));
                    Operand::Label(id)
                } else {
                    self.operand(0)?
                });
                if !self.c.eat(',') {
                    break;
                }
            }
            self.c.expect(';')?;
        }
        Ok(Inst { line, source: self.source, guard, op: op.into(), args })
    }
}
