//! Images of a device: registers, memories and inputs at one moment, saved, restored and compared.

use crate::device::Device;
use warpsmith_contract::SiteKind;

/// The state of a device after an edge of the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Sites of state, one after another.
    state: Vec<u8>,
    /// Inputs, 32-bit words.
    inputs: Vec<u32>,
}

impl Image {
    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        self.state.len() + 4 * self.inputs.len()
    }
}

/// Where each site of a device stands in its images.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Sites of state: number, first byte in an image, bytes; ascending.
    sites: Vec<(usize, usize, usize)>,
    /// First byte of each site in an image, by number; `None` for outputs.
    offsets: Vec<Option<usize>>,
    /// Sites that comparisons leave out.
    ignored: Vec<bool>,
    bytes: usize,
    /// Inputs but the clock: port, words.
    inputs: Vec<(usize, usize)>,
}

impl State {
    /// Of a device and all others of its engine.
    pub fn of(device: &dyn Device) -> Self {
        let mut out = State::default();
        for (i, s) in device.sites().iter().enumerate() {
            out.ignored.push(false);
            if s.site.kind == SiteKind::Out {
                out.offsets.push(None);
                continue;
            }
            out.offsets.push(Some(out.bytes));
            out.sites.push((i, out.bytes, s.len()));
            out.bytes += s.len();
        }
        let ports = device.ports().iter().enumerate();
        out.inputs = ports.filter(|(_, p)| p.is_input() && p.name != "clock").map(|(i, p)| (i, p.words())).collect();
        out
    }

    /// Bytes of an image.
    pub fn image_bytes(&self) -> usize {
        self.bytes + 4 * self.inputs.iter().map(|i| i.1).sum::<usize>()
    }

    /// Leaves a site out of comparisons.
    pub fn ignore(&mut self, site: usize) {
        self.ignored[site] = true;
    }

    /// Takes an image, into one that may have been used before.
    pub fn save(&self, device: &dyn Device, image: &mut Image) {
        image.state.clear();
        image.state.reserve(self.bytes);
        for &(site, _, _) in &self.sites {
            image.state.extend_from_slice(device.site(site));
        }
        image.inputs.clear();
        for &(port, words) in &self.inputs {
            image.inputs.extend((0..words).map(|w| device.get(port, w)));
        }
    }

    /// Goes to the state of an image; saboteurs stay as they are.
    ///
    /// # Panics
    /// The image is of another engine.
    pub fn restore(&self, device: &mut dyn Device, image: &Image) {
        self.check(image);
        for &(site, at, len) in &self.sites {
            device.site_mut(site).copy_from_slice(&image.state[at..at + len]);
        }
        let mut from = image.inputs.iter();
        for &(port, words) in &self.inputs {
            for (word, value) in (0..words).zip(&mut from) {
                device.set(port, word, *value);
            }
        }
        device.settle();
    }

    /// Hands the sites whose state differs from an image to `found`, in order, until it says stop
    /// with `false`. The word `but` (site, word) is not looked at, nor are sites to be ignored.
    ///
    /// # Panics
    /// The image is of another engine.
    pub fn differs(
        &self, device: &dyn Device, image: &Image, but: Option<(usize, u32)>, mut found: impl FnMut(usize) -> bool,
    ) {
        self.check(image);
        for &(site, at, len) in &self.sites {
            let (now, then) = (device.site(site), &image.state[at..at + len]);
            let same = match but {
                Some((s, word)) if s == site => {
                    let skip = device.sites()[site].range(word);
                    now[..skip.start] == then[..skip.start] && now[skip.end..] == then[skip.end..]
                }
                _ => now == then,
            };
            if !same && !self.ignored[site] && !found(site) {
                return;
            }
        }
    }

    /// Whether a word of state differs from an image.
    ///
    /// # Panics
    /// The site is no state, has no such word, or the image is of another engine.
    pub fn word_differs(&self, device: &dyn Device, image: &Image, site: usize, word: u32) -> bool {
        self.check(image);
        let at = self.offsets[site].expect("a site of state");
        let range = device.sites()[site].range(word);
        device.site(site)[range.clone()] != image.state[at + range.start..at + range.end]
    }

    fn check(&self, image: &Image) {
        assert_eq!(image.bytes(), self.image_bytes(), "an image of this chip");
    }
}
