//! The campaign's chip with a trace port: its sites by those of the campaign's chip.
//!
//! It has all state of the campaign's chip: some pipeline registers are wider, for what the port shows
//! ([`Wider`]). All of it is set in cycle 0 to what the campaign's chip has there, so that state that is
//! never written is the same too.

use crate::engine::Parts;
use crate::error::FaultError;
use crate::fault::Fault;
use crate::golden::Golden;
use crate::site::{Site, SiteKind, Sites};
use std::path::Path;
use warpsmith_cosim::simulation::{Force, Image};
use warpsmith_cosim::{Chip, Collect, CosimError, CosimOptions, Disturbed, Host, RunOptions};

/// Registers that are wider with a trace port, and hold what it shows beside what they hold without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wider {
    /// Width without one.
    pub without: u32,
    /// And with one.
    pub with: u32,
    /// Where each bit of the narrow register stands in the wide one; `None`: nowhere, it is always 0.
    pub place: Vec<Option<u32>>,
}

/// A site of the campaign's chip on the one with the trace port.
struct Place {
    site: usize,
    /// Where each bit stands; `None`: where it stands there.
    bits: Option<Vec<Option<u32>>>,
}

impl Place {
    fn of(site: &Site, among: &Sites, wider: &[Wider]) -> Option<Self> {
        let number = among.find(&site.path).ok()?;
        let other = among.site(number);
        if (other.kind, other.depth) != (site.kind, site.depth) {
            return None;
        }
        let bits = match other.width == site.width {
            true => None,
            false => {
                let shape = (site.width, other.width);
                let found = wider.iter().find(|w| (w.without, w.with) == shape);
                Some(found?.place.clone())
            }
        };
        Some(Place { site: number, bits })
    }

    /// Where a bit stands.
    fn bit(&self, bit: u32) -> Option<u32> {
        match &self.bits {
            None => Some(bit),
            Some(place) => place.get(bit as usize).copied().flatten(),
        }
    }

    /// A word of the site with all bits of the campaign's in it.
    fn word(&self, mut word: Vec<u32>, value: &[u32]) -> Vec<u32> {
        let Some(place) = &self.bits else { return value.to_vec() };
        for (from, to) in place.iter().enumerate() {
            if let Some(to) = to.map(|t| t as usize) {
                let bit = value[from / 32] >> (from % 32) & 1;
                word[to / 32] = word[to / 32] & !(1 << (to % 32)) | bit << (to % 32);
            }
        }
        word
    }
}

/// The campaign's chip with a trace port.
pub struct Traced {
    chip: Chip,
    /// By site of the campaign's chip.
    places: Vec<Option<Place>>,
    /// Image of cycle 0, with the state of the campaign's chip.
    image: Image,
}

impl Traced {
    /// Builds the simulation of an injecting folder with a trace port (or takes it from the cache),
    /// with waveforms if asked, and gives it the state that the campaign's chip has in cycle 0.
    ///
    /// # Errors
    /// The chip cannot be built, or is not the campaign's chip with a trace port.
    pub fn open(golden: &Golden, folder: &Path, wider: &[Wider], wave: bool) -> Result<Self, FaultError> {
        let sites = Sites::load(folder)?;
        let chip = Parts::open(golden.engine(), folder, &sites, wave)?.all;
        let all = golden.sites().list().iter();
        let mut traced =
            Traced { chip, places: all.map(|s| Place::of(s, &sites, wider)).collect(), image: Image::default() };
        traced.image = traced.first_image(golden)?;
        Ok(traced)
    }

    /// The image of cycle 0.
    fn first_image(&self, golden: &Golden) -> Result<Image, FaultError> {
        let right = golden.start(golden.quick_chip())?;
        let mut host = self.start(golden)?;
        if host.sim.cycle() != golden.origin {
            return Err(FaultError::Ask(format!(
                "{}: starts the kernel in cycle {} and the campaign's chip in cycle {}: not the same chip",
                self.chip.folder().display(),
                host.sim.cycle(),
                golden.origin
            )));
        }
        for (n, site) in golden.sites().list().iter().enumerate() {
            if site.kind == SiteKind::Out {
                continue;
            }
            let place = self.place(golden, n)?;
            for word in 0..site.depth {
                let old = host.sim.site_word(place.site, word);
                let new = place.word(old.clone(), &right.sim.site_word(n, word));
                if old != new {
                    host.sim.set_site_word(place.site, word, &new);
                }
            }
        }
        let mut image = Image::default();
        host.sim.save_image(&mut image);
        Ok(image)
    }

    /// The launch, started.
    fn start<'a>(&'a self, golden: &'a Golden) -> Result<Host<'a>, FaultError> {
        let mut host = Host::new(&self.chip, golden.launch(), &golden.options, Collect::Off)?;
        host.start();
        Ok(host)
    }

    /// Its lockstep with the model.
    ///
    /// # Errors
    /// The simulation cannot be started.
    pub(super) fn lockstep<'a>(&'a self, golden: &'a Golden, run: RunOptions) -> Result<Disturbed<'a>, FaultError> {
        let options = CosimOptions { run, ..CosimOptions::default() };
        Ok(Disturbed::new(&self.chip, golden.launch(), &options, &self.image)?)
    }

    /// Where a site of the campaign's chip is.
    fn place(&self, golden: &Golden, site: usize) -> Result<&Place, FaultError> {
        self.places[site].as_ref().ok_or_else(|| {
            FaultError::Ask(format!(
                "{}: has no site {} as the campaign's chip has it",
                self.chip.folder().display(),
                golden.sites().site(site).path
            ))
        })
    }

    /// A fault of the campaign on this chip; `None` when none of its bits is there, because they
    /// stand in for fields that the campaign's chip does not have.
    pub(super) fn force(&self, golden: &Golden, fault: &Fault) -> Result<Option<Force>, FaultError> {
        let place = self.place(golden, fault.site)?;
        let mut here = fault.clone();
        here.site = place.site;
        here.bits = fault.bits.iter().filter_map(|b| place.bit(*b)).collect();
        Ok((!here.bits.is_empty()).then(|| here.force(golden.origin)))
    }

    /// Writes the waveform of cycles `from` to before `to`, with the fault or without one. The chip must
    /// be opened with waveforms. A cycle takes two units of time.
    ///
    /// # Errors
    /// The simulation cannot run or the file cannot be written.
    pub fn wave(
        &self, golden: &Golden, fault: Option<&Fault>, from: u64, to: u64, path: &Path,
    ) -> Result<(), FaultError> {
        let mut host = self.start(golden)?;
        host.sim.load_image(&self.image);
        if let Some(force) = fault.map(|f| self.force(golden, f)).transpose()?.flatten() {
            host.sim.force(&force);
        }
        host.sim.run(from, false, u64::MAX);
        host.sim.open_wave(path).map_err(CosimError::from)?;
        host.sim.run(to.saturating_sub(from), false, u64::MAX);
        host.sim.close_wave();
        Ok(())
    }
}
