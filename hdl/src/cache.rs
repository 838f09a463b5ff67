//! Cache: keeps lines that were read, in front of a memory port.
//!
//! P words a line, S sets of W ways, N reads under way at most. Written lines go through and leave the cache (write-through,
//! no allocation, the copy is dropped). Answers keep the order of the requests, so a line is named when it is asked and
//! stored when it comes: what asks for it meanwhile waits in the same order and finds it.
//!
//! | port         | width | meaning                                                             |
//! |--------------|-------|---------------------------------------------------------------------|
//! | `running`    | 1     | a kernel runs; between kernels every copy is dropped                |
//! | `in_valid`   | 1     | a request, kept with its fields until `in_ready`                    |
//! | `in_ready`   | 1     | it is taken                                                         |
//! | `in_write`   | 1     | store, else load                                                    |
//! | `in_address` | 32    | byte address, a multiple of 4P                                      |
//! | `in_wdata`   | 32P   | store data                                                          |
//! | `in_wmask`   | 4P    | bytes to store                                                      |
//! | `in_rvalid`  | 1     | read data, in the order of the requests; always taken               |
//! | `in_rdata`   | 32P   | the line                                                            |
//! | `mem_*`      |       | the same signals of the port behind it                              |
//! | `busy`       | 1     | a request is inside, or was in the cycle before                     |
//!
//! Timing: one request and one answer a cycle; a hit is answered three cycles after its request, a miss reaches the port
//!   two cycles after it and its answer passes in two. A new kernel's requests wait until S cycles after the last one's end.
//! Structure: tags are read in the first cycle and compared in the second; both queues give `ready` from registers.
//! Reset: no copy, after S cycles. Errors: none; a line nobody asked for must not come.
//! Source: ours; docs/memory.md.
// The header, which the Verilog shows, has widths such as [L][32]: they are no links.
#![allow(rustdoc::broken_intra_doc_links)]

use crate::config::GpuConfig;
use crate::rtl::prelude::*;
use crate::sm::mem::fifo::Fifo;
use crate::sm::mem::port::MemoryPort;

/// Size of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Bytes of its lines; a power of two.
    pub bytes: usize,
    /// Lines of a set; a power of two.
    pub ways: usize,
    /// 32-bit words of a line; a power of two.
    pub words: usize,
    /// Reads under way at most; a power of two.
    pub reads: usize,
}

/// Reads under way at most, of all SMs together.
const MOST_READS: usize = 64;

impl Shape {
    /// The cache of an SM.
    pub fn l1(cfg: &GpuConfig) -> Self {
        Self::of(cfg, cfg.l1_bytes, cfg.reads_in_flight)
    }

    /// The cache of the chip.
    pub fn l2(cfg: &GpuConfig) -> Self {
        Self::of(cfg, cfg.l2_bytes, (cfg.sms * cfg.reads_in_flight).next_power_of_two().min(MOST_READS))
    }

    fn of(cfg: &GpuConfig, bytes: usize, reads: usize) -> Self {
        Shape { bytes, ways: cfg.cache_ways, words: cfg.port_words, reads }
    }

    fn sets(&self) -> usize {
        self.bytes / (4 * self.words * self.ways)
    }

    /// Bits of the number of a set.
    fn set(&self) -> usize {
        clog2(self.sets())
    }

    /// Bits of the byte offset in a line.
    fn offset(&self) -> usize {
        clog2(4 * self.words)
    }

    /// Bits of the number of a line in memory.
    fn number(&self) -> usize {
        32 - self.offset()
    }

    /// Bits of the number of a way.
    fn way(&self) -> usize {
        self.ways.ilog2() as usize
    }

    /// Bits of a place in the cache: set, and way above it.
    fn place(&self) -> usize {
        self.set() + self.way()
    }
}

packed! {
    /// What a way holds.
    pub struct Copy(s: &Shape) {
        /// There is a line.
        valid: 1,
        /// Its number above that of the set.
        tag: s.number() - s.set(),
    }
}

packed! {
    /// A request to the port behind.
    pub struct Asked(s: &Shape) {
        /// Store, else load.
        write: 1,
        /// Number of the line.
        number: s.number(),
        /// Line to store.
        wdata: 32 * s.words,
        /// Bytes of it.
        wmask: 4 * s.words,
    }
}

