//! General registers of Ivy Bridge: 8 dwords each, which the channels of a thread read by regions.
//!
//! A dword of a register is an entry of one lane's RAM. Lanes stand in rows of 8: register n of the SM is entry
//! n / rows of the lanes of row n mod rows. Channel c is lane c mod lanes of beat c / lanes.
//!
//! | port        | width | meaning                                                                       |
//! |-------------|-------|-------------------------------------------------------------------------------|
//! | `read`      | 1     | take what to read; data stay until the next                                   |
//! | `at_i`      | entry | first register of operand i = 0, 1, 2                                         |
//! | `region_i`  | 2     | which part of it and those behind it a channel reads: `control::ivb::region`   |
//! | `sub_i`     | 3     | dword of a scalar; bit 2 of it: packed words from the ninth on                |
//! | `kept_i`    | 2     | the operand is a word of each lane instead, `control::ivb::kept`: of operand 0 U or none |
//! | `kept_at`   | warp, beat | whose                                                                    |
//! | `second`    | 1     | channels count from channel 8 on, else from 0 on                              |
//! | `beat`      | beat  | which channels read                                                           |
//! | `d1_l` …    | 32    | operands of lane l, the cycle after; packed words in bits 15:0                 |
//! | `alu_*`     |       | results of the lanes, of row g to register `entry` + g; low and high half     |
//! |             |       | enabled apart, one half alone takes bits 15:0                                 |
//! | `alu_scalar`| 1     | lane 0 alone writes, dword `alu_to` of register `entry`                       |
//! | `alu_to`    | 3     |                                                                               |
//! | `alu_keeps` | 2     | the results of the lanes, whole, become these words, and go to no register    |
//! | `alu_kept_at` | warp, beat | whose                                                                  |
//! | `late_*`    |       | loads and special functions, in cycles without results of the lanes           |
//! | `init_*`    |       | registers of a new warp, in cycles without either                             |
//!
//! Bits 31:16 beside a packed word are those of the dword that `region::ROW` reads. Channels of the other half of the
//! thread than `second` says read some register, lanes without a channel 0. Registers are counted round: the lanes'
//! rows that write nothing may lie before the first and behind the last.
//!
//! Timing: as in the table; a write is read one cycle later. Nobody uses what is read in its cycle: the scoreboard
//! lets no reader into stage I before the write is done.
//! Reset: content undefined. Errors: none. Source: docs/architecture.md, The chip: three register reads a lane.

use super::bundles::{LaneWrite, RegisterOperands, RegisterWrite};
use super::registers::writer;
use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::control::ivb::{region, DWORDS};
use crate::sm::dims::Dims;

packed! {
    /// Which part of a register a row of lanes reads.
    pub struct Way(d: &Dims) {
        /// Row of lanes that holds the register.
        from: rotation(d),
        /// Bits 15:0 are those of 0 the lane's own dword, 1 the scalar; else a word of 2 the first half, 3 the second.
        low: 2,
        /// Bits 31:16 are those of the scalar.
        scalar: 1,
        sub: 3,
    }
}

block! {
    /// See the module.
    pub struct ChannelRegisters(cfg: &GpuConfig) {
        in read(1),
        in at([3] d.entry),
        in region([3] 2),
        in sub([3] 3),
        in kept([3] 2),
        in kept_at(d.kept()),
        in second(1),
        in beat(d.beat),
        part operands(RegisterOperands<Source>: &d),
        part alu(LaneWrite<Sink>: &d),
        in alu_scalar(1),
        in alu_to(3),
        in alu_keeps(2),
        in alu_kept_at(d.kept()),
        in late_keeps(2),
        in late_kept_at(d.kept()),
        part deferred(Named<RegisterWrite<Sink>> = Named::new("late", RegisterWrite::new(&d))),
        part init(RegisterWrite<Sink>: &d),
        part bank(Vec<Ram> = (0..d.lanes).map(|_| bank()).collect()),
        /// [`Way`] of each row of lanes with channels, of the first operand, the second, the third.
        data way([3 * rows_read(&d)] Way::width(&d)),
        /// What steps keep of each channel: T, then U.
        part word([2 * channels] Ram: RamKind::Lut, d.warps * d.beats, 32, 1),
        /// `kept` of each operand, `kept_at`.
        data keeps_read([3] 2),
        data keeps_of(d.kept()),
        keep _d(Dims = d),
    } where {
        let d = Dims::of(cfg);
        let channels = rows_read(&d) * DWORDS;
        let depth = cfg.registers / cfg.lanes;
        let bank = || d.rdw_dont_care(Ram::with_granule(RamKind::Block, depth, 32, 16, 3));
    }
}

/// Bits of a register's number that say which row of lanes holds it.
fn rotation(d: &Dims) -> usize {
    match d.rows() {
        1 => 0,
        rows => clog2(rows),
    }
}

