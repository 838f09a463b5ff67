//! Instructions of G13 that take two passes: what the first keeps of every thread, and what the second makes of it.
//!
//! The beats of a pass follow each other, those of another instruction do not come between them; nothing is written
//! before the second pass. So what every thread holds is here when the second begins, inactive threads among them.
//!
//! | port       | width   | meaning                                                            |
//! |------------|---------|--------------------------------------------------------------------|
//! | `valid`    | 1       | a beat leaves stage D                                              |
//! | `code`     | 4       | one of [`exchange`]                                                |
//! | `first`    | 1       | it is of the first pass                                            |
//! | `beat`     | beat    | its number                                                         |
//! | `fourth`   | [L][32] | what the first pass keeps for operand d                            |
//! | `a`, `b`   | [L][32] | selected operands                                                  |
//! | `kept`     | [L][32] | what the first pass has kept of the thread                         |
//! | `to_a`, `to_b` | [L][32] | operands in the second pass                                    |
//!
//! Timing: combinational but for what is kept. Reset: none. Errors: none.
//! Source: docs/instruction-sets.md, G13 on a chip.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use crate::config::WARP;
use crate::rtl::prelude::*;
use crate::sm::control::g13::exchange;
use crate::sm::dims::Dims;

/// Quads of a warp.
const QUADS: usize = WARP / 4;

block! {
    /// See the module.
    pub struct Exchange(d: &Dims) {
        in valid(1),
        in code(4),
        in first(1),
        in beat(d.beat),
        in fourth([d.lanes] 32),
        in a([d.lanes] 32),
        in b([d.lanes] 32),
        out kept([d.lanes] 32),
        out to_a([d.lanes] 32),
        out to_b([d.lanes] 32),
        /// A word of each thread, by lanes: each lane reads any of them.
        part words([d.lanes * usize::from(d.beats > 1)] Ram: RamKind::Lut, d.beats, 32, d.lanes + 1),
        data held([d.lanes * usize::from(d.beats == 1)] 32),
        /// The low bits of operand b of the threads of each quad, their or.
        data asked([QUADS] 2),
        keep _d(Dims = *d),
    }
}

/// The thread that a lane takes its value from: beat and lane of it together.
fn from_thread(code: &Expr, own: &Expr, b: &Expr, asked: &[Expr]) -> Expr {
    let of_quad = code.bit(3);
    let kind = code.bits(0, 3);
    let is = |c: u64| kind.is(c);
    let (by, far) = (b.bits(0, 5), b.bits(5, 11).any());
    let place = own.bits(0, 2);
    let back = wire("goes_back", is(exchange::UP) | is(exchange::ROTATE));
    let sum = back.mux(&(own.zext(6) - by.zext(6)), &(own.zext(6) + by.zext(6))).called("thread_sum");
    let crossed = is(exchange::XOR).mux(&(own ^ &by), &is(exchange::TO).mux(&by, &sum.bits(0, 5)));
    let neighbour = is(exchange::ROW).mux(&(own ^ &lit(5, 1)), &(own ^ &lit(5, 2)));
    let of_neighbour = wire("of_neighbour", (is(exchange::ROW) | is(exchange::COLUMN)) & !&of_quad);
    let carried = (is(exchange::DOWN) | is(exchange::UP)) & sum.bit(5);
    let outside = wire("outside", carried | (far & !is(exchange::ROTATE)));

    let quad = of_quad.mux(&own.bits(2, 3), &crossed.bits(2, 3)).called("from_quad");
    let turn = of_quad.mux(&by.bits(0, 2), &select(&quad, asked)).called("turn");
    let turned = is(exchange::TO)
        .mux(&turn, &is(exchange::XOR).mux(&(&place ^ &turn), &back.mux(&(&place - &turn), &(&place + &turn))));
    let down = place.zext(3) + turn.zext(3);
    let up = place.zext(3) - turn.zext(3);
    let beyond = (is(exchange::DOWN) & down.bit(2)) | (is(exchange::UP) & up.bit(2));
    let stays = wire("stays", of_quad.mux(&beyond, &outside));
    let thread = stays.mux(own, &cat([&quad, &turned.named()]));
    wire("from_thread", of_neighbour.mux(&neighbour, &thread))
}

impl Exchange {
    /// The first pass keeps a word of each thread, and what its quad asks for.
    fn keep(&self, code: &Expr) -> Expr {
        let d = &self._d;
        let keeps = wire("keeps", get(&self.valid) & get(&self.first));
        let fourth = wire("keeps_fourth", code.is(exchange::FOURTH));
        let beat = get(&self.beat);
        for l in 0..d.lanes {
            let word = fourth.mux(&get(&self.fourth[l]), &get(&self.a[l]));
            match self.words.get(l) {
                Some(ram) => ram.write(&beat, &word, &keeps),
                None => when(&keeps, || set(&self.held[l], word)),
            }
        }
        let wanted: Vec<Expr> = self.b.iter().map(|b| get(b).bits(0, 2)).collect();
        for (q, asked) in self.asked.iter().enumerate() {
            let (at, lane) = (4 * q / d.lanes, 4 * q % d.lanes);
            if d.lanes >= 4 {
                let here = d.beats == 1;
                let now = if here { keeps.clone() } else { &keeps & &beat.is(at as u64) };
                when(&now, || set(asked, any_of(&wanted[lane..lane + 4])));
            } else {
                let of = any_of(&wanted);
                let half = beat.bit(0);
                when(&(&keeps & beat.bits(1, d.beat - 1).is(q as u64)), || {
                    set(asked, &of | &(get(asked) & half.repeat(2)))
                });
            }
        }
        beat
    }
}

impl Rtl for Exchange {
    fn rtl(&self) {
        let d = &self._d;
        let code = get(&self.code);
        let beat = self.keep(&code);
        let asked = get_all(&self.asked);
        let own_column = d.lanes;
        let lane_bits = clog2(d.lanes);
        let neighbours = wire("neighbours", code.is(exchange::ROW) | code.is(exchange::COLUMN));
        for l in 0..d.lanes {
            let (a, b) = (get(&self.a[l]), get(&self.b[l]));
            let own = d.with_beat_high(&beat, &lit(lane_bits, l as u64)).called("own_thread");
            let thread = from_thread(&code, &own, &b, &asked);
            let column = thread.bits(0, lane_bits);
            let words: Vec<Expr> = (0..d.lanes)
                .map(|from| match self.words.get(from) {
                    Some(ram) => ram.read(l, &thread.bits(lane_bits, d.beat)),
                    None => get(&self.held[from]),
                })
                .collect();
            let other = wire("of_other", select(&column, &words));
            let own_word = match self.words.get(l) {
                Some(ram) => ram.read(own_column, &beat),
                None => get(&self.held[l]),
            };
            set(&self.kept[l], own_word);
            let right = code.is(exchange::ROW).mux(&own.bit(0), &own.bit(1));
            set(&self.to_a[l], (&neighbours & &right).mux(&a, &other));
            set(&self.to_b[l], right.mux(&other, &a));
        }
    }
}

rtl_block!(Exchange, "exchange");
