//! Declarations: variables with initialisers, parameters, registers' ranges.

use super::ast::{Init, Param, Pointer, Space, Ty, TypeKind, Variable};
use super::cursor::Cursor;
use super::lex::{Number, TokenKind};
use crate::error::CompileError;
use crate::texture;

/// Largest alignment accepted, in bytes.
const MAX_ALIGN: u32 = 1 << 16;

/// Elements of one variable at most; what lies beyond no chip can hold.
const MAX_ELEMENTS: u64 = 1 << 30;

/// Takes the number behind `.align`.
pub(super) fn align(c: &mut Cursor) -> Result<u32, CompileError> {
    let line = c.line();
    let n = c.int32("an alignment in bytes")?;
    if n.is_power_of_two() && n <= MAX_ALIGN {
        Ok(n)
    } else {
        Err(c.error_at(line, format!("alignment {n} is no power of two up to {MAX_ALIGN}")))
    }
}

/// Takes the dimensions of an array behind its name: elements, or `None` for `x[]`.
fn dimensions(c: &mut Cursor) -> Result<Option<u32>, CompileError> {
    let mut count = Some(1u64);
    while c.eat('[') {
        if c.eat(']') {
            count = None;
            continue;
        }
        let line = c.line();
        let n = c.int32("a number of elements")?;
        c.expect(']')?;
        count = count.map(|c| c * u64::from(n));
        if count.is_some_and(|c| c > MAX_ELEMENTS) {
            return Err(c.error_at(line, "array too large for any memory of the chip"));
        }
    }
    Ok(count.map(|c| c as u32))
}

/// Takes a variable behind its space (`.align 4 .b8 x[16] = {…}`), up to and with the `;`.
///
/// Several variables may stand in one statement, separated by commas.
pub(super) fn variables(
    c: &mut Cursor, space: Space, external: bool, out: &mut Vec<Variable>,
) -> Result<(), CompileError> {
    let mut alignment = None;
    let mut vector = 1;
    let mut ty = None;
    let first = c.line();
    while let TokenKind::Word(w) = c.peek() {
        let Some(name) = w.strip_prefix('.') else { break };
        c.take();
        match name {
            "align" => alignment = Some(align(c)?),
            "v2" => vector = 2,
            "v4" => vector = 4,
            "attribute" => {
                c.expect('(')?;
                while !c.eat(')') {
                    if c.take() == TokenKind::End {
                        return Err(c.expected("`)`"));
                    }
                }
            }
            _ => match Ty::parse(name) {
                Some(t) => ty = Some(t),
                None if ["texref", "surfref"].contains(&name) => {
                    references(c, external, out)?;
                    return Ok(());
                }
                // OpenCL's samplers in PTX; instructions on them are refused.
                None if name.ends_with("ref") => {
                    c.skip_statement();
                    return Ok(());
                }
                None => return Err(c.error_at(first, format!("`.{name}` is no type of a variable"))),
            },
        }
    }
    let Some(ty) = ty else {
        return Err(c.expected("the type of a variable"));
    };
    loop {
        let line = c.line();
        let name = c.word("the name of a variable")?.to_string();
        let count = dimensions(c)?.map(|n| n.saturating_mul(vector));
        let mut init = Vec::new();
        if c.eat('=') {
            initialiser(c, &mut init)?;
        }
        let count = match count {
            // An array without a size that has values is as long as they are.
            None if !init.is_empty() => Some(init.len() as u32),
            count => count,
        };
        if count.is_some_and(|n| init.len() as u64 > u64::from(n)) {
            return Err(c.error_at(line, format!("more values than `{name}` has elements")));
        }
        out.push(Variable {
            name,
            line,
            space,
            ty,
            align: alignment.unwrap_or(ty.bytes() * vector).max(1),
            count,
            external,
            init,
            texture: false,
        });
        if !c.eat(',') {
            break;
        }
    }
    c.expect(';')
}

/// Takes texture or surface references behind their type: descriptors in constant memory.
fn references(c: &mut Cursor, external: bool, out: &mut Vec<Variable>) -> Result<(), CompileError> {
    loop {
        let line = c.line();
        out.push(Variable {
            name: c.word("the name of a texture or surface")?.to_string(),
            line,
            space: Space::Const,
            ty: Ty { kind: TypeKind::Bits, bits: 32 },
            align: texture::ALIGN,
            count: Some(texture::BYTES / 4),
            external,
            init: Vec::new(),
            texture: true,
        });
        // A reference of PTX may have settings; ours come with the launch.
        if c.eat('=') {
            c.skip_statement();
            return Ok(());
        }
        if !c.eat(',') {
            break;
        }
    }
    c.expect(';')
}

