//! Operands of instructions.

use super::ast::{Base, Operand, RegId, Symbol};
use super::body::Parser;
use super::cursor::shorten;
use super::lex::{Number, TokenKind};
use crate::error::CompileError;

impl<'a> Parser<'a, '_> {
    /// The register of a name, which must be declared.
    pub(super) fn known_reg(&mut self, name: &'a str) -> Result<RegId, CompileError> {
        match self.scopes.reg(self.body, name) {
            Some(reg) => Ok(reg),
            None => Err(self.c.error(format!("register `{}` is not declared", shorten(name)))),
        }
    }

    fn symbol(&self, name: &str) -> Symbol {
        match self.scopes.var(name) {
            Some(var) => Symbol::Local(var),
            None => Symbol::Name(name.into()),
        }
    }

    /// Bytes behind a name: `+4`, `+-4`, `-4`, or none.
    fn offset(&mut self) -> Result<i64, CompileError> {
        if self.c.eat('+') || self.c.peek() == TokenKind::Punct('-') {
            self.c.int("bytes added to an address")
        } else {
            Ok(0)
        }
    }

    fn list(&mut self, end: char, depth: u32) -> Result<Vec<Operand>, CompileError> {
        let mut out = Vec::new();
        if depth > 1 {
            return Err(self.c.error("operands nested too deep"));
        }
        while !self.c.eat(end) {
            out.push(self.operand(depth + 1)?);
            if self.c.peek() != TokenKind::Punct(end) {
                self.c.expect(',')?;
            }
        }
        Ok(out)
    }

    /// One operand; `depth` counts the lists around it.
    pub(super) fn operand(&mut self, depth: u32) -> Result<Operand, CompileError> {
        if self.c.eat('{') {
            return Ok(Operand::Vector(self.list('}', depth)?));
        }
        if self.c.eat('(') {
            return Ok(Operand::List(self.list(')', depth)?));
        }
        if self.c.eat('[') {
            return self.address();
        }
        if self.c.eat('!') {
            let name = self.c.word("a predicate register")?;
            return Ok(Operand::NotReg(self.known_reg(name)?));
        }
        match self.c.peek() {
            TokenKind::Number(_) | TokenKind::Punct('-') => Ok(match self.c.number("an operand")? {
                Number::Int(v) => Operand::Int(v),
                Number::F32(v) => Operand::F32(v),
                Number::F64(v) => Operand::F64(v),
            }),
            TokenKind::Word("_") => {
                self.c.take();
                if self.c.eat('|') {
                    return Err(self.c.error("`_|%p`: name both predicates"));
                }
                Ok(Operand::Sink)
            }
            TokenKind::Word("WARP_SZ") => {
                self.c.take();
                Ok(Operand::Int(32))
            }
            TokenKind::Word(name) => {
                if let Some(reg) = self.scopes.reg(self.body, name) {
                    self.c.take();
                    if self.c.eat('|') {
                        let second = self.c.word("a predicate register")?;
                        return Ok(Operand::RegPair(reg, self.known_reg(second)?));
                    }
                    return Ok(Operand::Reg(reg));
                }
                if let Some(special) = name.strip_prefix('%') {
                    let stem = special.split('.').next().unwrap_or("");
                    let known = special.contains('.')
                        || !stem.ends_with(|c: char| c.is_ascii_digit())
                        || ["clock64", "envreg", "pm"].iter().any(|p| stem.starts_with(p));
                    if !known {
                        return self.known_reg(name).map(Operand::Reg);
                    }
                    self.c.take();
                    return Ok(Operand::Special(special.into()));
                }
                self.c.take();
                let symbol = self.symbol(name);
                let offset = self.offset()?;
                Ok(Operand::Symbol(symbol, offset))
            }
            _ => Err(self.c.expected("an operand")),
        }
    }

    fn address(&mut self) -> Result<Operand, CompileError> {
        let base = match self.c.peek() {
            TokenKind::Word(name) => {
                let base = match self.scopes.reg(self.body, name) {
                    Some(reg) => Base::Reg(reg),
                    None if name.starts_with('%') => {
                        return Err(self.c.error(format!("register `{}` is not declared", shorten(name))))
                    }
                    None => Base::Symbol(self.symbol(name)),
                };
                self.c.take();
                base
            }
            _ => Base::None,
        };
        let offset = match base {
            Base::None => self.c.int("an address")?,
            _ => self.offset()?,
        };
        if self.c.peek() == TokenKind::Punct(',') {
            return Err(self
                .c
                .error("texture instructions of PTX do not exist on this chip: compile from CUDA C, whose textures are read by software"));
        }
        self.c.expect(']')?;
        Ok(Operand::Address(base, offset))
    }
}
