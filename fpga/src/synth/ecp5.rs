//! ECP5 devices by the names of their maker: size, package, speed grade, as nextpnr-ecp5 takes them.

use std::str::FromStr;

/// A device, as in `LFE5U-85F-6BG381C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name, as given.
    pub name: String,
    die: &'static Die,
    /// nextpnr's option for family and size.
    size: &'static str,
    package: &'static str,
    /// 6, 7 or 8; 8 is the fastest.
    speed: &'static str,
}

/// Cells of a die, by nextpnr's utilisation table.
#[derive(Debug, PartialEq, Eq)]
struct Die {
    luts: u64,
    multipliers: u64,
    block_rams: u64,
}

/// Begin of a name, nextpnr's option, the die. The 12F is a 25F by another name.
const SIZES: [(&str, &str, &Die); 10] = [
    ("LFE5U-12F", "--12k", &DIE_25),
    ("LFE5U-25F", "--25k", &DIE_25),
    ("LFE5U-45F", "--45k", &DIE_45),
    ("LFE5U-85F", "--85k", &DIE_85),
    ("LFE5UM-25F", "--um-25k", &DIE_25),
    ("LFE5UM-45F", "--um-45k", &DIE_45),
    ("LFE5UM-85F", "--um-85k", &DIE_85),
    ("LFE5UM5G-25F", "--um5g-25k", &DIE_25),
    ("LFE5UM5G-45F", "--um5g-45k", &DIE_45),
    ("LFE5UM5G-85F", "--um5g-85k", &DIE_85),
];

const DIE_25: Die = Die { luts: 24_288, multipliers: 28, block_rams: 56 };
const DIE_45: Die = Die { luts: 43_848, multipliers: 72, block_rams: 108 };
const DIE_85: Die = Die { luts: 83_640, multipliers: 156, block_rams: 208 };

/// Code in a name, and the package.
const PACKAGES: [(&str, &str); 6] = [
    ("TG144", "TQFP144"),
    ("BG256", "CABGA256"),
    ("MG285", "CSFBGA285"),
    ("BG381", "CABGA381"),
    ("BG554", "CABGA554"),
    ("BG756", "CABGA756"),
];

const SPEEDS: [&str; 3] = ["6", "7", "8"];

impl FromStr for Part {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let find = || {
            let (size, rest) = name.rsplit_once('-')?;
            let (_, size, die) = SIZES.iter().find(|(begin, ..)| *begin == size)?;
            let speed = SPEEDS.into_iter().find(|s| rest.starts_with(s))?;
            let code = rest[1..].trim_end_matches(['C', 'I']);
            let (_, package) = PACKAGES.iter().find(|(c, _)| *c == code)?;
            Some(Part { name: name.into(), die, size, package, speed })
        };
        find().ok_or_else(|| {
            "an ECP5 as its maker writes it is needed, such as LFE5U-85F-6BG381C: LFE5U, LFE5UM or LFE5UM5G, 12F to 85F, speed 6 to 8, \
             TG144, BG256, MG285, BG381, BG554 or BG756"
                .into()
        })
    }
}

impl Part {
    /// nextpnr's options that choose it.
    pub(super) fn options(&self) -> [&'static str; 5] {
        [self.size, "--package", self.package, "--speed", self.speed]
    }

    /// Cells it has, by nextpnr's names: tables, flip-flops, multipliers, block RAMs.
    pub(super) fn capacity(&self) -> [(&'static str, u64); 4] {
        let Die { luts, multipliers, block_rams } = *self.die;
        [("TRELLIS_COMB", luts), ("TRELLIS_FF", luts), ("MULT18X18D", multipliers), ("DP16KD", block_rams)]
    }
}

#[cfg(test)]
mod tests {
    use super::Part;

    #[test]
    fn names_of_the_maker_are_understood() {
        let part: Part = "LFE5UM5G-85F-8BG554I".parse().expect("a part");
        assert_eq!(part.options(), ["--um5g-85k", "--package", "CABGA554", "--speed", "8"]);
        let part: Part = "LFE5U-25F-7TG144".parse().expect("a part");
        assert_eq!(part.options(), ["--25k", "--package", "TQFP144", "--speed", "7"]);
        assert_eq!(part.capacity()[3], ("DP16KD", 56));
        for wrong in
            ["LFE5U-85F", "LFE5U-85F-9BG381C", "LFE5U-85F-6BG400C", "LFE5X-85F-6BG381C", "LFE5U-85F-6BG381-C", ""]
        {
            assert!(wrong.parse::<Part>().is_err_and(|e| e.contains("LFE5U-85F-6BG381C")), "{wrong}");
        }
    }
}
