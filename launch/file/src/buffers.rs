//! Places and contents of buffers and of the variables of a compiled program.

use crate::heap;
use crate::placed::{full, section, Placed};
use crate::raw::{RawBuffer, RawLaunch, RawSymbol, Source};
use crate::textures;
use toml::Spanned;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::{Compiled, Unit};
use warpsmith_isa::heap::HEAP;
use warpsmith_launch::{Buffer, ConstantSection, GlobalSection, LaunchError};

/// Places buffers in the order of the file from byte `start` on, then the program's variables; `apart` with room
/// between them.
pub(crate) fn place(
    source: &Source<'_>, raw: &RawLaunch, compiled: Option<&Compiled>, start: u64, apart: bool,
) -> Result<Placed, LaunchError> {
    let mut placed = Placed { apart, ..Placed::default() };
    for buffer in &raw.buffer {
        self::buffer(source, buffer, start, &mut placed)?;
    }
    if let Some(c) = compiled {
        placed.functions = c.unit.functions.clone();
        let descriptors = textures::place(source, raw, c, start, &mut placed)?;
        let addresses = variables(source, raw, c, start, descriptors, &mut placed)?;
        literals(c, &addresses, &mut placed);
    }
    Ok(placed)
}

fn buffer(source: &Source<'_>, raw: &Spanned<RawBuffer>, start: u64, placed: &mut Placed) -> Result<(), LaunchError> {
    let line = source.line_of(raw);
    let b = raw.as_ref();
    let name = b.name.as_ref();
    if placed.buffers.iter().any(|p| p.name == *name) {
        return Err(source.error(&b.name, format!("there are two buffers named `{name}`")));
    }
    let given = b.words.is_some() || b.floats.is_some() || b.doubles.is_some() || b.file.is_some();
    let mut content = match given {
        true => source.words_or(line, &b.words, &b.floats, &b.doubles, b.file.as_ref())?,
        false => Vec::new(),
    };
    let bytes = match b.bytes {
        Some(n) => n,
        None if given => content.len() as u64,
        None => {
            return Err(LaunchError::new(
                source.file,
                line,
                format!(
                    "buffer `{name}` needs bytes = N, words = [...], floats = [...], doubles = [...] or file = \"...\""
                ),
            ))
        }
    };
    if bytes < content.len() as u64 {
        return Err(LaunchError::new(
            source.file,
            line,
            format!(
                "buffer `{name}` has {bytes} bytes and is filled with {}: raise bytes, or leave it out",
                content.len()
            ),
        ));
    }
    let address = placed.take(start, bytes).ok_or_else(|| full(source, raw, &format!("buffer `{name}`")))?;
    if let Some(fill) = b.fill.as_ref() {
        let word =
            fill.as_ref().word().ok_or_else(|| source.error(fill, "fill is one 32-bit word: an integer or a float"))?;
        // A fill of zeros is what memory holds anyway.
        if word != 0 {
            let pattern = word.to_le_bytes();
            content.extend((content.len() as u64..bytes).map(|i| pattern[(i % 4) as usize]));
        }
    }
    if !content.is_empty() {
        placed.globals.push(section(address, 0, content, line));
    }
    if let Some(x) = &b.expect {
        let line = source.line_of(x);
        let x = x.as_ref();
        source.exact(line, &x.doubles, x.max_ulp)?;
        let content = source.words_or(line, &x.words, &x.floats, &x.doubles, x.file.as_ref())?;
        if x.offset.saturating_add(content.len() as u64) > bytes {
            return Err(LaunchError::new(
                source.file,
                line,
                format!(
                    "expect covers bytes {} to {} of buffer `{name}`, which has {bytes}",
                    x.offset,
                    x.offset.saturating_add(content.len() as u64)
                ),
            ));
        }
        placed.expects.push(GlobalSection {
            max_ulp: x.max_ulp,
            floats: x.floats.is_some() || x.max_ulp.is_some(),
            ..section(address, x.offset, content, line)
        });
    }
    placed.buffers.push(Buffer { name: name.clone(), address, bytes });
    Ok(())
}

