//! Fields of the control word as functions of the instruction word, derived from what instructions give.
//!
//! Some instructions of a row are its bases; one field of the row after the other takes each of its values, and the
//! control word that [`encode`](crate::sm::control::encode) gives is looked at. The first base that a bit of it varies
//! with says how. A bit of the control word is free, constant, a
//! bit of the instruction, or a table over the bits of one field; a bit that follows several fields must be the or of
//! what each gives, or the fields are tried together. The exceptions are named by the decoder, which makes them by
//! hand.

use crate::rtl::prelude::*;
use crate::sm::control::encode::{ControlWord, Want, BESIDE};
use std::collections::HashMap;
use warpsmith_contract::TrapCause;
use warpsmith_isa::set::{Field, Form, Operand};

/// Values of a field are all tried up to this width in bits; a wider one must be used bit by bit.
const TABLE_BITS: usize = 9;

/// Bits that are looked at of any field of the control word.
const BITS: usize = 32;

/// Name of the field that says that the chip lacks what the instruction asks for.
pub(super) const LACKS: &str = "lacks";

/// What a set has that derivation needs.
pub(super) struct Rules<'a> {
    /// Instructions of a row, the first the most telling; none of a row that the chip lacks.
    pub bases: &'a dyn Fn(usize) -> Vec<u128>,
    /// Reserved bits are 0 in every legal instruction.
    pub reserved: bool,
    /// The control word of an instruction, or why it traps.
    pub decode: &'a dyn Fn(u128) -> Result<ControlWord, TrapCause>,
    /// Fields of the control word that are made by hand.
    pub by_hand: &'a [&'static str],
    /// Field of the instruction or form, field of the control word: how the second follows the first is made by hand.
    pub ignored: &'a [(&'static str, &'static str)],
    /// Field of the control word, fields of the instruction that it follows together.
    pub together: &'a [(&'static str, &'static [&'static str])],
}

/// Bits of the instruction that are tried together, the lowest first: those of a field, or of several.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Input {
    name: String,
    bits: Vec<usize>,
}

/// It is one where some bits of the instruction, the first lowest, have one of the codes; or, negated, none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Term {
    input: String,
    bits: Vec<usize>,
    codes: Vec<u64>,
    negated: bool,
}

/// A bit of the control word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bit {
    Free,
    Constant(bool),
    /// The or of terms over different fields.
    Any(Vec<Term>),
}

/// The bits of each field of the control word in instructions of a row.
struct Row {
    /// Bits of the instruction that a legal one has always, and their values.
    known: u128,
    fixed: u128,
    fields: Vec<Vec<Bit>>,
}

/// The fields of the control word of every row; `None` for a row that the chip lacks.
pub(super) struct Derived {
    names: Vec<&'static str>,
    rows: Vec<Option<Row>>,
}

/// Instructions of a row with the same field of the control word.
struct Group {
    bits: Vec<Bit>,
    rows: Vec<usize>,
}

impl Input {
    fn of(fields: &[Field]) -> Self {
        let places = |field: &Field| -> Vec<usize> {
            field.parts.iter().flat_map(|&(low, width)| usize::from(low)..usize::from(low + width)).collect()
        };
        let names: Vec<String> = fields.iter().map(|f| f.name.to_lowercase()).collect();
        Self { name: names.join("_"), bits: fields.iter().flat_map(places).collect() }
    }

    /// Values to try.
    fn codes(&self) -> Vec<u64> {
        let width = self.bits.len();
        if width <= TABLE_BITS {
            return (0..1 << width).collect();
        }
        let all = (1u64 << width) - 1;
        let pattern = |seed: u64| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 17 & all;
        (0..width).map(|i| 1 << i).chain([0, all]).chain((1..8).map(pattern)).collect()
    }

    fn put(&self, word: u128, code: u64) -> u128 {
        let bits = self.bits.iter().zip(0..);
        bits.fold(word, |word, (at, i)| word & !(1 << at) | u128::from(code >> i & 1) << at)
    }
}

