//! Random instructions.

use warpsmith_testkit::Random;

/// A random instruction of row `form`; few guards, markers and flags, so that other forms fit too.
pub fn instruction(form: usize, random: &mut Random) -> warpsmith_isa::Instr {
    use warpsmith_isa::{decode, Class, FORMS};
    let f = &FORMS[form];
    loop {
        let mut r = random.bits();
        if f.class.is_long() && random.index(2) == 0 {
            // Always, on C0; no marker, no flags, registers below 64 for the most part.
            r = r & !(0x7f << 39 | 7 << 36 | 3 << 32 | 1 << 35) | 15 << 39;
        }
        if random.index(2) == 0 {
            r &= !(1 << 53 | 1 << 24 | 1 << 23);
        }
        let mut w = (r & !f.mask & !f.ignored) | f.match_;
        if !f.class.is_long() {
            w &= 0xffff_ffff;
        }
        if f.class == Class::Long && w >> 32 & 3 == 3 {
            w &= !(3 << 32);
        }
        if let Ok(i) = decode(w as u32, (w >> 32) as u32) {
            return i;
        }
    }
}