packed! {
    /// An answer that is due.
    pub struct Due(s: &Shape) {
        /// The line is in the cache, else it comes from the port behind.
        hit: 1,
        /// Its place.
        place: s.place(),
    }
}

block! {
    /// See the module.
    pub struct Cache(shape: Shape) {
        in running(1),
        in in_valid(1),
        out in_ready(1),
        in in_write(1),
        in in_address(32),
        in in_wdata(32 * shape.words),
        in in_wmask(4 * shape.words),
        out in_rvalid(1),
        out in_rdata(32 * shape.words),
        part mem(MemoryPort<Source>: shape.words),
        out busy(1),
        /// A request was inside.
        reg left(1),
        /// Sets whose copies are dropped; all of them in the highest bit.
        reg swept(shape.set() + 1),
        /// A line was named since.
        reg used(1),
        /// A request stands with the tags of its set.
        reg looks(1),
        data asked(Asked::width(&shape)),
        /// The tags of its set changed in the cycle that read them; to these.
        data newer(1),
        data newer_tags(shape.ways * Copy::width(&shape)),
        part tags(Ram = Ram::new(RamKind::Block, shape.sets(), shape.ways * Copy::width(&shape), 1).rdw_dont_care()),
        /// Way that gives up its line, one after the other.
        reg turn(if shape.ways > 1; shape.way()),
        part requests(Fifo: 2, Asked::width(&shape)),
        part due(Fifo: shape.reads, Due::width(&shape)),
        part lines(Fifo: shape.reads, 32 * shape.words),
        part data(Ram = Ram::new(RamKind::Block, shape.sets() * shape.ways, 32 * shape.words, 1).rdw_dont_care()),
        /// An answer: from the cache, or the line that has come.
        reg answers(1),
        data hit(1),
        data line(32 * shape.words),
        keep _shape(Shape = shape),
    }
}

impl Cache {
    /// Wires this child in front of the port that `asks`, another child's.
    pub fn serve(&self, asks: &MemoryPort<Source>) {
        for (to, from) in [
            (&self.in_valid, &asks.valid),
            (&self.in_write, &asks.write),
            (&self.in_address, &asks.address),
            (&self.in_wdata, &asks.wdata),
            (&self.in_wmask, &asks.wmask),
            (&asks.ready, &self.in_ready),
            (&asks.rvalid, &self.in_rvalid),
            (&asks.rdata, &self.in_rdata),
        ] {
            set(to, get(from));
        }
    }
}