impl Term {
    /// The term that is the value for each code of a field; any other code is free. `None` where it would be a table
    /// of a wide field.
    fn of(input: &Input, values: &[(u64, bool)]) -> Option<Term> {
        let bits = &input.bits;
        let name = input.name.clone();
        for negated in [false, true] {
            let is = |i: &usize| values.iter().all(|(code, value)| (code >> i & 1 == 1) == (*value != negated));
            if let Some(i) = (0..bits.len()).find(is) {
                return Some(Term { input: name, bits: vec![bits[i]], codes: vec![1], negated });
            }
        }
        if bits.len() > TABLE_BITS {
            return None;
        }
        // Without the bits that do not matter.
        let mut matters: Vec<usize> = (0..bits.len()).collect();
        for i in 0..bits.len() {
            let kept: Vec<usize> = matters.iter().copied().filter(|j| *j != i).collect();
            if table(values, &kept).is_some() {
                matters = kept;
            }
        }
        let table = table(values, &matters)?;
        let codes = |wanted| {
            let mut codes: Vec<u64> = table.iter().filter(|t| *t.1 == wanted).map(|t| *t.0).collect();
            codes.sort_unstable();
            codes
        };
        let (ones, zeros) = (codes(true), codes(false));
        let negated = zeros.len() < ones.len();
        let bits = matters.iter().map(|i| bits[*i]).collect();
        Some(Term { input: name, bits, codes: if negated { zeros } else { ones }, negated })
    }

    /// Its value where these bits of the instruction are known, if it follows from them.
    fn known(&self, row: &Row) -> Option<bool> {
        let known = self.bits.iter().all(|b| row.known >> b & 1 == 1);
        let code = self.bits.iter().rev().fold(0, |code, b| code << 1 | (row.fixed >> b & 1) as u64);
        known.then(|| self.codes.contains(&code) != self.negated)
    }

    /// The place of the bit that it is.
    fn plain(&self) -> Option<usize> {
        match self.bits[..] {
            [bit] if !self.negated && self.codes == [1] => Some(bit),
            _ => None,
        }
    }
}

/// The value of each code of some bits, if these alone say it.
fn table(values: &[(u64, bool)], bits: &[usize]) -> Option<HashMap<u64, bool>> {
    let mut table = HashMap::new();
    for (code, value) in values {
        let short = bits.iter().zip(0..).fold(0, |short, (bit, i)| short | (code >> bit & 1) << i);
        if table.insert(short, *value).is_some_and(|other| other != *value) {
            return None;
        }
    }
    Some(table)
}

impl Bit {
    /// A row that wants `self` may have `other` instead.
    fn allows(&self, other: &Bit, row: &Row) -> bool {
        match (self, other) {
            (Bit::Free, _) | (_, Bit::Free) => true,
            (Bit::Constant(value), Bit::Any(terms)) => {
                let known: Option<Vec<bool>> = terms.iter().map(|t| t.known(row)).collect();
                known.is_some_and(|k| k.contains(&true) == *value)
            }
            (one, two) => one == two,
        }
    }
}

/// What an instruction gives: a want for each name of [`names`]. `None`: it is illegal.
fn sample(rules: &Rules, word: u128) -> Option<Vec<Want>> {
    let (w, lacks) = match (rules.decode)(word) {
        Ok(w) => (w, 0u64),
        Err(TrapCause::Unimplemented) => (ControlWord::default(), 1),
        Err(_) => return None,
    };
    let mut wants: Vec<Want> = w.fields().into_iter().map(|f| f.1).collect();
    wants.extend(w.beside());
    wants.push(Want::is(lacks));
    Some(wants)
}

fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = ControlWord::default().fields().into_iter().map(|f| f.0).collect();
    names.extend(BESIDE.map(|b| b.0));
    names.push(LACKS);
    names
}

impl Derived {
    /// Of every form.
    pub fn of<O: Operand>(forms: &[&Form<O>], rules: &Rules) -> Self {
        let names = names();
        let rows = forms.iter().enumerate().map(|(number, form)| row(number, form, &names, rules)).collect();
        Self { names, rows }
    }

    /// The chip has some of a row.
    pub fn has(&self, row: usize) -> bool {
        self.rows[row].is_some()
    }

