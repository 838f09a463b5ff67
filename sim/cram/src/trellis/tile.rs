//! What the bits of a kind of tile mean: Project Trellis' `bits.db`.

use super::tie::{tie, Tie};
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// A bit of a tile: its frame and its bit in that, from the tile's first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit {
    /// Frame.
    pub frame: u16,
    /// Bit of the frame.
    pub bit: u16,
}

impl FromStr for Bit {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let parse = || {
            let (frame, bit) = name.strip_prefix('F')?.split_once('B')?;
            Some(Bit { frame: frame.parse().ok()?, bit: bit.parse().ok()? })
        };
        parse().ok_or_else(|| format!("`{name}`: a bit such as F1B2 is expected"))
    }
}

impl fmt::Display for Bit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "F{}B{}", self.frame, self.bit)
    }
}

/// Bits and what they are where the code holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Code(pub(crate) Vec<(Bit, bool)>);

impl Code {
    /// Whether the bits are those of the code.
    pub(crate) fn holds(&self, at: impl Fn(Bit) -> bool) -> bool {
        self.0.iter().all(|(bit, value)| at(*bit) == *value)
    }
}

/// A multiplexer of wires.
#[derive(Clone, Debug)]
pub(crate) struct Mux {
    pub(crate) sink: String,
    pub(crate) sources: Vec<(String, Code)>,
    pub(crate) tie: Tie,
}

/// A word of a cell, bit 0 first.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) name: String,
    pub(crate) bits: Vec<Code>,
    pub(crate) default: Vec<bool>,
}

/// A choice of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) name: String,
    pub(crate) options: Vec<(String, Code)>,
    pub(crate) default: Option<String>,
}

/// What a bit belongs to, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Mux(usize),
    Word(usize),
    Choice(usize),
}

/// A kind of tile.
#[derive(Debug, Default)]
pub(crate) struct TileType {
    pub(crate) muxes: Vec<Mux>,
    pub(crate) words: Vec<Word>,
    pub(crate) choices: Vec<Choice>,
    /// Wires that another drives for good: sink, source.
    pub(crate) fixed: Vec<(String, String)>,
    by_bit: HashMap<Bit, Vec<Setting>>,
}

impl TileType {
    /// Reads a database; the line that is wrong otherwise.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut tile = TileType::default();
        let mut lines = text.lines().map(|l| l.split('#').next().unwrap_or("").trim()).peekable();
        while let Some(line) = lines.next() {
            let mut words = line.split_whitespace();
            let Some(what) = words.next() else { continue };
            let wrong = || format!("`{line}`: no line of Project Trellis' bits.db");
            let name = words.next().ok_or_else(wrong)?.to_string();
            let rest = words.next();
            let mut record = vec![];
            while lines.peek().is_some_and(|l| !l.is_empty() && !l.starts_with('.')) {
                record.extend(lines.next());
            }
            let named = |record: &[&str]| -> Result<Vec<(String, Code)>, String> {
                let row = |l: &&str| {
                    let (name, bits) = l.split_once(char::is_whitespace).unwrap_or((l, "-"));
                    Ok((name.to_string(), code(bits)?))
                };
                record.iter().map(row).collect()
            };
            match what {
                ".mux" => tile.muxes.push(Mux { sink: name, sources: named(&record)?, tie: Tie::default() }),
                ".config_enum" => {
                    let choice = Choice { name, options: named(&record)?, default: rest.map(str::to_string) };
                    tile.choices.push(choice);
                }
                ".config" => {
                    let bits: Vec<Code> = record.iter().map(|l| code(l)).collect::<Result<_, _>>()?;
                    let default = match rest {
                        Some(digits) => word(digits).ok_or_else(wrong)?,
                        None => vec![false; bits.len()],
                    };
                    tile.words.push(Word { name, bits, default });
                }
                ".fixed_conn" => tile.fixed.push((name, rest.ok_or_else(wrong)?.into())),
                _ => return Err(wrong()),
            }
        }
        for mux in &mut tile.muxes {
            mux.tie = tie(&tile.choices, &mux.sink);
        }
        tile.index();
        Ok(tile)
    }

    fn index(&mut self) {
        let muxes = (0..).zip(&self.muxes).flat_map(|(i, m)| m.sources.iter().map(move |s| (Setting::Mux(i), &s.1)));
        let words = (0..).zip(&self.words).flat_map(|(i, w)| w.bits.iter().map(move |c| (Setting::Word(i), c)));
        let choices =
            (0..).zip(&self.choices).flat_map(|(i, c)| c.options.iter().map(move |o| (Setting::Choice(i), &o.1)));
        let mut by_bit: HashMap<Bit, Vec<Setting>> = HashMap::new();
        for (setting, code) in muxes.chain(words).chain(choices) {
            for (bit, _) in &code.0 {
                let of = by_bit.entry(*bit).or_default();
                if !of.contains(&setting) {
                    of.push(setting);
                }
            }
        }
        self.by_bit = by_bit;
    }

    /// What a bit belongs to.
    pub(crate) fn settings(&self, bit: Bit) -> &[Setting] {
        self.by_bit.get(&bit).map_or(&[], Vec::as_slice)
    }

    /// Bits that the database names.
    pub(crate) fn named(&self) -> impl Iterator<Item = Bit> + '_ {
        self.by_bit.keys().copied()
    }
}

/// The bits of a code: `F1B2 !F6B3`; `-` is none.
fn code(text: &str) -> Result<Code, String> {
    let one = |item: &str| -> Result<(Bit, bool), String> {
        let (value, item) = item.strip_prefix('!').map_or((true, item), |i| (false, i));
        Ok((item.parse()?, value))
    };
    let bits = text.split_whitespace().filter(|i| *i != "-").map(one);
    bits.collect::<Result<_, _>>().map(Code)
}

/// A word as its digits, the most significant first.
pub(crate) fn word(digits: &str) -> Option<Vec<bool>> {
    let digit = |c: char| match c {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    };
    digits.chars().rev().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_is_read() {
        let text = "# a comment\n.mux JA0\nF5 F1B3 F4B2\nH0 -\n\n.config K0.INIT 10\nF2B1\n!F2B0\n\n\
                    .config_enum CIB.JA0MUX JA0\n0 F1B3 F9B9\n1 F1B3\nJA0 -\n\n.fixed_conn A0_SLICE A0\n";
        let tile = TileType::read(text).expect("a database");
        assert_eq!((tile.muxes.len(), tile.words.len(), tile.choices.len(), tile.fixed.len()), (1, 1, 1, 1));
        assert_eq!((tile.muxes[0].sources.len(), &tile.words[0].default[..]), (2, &[false, true][..]));
        let bit = |name: &str| name.parse().expect("a bit");
        assert_eq!(tile.settings(bit("F1B3")), [Setting::Mux(0), Setting::Choice(0)]);
        assert_eq!(tile.settings(bit("F2B0")), [Setting::Word(0)]);
        assert!(tile.settings(bit("F0B0")).is_empty());
        // What 0 has and 1 has not is the inverter.
        let tie = &tile.muxes[0].tie;
        assert_eq!(tie.invert, Some(Code(vec![(bit("F9B9"), true)])));
        assert!(tie.one.is_some() && tie.zero.is_none());
        for wrong in [".mux A0\nF5 1B3\n", ".other X\n", ".config K 12\nF0B0\n", ".fixed_conn A\n"] {
            assert!(TileType::read(wrong).is_err(), "{wrong}");
        }
    }
}
