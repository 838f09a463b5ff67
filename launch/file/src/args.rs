//! Arguments of a kernel: buffers by name, numbers by the types of the parameters.

use crate::placed::Placed;
use crate::raw::{Arg, Source};
use toml::Spanned;
use warpsmith_compiler::clang::names::parameter_types;
use warpsmith_compiler::ir::{Param, ParamKind};
use warpsmith_compiler::texture::Sampler;
use warpsmith_compiler::Compiled;
use warpsmith_launch::LaunchError;

/// Parameter words, and the shared bytes that `__local` arguments take behind `shared`. Where the types of
/// the parameters are unknown a number is one word and a buffer's name `pointer_bytes` bytes, aligned to
/// as many.
pub(crate) fn words(
    source: &Source<'_>, args: &Spanned<Vec<Spanned<Arg>>>, pointer_bytes: usize, compiled: Option<&Compiled>,
    placed: &Placed,
) -> Result<(Vec<u32>, u32), LaunchError> {
    let Some(c) = compiled else {
        let mut words = Vec::new();
        for a in args.as_ref() {
            let wide = pointer_bytes == 8 && matches!(a.as_ref(), Arg::Name(_));
            if wide && words.len() % 2 == 1 {
                words.push(0);
            }
            words.push(plain(source, a, placed)?);
            if wide {
                words.push(0);
            }
        }
        return Ok((words, 0));
    };
    let params = &c.kernel.params;
    let types = types(c);
    if args.as_ref().len() != params.len() {
        return Err(source
            .error(args, format!("args has {} values; {} takes {}", args.as_ref().len(), signature(c), params.len())));
    }
    let mut bytes = vec![0; 4 * c.kernel.parameter_words()];
    let mut shared = c.kernel.shared_bytes;
    for (n, (arg, p)) in args.as_ref().iter().zip(params).enumerate() {
        let ty = types.as_ref().map(|t| t[n].as_str());
        let value = match p.kind {
            ParamKind::Shared => local(arg.as_ref(), p, &mut shared),
            ParamKind::Value | ParamKind::Global if ty.is_some_and(|t| t.ends_with('*')) => {
                pointer(arg.as_ref(), placed)
            }
            ParamKind::Global => handle(arg.as_ref(), placed).map_or_else(|| pointer(arg.as_ref(), placed), Ok),
            ParamKind::Constant => sampler(arg.as_ref()).map_or_else(|| pointer(arg.as_ref(), placed), Ok),
            ParamKind::Value if p.bytes == 4 => {
                function(arg.as_ref(), placed).map_or_else(|| value(arg.as_ref(), p, ty, placed), Ok)
            }
            // A texture object has 64 bits.
            ParamKind::Value if p.bytes == 8 => match handle(arg.as_ref(), placed) {
                Some(handle) => Ok([handle, vec![0; 4]].concat()),
                None => value(arg.as_ref(), p, ty, placed),
            },
            ParamKind::Value => value(arg.as_ref(), p, ty, placed),
        };
        let value = value.map_err(|wanted| {
            source.error(arg, format!("argument {} of {} is {}: {wanted}", n + 1, signature(c), arg.as_ref()))
        })?;
        let place = bytes.get_mut(p.offset as usize..);
        if let Some(place) = place.and_then(|b| b.get_mut(..value.len().min(p.bytes as usize))) {
            let n = place.len();
            place.copy_from_slice(&value[..n]);
        }
    }
    let words = bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    Ok((words, shared - c.kernel.shared_bytes))
}

/// An argument of a program with unknown parameter types: one word.
fn plain(source: &Source<'_>, arg: &Spanned<Arg>, placed: &Placed) -> Result<u32, LaunchError> {
    let found = match arg.as_ref() {
        Arg::Name(name) => placed.address(name).ok_or_else(|| unknown(name, placed)),
        other => other.word().ok_or_else(|| "a 32-bit number or a buffer's name is needed".to_string()),
    };
    found.map_err(|wanted| source.error(arg, format!("{}: {wanted}", arg.as_ref())))
}

/// Types of the parameters where the symbol tells them.
fn types(c: &Compiled) -> Option<Vec<String>> {
    parameter_types(&c.kernel.name).filter(|t| t.len() == c.kernel.params.len())
}

/// `saxpy(int, float, float const*, float*)`, or what PTX says of the types.
fn signature(c: &Compiled) -> String {
    let types = types(c).unwrap_or_else(|| c.kernel.params.iter().map(type_of).collect());
    format!("{}({})", c.name, types.join(", "))
}

fn type_of(p: &Param) -> String {
    match (p.kind, p.bytes, p.float) {
        (ParamKind::Global | ParamKind::Constant, ..) => "pointer".into(),
        (ParamKind::Shared, ..) => "__local bytes".into(),
        (_, 4, true) => "float".into(),
        (_, 8, true) => "double".into(),
        (_, 1, _) => "8 bits".into(),
        (_, 2, _) => "16 bits".into(),
        (_, 4, _) => "int".into(),
        (_, 8, _) => "64 bits".into(),
        (_, n, _) => format!("struct of {n} bytes"),
    }
}