/// Rows of lanes with channels.
fn rows_read(d: &Dims) -> usize {
    d.rows().min(d.threads / DWORDS)
}

/// `{row, entry}` of a register: the row of lanes that holds it, and where in its RAMs.
fn place(d: &Dims, register: &Expr) -> (Option<Expr>, Expr) {
    match rotation(d) {
        0 => (None, register.clone()),
        n => (Some(register.bits(0, n)), register.bits(n, d.entry - n)),
    }
}

/// Entries of as many registers as there are rows of lanes, the first of which is `register`, by row.
fn entries(d: &Dims, register: &Expr) -> Vec<Expr> {
    let (row, entry) = place(d, register);
    let Some(row) = row else {
        return vec![entry];
    };
    let entry = entry.called("first_entry");
    let next = wire("next_entry", &entry + lit(entry.width(), 1));
    (0..d.rows())
        .map(|r| match r + 1 == d.rows() {
            // The last row is never before the first register's.
            true => entry.clone(),
            false => row.gt(&lit(row.width(), r as u64)).mux(&next, &entry),
        })
        .collect()
}

/// Items by row of lanes, the first of them to row `by`.
fn rotated(items: &[Expr], by: Option<&Expr>, r: usize) -> Expr {
    let n = items.len();
    match by {
        None => items[r].clone(),
        Some(by) => {
            let by_row: Vec<Expr> = (0..n).map(|k| items[(r + n - k) % n].clone()).collect();
            select(by, &by_row)
        }
    }
}

impl ChannelRegisters {
    /// Stage I: the RAMs take the entries of operand `p`, the network its regions. Gives what each RAM has read, by
    /// lane, in the cycle after.
    fn take(&self, p: usize, read: &Expr) -> Vec<Expr> {
        let d = &self._d;
        let at = get(&self.at[p]);
        let (region, sub) = (get(&self.region[p]), get(&self.sub[p]));
        let packed = wire("is_packed", region.is(region::PACKED));
        let scalar = wire("is_scalar", region.is(region::SCALAR));
        let second = get(&self.second);
        // Of each row of lanes: its channels are the second eight that count, the packed words the upper eight of a
        // register, and it reads the register behind the first.
        let rows: Vec<[Expr; 2]> = (0..rows_read(d))
            .map(|g| {
                let upper = match (d.beats, g) {
                    (1, 0) => zero(1),
                    (1, _) => !&second,
                    _ => get(&self.beat) & !&second,
                };
                let ninth = sub.bit(2);
                let behind = packed.mux(&(&upper & &ninth), &(&upper & !&scalar));
                [wire("upper_words", &upper ^ &ninth), wire("behind", behind)]
            })
            .collect();
        // A single row of lanes reads the one register that it needs, several read as many from the first on.
        let first = match &rows[..] {
            [[_, behind]] => wire("register_read", &at + behind.zext(d.entry)),
            _ => at.clone(),
        };
        let (row, _) = place(d, &first);
        for (g, [upper_words, behind]) in rows.iter().enumerate() {
            let from = match &row {
                Some(row) => row + behind.zext(row.width()),
                None => nothing(),
            };
            let low = packed.mux(&cat([&lit(1, 1), upper_words]), &cat([&zero(1), &scalar]));
            let way = Way { from, low, scalar: scalar.clone(), sub: sub.clone() };
            way.check(d);
            when(read, || set(&self.way[p * rows.len() + g], way.pack()));
        }
        let entries = entries(d, &first);
        let ram = |(l, ram): (usize, &Ram)| ram.read_when(p, &entries[l / DWORDS], read);
        self.bank.iter().enumerate().map(ram).collect()
    }

    /// The words that steps have kept, T and U of each channel.
    fn kept(&self, read: &Expr) -> Vec<[Expr; 2]> {
        when(read, || {
            self.keeps_read.iter().zip(&self.kept).for_each(|(to, from)| set(to, get(from)));
            set(&self.keeps_of, get(&self.kept_at));
        });
        let at = get(&self.keeps_of);
        let (t, u) = self.word.split_at(self.word.len() / 2);
        t.iter().zip(u).map(|(t, u)| [t.read(0, &at).called("kept_t"), u.read(0, &at).called("kept_u")]).collect()
    }

