//! An engine that runs two others side by side and compares every port and every site in every cycle.

use std::path::Path;
use std::sync::{Arc, Mutex};
use warpsmith_contract::{Port, SiteKind};
use warpsmith_engine::{Device, Engine, Saboteur, Storage, WaveError};

/// What was compared, and the first difference.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Cycles compared.
    pub cycles: u64,
    /// Words of sites compared.
    pub words: u64,
    /// The first difference.
    pub difference: Option<String>,
}

/// Two engines of one chip. The second begins with the state of the first.
pub struct Pair {
    /// The reference; its ports and sites are those of the pair.
    pub first: Arc<dyn Engine>,
    /// The engine under test; its sites are some of the first.
    pub second: Arc<dyn Engine>,
    /// What was found so far.
    pub found: Arc<Mutex<Found>>,
}

impl Pair {
    /// Of two engines.
    pub fn new(first: Arc<dyn Engine>, second: Arc<dyn Engine>) -> Self {
        Pair { first, second, found: Arc::default() }
    }
}

impl Engine for Pair {
    fn name(&self) -> String {
        format!("{} beside {}", self.second.name(), self.first.name())
    }

    fn device(&self, seed: u64) -> Box<dyn Device> {
        let first = self.first.device(seed);
        let mut second = self.second.device(!seed);
        if second.sites().is_empty() {
            // Its state cannot be set: it has that of the seed, which is the same for seed 0 alone.
            second = self.second.device(seed);
        }
        assert_eq!(first.ports(), second.ports());
        let mut sites = vec![];
        for i in 0..second.sites().len() {
            let site = &second.sites()[i];
            let same = first.sites().iter().position(|s| s == site);
            let same = same.unwrap_or_else(|| panic!("no site {}", site.site.path));
            sites.push((same, i, site.site.kind, site.words()));
        }
        for &(a, b, kind, _) in &sites {
            if kind != SiteKind::Out {
                second.site_mut(b).copy_from_slice(first.site(a));
            }
        }
        second.settle();
        Box::new(Both { first, second, sites, cycle: 0, found: self.found.clone() })
    }
}

/// Two devices.
struct Both {
    first: Box<dyn Device>,
    second: Box<dyn Device>,
    /// Sites of both: number in the first, in the second, kind, words.
    sites: Vec<(usize, usize, SiteKind, usize)>,
    cycle: u64,
    found: Arc<Mutex<Found>>,
}

impl Both {
    fn compare(&mut self, when: &str) {
        let mut found = self.found.lock().expect("no test panics within");
        if found.difference.is_some() {
            return;
        }
        for &(a, b, _, words) in &self.sites {
            let (x, y) = (self.first.site(a), self.second.site(b));
            if x != y {
                let path = &self.first.sites()[a].site.path;
                let text = format!("cycle {}, {when}, site {path}: {x:x?}, {y:x?}; ", self.cycle);
                found.difference.get_or_insert_default().push_str(&text);
            }
            found.words += words as u64;
        }
        for (i, port) in self.first.ports().iter().enumerate() {
            for w in 0..port.words() {
                let (a, b) = (self.first.get(i, w), self.second.get(i, w));
                if a != b && port.name != "clock" {
                    found.difference =
                        Some(format!("cycle {}, {when}, port {} word {w}: {a:#x}, {b:#x}", self.cycle, port.name));
                    return;
                }
            }
        }
        found.cycles += 1;
    }
}

impl Drop for Both {
    fn drop(&mut self) {
        self.compare("at the end");
    }
}

impl Device for Both {
    fn ports(&self) -> &[Port] {
        self.first.ports()
    }

    fn get(&self, port: usize, word: usize) -> u32 {
        self.first.get(port, word)
    }

    fn set(&mut self, port: usize, word: usize, value: u32) {
        self.first.set(port, word, value);
        self.second.set(port, word, value);
    }

    fn eval(&mut self) {
        self.first.eval();
        self.second.eval();
        self.compare("before the edge");
    }

    fn edge(&mut self) {
        self.first.edge();
        self.second.edge();
        self.cycle += 1;
        self.compare("behind the edge");
    }

    fn sites(&self) -> &[Storage] {
        self.first.sites()
    }

    fn site(&self, site: usize) -> &[u8] {
        self.first.site(site)
    }

    /// What is written is seen by the second when the logic settles.
    fn site_mut(&mut self, site: usize) -> &mut [u8] {
        self.first.site_mut(site)
    }

    fn saboteur(&mut self, site: usize) -> Saboteur<'_> {
        self.first.saboteur(site)
    }

    fn settle(&mut self) {
        for &(a, b, kind, _) in &self.sites {
            if kind == SiteKind::Out {
                let from = self.first.saboteur(a);
                let to = self.second.saboteur(b);
                to.keep.copy_from_slice(from.keep);
                to.flip.copy_from_slice(from.flip);
            } else {
                self.second.site_mut(b).copy_from_slice(self.first.site(a));
            }
        }
        self.first.settle();
        self.second.settle();
        self.compare("settled");
    }

    fn open_wave(&mut self, path: &Path) -> Result<(), WaveError> {
        self.second.open_wave(path)
    }

    fn close_wave(&mut self) {
        self.second.close_wave();
    }
}
