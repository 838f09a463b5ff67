//! The file as Yosys writes it.

use super::super::error::{fault, Fault};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

/// An object with its keys in the order of the file.
pub(super) struct Ordered<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Ordered(vec![])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ordered<T>, A::Error> {
                let mut list = vec![];
                while let Some(entry) = map.next_entry()? {
                    list.push(entry);
                }
                Ok(Ordered(list))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[derive(Deserialize)]
pub(super) struct RawFile {
    pub(super) modules: Ordered<RawModule>,
}

#[derive(Deserialize)]
pub(super) struct RawModule {
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) ports: Ordered<RawPort>,
    #[serde(default)]
    pub(super) cells: Ordered<RawCell>,
    #[serde(default)]
    pub(super) netnames: Ordered<RawNet>,
}

#[derive(Deserialize)]
pub(super) struct RawPort {
    pub(super) direction: String,
    pub(super) bits: Vec<Bit>,
}

#[derive(Deserialize)]
pub(super) struct RawCell {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, Value>,
    #[serde(default)]
    pub(super) connections: BTreeMap<String, Vec<Bit>>,
}

#[derive(Deserialize)]
pub(super) struct RawNet {
    #[serde(default)]
    pub(super) hide_name: u8,
    pub(super) bits: Vec<Bit>,
    #[serde(default)]
    pub(super) attributes: BTreeMap<String, Value>,
}

/// A bit: the number of a net, or a constant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    Net(u64),
    Zero,
    One,
    Undefined,
    HighImpedance,
}

impl<'de> Deserialize<'de> for Bit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Bit;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the number of a net, \"0\", \"1\", \"x\" or \"z\"")
            }
            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<Bit, E> {
                Ok(Bit::Net(n))
            }
            fn visit_str<E: serde::de::Error>(self, s: &str) -> Result<Bit, E> {
                match s {
                    "0" => Ok(Bit::Zero),
                    "1" => Ok(Bit::One),
                    "x" => Ok(Bit::Undefined),
                    "z" => Ok(Bit::HighImpedance),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(s), &self)),
                }
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl RawCell {
    /// A parameter as bits, least significant first, at least `count`.
    pub(super) fn bits(&self, name: &str, count: usize) -> Result<Vec<Bit>, Fault> {
        let digit = |c: char| match c {
            '0' => Some(Bit::Zero),
            '1' => Some(Bit::One),
            'x' => Some(Bit::Undefined),
            _ => None,
        };
        let list = match self.parameters.get(name) {
            Some(Value::String(s)) => s.chars().rev().map(digit).collect(),
            Some(Value::Number(n)) => n.as_u64().map(|n| {
                let bit = |i: u32| if n >> i & 1 != 0 { Bit::One } else { Bit::Zero };
                (0..64).map(bit).collect()
            }),
            _ => None,
        };
        match list {
            Some(list) if Vec::len(&list) >= count => Ok(list),
            _ => fault(format!("parameter {name} is missing, no bits, or too short")),
        }
    }

    /// The one bit of a connection.
    pub(super) fn pin(&self, pin: &str) -> Result<Bit, Fault> {
        match self.connections.get(pin).map(Vec::as_slice) {
            Some([bit]) => Ok(*bit),
            _ => fault(format!("one bit is needed at {pin}")),
        }
    }
}

/// A number, or the bits of one.
pub(super) fn number(v: &Value) -> Option<u64> {
    match v {
        Value::Number(n) => n.as_u64(),
        Value::String(s) => u64::from_str_radix(s, 2).ok(),
        _ => None,
    }
}
