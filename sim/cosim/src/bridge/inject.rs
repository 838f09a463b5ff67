//! Fault injection into a running simulation: sites, forced bits, images of the whole state.
//!
//! Sites are numbered in the order of the folder's `sites.json`. An image holds every register and
//! memory, the inputs, the cycle and the reads that wait; the simulated memory is not part of it: its
//! writes are journaled instead. Loading an image and running on gives what the run it was taken from
//! gave, as long as that is done on the same memory.

use super::{Design, Handle, Simulation};
use crate::error::CosimError;
use libloading::Library;
use std::os::raw::c_int;
use warpsmith_cxx::ports;

/// What a forced bit becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Becomes {
    /// 0.
    Zero = 0,
    /// 1.
    One = 1,
    /// The inverse of what it was in the first cycle.
    Inverse = 2,
    /// Inverted once, in the first cycle; not for outputs.
    Flip = 3,
}

/// Bits of one word, forced at certain cycles of the simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Force {
    /// Site.
    pub site: usize,
    /// Word of a memory; 0 elsewhere.
    pub word: u32,
    /// Bits, least significant word first.
    pub mask: Vec<u32>,
    /// What they become.
    pub becomes: Becomes,
    /// First cycle.
    pub from: u64,
    /// First cycle after; `u64::MAX`: to the end.
    pub to: u64,
    /// Cycles from burst to burst; 0: one burst.
    pub period: u64,
    /// Cycles of a burst.
    pub active: u64,
}

/// Journal of the simulated memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// Byte address and former value of each word written, in order.
    pub writes: Vec<(u32, u32)>,
    /// Byte address of each line read, in order.
    pub reads: Vec<u32>,
}

/// Functions that only the library of an injecting chip has.
pub(super) struct Functions {
    sites: unsafe extern "C" fn(Handle) -> u32,
    bytes: unsafe extern "C" fn(Handle, u32) -> u32,
    words: unsafe extern "C" fn(Handle, u32) -> u32,
    get: unsafe extern "C" fn(Handle, u32, u32, *mut u8),
    put: unsafe extern "C" fn(Handle, u32, u32, *const u8),
    settle: unsafe extern "C" fn(Handle),
    ignore: unsafe extern "C" fn(Handle, u32),
    force: unsafe extern "C" fn(Handle, u32, u32, u32, *const u8, u64, u64, u64, u64),
    clear: unsafe extern "C" fn(Handle),
    activated: unsafe extern "C" fn(Handle) -> u64,
    image_bytes: unsafe extern "C" fn(Handle) -> u64,
    image_save: unsafe extern "C" fn(Handle, *mut u8) -> u32,
    image_load: unsafe extern "C" fn(Handle, *const u8),
    image_differs: unsafe extern "C" fn(Handle, *const u8, *mut u32, u32, u32, u32) -> u32,
    image_word: unsafe extern "C" fn(Handle, *const u8, u64, u32, u32) -> u32,
    image_offset: unsafe extern "C" fn(Handle, u32) -> u64,
    journal: unsafe extern "C" fn(Handle, c_int),
    journal_writes: unsafe extern "C" fn(Handle, *mut u64) -> *const u32,
    journal_reads: unsafe extern "C" fn(Handle, *mut u64) -> *const u32,
    watch: unsafe extern "C" fn(Handle, c_int),
    watched: unsafe extern "C" fn(Handle, u32, *mut u64) -> *const u8,
}

impl Functions {
    /// Looks the functions up.
    ///
    /// # Safety
    /// The library was built from templates/inject.cpp and stays loaded as long as the functions live.
    pub(super) unsafe fn load(library: &Library) -> Result<Self, libloading::Error> {
        macro_rules! function {
            ($name:literal) => {
                *library.get(concat!($name, "\0").as_bytes())?
            };
        }
        Ok(Functions {
            sites: function!("ws_inject_sites"),
            bytes: function!("ws_inject_bytes"),
            words: function!("ws_inject_words"),
            get: function!("ws_inject_get"),
            put: function!("ws_inject_put"),
            settle: function!("ws_inject_settle"),
            ignore: function!("ws_inject_ignore"),
            force: function!("ws_inject_force"),
            clear: function!("ws_inject_clear"),
            activated: function!("ws_inject_activated"),
            image_bytes: function!("ws_image_bytes"),
            image_save: function!("ws_image_save"),
            image_load: function!("ws_image_load"),
            image_differs: function!("ws_image_differs"),
            image_word: function!("ws_image_word"),
            image_offset: function!("ws_image_offset"),
            journal: function!("ws_journal"),
            journal_writes: function!("ws_journal_writes"),
            journal_reads: function!("ws_journal_reads"),
            watch: function!("ws_watch"),
            watched: function!("ws_watched"),
        })
    }
}