fn initialiser(c: &mut Cursor, out: &mut Vec<Init>) -> Result<(), CompileError> {
    if !c.eat('{') {
        out.push(value(c)?);
        return Ok(());
    }
    while !c.eat('}') {
        if c.peek() == TokenKind::Punct('{') {
            return Err(c.error("nested braces in an initialiser: write the elements in one list"));
        }
        out.push(value(c)?);
        if c.peek() != TokenKind::Punct('}') {
            c.expect(',')?;
        }
    }
    Ok(())
}

/// One value: a number, `sym`, `sym+4`, `generic(sym)+4` or `0xFF(sym)`.
fn value(c: &mut Cursor) -> Result<Init, CompileError> {
    let mut mask = None;
    let mut parenthesis = false;
    if matches!(c.peek(), TokenKind::Number(_) | TokenKind::Punct('-')) {
        match c.number("a value")? {
            Number::Int(v) if c.eat('(') => {
                mask = Some(v);
                parenthesis = true;
            }
            Number::Int(v) => return Ok(Init::Int(v)),
            Number::F32(v) => return Ok(Init::F32(v)),
            Number::F64(v) => return Ok(Init::F64(v)),
        }
    }
    let mut inner = false;
    if c.eat_word("generic") {
        c.expect('(')?;
        inner = true;
    }
    let name = c.word("a value or the name of a variable")?.to_string();
    if inner {
        c.expect(')')?;
    }
    let offset = if c.eat('+') || c.peek() == TokenKind::Punct('-') { c.int("bytes added to an address")? } else { 0 };
    if parenthesis {
        c.expect(')')?;
    }
    Ok(Init::Symbol { name, offset, mask })
}

/// Takes a list of parameters in parentheses; a trailing comma is allowed.
///
/// `reg` makes a register for a function that passes registers.
pub(super) fn params<'a>(
    c: &mut Cursor<'a>, reg: &mut dyn FnMut(&'a str, Ty) -> super::ast::RegId,
) -> Result<Vec<Param>, CompileError> {
    let mut out = Vec::new();
    c.expect('(')?;
    while !c.eat(')') {
        out.push(param(c, reg)?);
        if c.peek() != TokenKind::Punct(')') {
            c.expect(',')?;
        }
    }
    Ok(out)
}

fn param<'a>(c: &mut Cursor<'a>, reg: &mut dyn FnMut(&'a str, Ty) -> super::ast::RegId) -> Result<Param, CompileError> {
    let in_register = c.eat_word(".reg");
    if !in_register && !c.eat_word(".param") {
        return Err(c.expected("`.param`"));
    }
    let (mut ty, mut alignment) = (None, None);
    let mut pointer: Option<Pointer> = None;
    let mut vector = 1;
    while let Some(name) = c.dotted() {
        match name {
            // Behind `.ptr` the alignment is that of the memory pointed to.
            "align" => {
                let n = align(c)?;
                match &mut pointer {
                    Some(p) => p.align = n,
                    None => alignment = Some(n),
                }
            }
            "ptr" => pointer = Some(Pointer { space: None, align: 1 }),
            "v2" => vector = 2,
            "v4" => vector = 4,
            _ => {
                if let (Some(p), Some(space)) = (&mut pointer, Space::parse(name)) {
                    p.space = Some(space);
                } else if let Some(t) = Ty::parse(name) {
                    ty = Some(t);
                } else if name.ends_with("ref") {
                    return Err(
                        c.error("textures, surfaces and samplers do not exist on SM 1.0: pass a pointer to a buffer")
                    );
                } else {
                    return Err(c.error(format!("`.{name}` is no type of a parameter")));
                }
            }
        }
    }
    let Some(ty) = ty else {
        return Err(c.expected("the type of a parameter"));
    };
    let name = c.word("the name of a parameter")?;
    let mut count = vector;
    if c.peek() == TokenKind::Punct('[') {
        let Some(n) = dimensions(c)? else {
            return Err(c.error("parameters without a size (variadic functions) are not possible"));
        };
        count = n.saturating_mul(vector);
    }
    Ok(Param {
        name: name.to_string(),
        ty,
        align: alignment.unwrap_or(ty.bytes() * vector).max(1),
        count,
        pointer,
        reg: in_register.then(|| reg(name, ty)),
    })
}
