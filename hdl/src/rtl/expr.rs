//! Expressions: what a block computes, each with its width in bits.
//!
//! An [`Expr`] is a value of the hardware, not a number of the program. Operators check widths as
//! they build (a mismatch is a bug of the block and panics with both widths while the chip is
//! being emitted, never when it runs), so the text needs no implicit extension anywhere: what
//! Verilog would decide by context is written out.
//!
//! rust-hdl's own `#[hdl_gen]` subset has no conditional expression, no concatenation, no
//! arithmetic shift, no `let`, no functions and no run-time widths; this module is the one place
//! where that is mended (docs/dsl.md).

use super::scope;
use super::value::Expr;
use std::fmt;
use std::ops;
use warpsmith_netlist::{Binary, Kind};

/// Bits that number `n` things; 1 for a single one (Verilog has no empty vectors).
pub const fn clog2(n: usize) -> usize {
    let bits = usize::BITS - n.saturating_sub(1).leading_zeros();
    if bits == 0 {
        1
    } else {
        bits as usize
    }
}

/// A constant of `width` bits; `value` must fit.
pub fn lit(width: usize, value: u64) -> Expr {
    assert!(width >= 64 || value < 1 << width, "{value} does not fit {width} bits");
    Expr::new(Kind::Lit(value.into()), width)
}

/// A constant of all zeros.
pub fn zero(width: usize) -> Expr {
    lit(width, 0)
}

/// A constant of all ones.
pub fn ones(width: usize) -> Expr {
    if width <= 64 {
        lit(width, u64::MAX >> (64 - width))
    } else {
        Expr::new(Kind::Repeat(width as u32, lit(1, 1)), width)
    }
}

/// A field of no bits: it may stand in a packed bundle and nowhere else.
pub fn nothing() -> Expr {
    Expr::nothing()
}

/// Concatenation, most significant part first, as in Verilog. Empty parts are not allowed.
pub fn cat<'a>(parts: impl IntoIterator<Item = &'a Expr>) -> Expr {
    let parts: Vec<Expr> = parts.into_iter().cloned().collect();
    assert!(!parts.is_empty(), "an empty concatenation");
    if let [one] = &parts[..] {
        return one.clone();
    }
    let width = parts.iter().map(Expr::width).sum();
    Expr::new(Kind::Cat(parts), width)
}

/// Concatenation with the first item in the least significant place: item i of n equal parts is
/// at bits `[i*w +: w]`.
pub fn pack<'a>(items: impl DoubleEndedIterator<Item = &'a Expr>) -> Expr {
    cat(items.rev())
}

/// The or of all items (equal widths); zero items are not allowed.
pub fn any_of(items: &[Expr]) -> Expr {
    tree(items, |a, b| a | b)
}

/// The and of all items (equal widths).
pub fn all_of(items: &[Expr]) -> Expr {
    tree(items, |a, b| a & b)
}

fn tree(items: &[Expr], f: impl Fn(&Expr, &Expr) -> Expr + Copy) -> Expr {
    match items {
        [] => panic!("a reduction of nothing"),
        [one] => one.clone(),
        _ => {
            let (a, b) = items.split_at(items.len() / 2);
            f(&tree(a, f), &tree(b, f))
        }
    }
}

/// `items[index]`, a tree of two-way choices; items beyond the end read as some other item, so
/// `index` must be in range or its item mean nothing. Widths equal.
pub fn select(index: &Expr, items: &[Expr]) -> Expr {
    if items.len() == 1 {
        return items[0].clone();
    }
    let top = clog2(items.len()) - 1;
    let (low, high) = items.split_at(1 << top);
    index.bit(top).mux(&select(index, high), &select(index, low))
}

/// One-hot selection: the or of every item whose bit of `hot` is set.
pub fn one_hot_mux(hot: &Expr, items: &[Expr]) -> Expr {
    assert_eq!(hot.width(), items.len(), "one select bit an item");
    let gated: Vec<Expr> = items.iter().enumerate().map(|(i, x)| x & &hot.bit(i).repeat(x.width())).collect();
    any_of(&gated)
}