impl Design {
    /// Refuses a chip that is not the injecting build.
    ///
    /// # Errors
    /// [`CosimError::Manifest`].
    pub fn need_injection(&self) -> Result<(), CosimError> {
        match self.functions.inject {
            Some(_) => Ok(()),
            None => Err(CosimError::Manifest(
                "this chip is not open to fault injection; emit it with --inject".into(),
            )),
        }
    }
}

/// The methods below are for injecting chips only ([`Design::need_injection`]) and panic elsewhere.
impl Simulation {
    fn inject(&self) -> &Functions {
        self.functions.inject.as_ref().expect("an injecting chip")
    }

    /// Number of sites.
    pub fn sites(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { (self.inject().sites)(self.handle) as usize }
    }

    /// Bytes that hold a word of a site, and its words.
    fn shape(&self, site: usize, word: u32) -> usize {
        // SAFETY: the handle is valid; a site that does not exist has no bytes.
        let (bytes, words) = unsafe {
            let f = self.inject();
            (
                (f.bytes)(self.handle, site as u32),
                (f.words)(self.handle, site as u32),
            )
        };
        assert!(word < words, "site {site} has {words} words, not {word}");
        bytes as usize
    }

    /// A word of a site, least significant 32 bits first.
    pub fn site_word(&self, site: usize, word: u32) -> Vec<u32> {
        let mut bytes = vec![0; self.shape(site, word).next_multiple_of(4)];
        // SAFETY: site and word exist (checked above), the vector holds a word of the site.
        unsafe { (self.inject().get)(self.handle, site as u32, word, bytes.as_mut_ptr()) }
        bytes
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect()
    }

    /// Writes a word of state and lets the logic settle. Bits beyond the site's width must be 0: debug
    /// builds refuse others, release builds drop them.
    pub fn set_site_word(&mut self, site: usize, word: u32, value: &[u32]) {
        let bytes = self.pack(site, word, value);
        // SAFETY: site and word exist (checked in pack), the vector holds a word of the site.
        unsafe {
            (self.inject().put)(self.handle, site as u32, word, bytes.as_ptr());
            (self.inject().settle)(self.handle);
        }
    }

    /// Words to the bytes of a site, without bits beyond its width.
    fn pack(&self, site: usize, word: u32, value: &[u32]) -> Vec<u8> {
        let width = self.widths.get(site).copied().unwrap_or(0);
        debug_assert!(
            value
                .iter()
                .enumerate()
                .all(|(i, v)| ports::fits(width, i, *v)),
            "{value:x?} does not fit site {site}, {width} bits wide"
        );
        let masked = value
            .iter()
            .enumerate()
            .map(|(i, v)| v & ports::mask(width, i));
        let mut bytes: Vec<u8> = masked.flat_map(u32::to_le_bytes).collect();
        bytes.resize(self.shape(site, word), 0);
        bytes
    }

    /// Leaves a site out of comparisons with images.
    pub fn ignore_site(&mut self, site: usize) {
        self.shape(site, 0);
        // SAFETY: the site exists.
        unsafe { (self.inject().ignore)(self.handle, site as u32) }
    }

    /// Adds a fault; it acts at once if its time has come.
    pub fn force(&mut self, f: &Force) {
        let mask = self.pack(f.site, f.word, &f.mask);
        // SAFETY: site and word exist (checked in pack), the mask holds a word of the site.
        unsafe {
            (self.inject().force)(
                self.handle,
                f.site as u32,
                f.word,
                f.becomes as u32,
                mask.as_ptr(),
                f.from,
                f.to,
                f.period,
                f.active,
            )
        }
    }

    /// Removes all faults; what they have changed stays.
    pub fn clear_forces(&mut self) {
        // SAFETY: the handle is valid.
        unsafe { (self.inject().clear)(self.handle) }
    }

    /// First cycle in which a fault changed a bit.
    pub fn activated(&self) -> Option<u64> {
        // SAFETY: the handle is valid.
        let c = unsafe { (self.inject().activated)(self.handle) };
        (c != u64::MAX).then_some(c)
    }

    /// Bytes of an image.
    pub fn image_bytes(&self) -> usize {
        // SAFETY: the handle is valid.
        unsafe { (self.inject().image_bytes)(self.handle) as usize }
    }

    /// Takes an image.
    ///
    /// # Errors
    /// [`CosimError::Manifest`] when more reads wait than an image holds.
    pub fn save_image(&self, image: &mut Vec<u8>) -> Result<(), CosimError> {
        image.resize(self.image_bytes(), 0);
        // SAFETY: the vector has the size of an image.
        match unsafe { (self.inject().image_save)(self.handle, image.as_mut_ptr()) } {
            0 => Err(CosimError::Manifest(
                "more reads of memory wait than a checkpoint holds; campaigns need the ideal memory"
                    .into(),
            )),
            _ => Ok(()),
        }
    }

