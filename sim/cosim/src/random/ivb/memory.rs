//! Messages whose addresses are aligned and inside; the beginning; exchange between threads.

use super::state::{reserved, Gen, CHANNELS, OWN, PARAMETERS, READ_ONLY};
use super::words::{bytes, code, data, Exec};
use rand::Rng;
use warpsmith_isa::set::Instr;

/// Surfaces of shared and global memory.
const SHARED: u32 = 254;
const GLOBAL: u32 = 255;
/// Types of messages to the data cache.
const UNTYPED: [u32; 2] = [5, 13];
const DWORDS: [u32; 2] = [3, 11];
const BYTES: [u32; 2] = [4, 12];
const BLOCK: [u32; 2] = [0, 8];
const FENCE: u32 = 7;
/// Bytes of a unit of a block.
const UNIT: u32 = 16;

/// Where a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Read-only global memory.
    ReadOnly,
    /// The channel's own global memory.
    Own,
    /// The thread's part of shared memory.
    Region,
}

impl Target {
    fn surface(self) -> u32 {
        match self {
            Target::Region => SHARED,
            _ => GLOBAL,
        }
    }
}

/// Control of an untyped message: the number of slots, and components that are left out.
fn untyped(exec: Exec, components: u32) -> u32 {
    let slots = if exec.size == 16 { 1 } else { 2 };
    slots << 4 | (15 << components & 15)
}

