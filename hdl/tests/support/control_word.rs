//! What a decoder gives, held against the control word that the micro-operations of the instruction ask for.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;
use warpsmith_contract::TrapCause;
use warpsmith_hdl::sm::control::double::DoubleControl;
use warpsmith_hdl::sm::control::encode::{ControlWord, PARTS};
use warpsmith_hdl::sm::control::g13::SourceControl;
use warpsmith_hdl::sm::control::ivb::ChannelControl;
use warpsmith_hdl::sm::control::uop::{AddressControl, PredicateControl, UopControl};
use warpsmith_hdl::sm::control::{AluControl, Control, Numbers};
use warpsmith_hdl::sm::dims::Dims;

/// Where each field of the control word and of the register numbers lies.
pub struct Layout {
    places: HashMap<&'static str, (usize, usize)>,
}

/// A field that differs: its name, what it is, what it must be.
pub type Difference = (&'static str, u64, u64);

/// The numbers of the registers beside the control word, and what each must be.
const NUMBERS: [(&str, &str); 4] = [("n_r1", "r1"), ("n_r2", "r2"), ("n_r3", "r3"), ("n_dst", "dst")];

/// Names of the fields of Ivy Bridge's channels, which the lane's part of the word has in part, too.
static CHANNELS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let free = ChannelControl::by_name(|_| ());
    free.named().into_iter().map(|f| &*format!("channels.{}", f.0).leak()).collect()
});

impl Layout {
    /// The places in a chip.
    pub fn new(d: &Dims) -> Self {
        let mut places = HashMap::new();
        let mut at = 0;
        let mut add = |name, width: usize| {
            assert!(places.insert(name, (at, width)).is_none(), "{name} twice");
            at += width;
        };
        for (name, width) in Control::fields(d) {
            let parts = match name {
                "alu" if d.has.uops => UopControl::fields(()),
                "alu" => AluControl::fields(()),
                "predicates" => PredicateControl::fields(()),
                "address" => AddressControl::fields(()),
                "sources" => SourceControl::fields(()),
                "double" => DoubleControl::fields(d.has.late_flags),
                "channels" => {
                    let fields = ChannelControl::fields(d);
                    CHANNELS.iter().zip(fields).map(|(name, (_, width))| (*name, width)).collect()
                }
                _ => vec![(name, width)],
            };
            if width > 0 || !PARTS.contains(&name) {
                assert_eq!(parts.iter().map(|p| p.1).sum::<usize>(), width);
                parts.into_iter().for_each(|(name, width)| add(name, width));
            }
        }
        // The next port begins with a word of its own.
        let mut at = 32 * at.div_ceil(32);
        for ((name, _), (_, width)) in NUMBERS.into_iter().zip(Numbers::fields(())) {
            places.insert(name, (at, width));
            at += width;
        }
        Self { places }
    }

    /// The length of the instruction, behind the numbers; `None` where all have the same.
    pub fn length(&self, got: &[u32]) -> Option<u64> {
        let word = self.places["n_r1"].0 / 32 + 1;
        got.get(word).map(|length| (*length).into())
    }

    /// Names of the fields of the control word, without those of 0 bits.
    pub fn names(&self) -> BTreeSet<&'static str> {
        let there = self.places.iter().filter(|(_, place)| place.1 > 0).map(|(name, _)| *name);
        there.filter(|name| NUMBERS.iter().all(|n| n.0 != *name)).collect()
    }

    /// Place and width of a field.
    pub fn place(&self, field: &str) -> (usize, usize) {
        let place = self.places.get(field);
        *place.unwrap_or_else(|| panic!("no field `{field}`"))
    }

    /// A field of what came out of the decoder.
    pub fn get(&self, got: &[u32], field: &str) -> u64 {
        let (at, width) = self.place(field);
        let part = |i: usize| u64::from(*got.get(i).unwrap_or(&0));
        let two = part(at / 32) | part(at / 32 + 1) << 32;
        two >> (at % 32) & ((1 << width) - 1)
    }

    /// The fields and bits of them that an instruction asks for.
    pub fn wanted(&self, want: &Result<ControlWord, TrapCause>) -> Vec<(&'static str, u64, u64)> {
        let word = match want {
            Err(cause) => return vec![("trap", u64::MAX, cause.number().into())],
            Ok(word) => word,
        };
        let channels = CHANNELS.iter().zip(word.channels.named()).map(|(name, (_, want))| (*name, *want));
        let there =
            word.fields().into_iter().chain(channels).filter(|(name, w)| w.mask != 0 && self.places.contains_key(name));
        there.map(|(name, w)| (name, w.mask, w.value)).collect()
    }

    /// What is not as it must be.
    pub fn differences(&self, want: &Result<ControlWord, TrapCause>, got: &[u32]) -> Vec<Difference> {
        let of_numbers = want.iter().flat_map(|_| NUMBERS).map(|(name, of)| (name, u64::MAX, self.get(got, of)));
        let all = self.wanted(want).into_iter().chain(of_numbers);
        let found = all.map(|(name, mask, value)| {
            let width = self.place(name).1;
            let mask = mask & ((1 << width) - 1);
            assert!(mask == 0 || value >> width == 0, "{name} is {value:#x}");
            (name, self.get(got, name) & mask, value & mask)
        });
        found.filter(|(_, is, must)| is != must).collect()
    }
}