impl Rtl for Cache {
    fn rtl(&self) {
        let s = &self._shape;
        let width = Copy::width(s);

        section("Copies of the last kernel are dropped");
        let swept = get(&self.swept);
        let sweeping = wire("sweeping", !swept.msb());
        let begins = wire("sweep_begins", &(get(&self.used) & !get(&self.running)) & &!&sweeping);
        when_else(
            &begins,
            || set(&self.swept, zero(swept.width())),
            || set(&self.swept, &swept + &sweeping.zext(swept.width())),
        );

        section("Requests, to the stage that looks at the tags");
        let looks = get(&self.looks);
        let room = wire("room", get(&self.requests.in_ready) & get(&self.due.in_ready));
        let moves = wire("moves", &looks & &room);
        let free = wire("free", &(!&looks | &moves) & &!&sweeping);
        let entering = Asked {
            write: get(&self.in_write),
            number: get(&self.in_address).bits(s.offset(), s.number()),
            wdata: get(&self.in_wdata),
            wmask: get(&self.in_wmask),
        };
        entering.check(s);
        let enters = wire("enters", &get(&self.in_valid) & &free);
        set(&self.in_ready, free);
        when(&(&moves | &enters), || set(&self.looks, &enters));
        when(&enters, || set(&self.asked, entering.pack()));

        section("Lookup");
        let request = Asked::unpack(s, "request", &get(&self.asked));
        let (set_of, tag) = (request.number.bits(0, s.set()), request.number.bits(s.set(), s.number() - s.set()));
        let set_entering = entering.number.bits(0, s.set());
        let read = self.tags.read_when(0, &set_entering, &enters);
        let tags = wire("tags_of_set", get(&self.newer).mux(&get(&self.newer_tags), &read));
        let ways = tags.each_word(width);
        let copies: Vec<Copy> = ways.iter().enumerate().map(|(i, w)| Copy::unpack(s, &format!("way_{i}"), w)).collect();
        let hits: Vec<Expr> = copies.iter().map(|c| &c.valid & &c.tag.eq(&tag)).collect();
        let hits = wire("hits", pack(hits.iter()));
        let hit = wire("is_hit", hits.any());
        let names = wire("names", !(&request.write | &hit));
        // A way without a line, else the one whose turn it is.
        let empty: Vec<Expr> = copies.iter().map(|c| !&c.valid).collect();
        let empty = wire("empty", pack(empty.iter()));
        let victim = match self.turn.get() {
            None => lit(1, 1),
            Some(turn) => {
                when(&moves, || set(turn, get(turn) + lit(s.way(), 1)));
                wire("victim", empty.any().mux(&lowest_one_hot(&empty), &get(turn).one_hot(s.ways)))
            }
        };
        let new: Vec<Expr> = (0..s.ways)
            .map(|w| {
                let (named, dropped) = (&names & &victim.bit(w), &request.write & &hits.bit(w));
                let valid = named.clone() | (&copies[w].valid & &!dropped);
                Copy { valid, tag: named.mux(&tag, &copies[w].tag) }.pack()
            })
            .collect();
        let new = wire("new_tags", pack(new.iter()));
        when(&enters, || {
            set(&self.newer, &moves & &set_of.eq(&set_entering));
            set(&self.newer_tags, &new);
        });
        let at = sweeping.mux(&swept.bits(0, s.set()), &set_of);
        self.tags.write(&at, &(&new & &(!&sweeping).repeat(new.width())), &(&sweeping | &moves));
        let named = wire("named", &moves & &names);
        set(&self.used, !&begins & &(get(&self.used) | &named));

        section("Port behind");
        let asks = wire("asks", &moves & &(&request.write | &!&hit));
        set(&self.requests.in_valid, &asks);
        set(&self.requests.in_data, get(&self.asked));
        let front = Asked::unpack(s, "front", &get(&self.requests.out_data));
        let m = &self.mem;
        set(&self.requests.out_ready, get(&m.ready));
        set(&m.valid, get(&self.requests.out_valid));
        set(&m.write, front.write);
        set(&m.address, cat([&front.number, &zero(s.offset())]));
        set(&m.wdata, front.wdata);
        set(&m.wmask, front.wmask);
        // One cycle more: what follows from a request behind the port is to be seen there by then.
        let held = wire("held", &looks | &get(&self.requests.out_valid));
        set(&self.left, &held);
        set(&self.busy, held | get(&self.left));

        section("Answers, in the order of the requests");
        let place = match s.ways {
            1 => set_of.clone(),
            _ => cat([&one_hot_index(&hit.mux(&hits, &victim), s.way()), &set_of]),
        };
        set(&self.due.in_valid, &moves & &!&request.write);
        set(&self.due.in_data, Due { hit: hit.clone(), place }.pack());
        let due = Due::unpack(s, "due", &get(&self.due.out_data));
        let came = get(&self.lines.out_data);
        let goes = wire("goes", get(&self.due.out_valid) & (&due.hit | get(&self.lines.out_valid)));
        let fills = wire("fills", &goes & &!&due.hit);
        set(&self.due.out_ready, &goes);
        set(&self.lines.out_ready, &fills);
        let kept = self.data.read_when(0, &due.place, &(&goes & &due.hit));
        self.data.write(&due.place, &came, &fills);
        set(&self.answers, &goes);
        set(&self.hit, &due.hit);
        when(&fills, || set(&self.line, &came));
        set(&self.lines.in_valid, get(&m.rvalid));
        set(&self.lines.in_data, get(&m.rdata));
        set(&self.in_rvalid, get(&self.answers));
        set(&self.in_rdata, get(&self.hit).mux(&kept, &get(&self.line)));
    }
}

rtl_block!(Cache, "cache");
