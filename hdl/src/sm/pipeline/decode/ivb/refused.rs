//! What a chip does not execute, and what is no instruction, of opcodes that chips have.

use super::parts::{Parts, ROUNDINGS};
use super::region::{third_types, third_written};
use crate::rtl::prelude::*;
use warpsmith_isa::ivb::fields::{
    three, ACC_WRITE, ALIGN16, DST_FILE, DST_REG, NIBBLE, NO_MASK, QUARTER, SOURCES, THREAD, UIP,
};
use warpsmith_isa::ivb::table::CONDITION as TAKES_CONDITION;

/// Reserved value of thread control, and the code of `switch`.
const RESERVED_THREAD: u64 = 3;
const SWITCH: u64 = 2;
/// n0.
const N0: u64 = 0x90;
/// Types of operands.
const D: u64 = 1;
const W: u64 = 3;

/// Rules and their wires.
struct Rules(Vec<Expr>);

impl Rules {
    /// It is refused where this holds.
    fn refuse(&mut self, name: &str, when: Expr) {
        self.0.push(wire(name, when));
    }
}

/// A chip does not execute it; `message`: a message is one that it has.
pub(super) fn refused(p: &Parts, message: &Expr) -> Expr {
    let mut r = Rules(vec![]);
    common(p, &mut r);
    channels(p, &mut r);
    modifiers(p, &mut r);
    operands(p, &mut r);
    types(p, &mut r);
    integers(p, &mut r);
    flow(p, &mut r);
    r.refuse("no_message", &p.send & !message);
    any_of(&r.0)
}

/// The reserved bits, and what no chip has.
fn common(p: &Parts, r: &mut Rules) {
    let w = &p.w;
    let of_three: Vec<Expr> =
        three::RESERVED.iter().map(|(low, width)| w.bits((*low).into(), (*width).into()).any()).collect();
    let others = w.bits(7, 1) | w.bits(91, 5).any();
    let reserved = p.three.mux(&any_of(&of_three), &others);
    let last = any_of(&[&p.two & !&p.s[1].number, p.math.clone()]) & w.bits(121, 7).any();
    r.refuse("reserved", reserved | last);
    let debug_of_illegal = w.is("illegal") & w.bits(30, 1);
    let all = [w.bits(7, 22).any(), w.bits(31, 1), w.bits(32, 64).any(), w.bits(96, 32).any()];
    r.refuse("reserved_bare", (&p.bare & any_of(&all)) | debug_of_illegal);
    r.refuse("reserved_thread", w.field(THREAD).is(RESERVED_THREAD));
    r.refuse("writes_accumulator", w.field(ACC_WRITE));
    r.refuse("other_access_mode", w.field(ALIGN16) ^ &p.three);
}

/// Sizes, and where channels begin.
fn channels(p: &Parts, r: &mut Rules) {
    let (w, c) = (&p.w, &p.channels);
    let wait = w.is("wait");
    let quarter = w.field(QUARTER);
    let jump = w.is("jmpi");
    let allowed = any_of(&[
        &c.one & !&(&p.branches | &p.math | &p.send),
        &c.eight & !any_of(&[wait.clone(), jump.clone()]),
        &c.sixteen & !any_of(&[wait.clone(), jump, p.three.clone()]),
    ]);
    r.refuse("wrong_size", !allowed & !&p.bare);
    let first = quarter.bit(1) | (&c.one & (quarter.bit(0) | w.field(NIBBLE)));
    let masked = &c.one & !w.field(NO_MASK) & !&wait;
    r.refuse("wrong_channels", (first | masked) & !&p.bare);
}

