//! `[[texture]]` sections: texels placed in global memory, descriptors for constant bank 0.
//!
//! The layout of a descriptor is `warpsmith_compiler::texture`'s.

use crate::picture;
use crate::placed::{full, section, Bound, Placed};
use crate::raw::{Arg, Modes, RawLaunch, RawTexture, Source};
use toml::Spanned;
use warpsmith_compiler::clang::names::readable;
use warpsmith_compiler::texture::{Address, Class, Descriptor, Format, Order, Sampler, Type, ALIGN, BYTES};
use warpsmith_compiler::Compiled;
use warpsmith_launch::{Buffer, GlobalSection, LaunchError};

/// Longest row, in bytes, and most rows and slices: their products have factors of 24 bits.
const MOST: u32 = 1 << 24;

/// Places the texels of all textures. The result is a descriptor of each with its byte offset in constant bank 0: those of
/// the program's references lie in their variables, others behind all variables.
pub(crate) fn place(
    source: &Source<'_>, raw: &RawLaunch, compiled: &Compiled, start: u64, placed: &mut Placed,
) -> Result<Vec<(u32, Vec<u8>)>, LaunchError> {
    let unit = &compiled.unit;
    let mut end = unit.constant_bytes.next_multiple_of(ALIGN);
    let mut out = Vec::new();
    let mut bound = Vec::new();
    for texture in &raw.texture {
        let name = &texture.as_ref().name;
        if placed.buffers.iter().any(|b| b.name == *name.as_ref()) {
            return Err(source.error(name, format!("there are two buffers or textures named `{}`", name.as_ref())));
        }
        let descriptor =
            Section { source, raw: texture.as_ref(), line: source.line_of(texture) }.place(start, placed)?;
        let handle = match reference(compiled, name.as_ref()) {
            Some(n) => {
                bound.push(n as u32);
                unit.globals[n].constant_offset.unwrap_or(0)
            }
            None => {
                end += BYTES;
                end - BYTES
            }
        };
        placed.textures.push(Bound { name: name.as_ref().clone(), handle });
        out.push((handle, descriptor.bytes()));
    }
    let missing = compiled.kernel.textures.iter().find(|n| !bound.contains(n));
    match missing.and_then(|n| unit.globals.get(*n as usize)) {
        None => Ok(out),
        Some(v) => {
            let name = readable(&v.name);
            let message = format!(
                "kernel {} reads texture reference `{name}`: bind it by a [[texture]] with name = \"{name}\", its format, width and texels",
                compiled.name
            );
            Err(source.error(&raw.program, message))
        }
    }
}

/// The texture reference of a name, as in the PTX or in the source.
fn reference(compiled: &Compiled, name: &str) -> Option<usize> {
    let named = |full: &str| full == name || readable(full) == name || readable(full).rsplit("::").next() == Some(name);
    compiled.unit.globals.iter().position(|v| v.texture && named(&v.name))
}

/// A section with its place.
struct Section<'a> {
    source: &'a Source<'a>,
    raw: &'a RawTexture,
    line: usize,
}

