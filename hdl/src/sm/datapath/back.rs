//! Stages D to W: operands into the lanes, results into registers, flags and address registers.

use super::forward::Written;
use super::{depth, Datapath, Operands, Tag, Values};
use crate::rtl::prelude::*;
use crate::sm::control::{destination, AluControl};
use crate::sm::execute::special::{How, Special, To};
use crate::sm::mem::bytes::aligned;

/// Cycles a write waits for a free one before issue makes a gap.
const PATIENCE: u64 = 12;

/// Threads of a beat that write their result: those that execute, in the quad places that write.
fn in_quad(tag: &Tag) -> Ex {
    // Two lanes are the lower or the upper half of a quad.
    let places = match tag.exec.width() {
        2 => tag.quad.word_at(&tag.beat.bit(0), 2).named(),
        _ => tag.quad.clone(),
    };
    let quad: Vec<Ex> = (0..tag.exec.width())
        .map(|i| places.bit(i % places.width()))
        .collect();
    &tag.exec & &pack(quad.iter())
}

impl Datapath {
    /// Stages D to W: operands into the lanes, tags beside them; `leaves`: the beat in D goes on.
    pub(super) fn execute_stages(&self, leaves: &Ex) {
        let d = &self._d;
        let tag = get(&self.d_tag);
        let cc = get(&self.d_cc);
        let low = get(&self.d_c_low);
        let mut alu = Tag::unpack(d, "d", &tag).alu;
        if let Some(o) = self.o_alu.get() {
            set(o, &alu);
            alu = get(o);
        }
        let lanes: Vec<Values> = self
            .dl
            .iter()
            .enumerate()
            .map(|(i, r)| Values::unpack((), &format!("d{i}"), &get(r)))
            .collect();
        let mut first_operands = vec![];
        for (i, s) in self.select.iter().enumerate() {
            let r = &lanes[i];
            set(&s.choice, get(&self.d_choice));
            set(&s.r1, &r.r1);
            set(&s.r2, &r.r2);
            set(&s.r3, &r.r3);
            set(&s.shared, get(&self.shared.rdata[i]));
            let constant = get(&self.constants.data[i]);
            let [upper, lowest] = aligned(&constant, &low.bits(2 * i, 2));
            let [b3, b2] = [24, 16].map(|b| constant.bits(b, 8));
            set(&s.constant, cat([&b3, &b2, &upper, &lowest]));
            set(&s.address, &r.areg);
            let flags = cc.bits(4 * i, 4);
            set(&s.flags, &flags);
            set(&s.clock_count, get(&self.clock_count));
            let mut operands = Operands {
                a: get(&s.a),
                b: get(&s.b),
                c: get(&s.c),
                carry: flags.bit(2),
            };
            operands.check(());
            if let Some(o) = self.o.get(i) {
                set(o, operands.pack());
                operands = Operands::unpack((), &format!("o{i}"), &get(o));
            }
            let lane = &self.lane[i];
            set(&lane.ctl, &alu);
            set(&lane.a, &operands.a);
            first_operands.push(operands.a);
            set(&lane.b, operands.b);
            set(&lane.c, operands.c);
            set(&lane.cin, operands.carry);
        }
        if let Some(special) = self.special.get() {
            self.special_functions(special, leaves, &first_operands);
        }
        let all = |f: fn(&Values) -> &Ex| pack(lanes.iter().map(f));
        let next = all(|r| &r.next);
        // Store data of a half register is what the selection made of it.
        let stored: Vec<Ex> = self.select.iter().map(|s| get(&s.c)).collect();
        let (addr, data) = if d.trace {
            (all(|r| &r.main), pack(stored.iter()))
        } else {
            (zero(1), zero(1))
        };
        for i in 0..depth(d) {
            let (v, t, n, a, w) = match i {
                0 => (
                    leaves.clone(),
                    tag.clone(),
                    next.clone(),
                    addr.clone(),
                    data.clone(),
                ),
                _ => (
                    get(&self.x_valid[i - 1]),
                    get(&self.x_tag[i - 1]),
                    get(&self.x_next[i - 1]),
                    get(&self.x_addr[i - 1]),
                    get(&self.x_data[i - 1]),
                ),
            };
            set(&self.x_valid[i], v);
            set(&self.x_tag[i], t);
            set(&self.x_next[i], n);
            set(&self.x_addr[i], a);
            set(&self.x_data[i], w);
        }
    }