    /// The rows that the chip lacks.
    pub fn absent(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().enumerate().filter(|(_, row)| row.is_none()).map(|(number, _)| number)
    }
}

/// The control words of a row where some bits take their values, for each base of it.
struct Samples {
    input: Input,
    bases: Vec<OfBase>,
}

/// The same of one base.
struct OfBase {
    tried: Vec<(u64, Vec<Want>)>,
    /// Bits of each field of the control word that are 0 in one of them, and that are 1.
    zeros: Vec<u64>,
    ones: Vec<u64>,
}

impl Samples {
    fn of(input: Input, bases: &[u128], rules: &Rules) -> Self {
        let of_base = |base: &u128| {
            let tried = |code: u64| Some((code, sample(rules, input.put(*base, code))?));
            OfBase::of(input.codes().into_iter().filter_map(tried).collect())
        };
        Self { bases: bases.iter().map(of_base).collect(), input }
    }
}

impl OfBase {
    fn of(tried: Vec<(u64, Vec<Want>)>) -> Self {
        let names = tried.first().map_or(0, |t| t.1.len());
        let any = |bits: fn(Want) -> u64| -> Vec<u64> {
            (0..names).map(|i| tried.iter().fold(0, |all, (_, wants)| all | bits(wants[i]))).collect()
        };
        Self { zeros: any(|w| !w.value & w.mask), ones: any(|w| w.value & w.mask), tried }
    }
}

/// A bit of a field of the control word, by what it is in the bases and in the samples.
fn of_bit(samples: &[&Samples], index: usize, bit: usize, plain: &[Vec<Want>]) -> Result<Bit, String> {
    let value = |want: Want| (want.mask >> bit & 1 == 1).then_some(want.value >> bit & 1 == 1);
    // The first base that says something of it, and what.
    let mut seen = plain.iter().enumerate().find_map(|(base, wants)| Some((base, value(wants[index])?)));
    let mut terms = vec![];
    for s in samples {
        for (number, base) in s.bases.iter().enumerate() {
            let [zero, one] = [&base.zeros, &base.ones].map(|all| all.get(index).is_some_and(|b| b >> bit & 1 == 1));
            match (zero, one, seen) {
                (true, true, _) => {
                    let values = base.tried.iter().filter_map(|(code, wants)| Some((*code, value(wants[index])?)));
                    let term = Term::of(&s.input, &values.collect::<Vec<_>>());
                    terms.push(term.ok_or_else(|| format!("no bit of {}", s.input.name))?);
                    break;
                }
                (false, false, _) => {}
                (_, _, Some((before, other))) if before == number && other != one => {
                    return Err("it follows several fields".into());
                }
                (_, _, Some((before, _))) if before <= number => {}
                _ => seen = Some((number, one)),
            }
        }
    }
    match (&terms[..], seen) {
        ([], None) => Ok(Bit::Free),
        ([], Some((_, value))) => Ok(Bit::Constant(value)),
        ([_, _, ..], seen) if !matches!(seen, Some((_, false))) => Err(format!("no or of {terms:?}")),
        _ => Ok(Bit::Any(terms)),
    }
}

