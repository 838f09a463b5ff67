//! Linking: items in order to words, every long instruction at a multiple of 8 bytes, every label an address.
//!
//! A [`Draft`] is placed in its shortest form where the alignment allows it: 4-byte
//! forms stand in pairs, and one without a partner takes 8 bytes instead. [`PAD_WORD`] is inserted
//! only in front of a long instruction that follows a lone 4-byte instruction of a given form (the
//! assembler's), or of a draft that has no 8-byte form.

use std::collections::HashMap;

use crate::sm10::build::{long, shortest, BuildError, Draft};
use crate::sm10::encode::{encode_in, EncodeError};
use crate::sm10::instr::*;
use crate::sm10::op::Op;
use crate::sm10::semantics::Semantics;

/// The word inserted for alignment: `MOV32 R0, R0` (R0 always exists and the move changes nothing).
pub const PAD_WORD: u32 = 0x1000_8000;

/// Name of a place in the program; the caller numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// One item of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The next item that takes bytes has this label, or the end of the program.
    Label(Label),
    /// An instruction in the form that fits its place.
    Free(Draft),
    /// A control instruction (BRA, CAL, PBK, SSY) whose target is a label.
    Jump(Draft, Label),
    /// An instruction in the form given.
    Fixed(Instr),
    /// Words as they are, not aligned.
    Words(Vec<u32>),
    /// The next item begins at a multiple of 8 bytes.
    Align,
}

/// A linked program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The program, 32-bit words from byte address 0.
    pub words: Vec<u32>,
    /// Byte address of each item, in the order of the items.
    pub items: Vec<u32>,
    /// Byte address of each label.
    pub labels: HashMap<Label, u32>,
    /// Inserted [`PAD_WORD`]s: the item in front of which it stands, its byte address.
    pub pads: Vec<(usize, u32)>,
}

/// Why items cannot be linked; `item` counts from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A draft has no form.
    #[error("item {item}: {source}")]
    Build {
        /// The item.
        item: usize,
        /// The obstacle.
        source: BuildError,
    },
    /// An instruction of a given form, or a target, does not encode.
    #[error("item {item}: {source}")]
    Encode {
        /// The item.
        item: usize,
        /// The value that does not fit.
        source: EncodeError,
    },
    /// A target that is no label of the program.
    #[error("item {item}: the target is label {}, which is not among the items", label.0)]
    Undefined {
        /// The item.
        item: usize,
        /// The target.
        label: Label,
    },
    /// A label that stands twice.
    #[error("item {item}: label {} is among the items twice", label.0)]
    Twice {
        /// The second.
        item: usize,
        /// The label.
        label: Label,
    },
    /// A jump to a label whose operation has no target.
    #[error("item {item}: only BRA, CAL, PBK and SSY have a target, not {op:?}")]
    NoTarget {
        /// The item.
        item: usize,
        /// Its operation.
        op: Op,
    },
}

/// Links items to words.
///
/// # Errors
/// The first [`LinkError`].
pub fn link(items: &[Item]) -> Result<Linked, LinkError> {
    link_in(Semantics::G80, items)
}

/// [`link`] in a reading of the words, of instructions in given forms and jumps.
///
/// # Errors
/// The first [`LinkError`].
pub fn link_in(semantics: Semantics, items: &[Item]) -> Result<Linked, LinkError> {
    let mut l = Linker { semantics, ..Linker::default() };
    let shapes = shapes(items)?;
    for (n, item) in items.iter().enumerate() {
        l.item = n;
        let start = match (item, shapes[n]) {
            (Item::Label(label), _) => {
                if l.pending.contains(label) || l.out.labels.contains_key(label) {
                    return Err(LinkError::Twice { item: n, label: *label });
                }
                l.pending.push(*label);
                continue;
            }
            (Item::Align, _) => {
                l.align();
                l.begin()
            }
            (Item::Words(w), _) => {
                let at = l.begin();
                l.out.words.extend(w);
                at
            }
            (Item::Free(d), Shape::Instr(i)) if !i.long => {
                let alone = l.aligned() && !partner(&shapes[n + 1..]);
                // A lone short form stays when there is no long one.
                let long = alone.then(|| long(d).ok()).flatten();
                l.instruction(&long.unwrap_or(i))?
            }
            (Item::Jump(_, to), Shape::Instr(i)) => {
                let at = l.instruction(&i)?;
                l.jumps.push((n, at, i, *to));
                at
            }
            (_, Shape::Instr(i)) => l.instruction(&i)?,
            (_, Shape::Label | Shape::Other) => continue,
        };
        l.place(n, start);
    }
    let end = l.begin();
    l.out.items.resize(items.len(), end);
    l.targets()?;
    Ok(l.out)
}