    /// Operands of special functions into their queue, from where the lanes have them.
    fn special_functions(&self, s: &Special, leaves: &Ex, operands: &[Ex]) {
        let d = &self._d;
        let (valid, tag) = match d.forward {
            true => (leaves.clone(), &self.d_tag),
            false => (get(&self.x_valid[0]), &self.x_tag[0]),
        };
        let tag = Tag::unpack(d, "s", &get(tag));
        let alu = AluControl::unpack((), "s", &tag.alu);
        let how = How {
            func: alu.cond,
            neg: alu.neg,
            abs: alu.abs,
            sat: alu.sat,
        };
        how.check(());
        let to = To {
            mask: in_quad(&tag),
            warp: tag.warp,
            slot: tag.slot,
            entry: tag.entry,
            last: tag.last,
        };
        to.check(d);
        set(&s.clear, get(&self.clear));
        set(&s.in_valid, valid & &tag.special);
        set(&s.in_how, how.pack());
        set(&s.in_to, to.pack());
        for (to, x) in s.in_x.iter().zip(operands) {
            set(to, x);
        }
    }

    /// Results that come later share a write port: special functions go first, they take it once in
    /// lanes / units cycles at most. Returns whether there is one.
    fn late_results(&self) -> Ex {
        let d = &self._d;
        let port = get(&self.file.late_ready);
        let loaded = get_all(&self.load_data);
        let Some(s) = self.special.get() else {
            return self.late_loads(&port, &loaded);
        };
        let special = get(&s.out_valid);
        let to = To::unpack(d, "late", &get(&s.out_to));
        let writes = wire("late_writes", &special | &get(&self.load_valid));
        let entry = special.mux(&to.entry, &get(&self.load_entry));
        let mask = wire("late_mask", special.mux(&to.mask, &get(&self.load_mask)));
        set(&s.out_ready, &port);
        set(&self.load_ready, &port & !&special);
        set(&self.file.late_valid, &writes);
        set(&self.file.late_entry, &entry);
        set(&self.file.late_mask, &mask);
        let data: Vec<Ex> = s
            .out_data
            .iter()
            .zip(&loaded)
            .map(|(x, load)| special.mux(&get(x), load))
            .collect();
        for (x, to) in data.iter().zip(&self.file.late_data) {
            set(to, x);
        }
        let goes = wire("special_goes", &special & &port);
        set(&self.done_valid, &goes & &to.last);
        set(&self.done_warp, &to.warp);
        set(&self.done_slot, &to.slot);
        set(&self.late_valid, &writes & &port);
        set(
            &self.late_warp,
            special.mux(&to.warp, &get(&self.load_warp)),
        );
        set(
            &self.late_slot,
            special.mux(&to.slot, &get(&self.load_slot)),
        );
        set(&self.late_entry, entry);
        set(&self.late_mask, mask);
        set(&self.late_data, pack(data.iter()));
        writes
    }

    /// The same without special functions.
    fn late_loads(&self, port: &Ex, loaded: &[Ex]) -> Ex {
        let d = &self._d;
        let writes = get(&self.load_valid);
        let (entry, mask) = (get(&self.load_entry), get(&self.load_mask));
        set(&self.load_ready, port);
        set(&self.file.late_valid, &writes);
        set(&self.file.late_entry, &entry);
        set(&self.file.late_mask, &mask);
        for (x, to) in loaded.iter().zip(&self.file.late_data) {
            set(to, x);
        }
        set(&self.done_valid, zero(1));
        set(&self.done_warp, zero(d.warp));
        set(&self.done_slot, zero(2));
        set(&self.late_valid, &writes & port);
        set(&self.late_warp, get(&self.load_warp));
        set(&self.late_slot, get(&self.load_slot));
        set(&self.late_entry, entry);
        set(&self.late_mask, mask);
        set(&self.late_data, pack(loaded.iter()));
        writes
    }