fn row<O: Operand>(number: usize, form: &Form<O>, names: &[&'static str], rules: &Rules) -> Option<Row> {
    let mut bases = (rules.bases)(number);
    bases.retain(|base| (rules.decode)(*base).is_ok());
    if bases.is_empty() {
        return None;
    }
    let plain: Vec<Vec<Want>> = bases.iter().filter_map(|base| sample(rules, *base)).collect();
    let fields = form.all_fields();
    let alone: Vec<Samples> = fields.iter().map(|f| Samples::of(Input::of(&[*f]), &bases, rules)).collect();
    let mut joined: HashMap<&[&str], Samples> = HashMap::new();
    for (_, together) in rules.together {
        let there: Vec<Field> = fields.iter().filter(|f| together.contains(&f.name)).copied().collect();
        if there.len() > 1 {
            joined.entry(together).or_insert_with(|| Samples::of(Input::of(&there), &bases, rules));
        }
    }
    let of_name = |(index, name): (usize, &&'static str)| -> Vec<Bit> {
        if rules.by_hand.contains(name) || rules.ignored.contains(&(form.name, name)) {
            return vec![Bit::Free; BITS];
        }
        let together = || rules.together.iter().filter(|t| t.0 == *name && joined.contains_key(t.1));
        let own = fields.iter().zip(&alone).filter(|(f, _)| {
            let is_joined = together().any(|t| t.1.contains(&f.name));
            !is_joined && !rules.ignored.contains(&(f.name, name))
        });
        let follows: Vec<&Samples> = own.map(|f| f.1).chain(together().map(|t| &joined[t.1])).collect();
        let of_bit = |bit| {
            of_bit(&follows, index, bit, &plain).unwrap_or_else(|e| panic!("{}: {name} bit {bit}: {e}", form.name))
        };
        (0..BITS).map(of_bit).collect()
    };
    let fields = names.iter().enumerate().map(of_name).collect();
    let known = form.mask | if rules.reserved { form.reserved_mask() } else { 0 };
    Some(Row { known, fixed: form.match_, fields })
}

/// The control word of the instruction `w`, field by field.
pub(super) struct Fields<'a> {
    derived: &'a Derived,
    w: &'a Expr,
    hits: &'a [Expr],
    widths: HashMap<&'static str, usize>,
    terms: HashMap<Term, Expr>,
}