fn unknown(name: &str, placed: &Placed) -> String {
    let names: Vec<&str> = placed.buffers.iter().map(|b| b.name.as_str()).collect();
    match names.is_empty() {
        true => format!("there is no [[buffer]] `{name}`, and no other"),
        false => format!("there is no [[buffer]] `{name}`; there are: {}", names.join(", ")),
    }
}

/// Bytes of dynamic shared memory as the address of their first.
fn local(arg: &Arg, p: &Param, shared: &mut u32) -> Result<Vec<u8>, String> {
    let Arg::Int(n) = arg else { return Err("a number of bytes of shared memory is needed".into()) };
    let bytes = u32::try_from(*n)
        .ok()
        .filter(|n| (1..=65536).contains(n))
        .ok_or("1 to 65536 bytes of shared memory are needed")?;
    let at = shared.next_multiple_of(p.local_align());
    *shared = at + bytes;
    Ok(at.to_le_bytes().to_vec())
}

/// The handle of a texture that an argument names: of a texture object, an image.
fn handle(arg: &Arg, placed: &Placed) -> Option<Vec<u8>> {
    let Arg::Name(name) = arg else { return None };
    placed.handle(name).map(|h| h.to_le_bytes().to_vec())
}

/// The value of a pointer to the function that an argument names.
fn function(arg: &Arg, placed: &Placed) -> Option<Vec<u8>> {
    let Arg::Name(name) = arg else { return None };
    placed.function(name).map(|value| value.to_le_bytes().to_vec())
}

/// The word of a sampler, as OpenCL C writes it.
fn sampler(arg: &Arg) -> Option<Vec<u8>> {
    let Arg::Name(text) = arg else { return None };
    Sampler::parse(text).map(|word| word.to_le_bytes().to_vec())
}

fn pointer(arg: &Arg, placed: &Placed) -> Result<Vec<u8>, String> {
    match arg {
        Arg::Name(name) => placed.address(name).map(|a| a.to_le_bytes().to_vec()).ok_or_else(|| unknown(name, placed)),
        Arg::Int(0) => Ok(vec![0; 4]),
        _ => Err("a buffer's name is needed, or 0 for no buffer".into()),
    }
}

/// A number or a struct; where the type is not known, perhaps a pointer that the kernel never follows.
fn value(arg: &Arg, p: &Param, ty: Option<&str>, placed: &Placed) -> Result<Vec<u8>, String> {
    let untyped = ty.is_none();
    let float_wanted = p.float && p.bytes == 4;
    // Newer versions of clang do not say `.f64`.
    let double_wanted = p.float || ty == Some("double");
    match (arg, p.bytes) {
        (Arg::Words(_), 4) if float_wanted => Err("a number is needed".into()),
        (Arg::Words(list), bytes) => {
            if list.len() != bytes.div_ceil(4) as usize {
                return Err(format!("{} words of 32 bits are needed", bytes.div_ceil(4)));
            }
            let mut out = Vec::new();
            for a in list {
                let word = match a {
                    Arg::Name(name) => placed
                        .handle(name)
                        .or(placed.address(name))
                        .or(placed.function(name))
                        .ok_or_else(|| unknown(name, placed))?,
                    other => other.word().ok_or_else(|| format!("{other} is no 32-bit word"))?,
                };
                out.extend(word.to_le_bytes());
            }
            Ok(out)
        }
        (Arg::Float(_), 4) if float_wanted => {
            arg.word().map(|w| w.to_le_bytes().to_vec()).ok_or_else(|| "it is beyond the range of a float".into())
        }
        (Arg::Int(n), 4) if float_wanted => Ok((*n as f32).to_bits().to_le_bytes().to_vec()),
        (_, 4) if float_wanted => Err("a number is needed".into()),
        (Arg::Float(x), 8) if double_wanted || untyped => Ok(x.to_le_bytes().to_vec()),
        (Arg::Int(n), 8) if double_wanted => Ok((*n as f64).to_le_bytes().to_vec()),
        (Arg::Name(name), 4) if untyped => {
            placed.address(name).map(|a| a.to_le_bytes().to_vec()).ok_or_else(|| unknown(name, placed))
        }
        (Arg::Name(_), _) => Err("a number is needed, a buffer is a pointer".into()),
        (Arg::Float(_), 1 | 2 | 4 | 8) => Err("an integer is needed (or a list of words, where it is a struct)".into()),
        (Arg::Bool(b), 1 | 2 | 4 | 8) => Ok(u64::from(*b).to_le_bytes()[..p.bytes as usize].to_vec()),
        (Arg::Int(n), bytes @ (1 | 2 | 4 | 8)) => {
            let bits = 8 * bytes;
            let most = if bits == 64 { i64::MAX } else { (1 << bits) - 1 };
            let least = if bits == 64 { i64::MIN } else { -(1 << (bits - 1)) };
            if !(least..=most).contains(n) {
                return Err(format!("{bits} bits hold {least} to {most}"));
            }
            Ok(n.to_le_bytes()[..bytes as usize].to_vec())
        }
        (_, bytes) => Err(format!("a list of {} words of 32 bits is needed", bytes.div_ceil(4))),
    }
}