impl Section<'_> {
    fn error<T>(&self, message: impl Into<String>) -> Result<T, LaunchError> {
        let message = format!("texture `{}`: {}", self.raw.name.as_ref(), message.into());
        Err(LaunchError::new(self.source.file, self.line, message))
    }

    fn error_at<T, U>(&self, at: &Spanned<U>, message: impl Into<String>) -> Result<T, LaunchError> {
        Section { line: self.source.line_of(at), ..*self }.error(message)
    }

    /// Texels in global memory, and the descriptor.
    fn place(&self, start: u64, placed: &mut Placed) -> Result<Descriptor, LaunchError> {
        let format = self.format()?;
        let picture = self.picture(format)?;
        let extent = self.extent(picture.as_ref().map(|p| p.extent))?;
        let row = u64::from(extent[0]) * u64::from(format.bytes());
        let row_pitch = match &self.raw.row_pitch {
            Some(given) if u64::from(*given.as_ref()) < row || given.as_ref() % format.bytes() != 0 => {
                return self.error_at(
                    given,
                    format!("row_pitch is at least {row} bytes, and whole texels of {}", format.bytes()),
                )
            }
            Some(given) => u64::from(*given.as_ref()),
            None => row,
        };
        // Any number of texels in a row where there is one row.
        if extent[1] > 1 && row_pitch >= MOST.into() {
            return self.error(format!("a row has {row_pitch} bytes; {} are the most", MOST - 1));
        }
        let slice = row_pitch * u64::from(extent[1]);
        let bytes = slice * u64::from(extent[2]);
        let texels = match &self.raw.buffer {
            Some(buffer) => self.in_buffer(buffer, bytes, placed)?,
            None => self.own(format, picture.map(|p| p.texels), bytes, start, placed)?,
        };
        let fits = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        Ok(Descriptor {
            texels,
            extent,
            row_pitch: fits(row_pitch),
            slice_pitch: fits(slice),
            format,
            sampler: self.sampler()?,
            border: self.border(format)?,
        })
    }

    /// The buffer that holds the texels.
    fn in_buffer(&self, name: &Spanned<String>, bytes: u64, placed: &Placed) -> Result<u32, LaunchError> {
        if self.has_texels() {
            return self.error_at(
                name,
                "texels are those of a buffer, or of words, floats, values or a file: say one of them",
            );
        }
        let Some(buffer) = placed.buffers.iter().find(|b| b.name == *name.as_ref()) else {
            return self.error_at(name, format!("there is no [[buffer]] `{}`", name.as_ref()));
        };
        match bytes <= buffer.bytes {
            true => Ok(buffer.address),
            false => self.error_at(name, format!("its texels are {bytes} bytes, the buffer has {}", buffer.bytes)),
        }
    }

    /// A place of its own for the texels.
    fn own(
        &self, format: Format, picture: Option<Vec<u8>>, bytes: u64, start: u64, placed: &mut Placed,
    ) -> Result<u32, LaunchError> {
        let content = match (picture, &self.raw.values) {
            (Some(texels), _) => texels,
            (None, Some(values)) => self.values(format, values)?,
            (None, None) if self.has_texels() => {
                self.source.words_or(self.line, &self.raw.words, &self.raw.floats, &None, self.raw.file.as_ref())?
            }
            // Texels that the kernel writes.
            (None, None) => Vec::new(),
        };
        if !content.is_empty() && content.len() as u64 != bytes {
            let n = content.len();
            return self.error(format!("width, height and depth make {bytes} bytes of texels, {n} are given"));
        }
        let name = self.raw.name.as_ref();
        let address = placed.take(start, bytes);
        let address = address.ok_or_else(|| full(self.source, &self.raw.name, &format!("texture `{name}`")))?;
        if !content.is_empty() {
            placed.globals.push(section(address, 0, content, self.line));
        }
        placed.buffers.push(Buffer { name: name.clone(), address, bytes });
        self.expect(address, bytes, placed)?;
        Ok(address)
    }

    /// Expected texels at the end.
    fn expect(&self, address: u32, bytes: u64, placed: &mut Placed) -> Result<(), LaunchError> {
        let Some(raw) = &self.raw.expect else { return Ok(()) };
        let line = self.source.line_of(raw);
        let x = raw.as_ref();
        let content = self.source.words_or(line, &x.words, &x.floats, &x.doubles, x.file.as_ref())?;
        let end = x.offset.saturating_add(content.len() as u64);
        if end > bytes {
            return self.error_at(raw, format!("expect ends at byte {end}, its texels at {bytes}"));
        }
        placed.expects.push(GlobalSection {
            max_ulp: x.max_ulp,
            floats: x.floats.is_some() || x.max_ulp.is_some(),
            ..section(address, x.offset, content, line)
        });
        Ok(())
    }

    /// Whether the section has texels.
    fn has_texels(&self) -> bool {
        let r = self.raw;
        r.words.is_some() || r.floats.is_some() || r.file.is_some() || r.values.is_some()
    }

    /// The format: `"TYPE ORDER"`, or CUDA's name of a type.
    fn format(&self) -> Result<Format, LaunchError> {
        let text = self.raw.format.as_ref();
        let found = match text.split_once(' ') {
            Some((ty, order)) => Type::by_name(ty).zip(Order::by_name(order.trim())),
            None => of_cuda(text).or(Type::by_name(text).map(|ty| (ty, Order::R))),
        };
        // Packed formats are those of images alone.
        let single = |ty: &Type| ty.packed().is_none();
        match found.filter(|(ty, order)| single(ty) && !order.is_packed()) {
            Some((ty, order)) => Ok(Format { ty, order }),
            None => {
                let types: Vec<_> = Type::ALL.iter().filter(|t| single(t)).map(|t| t.name()).collect();
                let orders: Vec<_> = Order::ALL.iter().filter(|o| !o.is_packed()).map(|o| o.name()).collect();
                let what = format!(
                    "format is \"{text}\"; it is a type of CUDA C as in \"float\" or \"uchar4\", or a type and an order as in \"unorm8 rgba\": {}; {}",
                    types.join(", "),
                    orders.join(", ")
                );
                self.error_at(&self.raw.format, what)
            }
        }
    }

    fn picture(&self, format: Format) -> Result<Option<picture::Picture>, LaunchError> {
        let Some(file) = self.raw.file.as_ref().filter(|f| f.as_ref().to_ascii_lowercase().ends_with(".png")) else {
            return Ok(None);
        };
        if self.raw.row_pitch.is_some() {
            return self.error_at(file, "a picture's rows have no gaps: leave row_pitch out");
        }
        let path = self.source.resolve(file.as_ref());
        picture::read(&path, format, self.source.file, self.source.line_of(file)).map(Some)
    }

    /// Texels in x, y and z; `picture`: those of a picture.
    fn extent(&self, picture: Option<[u32; 2]>) -> Result<[u32; 3], LaunchError> {
        let keys = [("width", &self.raw.width), ("height", &self.raw.height), ("depth", &self.raw.depth)];
        let mut out = [1; 3];
        for (n, (key, given)) in keys.into_iter().enumerate() {
            let own = picture.and_then(|p| p.get(n).copied());
            out[n] = match (given, own) {
                (Some(g), Some(own)) if *g.as_ref() != own => {
                    return self.error_at(g, format!("{key} is {}; the picture's is {own}: leave it out", g.as_ref()))
                }
                (Some(g), _) if *g.as_ref() == 0 || n > 0 && *g.as_ref() >= MOST => {
                    return self.error_at(g, format!("{key} is {}; it must be 1 to {}", g.as_ref(), MOST - 1))
                }
                (Some(g), _) => *g.as_ref(),
                (None, Some(own)) => own,
                (None, None) if n == 0 => return self.error("say width = N, its texels in x"),
                (None, None) => 1,
            };
        }
        Ok(out)
    }

    fn sampler(&self) -> Result<Sampler, LaunchError> {
        let linear = match &self.raw.filter {
            None => false,
            Some(f) if f.as_ref() == "point" => false,
            Some(f) if f.as_ref() == "linear" => true,
            Some(f) => {
                return self.error_at(f, format!("filter is \"{}\"; it must be \"point\" or \"linear\"", f.as_ref()))
            }
        };
        let normalized = self.raw.normalized;
        let Some(modes) = &self.raw.address else {
            return Ok(Sampler { linear, normalized, ..Sampler::default() });
        };
        let names = match modes.as_ref() {
            Modes::All(name) => vec![name; 3],
            Modes::Each(list) if (1..=3).contains(&list.len()) => list.iter().collect(),
            Modes::Each(list) => {
                return self.error_at(modes, format!("address has {} modes; 1 to 3 are possible", list.len()))
            }
        };
        let mut address = [Address::default(); 3];
        for (to, name) in address.iter_mut().zip(names) {
            *to = match name.as_str() {
                "clamp" => Address::ClampToEdge,
                "border" => Address::Border,
                "wrap" | "mirror" if !normalized => {
                    return self.error_at(modes, format!("address \"{name}\" is of normalised coordinates: say normalized = true, or \"clamp\", which CUDA takes instead"))
                }
                "wrap" => Address::Repeat,
                "mirror" => Address::MirroredRepeat,
                _ => {
                    return self.error_at(modes, format!("address is \"{name}\"; it must be \"clamp\", \"border\", \"wrap\" or \"mirror\""))
                }
            };
        }
        Ok(Sampler { address, linear, normalized })
    }

    /// The border's words: zeros unless said.
    fn border(&self, format: Format) -> Result<[u32; 4], LaunchError> {
        let mut out = format.border();
        let Some(list) = &self.raw.border else { return Ok(out) };
        if list.as_ref().len() > 4 {
            return self.error_at(list, "border has 4 numbers at most");
        }
        for (to, value) in out.iter_mut().zip(list.as_ref()) {
            *to = match number(value, format.ty.class()) {
                Some(word) => word,
                None => return self.error_at(list, format!("border: {value} is no value of {}", format.ty.name())),
            };
        }
        Ok(out)
    }

    /// Texels of numbers, one a channel.
    fn values(&self, format: Format, list: &Spanned<Vec<Arg>>) -> Result<Vec<u8>, LaunchError> {
        if self.raw.words.is_some() || self.raw.floats.is_some() || self.raw.file.is_some() {
            return self.error_at(list, "texels are values, words, floats or a file: say one of them");
        }
        let channel = Format { order: Order::R, ..format };
        let mut out = Vec::new();
        for value in list.as_ref() {
            match number(value, format.ty.class()) {
                Some(word) => out.extend(channel.texel([word, 0, 0, 0])),
                None => return self.error_at(list, format!("{value} is no value of {}", format.ty.name())),
            }
        }
        Ok(out)
    }
}

/// A number as what a read of a class gives.
fn number(value: &Arg, class: Class) -> Option<u32> {
    match (value, class) {
        (Arg::Int(n), Class::Float) => Some((*n as f32).to_bits()),
        (Arg::Float(_), Class::Float) | (Arg::Int(_), _) => value.word(),
        _ => None,
    }
}

/// The format of a type of CUDA C, as in `uchar4`.
fn of_cuda(name: &str) -> Option<(Type, Order)> {
    let base = name.trim_end_matches(['1', '2', '4']);
    let ty = match base {
        "char" => Type::SignedInt8,
        "uchar" => Type::UnsignedInt8,
        "short" => Type::SignedInt16,
        "ushort" => Type::UnsignedInt16,
        "int" => Type::SignedInt32,
        "uint" => Type::UnsignedInt32,
        "half" => Type::HalfFloat,
        "float" => Type::Float,
        _ => return None,
    };
    let order = match &name[base.len()..] {
        "" | "1" => Order::R,
        "2" => Order::Rg,
        "4" => Order::Rgba,
        _ => return None,
    };
    Some((ty, order))
}