/// `chain + logic + carry`, one bit wider than the two (equal widths).
///
/// A subtraction of the inverse, one bit longer for the carry: synthesis feeds the left side of a
/// subtraction straight to the carry chain, so that what makes `logic` shares the look-up tables of
/// the sum. Of a plain sum either side may end there.
pub fn carry_chain(chain: &Expr, logic: &Expr, carry: &Expr) -> Expr {
    same("carry_chain", chain, logic);
    let left = cat([&zero(1), chain, carry]);
    let right = cat([&ones(1), &!logic, &ones(1)]);
    scope::wire("chain", left - right).bits(1, chain.width() + 1)
}

/// Isolates the lowest set bit: `x & -x`. Of a few bits it is lookup tables alone: a carry chain costs more time to
/// enter and leave than they do.
pub fn lowest_one_hot(x: &Expr) -> Expr {
    let x = x.named();
    if x.width() > 8 {
        return &x & &(!&x + lit(x.width(), 1));
    }
    let on = x.each_bit();
    let bit = |i: usize| if i == 0 { on[0].clone() } else { &on[i] & &!any_of(&on[..i]) };
    let bits: Vec<Expr> = (0..on.len()).map(bit).collect();
    pack(bits.iter())
}

/// Whether at least two of the items (1 bit each) are on: a tree of pairs, each of which knows one and two.
pub fn two_of(items: &[Expr]) -> Expr {
    fn count(items: &[Expr]) -> (Expr, Option<Expr>) {
        if let [one] = items {
            return (one.clone(), None);
        }
        let (low, high) = items.split_at(items.len() / 2);
        let ((a, two_a), (b, two_b)) = (count(low), count(high));
        let two: Vec<Expr> = [two_a, two_b].into_iter().flatten().chain([&a & &b]).collect();
        (a | b, Some(any_of(&two)))
    }
    count(items).1.unwrap_or_else(|| zero(1))
}

/// The item of the highest set bit of `on`; 0 when none is set.
pub fn select_last(on: &Expr, items: &[Expr]) -> Expr {
    let reversed: Vec<Expr> = on.each_bit().into_iter().rev().collect();
    let items: Vec<Expr> = items.iter().rev().cloned().collect();
    one_hot_mux(&lowest_one_hot(&pack(reversed.iter())), &items)
}

/// Index of the only set bit of a one-hot value (0 when none is set), `bits` wide.
pub fn one_hot_index(hot: &Expr, bits: usize) -> Expr {
    let hot = hot.called("hot_bit");
    let bit = |b: usize| {
        let with: Vec<Expr> = (0..hot.width()).filter(|i| i >> b & 1 == 1).map(|i| hot.bit(i)).collect();
        if with.is_empty() {
            zero(1)
        } else {
            cat(with.iter()).any()
        }
    };
    let bits: Vec<Expr> = (0..bits).map(bit).collect();
    pack(bits.iter())
}

impl Expr {
    /// The same value under a name: Verilog can only select bits of names.
    pub fn named(&self) -> Expr {
        match &*self.kind {
            Kind::Signal(_) => self.clone(),
            _ => scope::temporary(self),
        }
    }

    /// The same value under this name, or the one that it already has.
    pub fn called(&self, name: &str) -> Expr {
        match &*self.kind {
            Kind::Signal(_) => self.clone(),
            _ => scope::called(name, self),
        }
    }

    /// Bit `i`.
    pub fn bit(&self, i: usize) -> Expr {
        self.bits(i, 1)
    }

    /// `width` bits from bit `lo`.
    pub fn bits(&self, lo: usize, width: usize) -> Expr {
        assert!(lo + width <= self.width(), "bits [{lo} +: {width}] of {} bits", self.width());
        if width == self.width() {
            return self.clone();
        }
        match &*self.kind {
            Kind::Lit(v) => Expr::new(Kind::Lit(v >> lo & ((1u128 << width) - 1)), width),
            Kind::Slice(of, at) => of.bits(*at as usize + lo, width),
            Kind::Cat(parts) => {
                let mut at = 0;
                for p in parts.iter().rev() {
                    if lo >= at && lo + width <= at + p.width() {
                        return p.bits(lo - at, width);
                    }
                    at += p.width();
                }
                Expr::new(Kind::Slice(self.named(), lo as u32), width)
            }
            Kind::Signal(_) => Expr::new(Kind::Slice(self.clone(), lo as u32), width),
            _ => Expr::new(Kind::Slice(self.named(), lo as u32), width),
        }
    }