impl<'a> Fields<'a> {
    /// The instruction is of the row whose hit line is one.
    pub fn new(derived: &'a Derived, w: &'a Expr, hits: &'a [Expr], widths: &[Vec<(&'static str, usize)>]) -> Self {
        let widths = widths.iter().flatten().copied().chain(BESIDE).chain([(LACKS, 1)]).collect();
        Self { derived, w, hits, widths, terms: HashMap::new() }
    }

    /// A field of the control word. Without a meaning where the row leaves it free.
    pub fn field(&mut self, name: &str) -> Expr {
        let width = self.widths[name];
        let found = self.derived.names.iter().position(|n| *n == name);
        let (Some(index), 1..) = (found, width) else {
            return nothing();
        };
        let mut groups = self.groups(index, width);
        // Instructions of no other group have the value of the largest.
        groups.sort_by_key(|g| std::cmp::Reverse(g.rows.len()));
        let mut groups = groups.into_iter();
        let Some(default) = groups.next() else {
            return zero(width);
        };
        let constants = default.bits.iter().zip(0..).map(|(bit, i)| match bit {
            Bit::Constant(value) => Some(u64::from(*value) << i),
            Bit::Free => Some(0),
            Bit::Any(_) => None,
        });
        let constant = constants.sum::<Option<u64>>();
        let gate = |f: &Self, g: &Group| any_of(&g.rows.iter().map(|r| f.hits[*r].clone()).collect::<Vec<_>>());
        let flipped = constant.unwrap_or(0);
        let others: Vec<(Expr, Expr)> = groups.map(|g| (gate(self, &g), self.vector(&g.bits, flipped))).collect();
        let gated = others.iter().map(|(gate, value)| gate.repeat(width) & value.clone());
        let gated = gated.collect::<Vec<_>>();
        let value = match (constant, others.is_empty()) {
            (_, true) => self.vector(&default.bits, 0),
            (Some(0), _) => any_of(&gated),
            (Some(constant), _) => any_of(&gated) ^ lit(width, constant),
            (None, _) => {
                let other = any_of(&others.iter().map(|o| o.0.clone()).collect::<Vec<_>>());
                other.mux(&any_of(&gated), &self.vector(&default.bits, 0))
            }
        };
        wire(&format!("f_{name}"), value)
    }

    /// The rows by what they want of a field; those with the most to say first.
    fn groups(&self, index: usize, width: usize) -> Vec<Group> {
        let count = |bits: &[Bit], is: fn(&Bit) -> bool| bits.iter().filter(|b| is(b)).count();
        let mut rows: Vec<(usize, &Row, &[Bit])> = vec![];
        for (number, row) in self.derived.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let (bits, beyond) = row.fields[index].split_at(width);
            assert!(beyond.iter().all(|b| matches!(b, Bit::Free | Bit::Constant(false))), "a value beyond its field");
            if bits.iter().any(|b| *b != Bit::Free) {
                rows.push((number, row, bits));
            }
        }
        rows.sort_by_key(|(_, _, bits)| {
            let said = count(bits, |b| matches!(b, Bit::Any(_)));
            (std::cmp::Reverse(said), count(bits, |b| *b == Bit::Free))
        });
        let mut groups: Vec<Group> = vec![];
        for (number, row, bits) in rows {
            let fits = |g: &&mut Group| bits.iter().zip(&g.bits).all(|(own, other)| own.allows(other, row));
            match groups.iter_mut().find(fits) {
                Some(group) => {
                    group.rows.push(number);
                    for (at, bit) in group.bits.iter_mut().zip(bits) {
                        if *at == Bit::Free {
                            *at = bit.clone();
                        }
                    }
                }
                None => groups.push(Group { bits: bits.to_vec(), rows: vec![number] }),
            }
        }
        groups
    }

    /// Bits as a word, those of `flipped` inverted.
    fn vector(&mut self, bits: &[Bit], flipped: u64) -> Expr {
        let mut parts: Vec<Expr> = vec![];
        let mut at = 0;
        while at < bits.len() {
            let (part, n) = self.run(&bits[at..]);
            parts.push(part);
            at += n;
        }
        let value = pack(parts.iter());
        match flipped {
            0 => value,
            _ => value ^ lit(bits.len(), flipped),
        }
    }

    /// The longest run of bits that are one piece, and how many.
    fn run(&mut self, bits: &[Bit]) -> (Expr, usize) {
        let constant = |b: &Bit| match b {
            Bit::Constant(value) => Some(*value),
            Bit::Free => Some(false),
            Bit::Any(_) => None,
        };
        let plain = |b: &Bit| match b {
            Bit::Any(terms) if terms.len() == 1 => terms[0].plain(),
            _ => None,
        };
        let length = |is: &dyn Fn(usize, &Bit) -> bool| bits.iter().enumerate().take_while(|(i, b)| is(*i, b)).count();
        let n = length(&|_, b| constant(b).is_some());
        if n > 0 {
            let value = bits[..n].iter().zip(0..).fold(0, |v, (b, i)| v | u64::from(constant(b) == Some(true)) << i);
            return (lit(n, value), n);
        }
        let same = length(&|_, b| *b == bits[0]);
        if let Some(place) = plain(&bits[0]) {
            let n = length(&|i, b| plain(b) == Some(place + i));
            return match n > 1 || same == 1 {
                true => (self.w.bits(place, n), n),
                false => (self.w.bit(place).repeat(same), same),
            };
        }
        let Bit::Any(terms) = &bits[0] else { unreachable!("a constant is a run") };
        let terms: Vec<Expr> = terms.iter().map(|t| self.term(t)).collect();
        (any_of(&terms).repeat(same), same)
    }

    fn term(&mut self, term: &Term) -> Expr {
        if let Some(known) = self.terms.get(term) {
            return known.clone();
        }
        let value = match term.plain() {
            Some(place) => self.w.bit(place),
            None => {
                let bits: Vec<Expr> = term.bits.iter().map(|b| self.w.bit(*b)).collect();
                let code = pack(bits.iter());
                let is: Vec<Expr> = term.codes.iter().map(|c| self.code(term, &code, *c)).collect();
                match term.negated {
                    false => any_of(&is),
                    true => !any_of(&is),
                }
            }
        };
        self.terms.insert(term.clone(), value.clone());
        value
    }

    /// The bits of a term have a code: a wire that the tables share.
    fn code(&mut self, term: &Term, code: &Expr, value: u64) -> Expr {
        let one = Term { codes: vec![value], negated: false, ..term.clone() };
        if one.bits.len() == 1 {
            return code.is(value);
        }
        let is = || wire(&format!("{}_is_{value}", term.input), code.is(value));
        self.terms.entry(one).or_insert_with(is).clone()
    }
}