/// Relation of an item to the one in front of it.
#[derive(Clone, Copy)]
enum Shape {
    /// Takes no bytes.
    Label,
    /// An instruction, in its shortest form.
    Instr(Instr),
    /// Words or an alignment.
    Other,
}

fn shapes(items: &[Item]) -> Result<Vec<Shape>, LinkError> {
    let shape = |(item, i): (usize, &Item)| {
        let built = match i {
            Item::Free(d) => shortest(d),
            Item::Jump(d, _) if d.op.target().is_none() => return Err(LinkError::NoTarget { item, op: d.op }),
            Item::Jump(d, _) => {
                let mut d = *d;
                d.op.target_mut().into_iter().for_each(|t| *t = 0);
                shortest(&d)
            }
            Item::Fixed(i) => return Ok(Shape::Instr(*i)),
            Item::Label(_) => return Ok(Shape::Label),
            Item::Words(_) | Item::Align => return Ok(Shape::Other),
        };
        built.map(Shape::Instr).map_err(|source| LinkError::Build { item, source })
    };
    items.iter().enumerate().map(shape).collect()
}

/// Whether the next item that takes bytes is an instruction that can be short.
fn partner(rest: &[Shape]) -> bool {
    let next = rest.iter().find(|s| !matches!(s, Shape::Label));
    matches!(next, Some(Shape::Instr(i)) if !i.long)
}

#[derive(Default)]
struct Linker {
    semantics: Semantics,
    out: Linked,
    /// Number of the current item.
    item: usize,
    /// Labels that wait for the next address.
    pending: Vec<Label>,
    /// (item, byte address, instruction, target) of every jump.
    jumps: Vec<(usize, u32, Instr, Label)>,
}

impl Linker {
    fn here(&self) -> u32 {
        (self.out.words.len() * 4) as u32
    }

    fn aligned(&self) -> bool {
        self.out.words.len() % 2 == 0
    }

    fn align(&mut self) {
        if !self.aligned() {
            self.out.pads.push((self.item, self.here()));
            self.out.words.push(PAD_WORD);
        }
    }

    /// Gives the waiting labels the address reached.
    fn begin(&mut self) -> u32 {
        let here = self.here();
        for label in self.pending.drain(..) {
            self.out.labels.insert(label, here);
        }
        here
    }

    /// Notes the address of item `n`, and of the labels in front of it.
    fn place(&mut self, n: usize, start: u32) {
        self.out.items.resize(n, start);
        self.out.items.push(start);
    }

    fn instruction(&mut self, i: &Instr) -> Result<u32, LinkError> {
        if i.long {
            self.align();
        }
        let at = self.begin();
        let (w0, w1) = self.encoded(self.item, i)?;
        self.out.words.push(w0);
        if i.long {
            self.out.words.push(w1);
        }
        Ok(at)
    }

    fn encoded(&self, item: usize, i: &Instr) -> Result<(u32, u32), LinkError> {
        encode_in(self.semantics, i).map_err(|source| LinkError::Encode { item, source })
    }

    fn targets(&mut self) -> Result<(), LinkError> {
        for (item, at, mut i, label) in std::mem::take(&mut self.jumps) {
            let Some(&to) = self.out.labels.get(&label) else {
                return Err(LinkError::Undefined { item, label });
            };
            if let Some(target) = i.op.target_mut() {
                *target = to;
            }
            let (w0, w1) = self.encoded(item, &i)?;
            let word = at as usize / 4;
            self.out.words[word] = w0;
            self.out.words[word + 1] = w1;
        }
        Ok(())
    }
}
