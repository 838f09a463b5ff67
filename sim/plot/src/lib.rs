//! Plots as SVG, in the look of every page. Text is set by the viewer: nothing depends on the machine's fonts. Every
//! neutral colour is one of the constants below, so that a style sheet can exchange it in the dark.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

use plotters::coord::Shift;
use plotters::style::text_anchor::{Pos, VPos};

pub use plotters::prelude;
pub use plotters::style::text_anchor::HPos;
use prelude::*;

/// Text, and axes.
pub const TEXT: RGBColor = RGBColor(29, 36, 51);
/// Text that matters less.
pub const DIM: RGBColor = RGBColor(95, 107, 128);
/// Lines of a grid.
pub const GRID: RGBColor = RGBColor(221, 226, 234);

/// What is drawn on; a pixel is a unit, y grows downwards.
pub type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// An error of the drawing as text.
pub fn failed(e: impl std::fmt::Display) -> String {
    e.to_string()
}

/// The picture that `draw` makes, of a size in pixels.
///
/// # Errors
/// The drawing fails: a bug.
pub fn drawn(size: (i32, i32), draw: impl FnOnce(&Area<'_>) -> Result<(), String>) -> Result<String, String> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, (size.0 as u32, size.1 as u32)).into_drawing_area();
    draw(&area)?;
    area.present().map_err(failed)?;
    drop(area);
    Ok(svg)
}

/// Text of a size in pixels.
pub fn font(size: i32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

/// Draws text that begins, ends or has its middle at a place, of a size and colour.
///
/// # Errors
/// As [`drawn`].
pub fn text(
    area: &Area<'_>, s: &str, at: (i32, i32), (size, colour): (i32, RGBColor), pos: HPos,
) -> Result<(), String> {
    area.draw_text(s, &font(size, colour).pos(Pos::new(pos, VPos::Center)), at).map_err(failed)
}

/// Draws a line.
///
/// # Errors
/// As [`drawn`].
pub fn line(area: &Area<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Result<(), String> {
    area.draw(&PathElement::new(vec![from, to], colour)).map_err(failed)
}

/// Fills the rectangle between two corners.
///
/// # Errors
/// As [`drawn`].
pub fn fill(area: &Area<'_>, corners: [(i32, i32); 2], colour: RGBColor) -> Result<(), String> {
    area.draw(&Rectangle::new(corners, colour.filled())).map_err(failed)
}
