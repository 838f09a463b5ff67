//! Mnemonics that stand for another with some operands given.

use super::table::TABLE;
use crate::set::{Field, Instr};

/// A mnemonic that is another with some fields set and the operands they make up left out.
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    /// The mnemonic.
    pub name: &'static str,
    /// The form it stands for.
    pub form: &'static str,
    /// Names and values of the fields it sets.
    fields: &'static [(&'static str, u64)],
    /// Places of the operands that are left out.
    pub hidden: &'static [usize],
}

const fn alias(
    name: &'static str, form: &'static str, fields: &'static [(&'static str, u64)], hidden: &'static [usize],
) -> Alias {
    Alias { name, form, fields, hidden }
}

macro_rules! bitop {
    ($name:literal, $a:literal $b:literal $c:literal $d:literal, $hidden:expr $(, $field:ident)*) => {
        alias(
            $name,
            "bitop",
            &[("tt0", $a), ("tt1", $b), ("tt2", $c), ("tt3", $d) $(, (stringify!($field), 0))*],
            $hidden,
        )
    };
}

/// The first whose fields fit names an instruction.
const ALIASES: [Alias; 12] = [
    bitop!("and", 0 0 0 1, &[0]),
    bitop!("or", 0 1 1 1, &[0]),
    bitop!("xor", 0 1 1 0, &[0]),
    bitop!("nand", 1 1 1 0, &[0]),
    bitop!("nor", 1 0 0 0, &[0]),
    bitop!("xnor", 1 0 0 1, &[0]),
    bitop!("mov", 0 1 0 1, &[0, 3], B, Bt),
    bitop!("not", 1 0 1 0, &[0, 3], B, Bt),
    bitop!("bitop_mov_a", 0 0 1 1, &[]),
    bitop!("bitop_mov_a", 1 1 0 0, &[]),
    alias(
        "update_exec",
        "if_fcmp",
        &[("cc", 0), ("ccn", 0), ("A", 0), ("At", 0), ("Am", 0), ("B", 0), ("Bt", 0), ("Bm", 0), ("n", 0)],
        &[1, 2, 3, 4],
    ),
    alias(
        "push_exec",
        "if_fcmp",
        &[("cc", 0), ("ccn", 0), ("A", 0), ("At", 0), ("Am", 0), ("B", 0), ("Bt", 0), ("Bm", 0)],
        &[1, 2, 3],
    ),
];

impl Alias {
    /// The one that names an instruction.
    pub fn of(instr: &Instr) -> Option<&'static Alias> {
        let form = TABLE.form(instr).name;
        let mut fit = ALIASES.iter().filter(|p| p.form == form);
        let fields = TABLE.fields(instr.row);
        fit.find(|p| {
            let mut values = p.values(fields);
            values.all(|(f, v)| f.get(instr.code.bits()) == v)
        })
    }

    /// Those of a mnemonic, each with its row.
    pub fn named(name: &str) -> impl Iterator<Item = (usize, &'static Alias)> + '_ {
        let named = ALIASES.iter().filter(|p| p.name.eq_ignore_ascii_case(name));
        named.filter_map(|p| {
            let row = TABLE.forms().iter().position(|f| f.name == p.form)?;
            Some((row, p))
        })
    }

    fn values<'f>(&self, fields: &'f [Field]) -> impl Iterator<Item = (Field, u64)> + 'f {
        let set = self.fields;
        fields.iter().filter_map(move |f| {
            let value = set.iter().find(|s| s.0 == f.name)?;
            Some((*f, value.1))
        })
    }

    /// `bits` with its fields set.
    pub fn put(&self, row: usize, bits: u128) -> u128 {
        let values = self.values(TABLE.fields(row));
        values.fold(bits, |bits, (f, v)| f.put(bits, v))
    }
}