/// Predicate, condition, saturation.
fn modifiers(p: &Parts, r: &mut Rules) {
    let w = &p.w;
    let pred = &p.predicate;
    let unpredicated = w.any(&["else", "endif", "wait"]) & pred.any();
    let groups = pred.bits(1, 3).any();
    let of_three = &p.three & pred.bits(1, 3).any() & !pred.bits(1, 3).is(3);
    r.refuse("wrong_predicate", any_of(&[unpredicated, &p.channels.one & groups, of_three, pred.bits(2, 2).all()]));
    // Those with a condition; of `math` and messages it is something else.
    // The condition of a half has no meaning.
    let takes = w.those(|op| op.takes & TAKES_CONDITION != 0 && op.name != "f32to16");
    let other = wire("other_code", &p.math | &p.send);
    let code = &p.condition;
    let beyond = code.bits(0, 3).all() | (code.bit(3) & !(code.bit(0) & !code.bits(1, 2).any()));
    let logic = w.any(&["not", "and", "or", "xor"]) & (code.bits(2, 2).any() | code.bits(0, 2).all());
    let compare = &p.compares & &(!code.any() | code.bit(3));
    let conversion = w.is("mov") & code.any() & p.s[0].kind.code.ne(&p.dst.kind.code);
    let untaken = code.any() & !&takes & !&other;
    r.refuse("wrong_condition", any_of(&[beyond & takes, logic, compare, conversion, untaken]));
    let functions = any_of(&[1, 2, 3, 4, 5, 6, 7].map(|f| code.is(f))) | p.two_of_math();
    r.refuse("wrong_function", &p.math & !functions);
    r.refuse("wrong_select", w.is("sel") & !(pred.any() ^ &p.conditional));
    let saturates = w.any(&[&["mov", "add", "mul", "mad"][..], &ROUNDINGS].concat());
    r.refuse("wrong_saturation", &p.saturate & !saturates);
}

/// Where operands are.
fn operands(p: &Parts, r: &mut Rules) {
    let (w, [a, b], dst) = (&p.w, &p.s, &p.dst);
    let pair = wire("one_or_two", any_of(&[p.one.clone(), p.two.clone(), p.math.clone()]));
    r.refuse("wrong_destination", (&pair & !&dst.written) | (&p.math & !&dst.general));
    let constant = &a.number & &a.kind.known & &p.one;
    r.refuse("wrong_first", &pair & !(&a.read | constant));
    let constant = &b.number & &b.kind.known;
    r.refuse("wrong_second", &p.two & !(&b.read | constant));
    let files = w.field(SOURCES[1].file).any();
    r.refuse("wrong_file", (&p.one | w.is("wait")) & files);
    let null = all_of(&[b.null.clone(), b.shaped.clone(), !&b.neg, !&b.abs]);
    let second = p.two_of_math().mux(&(&b.read & &b.kind.float), &null);
    r.refuse("wrong_function_source", &p.math & !second);
    r.refuse("no_fraction", w.is("frc") & &a.number);
    // Words that go to the high halves do not come from dwords.
    let dwords = !&a.kind.word | (&p.two & !&b.kind.word);
    let several = !&p.channels.one & &dst.general;
    r.refuse("high_half", all_of(&[pair.clone(), several, dst.hi.clone(), dwords]));
    // A destination of two registers with words behind each other.
    let packed = (&a.packed & !&a.number) | all_of(&[p.two.clone(), b.packed.clone(), !&b.number]);
    let wide = all_of(&[pair, dst.general.clone(), dst.kind.word.clone(), p.channels.sixteen.clone()]);
    r.refuse("half_of_packed", wide & packed);
    r.refuse("wrong_half_stride", w.is("f32to16") & !&dst.by_two);
    let thirds =
        all_of(&[p.t[0].read.clone(), p.t[1].read.clone(), p.t[2].read.clone(), third_written(w, &p.channels)]);
    r.refuse("wrong_third", &p.three & !thirds);
}