    /// All bits, least significant first.
    pub fn each_bit(&self) -> Vec<Expr> {
        let x = self.named();
        (0..x.width()).map(|i| x.bit(i)).collect()
    }

    /// All words of `width` bits, least significant first.
    pub fn each_word(&self, width: usize) -> Vec<Expr> {
        let x = self.named();
        (0..x.width() / width).map(|i| x.bits(i * width, width)).collect()
    }

    /// Bit number `index` at run time.
    pub fn bit_at(&self, index: &Expr) -> Expr {
        self.word_at(index, 1)
    }

    /// Word number `index` of `width` bits at run time.
    pub fn word_at(&self, index: &Expr, width: usize) -> Expr {
        if let Kind::Lit(v) = &*index.kind {
            return self.bits(*v as usize * width, width);
        }
        let words = self.width() / width;
        let need = usize::BITS as usize - (words - 1).leading_zeros() as usize;
        if need == 0 {
            return self.bits(0, width);
        }
        let index = if index.width() > need { index.bits(0, need) } else { index.clone() };
        let shift = width.trailing_zeros() as usize;
        let bit = if width.is_power_of_two() {
            if shift == 0 {
                index
            } else {
                cat([&index, &zero(shift)])
            }
        } else {
            let n = index.width() + usize::BITS as usize - width.leading_zeros() as usize;
            index.zext(n) * lit(n, width as u64)
        };
        Expr::new(Kind::Select(self.named(), bit), width)
    }

    /// Zero extension (or the same width).
    pub fn zext(&self, width: usize) -> Expr {
        assert!(width >= self.width(), "zext from {} to {width} bits", self.width());
        if width == self.width() {
            return self.clone();
        }
        if let Kind::Lit(v) = &*self.kind {
            return Expr::new(Kind::Lit(*v), width);
        }
        cat([&zero(width - self.width()), self])
    }

    /// Sign extension (or the same width).
    pub fn sext(&self, width: usize) -> Expr {
        assert!(width >= self.width(), "sext from {} to {width} bits", self.width());
        if width == self.width() {
            return self.clone();
        }
        let x = self.named();
        cat([&x.bit(x.width() - 1).repeat(width - x.width()), &x])
    }

    /// Zero extension or truncation, whichever `width` asks for.
    pub fn resize(&self, width: usize) -> Expr {
        if width > self.width() {
            self.zext(width)
        } else {
            self.bits(0, width)
        }
    }

    /// The most significant bit.
    pub fn msb(&self) -> Expr {
        self.bit(self.width() - 1)
    }

    /// `n` copies side by side.
    pub fn repeat(&self, n: usize) -> Expr {
        if n == 1 {
            return self.clone();
        }
        Expr::new(Kind::Repeat(n as u32, self.clone()), n * self.width())
    }

    /// Or of all bits.
    pub fn any(&self) -> Expr {
        self.reduced(Kind::Any)
    }

    /// And of all bits.
    pub fn all(&self) -> Expr {
        self.reduced(Kind::All)
    }

    fn reduced(&self, op: fn(Expr) -> Kind<Expr>) -> Expr {
        if self.width() == 1 {
            return self.clone();
        }
        Expr::new(op(self.clone()), 1)
    }

    /// `if self { yes } else { no }`; `self` is one bit.
    pub fn mux(&self, yes: &Expr, no: &Expr) -> Expr {
        assert_eq!(self.width(), 1, "a condition of one bit");
        same("mux", yes, no);
        Expr::new(Kind::Mux(self.clone(), yes.clone(), no.clone()), yes.width())
    }

