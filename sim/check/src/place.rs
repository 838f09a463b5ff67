//! What lies where: buffers in global memory, variables in shared memory, source lines, threads.

use warpsmith_isa::heap::HEAP;
use warpsmith_isa::locks::LOCKS;
use warpsmith_isa::print;
use warpsmith_isa::Isa;
use warpsmith_model::launch::Buffer;
use warpsmith_model::watch::Shared;
use warpsmith_model::Launch;

/// A thread of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Index of its block, `x, y`.
    pub block: [u32; 2],
    /// Index in the block, `x, y, z`.
    pub thread: [u32; 3],
}

/// A part of a memory by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the buffer, or of the variable; `None`: none is near.
    pub name: Option<String>,
    /// Byte address in its memory.
    pub address: u32,
    /// Bytes from the start of the part; negative in front of it.
    pub offset: i64,
    /// Bytes of the part.
    pub bytes: u64,
    /// Memory.
    pub memory: Shared,
}

impl Part {
    /// `byte 0x24 of "x"`, `byte 0x30 of shared memory`.
    pub fn text(&self) -> String {
        let of = |what: &str| match self.offset {
            n if n < 0 => format!("{} bytes before {what}", -n),
            n if n as u64 >= self.bytes => {
                format!("{} bytes behind the end of {what} ({} bytes)", n as u64 - self.bytes, self.bytes)
            }
            n => format!("byte {n:#x} of {what}"),
        };
        match (&self.name, self.memory) {
            (Some(name), Shared::Block) => of(&format!("`{name}` in shared memory")),
            (Some(name), Shared::Global) => of(&format!("`{name}`")),
            (None, Shared::Block) => format!("byte {:#x} of shared memory", self.address),
            (None, Shared::Global) => format!("byte {:#x} of global memory", self.address),
        }
    }
}

/// Where things of a launch lie.
#[derive(Clone, Debug)]
pub struct Map {
    isa: Isa,
    block: [u32; 3],
    grid: [u32; 2],
    lanes: u32,
    /// Named parts of global memory, ascending; empty: any address may be used.
    global: Vec<Buffer>,
    /// Named parts of shared memory, ascending; empty: any address may be used.
    shared: Vec<Buffer>,
    /// Bytes of shared memory that only the launch writes, from 0 on.
    given: u32,
    /// End of what the launch file places by hand in front of the buffers.
    by_hand: u64,
}

impl Map {
    /// Of a launch.
    pub fn new(launch: &Launch) -> Self {
        let sorted = |list: &[Buffer]| {
            let mut list: Vec<Buffer> = list.iter().filter(|b| b.bytes > 0).cloned().collect();
            list.sort_by_key(|b| b.address);
            list
        };
        let sections = launch.globals.iter().chain(&launch.expects);
        let own = sections.filter(|s| launch.buffer_at(s.offset).is_none());
        let lanes = launch.warp_threads();
        Map {
            isa: launch.isa(),
            block: launch.block,
            grid: launch.grid,
            lanes,
            global: sorted(&launch.buffers),
            shared: sorted(&launch.shared),
            given: match launch.isa() {
                Isa::Sm10 => 16 + 4 * launch.params.len() as u32,
                _ => 0,
            },
            by_hand: own.map(|s| s.offset + s.bytes.len() as u64).max().unwrap_or(0),
        }
    }

    /// Number of a block, x first.
    pub fn number(&self, [x, y]: [u32; 2]) -> u32 {
        y * self.grid[0] + x
    }

    /// Bytes of shared memory that only the launch writes, from 0 on.
    pub fn given(&self) -> u32 {
        self.given
    }

    /// Threads of a block.
    fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    /// Warps of a block.
    pub fn warps(&self) -> u32 {
        self.threads().div_ceil(self.lanes)
    }

    /// Lanes of a warp that have a thread.
    pub fn present(&self, warp: u32) -> u32 {
        let n = self.threads().saturating_sub(warp * self.lanes).min(self.lanes);
        ((1u64 << n) - 1) as u32
    }

    /// Whether the warp, not its lanes, comes to barriers.
    pub fn warps_are_threads(&self) -> bool {
        self.isa == Isa::Ivb
    }

    /// The thread of a lane.
    pub fn thread(&self, block: u32, warp: u32, lane: u32) -> Thread {
        let [x, y, _] = self.block;
        let n = warp * self.lanes + lane;
        Thread { block: [block % self.grid[0], block / self.grid[0]], thread: [n % x, n / x % y, n / x / y] }
    }

