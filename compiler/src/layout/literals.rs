//! The literal pool: constants that no instruction form holds, in constant bank 1.

use std::collections::HashMap;

/// Bank of literals.
pub const BANK: u8 = 1;

/// Words of bank 1 an operand can name; beyond, only a load of a constant can.
pub const NEAR_WORDS: usize = 128;

/// Contents of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Literal {
    Word(u32),
    /// Address of a variable and bytes added.
    Address(u32, i32),
    /// Two 16-bit literals, the second one perhaps still free.
    Halves(u16, Option<u16>),
}

/// Where a literal lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralPlace {
    /// Byte address.
    Near(u32),
    /// Index of a word behind the near ones, whose number is known at the end.
    Far(u32),
}

/// The literals of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Literals {
    near: Vec<Literal>,
    far: Vec<Literal>,
    known: HashMap<Literal, LiteralPlace>,
    halves: HashMap<u16, u32>,
}

impl Literals {
    /// Place of a word. `far` says that a load of a constant reads it, which reaches all of the bank.
    pub fn word(&mut self, value: u32, far: bool) -> LiteralPlace {
        self.insert(Literal::Word(value), far)
    }

    /// Place of the address of a variable.
    pub fn address(&mut self, variable: u32, bytes: i32, far: bool) -> LiteralPlace {
        self.insert(Literal::Address(variable, bytes), far)
    }

    fn insert(&mut self, literal: Literal, far: bool) -> LiteralPlace {
        match self.known.get(&literal) {
            Some(LiteralPlace::Far(_)) if !far => {}
            Some(place) => return *place,
            None => {}
        }
        let place = if far {
            self.far.push(literal);
            LiteralPlace::Far(self.far.len() as u32 - 1)
        } else {
            self.near.push(literal);
            LiteralPlace::Near(4 * (self.near.len() as u32 - 1))
        };
        self.known.insert(literal, place);
        place
    }

    /// Byte address of a 16-bit literal; two share a word.
    pub fn half(&mut self, value: u16) -> u32 {
        if let Some(&at) = self.halves.get(&value) {
            return at;
        }
        let word = |at: usize| 4 * at as u32;
        let fits = self.near.iter_mut().enumerate().find_map(|(i, l)| match l {
            Literal::Word(w) if *w as u16 == value => Some(word(i)),
            Literal::Word(w) if (*w >> 16) as u16 == value => Some(word(i) + 2),
            Literal::Halves(_, high @ None) => {
                *high = Some(value);
                Some(word(i) + 2)
            }
            _ => None,
        });
        let at = fits.unwrap_or_else(|| {
            self.near.push(Literal::Halves(value, None));
            word(self.near.len() - 1)
        });
        self.halves.insert(value, at);
        at
    }

    /// Byte address of a place, when all literals are known.
    pub fn address_of(&self, place: LiteralPlace) -> u32 {
        match place {
            LiteralPlace::Near(at) => at,
            LiteralPlace::Far(i) => 4 * (self.near.len() as u32 + i),
        }
    }

    /// Words of the bank, and those the launch fills: (index, variable, bytes added).
    pub fn finish(&self) -> (Vec<u32>, Vec<(u32, u32, i32)>) {
        let mut addresses = Vec::new();
        let all = self.near.iter().chain(&self.far).enumerate();
        let words = all
            .map(|(i, l)| match *l {
                Literal::Word(w) => w,
                Literal::Halves(low, high) => u32::from(low) | u32::from(high.unwrap_or(0)) << 16,
                Literal::Address(variable, bytes) => {
                    addresses.push((i as u32, variable, bytes));
                    0
                }
            })
            .collect();
        (words, addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_stored_once_and_halves_in_pairs() {
        let mut l = Literals::default();
        assert_eq!(l.half(7), 0);
        assert_eq!(l.half(9), 2);
        assert_eq!(l.half(7), 0);
        assert_eq!(l.word(0x1234_5678, false), LiteralPlace::Near(4));
        assert_eq!(l.half(0x1234), 6);
        let far = l.address(3, -4, true);
        assert_eq!(l.word(0x1234_5678, true), LiteralPlace::Near(4));
        assert_eq!(l.half(11), 8);
        assert_eq!(l.address_of(far), 12);
        let (words, addresses) = l.finish();
        assert_eq!(words, [0x0009_0007, 0x1234_5678, 11, 0]);
        assert_eq!(addresses, [(3, 3, -4)]);
        // Read as an operand too, it gets a second, near place.
        assert_eq!(l.address(3, -4, false), LiteralPlace::Near(12));
    }
}