    /// Equality, one bit.
    pub fn eq(&self, o: &Expr) -> Expr {
        self.compare(Binary::Eq, o)
    }
    /// Inequality, one bit.
    pub fn ne(&self, o: &Expr) -> Expr {
        self.compare(Binary::Ne, o)
    }
    /// Unsigned less than, one bit.
    pub fn lt(&self, o: &Expr) -> Expr {
        self.compare(Binary::Lt, o)
    }
    /// Unsigned less or equal, one bit.
    pub fn le(&self, o: &Expr) -> Expr {
        self.compare(Binary::Le, o)
    }
    /// Unsigned greater than, one bit.
    pub fn gt(&self, o: &Expr) -> Expr {
        self.compare(Binary::Gt, o)
    }
    /// Unsigned greater or equal, one bit.
    pub fn ge(&self, o: &Expr) -> Expr {
        self.compare(Binary::Ge, o)
    }
    /// Two's complement less than, one bit.
    pub fn slt(&self, o: &Expr) -> Expr {
        self.compare(Binary::LtSigned, o)
    }
    /// Equality with a constant, one bit; of what has [codes](crate::rtl::coded) the constant is called by its name.
    pub fn is(&self, value: u64) -> Expr {
        let name = match &*self.kind {
            Kind::Signal(signal) => scope::name_of(*signal, value),
            _ => None,
        };
        self.eq(&name.map_or_else(|| lit(self.width(), value), |name| scope::code(&name, self.width(), value)))
    }

    fn compare(&self, op: Binary, o: &Expr) -> Expr {
        same(op.symbol(), self, o);
        Expr::new(Kind::Binary(op, self.clone(), o.clone()), 1)
    }

    /// Full product: `self.width() + o.width()` bits, unsigned.
    pub fn mul(&self, o: &Expr) -> Expr {
        let w = self.width() + o.width();
        Expr::new(Kind::Binary(Binary::Mul, self.zext(w), o.zext(w)), w)
    }

    /// Product of equal widths, truncated to that width, of factors that are signed in the Verilog
    /// sense: synthesis sees their widths behind the sign extension.
    pub fn mul_signed(&self, o: &Expr) -> Expr {
        same("*", self, o);
        let kind = Kind::Binary(Binary::MulSigned, self.clone(), o.clone());
        Expr::new(kind, self.width())
    }

    /// Logical shift left by a value of any width; bits fall off at the top.
    pub fn shl(&self, by: &Expr) -> Expr {
        Expr::new(Kind::Binary(Binary::Shl, self.clone(), by.clone()), self.width())
    }

    /// Logical shift right by a value of any width.
    pub fn shr(&self, by: &Expr) -> Expr {
        Expr::new(Kind::Binary(Binary::Shr, self.clone(), by.clone()), self.width())
    }

    /// One-hot decode: `1 << self`, `width` bits.
    pub fn one_hot(&self, width: usize) -> Expr {
        lit(width, 1).shl(self)
    }
}

/// The value as Verilog; only within the block that it belongs to.
impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&scope::text(self))
    }
}

fn same(what: &str, a: &Expr, b: &Expr) {
    assert_eq!(a.width(), b.width(), "{what} of {} and {} bits: `{a}` and `{b}`", a.width(), b.width(),);
}

macro_rules! operator {
    ($trait:ident, $method:ident, $op:ident) => {
        impl ops::$trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, o: &Expr) -> Expr {
                let op = Binary::$op;
                same(op.symbol(), self, o);
                Expr::new(Kind::Binary(op, self.clone(), o.clone()), self.width())
            }
        }
        impl ops::$trait<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, o: Expr) -> Expr {
                self.$method(&o)
            }
        }
        impl ops::$trait<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, o: &Expr) -> Expr {
                (&self).$method(o)
            }
        }
        impl ops::$trait<Expr> for Expr {
            type Output = Expr;
            fn $method(self, o: Expr) -> Expr {
                (&self).$method(&o)
            }
        }
    };
}
operator!(Add, add, Add);
operator!(Sub, sub, Sub);
operator!(BitAnd, bitand, And);
operator!(BitOr, bitor, Or);
operator!(BitXor, bitxor, Xor);

/// Product of equal widths, truncated to that width.
impl ops::Mul<Expr> for Expr {
    type Output = Expr;
    fn mul(self, o: Expr) -> Expr {
        same("*", &self, &o);
        let w = self.width();
        Expr::new(Kind::Binary(Binary::Mul, self, o), w)
    }
}

impl ops::Not for &Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        Expr::new(Kind::Not(self.clone()), self.width())
    }
}
impl ops::Not for Expr {
    type Output = Expr;
    fn not(self) -> Expr {
        !&self
    }
}