    fn parts(&self, memory: Shared) -> &[Buffer] {
        match memory {
            Shared::Block => &self.shared,
            Shared::Global => &self.global,
        }
    }

    /// Whether a kernel may touch all of `bytes` bytes; `from` is where the last answer was found.
    #[inline(always)]
    pub fn is_inside(&self, memory: Shared, stores: bool, address: u32, bytes: u32, from: &mut usize) -> bool {
        let parts = self.parts(memory);
        let inside = |b: &Buffer| {
            let (at, start) = (u64::from(address), u64::from(b.address));
            at >= start && at + u64::from(bytes) <= start + b.bytes
        };
        if parts.get(*from).is_some_and(inside) {
            return true;
        }
        self.is_inside_any(memory, stores, address, bytes, from)
    }

    fn is_inside_any(&self, memory: Shared, stores: bool, address: u32, bytes: u32, from: &mut usize) -> bool {
        let parts = self.parts(memory);
        if parts.is_empty() {
            return true;
        }
        let end = u64::from(address) + u64::from(bytes);
        let free = match memory {
            Shared::Block => !stores && end <= self.given.into(),
            Shared::Global => end <= self.by_hand,
        };
        let n = parts.partition_point(|b| b.address <= address);
        let found = n.checked_sub(1).filter(|n| end <= u64::from(parts[*n].address) + parts[*n].bytes);
        if let Some(n) = found {
            *from = n;
        }
        free || found.is_some()
    }

    /// The part at an address, else the nearest.
    pub fn part(&self, memory: Shared, address: u32) -> Part {
        let parts = self.parts(memory);
        let n = parts.partition_point(|b| b.address <= address);
        let before = n.checked_sub(1).and_then(|n| parts.get(n));
        let behind = |b: &Buffer| u64::from(address - b.address).checked_sub(b.bytes).map_or(0, |n| n + 1);
        let in_front = |b: &Buffer| u64::from(b.address - address);
        let nearest = match (before, parts.get(n)) {
            (Some(b), Some(a)) if in_front(a) < behind(b) => Some(a),
            (Some(b), _) => Some(b),
            (None, a) => a,
        };
        match nearest {
            None => Part { name: None, address, offset: address.into(), bytes: 0, memory },
            Some(b) => Part {
                name: Some(b.name.clone()),
                address,
                offset: i64::from(address) - i64::from(b.address),
                bytes: b.bytes,
                memory,
            },
        }
    }

    /// Whether an address lies in what the compiler's own routines keep: their order needs no barrier.
    pub fn is_hidden(&self, memory: Shared, address: u32) -> bool {
        let of = |b: &Buffer| [print::BUFFER, HEAP, LOCKS].contains(&b.name.as_str());
        memory == Shared::Global
            && self.global.iter().any(|b| of(b) && address >= b.address && u64::from(address - b.address) < b.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> Map {
        let buffer = |name: &str, address, bytes| Buffer { name: name.into(), address, bytes };
        let buffers = vec![buffer("a", 4096, 10), buffer("b", 8192, 256)];
        Map::new(&Launch { buffers, params: vec![0], ..Launch::from_words("t", vec![]) })
    }

    #[test]
    fn an_access_is_inside_with_all_its_bytes() {
        let map = map();
        let inside = |address, bytes| map.is_inside(Shared::Global, true, address, bytes, &mut 0);
        assert!(inside(4096, 8) && inside(4104, 2) && inside(8444, 4));
        assert!(!inside(4104, 4) && !inside(4095, 1) && !inside(8445, 4) && !inside(6000, 4));
        // Nothing is known of shared memory: all of it may be used.
        assert!(map.is_inside(Shared::Block, true, 0, 4, &mut 0));
    }

    #[test]
    fn what_lies_outside_is_named_by_its_neighbour() {
        let text = |address| map().part(Shared::Global, address).text();
        assert_eq!(text(4096 + 4), "byte 0x4 of `a`");
        assert_eq!(text(4106), "0 bytes behind the end of `a` (10 bytes)");
        assert_eq!(text(8188), "4 bytes before `b`");
        assert_eq!(text(4092), "4 bytes before `a`");
        assert_eq!(text(9000), "552 bytes behind the end of `b` (256 bytes)");
    }
}
