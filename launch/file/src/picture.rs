//! Pictures in PNG as texels.

use std::io::Cursor;
use std::path::Path;
use warpsmith_cache::input;
use warpsmith_compiler::texture::{Class, Format, Order};
use warpsmith_launch::LaunchError;

/// Most bytes of a picture's file.
const FILE: u64 = 1 << 30;

/// Texels of a picture.
pub(crate) struct Picture {
    /// Texels in x and y.
    pub extent: [u32; 2],
    /// Rows from the top, without gaps.
    pub texels: Vec<u8>,
}

/// Reads a picture: its samples of 8 or 16 bits are 0 to 1 where reads of the format give floats, else integers.
///
/// # Errors
/// No file, no PNG, or a picture with colours for a format with one channel.
pub(crate) fn read(path: &Path, format: Format, from: &Path, line: usize) -> Result<Picture, LaunchError> {
    let bytes = input::read(path, FILE).map_err(|e| {
        LaunchError::new(
            from,
            line,
            format!("cannot read {}: {e}; paths are relative to the launch file", path.display()),
        )
    })?;
    let broken = |e: png::DecodingError| LaunchError::new(path, None, format!("no picture in PNG: {e}"));
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(broken)?;
    let mut samples = vec![0; reader.output_buffer_size()];
    let info = reader.next_frame(&mut samples).map_err(broken)?;
    let channels = info.color_type.samples();
    let deep = info.bit_depth == png::BitDepth::Sixteen;
    let colours = channels > 2;
    if colours && format.order.channels() == 1 && format.order != Order::A {
        let (ty, order) = (format.ty.name(), format.order.name());
        let what = format!(
            "{} has colours, and format \"{ty} {order}\" one channel: take \"{ty} rgba\", or a picture in greys",
            path.display()
        );
        return Err(LaunchError::new(from, line, what));
    }
    let most = if deep { 65535 } else { 255 };
    let sample = |at: usize| match deep {
        true => samples.get(2 * at..2 * at + 2).map_or(0, |b| u32::from(b[0]) << 8 | u32::from(b[1])),
        false => samples.get(at).copied().map_or(0, u32::from),
    };
    let mut texels = Vec::new();
    for n in 0..info.width as usize * info.height as usize {
        let at = |c: usize| sample(n * channels + c);
        let rgba = match channels {
            1 => [at(0), at(0), at(0), most],
            2 => [at(0), at(0), at(0), at(1)],
            3 => [at(0), at(1), at(2), most],
            _ => [at(0), at(1), at(2), at(3)],
        };
        texels.extend(texel(rgba, most, format));
    }
    Ok(Picture { extent: [info.width, info.height], texels })
}

/// A texel of samples 0 to `most`.
fn texel(rgba: [u32; 4], most: u32, format: Format) -> Vec<u8> {
    let float = format.ty.class() == Class::Float;
    format.texel(rgba.map(|s| if float { (s as f32 / most as f32).to_bits() } else { s }))
}