    /// Late results, R0 of new warps and headers of new blocks live on cycles in which the pipeline
    /// leaves the registers or shared memory alone. One that waits long gets a gap of its own.
    fn gaps(&self, late: &Ex) {
        let waits = any_of(&[
            late & !get(&self.file.late_ready),
            get(&self.init_valid) & !get(&self.file.init_ready),
            get(&self.share_valid) & !get(&self.shared.init_ready),
        ]);
        let waited = get(&self.waited);
        let long = wire("waited_long", waited.is(PATIENCE));
        let on = wire("waits_on", waits & !(&long & get(&self.gap)));
        set(
            &self.waited,
            on.mux(&(&waited + &(!&long).zext(4)), &zero(4)),
        );
        set(&self.hold, long);
    }

    /// Stage W.
    pub(super) fn write_stage(&self) -> Written {
        let d = &self._d;
        let l = d.lanes;
        let last = depth(d) - 1;
        let valid = get(&self.x_valid[last]);
        let tag = Tag::unpack(d, "w", &get(&self.x_tag[last]));
        let written = wire("written", in_quad(&tag));
        let ys: Vec<Ex> = self.lane.iter().map(|x| get(&x.y)).collect();
        let to_gpr = &valid & tag.dst_kind.is(destination::GPR);
        let halves = tag
            .dst_half
            .mux(&cat([&tag.dst_hi, &!&tag.dst_hi]), &lit(2, 3));
        set(&self.file.alu_valid, &to_gpr);
        set(&self.file.alu_entry, &tag.entry);
        set(&self.file.alu_mask, &written);
        set(&self.file.alu_halves, &halves);
        for (y, port) in ys.iter().zip(&self.file.alu_data) {
            set(port, y);
        }

        // Flags: 4 bits a thread, the beat's place in the row of the warp.
        let flags: Vec<Ex> = (0..l)
            .map(|i| {
                tag.flags_from_y
                    .mux(&ys[i].bits(0, 4), &get(&self.lane[i].flags))
            })
            .collect();
        let flags = wire("flags_written", pack(flags.iter()));
        let mut enable = vec![];
        for b in 0..d.beats {
            let here = if d.beats == 1 {
                valid.clone()
            } else {
                &valid & tag.beat.is(b as u64)
            };
            enable.push(&tag.exec & &(here & &tag.flags_we).repeat(l));
        }
        self.flags.write(
            &cat([&tag.warp, &tag.cdst]),
            &flags.repeat(d.beats),
            &pack(enable.iter()),
        );

        // Address registers: a destination, or a stepped one.
        let to_areg = wire("to_areg", tag.dst_kind.is(destination::AREG));
        let number = to_areg.mux(&tag.dst.bits(0, 3), &tag.areg);
        let at = cat([&tag.warp, &number]);
        let stepped = get(&self.x_next[last]).named();
        let values: Vec<Ex> = (0..l)
            .map(|i| to_areg.mux(&ys[i].bits(0, 16), &stepped.bits(16 * i, 16)))
            .collect();
        let any = &valid & (&to_areg | &tag.post_inc) & number.any();
        self.aregs.write(
            &d.with_beat(&at, &tag.beat),
            &pack(values.iter()),
            &(&tag.exec & &any.repeat(l)),
        );

        let late = self.late_results();
        set(&self.file.init_valid, get(&self.init_valid));
        set(&self.init_ready, get(&self.file.init_ready));
        set(&self.file.init_entry, get(&self.init_entry));
        set(&self.file.init_mask, get(&self.init_mask));
        for i in 0..l {
            set(&self.file.init_data[i], get(&self.init_data[i]));
        }
        self.gaps(&late);

        set(&self.tr_valid, &valid);
        set(&self.tr_tag, get(&self.x_tag[last]));
        set(&self.tr_y, pack(ys.iter()));
        set(&self.tr_flags, flags);
        set(&self.tr_next, stepped);
        set(&self.tr_addr, get(&self.x_addr[last]));
        set(&self.tr_data, get(&self.x_data[last]));
        Written {
            valid: to_gpr,
            entry: tag.entry,
            halves: (0..l)
                .map(|i| &halves & &written.bit(i).repeat(2))
                .collect(),
            values: ys
                .iter()
                .map(|y| {
                    let upper = tag.dst_half.mux(&y.bits(0, 16), &y.bits(16, 16));
                    cat([&upper, &y.bits(0, 16)])
                })
                .collect(),
            number: at,
            lanes: (0..l).map(|i| tag.exec.bit(i) & &any).collect(),
            addresses: values,
        }
    }
}