/// Address of every variable of the unit: global ones are placed, constant ones have their offset.
///
/// `descriptors` of textures lie in constant bank 0, in variables and behind them.
fn variables(
    source: &Source<'_>, raw: &RawLaunch, c: &Compiled, start: u64, descriptors: Vec<(u32, Vec<u8>)>,
    placed: &mut Placed,
) -> Result<Vec<u32>, LaunchError> {
    let unit = &heap::sized(source, raw, &c.unit)?;
    let mut addresses = Vec::new();
    for v in &unit.globals {
        addresses.push(match v.constant_offset {
            Some(offset) => offset,
            None => placed
                .take(start, u64::from(v.bytes))
                .ok_or_else(|| full(source, &raw.program, &format!("variable `{}`", readable(&v.name))))?,
        });
    }
    let mut contents = unit.contents(&addresses);
    let mut lines = vec![None; contents.len()];
    for symbol in &raw.symbol {
        let n = find(source, unit, symbol)?;
        lines[n] = Some(source.line_of(symbol));
        set(source, unit, symbol, n, addresses[n], &mut contents[n], placed)?;
    }
    let mut bank = unit.constant_bank(&contents);
    for (offset, bytes) in descriptors {
        let at = offset as usize;
        bank.resize(bank.len().max(at + bytes.len()), 0);
        bank[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    for (n, (v, bytes)) in unit.globals.iter().zip(contents).enumerate() {
        if v.constant_offset.is_some() {
            continue;
        }
        placed.buffers.push(Buffer { name: readable(&v.name), address: addresses[n], bytes: u64::from(v.bytes) });
        let bytes = match v.name == HEAP {
            true => bytes[..4].to_vec(),
            false => bytes,
        };
        if bytes.iter().any(|b| *b != 0) {
            placed.globals.push(GlobalSection { line: lines[n], ..section(addresses[n], 0, bytes, 0) });
        }
    }
    if !bank.is_empty() {
        placed.constants.push(ConstantSection { bank: 0, offset: 0, bytes: bank, reserved: true, line: None });
    }
    Ok(addresses)
}

/// The variable a `[[symbol]]` names: as in the PTX, or as in the source.
fn find(source: &Source<'_>, unit: &Unit, raw: &Spanned<RawSymbol>) -> Result<usize, LaunchError> {
    let name = &raw.as_ref().name;
    let wanted = name.as_ref().as_str();
    let known: Vec<String> = unit.globals.iter().map(|v| readable(&v.name)).collect();
    let matches = |(n, full): (usize, &String)| {
        let inner = full.rsplit("::").next().unwrap_or(full);
        (unit.globals[n].name == wanted || full == wanted || inner == wanted).then_some(n)
    };
    let found: Vec<usize> = known.iter().enumerate().filter_map(matches).collect();
    match found[..] {
        [one] => Ok(one),
        [] if known.is_empty() => Err(source.error(
            name,
            format!("there is no variable `{wanted}`; the kernel uses no __constant__ or __device__ variables"),
        )),
        [] => Err(source.error(name, format!("there is no variable `{wanted}`; there are: {}", known.join(", ")))),
        _ => {
            Err(source
                .error(name, format!("`{wanted}` is the name of several variables; there are: {}", known.join(", "))))
        }
    }
}

/// Writes the contents a `[[symbol]]` gives, and notes what it expects.
fn set(
    source: &Source<'_>, unit: &Unit, raw: &Spanned<RawSymbol>, n: usize, address: u32, content: &mut [u8],
    placed: &mut Placed,
) -> Result<(), LaunchError> {
    let line = source.line_of(raw);
    let s = raw.as_ref();
    let name = s.name.as_ref();
    let given = s.words.is_some() || s.floats.is_some() || s.doubles.is_some() || s.file.is_some();
    let fits = |offset: u64, bytes: &[u8], line: usize| {
        let end = offset.saturating_add(bytes.len() as u64);
        match end <= u64::from(unit.globals[n].bytes) {
            true => Ok(offset as usize),
            false => Err(LaunchError::new(
                source.file,
                line,
                format!("bytes {offset} to {end} of variable `{name}`, which has {}", unit.globals[n].bytes),
            )),
        }
    };
    if given || s.expect.is_none() {
        let bytes = source.words_or(line, &s.words, &s.floats, &s.doubles, s.file.as_ref())?;
        let at = fits(s.offset, &bytes, line)?;
        if let Some(place) = content.get_mut(at..).and_then(|c| c.get_mut(..bytes.len())) {
            place.copy_from_slice(&bytes);
        }
    }
    let Some(x) = &s.expect else { return Ok(()) };
    let line = source.line_of(x);
    if unit.globals[n].constant_offset.is_some() {
        return Err(source.error(x, format!("`{name}` is constant: a kernel cannot change it, so expect says nothing")));
    }
    let x = x.as_ref();
    source.exact(line, &x.doubles, x.max_ulp)?;
    let bytes = source.words_or(line, &x.words, &x.floats, &x.doubles, x.file.as_ref())?;
    fits(x.offset, &bytes, line)?;
    placed.expects.push(GlobalSection {
        max_ulp: x.max_ulp,
        floats: x.floats.is_some() || x.max_ulp.is_some(),
        ..section(address, x.offset, bytes, line)
    });
    Ok(())
}

/// Constant bank 1: literals, and addresses of variables.
fn literals(c: &Compiled, addresses: &[u32], placed: &mut Placed) {
    let words = c.kernel.literals_at(addresses);
    if !words.is_empty() {
        placed.constants.push(ConstantSection::new(1, 0, words.iter().flat_map(|w| w.to_le_bytes()).collect()));
    }
}