/// Which types meet.
fn types(p: &Parts, r: &mut Rules) {
    let (w, [a, b], dst) = (&p.w, &p.s, &p.dst);
    let mixed = &a.kind.float ^ &b.kind.float;
    r.refuse("mixed_types", &p.two & &mixed);
    // Of integers to integers, of floats to floats.
    let alike = w.any(&["not", "and", "or", "xor", "shr", "shl", "asr", "add", "avg", "mul"]) | p.chooses();
    r.refuse("converts", alike & (&a.kind.float ^ &dst.kind.float));
    r.refuse("compares_to", all_of(&[p.compares.clone(), a.kind.float.clone(), dst.general.clone(), !&dst.kind.float]));
    let integer = w.any(&["not", "and", "or", "xor", "shr", "shl", "asr", "avg"]);
    r.refuse("no_integers", integer & &a.kind.float);
    let floats = w.any(&[&ROUNDINGS[..], &["math", "frc"]].concat());
    r.refuse("no_floats", floats & !(&a.kind.float & &dst.kind.float));
    let to_half = w.is("f32to16") & !(&a.kind.float & dst.kind.code.is(W));
    let from_half = w.is("f16to32") & !(&a.kind.word & &dst.kind.float);
    r.refuse("wrong_half", to_half | from_half);
    let to_dword = !dst.kind.is_dword();
    let mask = w.is("bfi1") & any_of(&[!a.kind.is_dword(), !b.kind.is_dword(), to_dword]);
    let to_ud = !dst.kind.is_ud();
    let unsigned = w.any(&["bfrev", "lzd", "fbl"]) & (!a.kind.is_ud() | &to_ud);
    let find = w.is("fbh") & (!a.kind.is_dword() | &to_ud);
    let count = w.is("cbit") & (a.kind.code.bits(0, 1).any() | a.kind.code.bit(2) | &to_ud);
    r.refuse("wrong_bits", any_of(&[mask, unsigned, find, count]));
    let one_type = a.kind.code.eq(&b.kind.code) & a.kind.code.eq(&dst.kind.code);
    r.refuse("selects_types", all_of(&[w.is("sel"), !&p.conditional, !one_type]));
    let [floats, integers, _] = third_types(w);
    let integral = w.any(&["bfe", "bfi2"]);
    r.refuse("wrong_third_type", (w.any(&["mad", "lrp"]) & !floats) | (integral & !integers));
}

/// Signs, comparisons and products of integers.
fn integers(p: &Parts, r: &mut Rules) {
    let (w, [a, b]) = (&p.w, &p.s);
    let integer = !p.float();
    let second = wire("second_has_signs", &p.two | p.two_of_math());
    let any_neg = &a.neg | (&second & &b.neg);
    let any_abs = &a.abs | (&second & &b.abs);
    let pair = wire("has_signs", &p.one | &p.two | &p.math);
    // Of messages and branches the bits mean something else, or nothing.
    let signs = wire("any_sign", &any_neg | &any_abs);
    let moves = w.is("mov");
    let adds = w.is("add");
    let plain = all_of(&[pair, signs.clone(), integer.clone(), !(&moves | &adds)]);
    let of_floats = (w.is("math") | (w.is("sel") & !&p.conditional)) & &signs;
    let absolute = (&moves | &adds) & &integer & &any_abs;
    let both = all_of(&[adds, integer.clone(), a.neg.clone(), b.neg.clone()]);
    let thirds: Vec<Expr> = p.t.iter().map(|t| &t.neg | &t.abs).collect();
    let third = w.any(&["bfe", "bfi2"]) & any_of(&thirds);
    r.refuse("wrong_sign", any_of(&[plain, of_floats, absolute, both, third]));

    let mixed = (a.kind.is_ud() & &b.kind.signed) | (b.kind.is_ud() & &a.kind.signed);
    let negative = b.kind.word.mux(&(&b.kind.signed & w.bits(111, 1)), &w.bits(127, 1));
    let natural = &b.number & !negative;
    let orders = wire("orders", any_of(&[p.compares.clone(), p.chooses(), w.is("avg")]));
    r.refuse("compares_other_sign", all_of(&[orders, mixed, !natural]));

    let product = wire("integer_product", w.is("mul") & &integer);
    let any_dword = !(&a.kind.word & &b.kind.word);
    let changed = any_dword & (&p.saturate | &p.conditional);
    let order = &a.kind.word & !&b.kind.word;
    r.refuse("wrong_product", product & (changed | order));
}

/// Branches and waits.
fn flow(p: &Parts, r: &mut Rules) {
    let w = &p.w;
    let switch = w.field(THREAD).is(SWITCH);
    let needs = w.any(&["brd", "brc"]) | (&p.compares & &p.dst.null);
    r.refuse("needs_switch", needs & !switch);
    let number = w.field(SOURCES[1].file).is(3);
    let jump = w.is("jmpi");
    r.refuse("no_distance", (&p.branches | &jump) & !number);
    r.refuse("second_distance", &p.jip & w.field(UIP).any());
    r.refuse("wrong_distance", jump & w.field(SOURCES[1].kind).ne(&lit(3, D)));
    let n0 = all_of(&[!w.field(DST_FILE).any(), !w.bits(63, 1), w.field(DST_REG).is(N0), p.dst.at_start.clone()]);
    r.refuse("waits_elsewhere", w.is("wait") & !n0);
}