    /// Goes to the state of an image; faults stay as they are.
    pub fn load_image(&mut self, image: &[u8]) {
        assert_eq!(image.len(), self.image_bytes(), "an image of this chip");
        // SAFETY: the slice has the size of an image.
        unsafe { (self.inject().image_load)(self.handle, image.as_ptr()) }
    }

    /// Sites that differ from an image, at most `found.len()`, into `found`; how many. The word `but`
    /// (site, word) is not looked at. Reads that wait and differ count as a site of the number
    /// [`Simulation::sites`].
    pub fn differs(&self, image: &[u8], but: Option<(usize, u32)>, found: &mut [u32]) -> usize {
        assert_eq!(image.len(), self.image_bytes(), "an image of this chip");
        assert!(!found.is_empty(), "room for a site");
        let (site, word) = but.map_or((u32::MAX, 0), |(site, word)| {
            self.shape(site, word);
            (site as u32, word)
        });
        // One more may be written for the reads that wait.
        let most = found.len() as u32 - u32::from(found.len() > 1);
        // SAFETY: both slices are as long as the function is told; with room for one site it returns
        // after the first, and otherwise one place is kept for the reads that wait. The word exists.
        unsafe {
            (self.inject().image_differs)(
                self.handle,
                image.as_ptr(),
                found.as_mut_ptr(),
                most,
                site,
                word,
            ) as usize
        }
    }

    /// Whether a word of state differs from an image; `offset` is that of the site
    /// ([`Simulation::image_offset`]).
    pub fn word_differs(&self, image: &[u8], offset: usize, site: usize, word: u32) -> bool {
        let bytes = self.shape(site, word);
        assert!(
            offset + (word as usize + 1) * bytes <= image.len(),
            "an image of this chip"
        );
        // SAFETY: the word exists and lies within the image (checked above).
        unsafe {
            (self.inject().image_word)(
                self.handle,
                image.as_ptr(),
                offset as u64,
                site as u32,
                word,
            ) != 0
        }
    }

    /// Byte of an image where a site of state begins.
    pub fn image_offset(&self, site: usize) -> usize {
        self.shape(site, 0);
        // SAFETY: the site exists.
        unsafe { (self.inject().image_offset)(self.handle, site as u32) as usize }
    }

    /// Begins (anew) or ends the journal of the simulated memory.
    pub fn journal(&mut self, on: bool) {
        // SAFETY: the handle is valid.
        unsafe { (self.inject().journal)(self.handle, c_int::from(on)) }
    }

    /// What the journal holds.
    pub fn take_journal(&mut self) -> Journal {
        let (mut nw, mut nr) = (0, 0);
        // SAFETY: the pointers are valid for that many pairs and words until the next call on this
        // handle, which comes after the copies.
        let journal = unsafe {
            let f = self.inject();
            let writes = (f.journal_writes)(self.handle, &mut nw);
            let reads = (f.journal_reads)(self.handle, &mut nr);
            let slice = |from, n: u64| match n {
                0 => &[][..],
                n => std::slice::from_raw_parts(from, n as usize),
            };
            Journal {
                writes: slice(writes, 2 * nw)
                    .chunks_exact(2)
                    .map(|w| (w[0], w[1]))
                    .collect(),
                reads: slice(reads, nr).to_vec(),
            }
        };
        self.journal(true);
        journal
    }

    /// Begins (anew) or ends watching which bits of registers and outputs are ever 0 and ever 1.
    pub fn watch(&mut self, on: bool) {
        // SAFETY: the handle is valid.
        unsafe { (self.inject().watch)(self.handle, c_int::from(on)) }
    }

    /// Bits that were `value` at an edge since watching began: bytes of all sites of one word, in order.
    pub fn watched(&self, value: bool) -> Vec<u8> {
        let mut n = 0;
        // SAFETY: the pointer is valid for n bytes until the next call on this handle.
        unsafe {
            let from = (self.inject().watched)(self.handle, u32::from(value), &mut n);
            match n {
                0 => vec![],
                n => std::slice::from_raw_parts(from, n as usize).to_vec(),
            }
        }
    }

    /// Bytes of a word of a site, for [`Simulation::watched`] and images; 0 beyond the last.
    pub fn site_bytes(&self, site: usize) -> (usize, usize) {
        // SAFETY: the handle is valid; a site that does not exist has no bytes.
        unsafe {
            let f = self.inject();
            (
                (f.bytes)(self.handle, site as u32) as usize,
                (f.words)(self.handle, site as u32) as usize,
            )
        }
    }
}