    /// The cycle after: what the lanes get of operand `p`.
    fn network(&self, p: usize, words: &[Expr], kept: &[[Expr; 2]], to: &[Output]) {
        let d = &self._d;
        let code = get(&self.keeps_read[p]);
        let rows = rows_read(d);
        let mut of_all = None;
        for g in 0..rows {
            let way = Way::unpack(d, &format!("way_{p}_{g}"), &get(&self.way[p * rows + g]));
            let dword = |i: usize| {
                let by_row: Vec<Expr> = (0..d.rows()).map(|r| words[r * DWORDS + i].clone()).collect();
                match rotation(d) {
                    0 => by_row[0].clone(),
                    _ => wire("dword", select(&way.from, &by_row)),
                }
            };
            let dwords: Vec<Expr> = (0..DWORDS).map(dword).collect();
            // All rows read it from the same register.
            let scalar = of_all.get_or_insert_with(|| wire("scalar_dword", select(&way.sub, &dwords)));
            for (j, own) in dwords.iter().enumerate() {
                let word = |half: usize| dwords[DWORDS / 2 * half + j / 2].bits(16 * (j % 2), 16);
                let low = [own.bits(0, 16), scalar.bits(0, 16), word(0), word(1)];
                let high = way.scalar.mux(&scalar.bits(16, 16), &own.bits(16, 16));
                let region = cat([&high, &select(&way.low, &low)]);
                let [t, u] = &kept[g * DWORDS + j];
                let value = match p {
                    0 => code.bit(1).mux(u, &region),
                    _ => code.bit(1).mux(u, &code.bit(0).mux(t, &region)),
                };
                set(&to[g * DWORDS + j], value);
            }
        }
        for to in &to[rows * DWORDS..] {
            set(to, zero(32));
        }
    }

    /// One of the three that write, and where.
    fn write(&self) {
        let d = &self._d;
        let ([alu, deferred, init], register) = writer(&self.alu, &self.deferred, &self.init);
        let register = wire("register_written", register);
        let to_dword = get(&self.alu_scalar);
        // Of the lane itself, of lane 0, loaded, of a new warp: two bits choose, a lookup table a bit of the low half.
        let source = wire("writer", cat([&!&alu, &alu.mux(&to_dword, &!get(&self.deferred.valid))]));
        let halves = get(&self.alu.halves);
        let whole = wire("alu_whole", halves.all());
        let both = |l: usize| {
            let data = get(&self.alu.data[l]);
            let low = data.bits(0, 16);
            [low.clone(), wire("result_high", whole.mux(&data.bits(16, 16), &low))]
        };
        let [first_low, first_high] = both(0);
        let lanes: Vec<(Expr, Expr)> = (0..d.lanes)
            .map(|l| {
                let (loaded, new) = (get(&self.deferred.data[l]), get(&self.init.data[l]));
                let [low, high] = both(l);
                let low = select(&source, &[low, first_low.clone(), loaded.bits(0, 16), new.bits(0, 16)]);
                let high = select(&source, &[high, first_high.clone(), loaded.bits(16, 16), new.bits(16, 16)]);
                let data = wire("data", cat([&high, &low]));
                (data, wire("enables", self.enables(l, [&alu, &deferred, &init], &to_dword)))
            })
            .collect();
        let keeps =
            wire("keeps", (get(&self.alu_keeps) & alu.repeat(2)) | (get(&self.late_keeps) & deferred.repeat(2)));
        let kept_at = wire("keeps_at", alu.mux(&get(&self.alu_kept_at), &get(&self.late_kept_at)));
        let channels = self.word.len() / 2;
        for (n, word) in self.word.iter().enumerate() {
            word.write(&kept_at, &lanes[n % channels].0, &keeps.bit(n / channels));
        }
        let (row, _) = place(d, &register);
        let entries = entries(d, &register);
        for (l, ram) in self.bank.iter().enumerate() {
            let (r, j) = (l / DWORDS, l % DWORDS);
            let (data, enables): (Vec<Expr>, Vec<Expr>) = lanes.iter().skip(j).step_by(DWORDS).cloned().unzip();
            ram.write(&entries[r], &rotated(&data, row.as_ref(), r), &rotated(&enables, row.as_ref(), r));
        }
    }

    /// The halves that lane `l` writes, low half first.
    fn enables(&self, l: usize, [alu, deferred, init]: [&Expr; 3], to_dword: &Expr) -> Expr {
        let own = get(&self.alu.mask).bit(l);
        let of_scalar = match l < DWORDS {
            true => get(&self.alu_to).is(l as u64) & get(&self.alu.mask).bit(0),
            false => zero(1),
        };
        let by_lanes = all_of(&[alu.clone(), to_dword.mux(&of_scalar, &own), !get(&self.alu_keeps).any()]);
        let late = deferred & !get(&self.late_keeps).any();
        let others = (late & get(&self.deferred.mask).bit(l)) | (init & get(&self.init.mask).bit(l));
        (get(&self.alu.halves) & by_lanes.repeat(2)) | others.repeat(2)
    }
}

impl Rtl for ChannelRegisters {
    fn rtl(&self) {
        let read = get(&self.read);
        let to = [&self.operands.d1, &self.operands.d2, &self.operands.d3];
        let kept = self.kept(&read);
        for (p, to) in to.into_iter().enumerate() {
            let words = self.take(p, &read);
            self.network(p, &words, &kept, to);
        }
        self.write();
    }
}

rtl_block!(ChannelRegisters, "channel_registers");