impl Gen<'_> {
    /// Appends an instruction.
    pub fn put(&mut self, text: &str) {
        let compact = self.rng.gen_bool(0.6);
        self.code.push(&bytes(text, compact));
        self.cost += 1.0;
    }

    /// Appends a random one.
    pub fn put_instr(&mut self, instr: &Instr) {
        let compact = self.rng.gen_bool(0.5);
        self.code.push(&code(instr, compact));
        self.cost += 1.0;
    }

    /// An operation on all of a register of dwords: `sources` in text.
    pub fn operate(&mut self, name: &str, exec: Exec, d: u64, sources: &str) {
        let text = format!("{name}({}) g{d}<1>UD {sources} {}", exec.size, exec.options(1, ""));
        self.put(&text);
    }

    /// The active channels of the work-items.
    pub fn active(&self) -> Exec {
        Exec::of(self.layout.simd)
    }

    /// A dword a channel of reserved register `n`, as an instruction of these channels reads it.
    fn own_row(&self, n: u64, exec: Exec) -> String {
        format!("g{}<8,8,1>UD", self.r(n) + u64::from(exec.second))
    }

    /// The same of channel 0 for all.
    fn scalar(&self, n: u64) -> String {
        format!("g{}<0,1,0>UD", self.r(n))
    }

    /// A message to the data cache from payload `payload` on; its response goes to `to`.
    fn send(&mut self, predicate: &str, exec: Exec, to: Option<u64>, payload: u64, message: &str) {
        let to = to.map_or("null<1>UD".to_string(), |r| format!("g{r}<1>UD"));
        let options = exec.options(1, "");
        self.put(&format!("{predicate}send({}) {to} g{payload}<8,8,1>UD {message} {options}", exec.size));
    }

    /// A message of any kind.
    pub fn message(&mut self) {
        match self.rng.gen_range(0..20) {
            0..=3 => self.block(),
            4 => self.fence(),
            _ => self.scattered(),
        }
    }

    /// Channels of a message.
    fn channels(&mut self) -> Exec {
        match self.rng.gen_range(0..10) {
            0 => Exec::WHOLE,
            1..=3 => Exec { size: 8, second: self.rng.gen(), all: self.rng.gen_bool(0.2) },
            _ => self.active(),
        }
    }

    /// Elements at an address of each channel.
    fn scattered(&mut self) {
        let exec = self.channels();
        let write = self.rng.gen_bool(0.45);
        let target = match self.rng.gen_range(0..3) {
            0 if !write => Target::ReadOnly,
            0 | 1 => Target::Own,
            _ => Target::Region,
        };
        let each = exec.registers();
        let kind = usize::from(write);
        let slots = u32::from(exec.size == 16);
        // Bytes of an element, how many, a header, type and control.
        let (size, components, header, ty, control) = match self.rng.gen_range(0..5) {
            0..=2 => {
                let n = self.rng.gen_range(1..5);
                (4, n, false, UNTYPED[kind], untyped(exec, n))
            }
            3 => (4, 1, true, DWORDS[kind], 2 + slots),
            _ => {
                let log = self.rng.gen_range(0..3u32);
                (1 << log, 1, true, BYTES[kind], log << 2 | slots)
            }
        };
        let stored = if write { u64::from(components) * each } else { 0 };
        let response = u64::from(components) * each - stored;
        let length = u64::from(header) + each + stored;
        let payload = self.data(length);
        let address = payload + u64::from(header);
        self.address(target, exec, address, size, size * components);
        if ty == DWORDS[kind] {
            self.operate("shr", exec, address, &format!("g{address}<8,8,1>UD 0x00000002UD"));
        }
        let to = (!write).then(|| self.response(address, each, components.into()));
        let predicate = if self.rng.gen_bool(0.35) { self.predicate() } else { String::new() };
        let message = data(ty, control, target.surface(), header, [length, response]);
        self.send(&predicate, exec, to, payload, &message);
        if let Some(r) = to {
            self.recent.rotate_right(1);
            self.recent[0] = r;
        }
    }

    /// Where components of `each` registers are loaded: over the address with the last one alone.
    fn response(&mut self, address: u64, each: u64, components: u64) -> u64 {
        loop {
            let to = self.data(components * each);
            let before = to..to + (components - 1) * each;
            if !(address..address + each).any(|r| before.contains(&r)) {
                return to;
            }
        }
    }

    /// Computes an address for each channel, a multiple of `size` with room for `bytes` behind it.
    fn address(&mut self, target: Target, exec: Exec, d: u64, size: u32, bytes: u32) {
        let span = match target {
            Target::ReadOnly => READ_ONLY / 4,
            Target::Own => OWN,
            Target::Region => self.layout.region / 2,
        };
        let row = |g: &Self| match target {
            Target::ReadOnly => format!("{:#010x}UD", g.layout.read_only),
            Target::Own => g.own_row(reserved::POINTER, exec),
            Target::Region => g.own_row(reserved::REGION, exec),
        };
        if target == Target::Own || self.rng.gen_bool(0.2) {
            // A number in the instruction.
            let k = size * self.rng.gen_range(0..=(span - bytes) / size);
            let base = row(self);
            match target {
                Target::ReadOnly => self.operate("mov", exec, d, &format!("{:#010x}UD", self.layout.read_only + k)),
                _ => self.operate("add", exec, d, &format!("{base} {k:#010x}UD")),
            }
            return;
        }
        let from = self.data(2);
        let mask = (span - 1) & !(size - 1);
        self.operate("and", exec, d, &format!("g{from}<8,8,1>UD {mask:#010x}UD"));
        let base = row(self);
        self.operate("add", exec, d, &format!("g{d}<8,8,1>UD {base}"));
    }

    /// A block of units behind one address; the mask of channels does not count.
    fn block(&mut self) {
        let write: bool = self.rng.gen();
        let target = match self.rng.gen_range(0..3) {
            0 if !write => Target::ReadOnly,
            0 | 1 => Target::Own,
            _ => Target::Region,
        };
        let log = self.rng.gen_range(0..3u32);
        let (units, control) = (1u32 << log, [0, 2, 3][log as usize]);
        let registers = u64::from(units.div_ceil(2));
        let stored = if write { registers } else { 0 };
        let payload = self.data(1 + stored);
        let room = match target {
            Target::ReadOnly => READ_ONLY,
            Target::Own => OWN * CHANNELS,
            Target::Region => self.layout.region,
        } / UNIT;
        let k = self.rng.gen_range(0..=room - units);
        let one = Exec::ONE.options(1, "");
        let scalar = match target {
            Target::ReadOnly => {
                let at = self.layout.read_only / UNIT + k;
                self.put(&format!("mov(1) g{payload}.2<1>UD {at:#010x}UD {one}"));
                None
            }
            Target::Own => Some(self.scalar(reserved::POINTER)),
            Target::Region => Some(self.scalar(reserved::REGION)),
        };
        if let Some(base) = scalar {
            self.put(&format!("shr(1) g{payload}.2<1>UD {base} 0x00000004UD {one}"));
            self.put(&format!("add(1) g{payload}.2<1>UD g{payload}.2<0,1,0>UD {k:#010x}UD {one}"));
        }
        let to = (!write).then(|| self.data(registers));
        let size = self.one(&[8, 16]);
        let exec = Exec { size, second: false, all: self.rng.gen() };
        let message =
            data(BLOCK[usize::from(write)], control, target.surface(), true, [1 + stored, registers - stored]);
        self.send("", exec, to, payload, &message);
    }

    fn fence(&mut self) {
        let payload = self.data(1);
        let exec = Exec { size: 8, second: false, all: self.rng.gen() };
        self.send("", exec, None, payload, &data(FENCE, 0, 0, true, [1, 0]));
    }

    /// Loads words that make a case of some rule when they meet into four registers, other words in each channel; the
    /// next instructions take them.
    pub fn load_together(&mut self) {
        let exec = Exec::of(self.layout.simd);
        self.load_cases(exec);
    }

    fn load_cases(&mut self, exec: Exec) {
        let (temp, each) = (self.r(reserved::TEMP), exec.registers());
        let k = UNIT * self.rng.gen_range(0..READ_ONLY / UNIT);
        let number = self.own_row(reserved::NUMBER, exec);
        self.operate("shl", exec, temp, &format!("{number} 0x00000004UD"));
        self.operate("add", exec, temp, &format!("g{temp}<8,8,1>UD {k:#010x}UD"));
        self.operate("and", exec, temp, &format!("g{temp}<8,8,1>UD {:#010x}UD", READ_ONLY - UNIT));
        self.operate("add", exec, temp, &format!("g{temp}<8,8,1>UD {:#010x}UD", self.layout.read_only));
        let first = self.data(4 * each);
        let message = data(UNTYPED[0], untyped(exec, 4), GLOBAL, false, [each, 4 * each]);
        self.send("", exec, Some(first), temp, &message);
        self.wanted = (0..3).map(|n| first + n * each).collect();
        self.turn = self.rng.gen_range(0..3);
    }

    /// All threads of the group meet.
    fn barrier(&mut self) {
        self.put("send(8) null<1>UD g0<8,8,1>UD 0x02000004 gateway { align1 WE_all 1Q }");
        self.put("wait(1) n0<1>UD { align1 WE_all 1N }");
    }

    /// Every work-item publishes a word; after a barrier it reads another one's.
    pub fn exchange(&mut self) {
        let exec = self.active();
        let each = exec.registers();
        let (temp, exchange) = (self.r(reserved::TEMP), self.own_row(reserved::EXCHANGE, exec));
        // The word behind its address.
        let payload = self.data(2 * each);
        self.operate("mov", exec, payload, &exchange);
        let one = untyped(exec, 1);
        self.send("", exec, None, payload, &data(UNTYPED[1], one, SHARED, false, [2 * each, 0]));
        self.barrier();
        let all = CHANNELS * self.shape.warps();
        let step = self.rng.gen_range(0..all);
        let number = self.own_row(reserved::NUMBER, exec);
        self.operate("add", exec, temp, &format!("{number} {step:#010x}UD"));
        let flag = self.flag();
        let (size, options) = (exec.size, exec.options(1, ""));
        self.put(&format!(
            "cmp.ge.{flag}({size}) null<1>UD g{temp}<8,8,1>UD {all:#010x}UD {}",
            exec.options(1, "switch")
        ));
        let back = all as i32;
        self.put(&format!("(+{flag}) add({size}) g{temp}<1>D g{temp}<8,8,1>D -{back}D {options}"));
        self.operate("shl", exec, temp, &format!("g{temp}<8,8,1>UD 0x00000002UD"));
        self.operate("add", exec, temp, &format!("g{temp}<8,8,1>UD {:#010x}UD", self.layout.exchange_base));
        let to = self.data(each);
        self.send("", exec, Some(to), temp, &data(UNTYPED[0], one, SHARED, false, [each, each]));
        self.barrier();
    }

    /// Sets up everything the rest of the program relies on.
    pub fn initialise(&mut self) {
        let (whole, one) = (Exec::WHOLE, Exec::ONE);
        let [pointer, number, region, exchange, temp] =
            [reserved::POINTER, reserved::NUMBER, reserved::REGION, reserved::EXCHANGE, reserved::TEMP]
                .map(|n| self.r(n));
        let channels = format!("g{PARAMETERS}<16,16,1>UW");
        let dword = |r: u64| format!("g{r}<0,1,0>UD");
        // 16 times the thread, and the channel.
        self.operate("shl", one, temp, "g0.2<0,1,0>UD 0x00000004UD");
        self.operate("add", whole, number, &format!("{} {channels}", dword(temp)));
        let [gx, warps] = [self.shape.grid[0], self.shape.warps()];
        self.operate("mul", one, temp, &format!("g0.6<0,1,0>UD {gx:#010x}UD"));
        self.operate("add", one, temp, &format!("{} g0.1<0,1,0>UD", dword(temp)));
        self.operate("mul", one, temp, &format!("{} {warps:#010x}UD", dword(temp)));
        let shift = (OWN * CHANNELS).trailing_zeros();
        self.operate("add", one, temp, &format!("{} g0.2<0,1,0>UD", dword(temp)));
        self.operate("shl", one, temp, &format!("{} {shift:#010x}UD", dword(temp)));
        self.operate("shl", whole, pointer, &format!("{channels} {:#06x}UW", OWN.trailing_zeros()));
        self.operate("add", whole, pointer, &format!("g{pointer}<8,8,1>UD {}", dword(temp)));
        let shift = self.layout.region.trailing_zeros();
        self.operate("shl", one, temp, &format!("g0.2<0,1,0>UD {shift:#010x}UD"));
        self.operate("mov", whole, region, &dword(temp));
        self.operate("shl", whole, exchange, &format!("g{number}<8,8,1>UD 0x00000002UD"));
        self.operate("add", whole, exchange, &format!("g{exchange}<8,8,1>UD {:#010x}UD", self.layout.exchange_base));
        for n in 0..4 {
            let v = self.rng.gen_range(0..16);
            let name = self.one(&["l", "ge", "z", "nz"]);
            let options = whole.options(1, "switch");
            self.put(&format!(
                "cmp.{name}.f{}.{}(16) null<1>UD g{number}<8,8,1>UD {v:#010x}UD {options}",
                n / 2,
                n % 2
            ));
        }
        for n in [reserved::TEMP + 1, reserved::LOOP, reserved::LOOP + 1, reserved::LOOP + 2] {
            self.operate("mov", whole, self.r(n), &format!("{n:#010x}UD"));
        }
        self.operate("mov", whole, temp, &format!("{:#010x}UD", self.layout.params));
        self.data_registers();
        self.shared_memory();
    }

    fn data_registers(&mut self) {
        let whole = Exec::WHOLE;
        for r in (self.layout.first()..self.layout.end()).step_by(2) {
            let v = self.value();
            match self.rng.gen_range(0..3) {
                0 => {
                    let number = self.own_row(reserved::NUMBER, whole);
                    self.operate("add", whole, r, &format!("{number} {v:#010x}UD"));
                }
                _ => self.operate("mov", whole, r, &format!("{v:#010x}UD")),
            }
        }
        for _ in 0..2 {
            self.load_cases(whole);
        }
        self.wanted.clear();
    }

    /// Data registers go to the thread's part of shared memory and to the exchange words.
    fn shared_memory(&mut self) {
        let whole = Exec::WHOLE;
        for k in 0..self.layout.region / (UNIT * CHANNELS) {
            let payload = self.data(10);
            let from = format!("g{PARAMETERS}<16,16,1>UW {:#06x}UW", UNIT.trailing_zeros());
            self.operate("shl", whole, payload, &from);
            let start = self.scalar(reserved::REGION);
            self.operate("add", whole, payload, &format!("g{payload}<8,8,1>UD {start}"));
            self.operate("add", whole, payload, &format!("g{payload}<8,8,1>UD {:#010x}UD", k * UNIT * CHANNELS));
            self.send("", whole, None, payload, &data(UNTYPED[1], untyped(whole, 4), SHARED, false, [10, 0]));
        }
        let payload = self.data(4);
        let exchange = self.own_row(reserved::EXCHANGE, whole);
        self.operate("mov", whole, payload, &exchange);
        self.send("", whole, None, payload, &data(UNTYPED[1], untyped(whole, 1), SHARED, false, [4, 0]));
        self.barrier();
    }

    /// Stores data registers to the channel's own memory.
    pub fn store_registers(&mut self) {
        let exec = self.active();
        let each = exec.registers();
        for k in 0..OWN / UNIT {
            let payload = self.data(5 * each);
            let pointer = self.own_row(reserved::POINTER, exec);
            self.operate("add", exec, payload, &format!("{pointer} {:#010x}UD", k * UNIT));
            self.send("", exec, None, payload, &data(UNTYPED[1], untyped(exec, 4), GLOBAL, false, [5 * each, 0]));
        }
    }

    /// The end of the thread.
    pub fn end(&mut self) {
        self.put("mov(8) g112<1>UD g0<8,8,1>UD { align1 WE_all 1Q }");
        self.put("send(8) null<1>UW g112<8,8,1>UD 0x82000010 thread spawner { align1 WE_all 1Q EOT }");
    }
}
