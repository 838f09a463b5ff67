//! A check of finished code: on every path of a thread each `.S` pops its own SSY, each BRK a PBK.

use std::collections::HashSet;
use warpsmith_isa::{decode, Marker, Op};

/// Entries on one way beyond which the stack counts as growing without end.
const MOST: usize = 64;
/// Limit of examined places and stacks.
const STATES: usize = 1 << 20;

/// Entry pushed by SSY or PBK: whether it is PBK's, and the address.
type Entry = (bool, u32);

/// Follows all ways through a program; returns the most entries of SSY and PBK on any.
///
/// # Errors
/// The byte address and what is wrong there.
pub fn stack(words: &[u32]) -> Result<usize, String> {
    let mut seen: HashSet<(u32, Vec<Entry>)> = HashSet::new();
    let mut work: Vec<(u32, Vec<Entry>)> = vec![(0, Vec::new())];
    let mut most = 0;
    while let Some((pc, mut open)) = work.pop() {
        if !seen.insert((pc, open.clone())) {
            continue;
        }
        if seen.len() > STATES {
            return Err("the check gives up: too many ways".into());
        }
        let at = pc as usize / 4;
        let Some(&w0) = words.get(at) else {
            return Err(format!("{pc:#x}: execution runs off the end"));
        };
        let w1 = words.get(at + 1).copied().unwrap_or(0);
        let i = decode(w0, w1).map_err(|e| format!("{pc:#x}: {e}"))?;
        let next = pc + i.bytes();
        let always = i.pred.is_always();
        if i.marker == Marker::Exit {
            continue;
        }
        if i.marker == Marker::Join {
            let own = |t: u32| t == pc || asks(words, pc, t);
            if !matches!(open.pop(), Some((false, t)) if own(t)) {
                return Err(format!("{pc:#x}: .S does not meet its own SSY"));
            }
        }
        match i.op {
            Op::Ssy { target } => open.push((false, target)),
            Op::Pbk { target } => open.push((true, target)),
            Op::Bra { target } => {
                work.push((target, open.clone()));
                if always {
                    continue;
                }
            }
            Op::Brk => {
                let Some(own) = open.iter().rposition(|e| e.0) else {
                    return Err(format!("{pc:#x}: BRK without PBK"));
                };
                work.push((open[own].1, open[..own].to_vec()));
                if always {
                    continue;
                }
            }
            // A routine finds the stack as it leaves it.
            Op::Cal { target, .. } => work.push((target, Vec::new())),
            Op::Ret | Op::Trap if always || i.op == Op::Trap => continue,
            _ => {}
        }
        most = most.max(open.len());
        if most > MOST {
            return Err(format!("{pc:#x}: the divergence stack grows"));
        }
        work.push((next, open));
    }
    Ok(most)
}

/// True where the `.S` at `pc` is that of the threads for which the condition of a question to all
/// threads holds: behind `SSY target` and `BRA target`, whose `.S` is that of the others.
fn asks(words: &[u32], pc: u32, target: u32) -> bool {
    let at = |back: u32| {
        let at = pc.checked_sub(back)? as usize / 4;
        decode(*words.get(at)?, *words.get(at + 1)?).ok()
    };
    let to = |back: u32| at(back).and_then(|i| i.op.target());
    matches!(at(16), Some(i) if matches!(i.op, Op::Ssy { .. }))
        && matches!(at(8), Some(i) if matches!(i.op, Op::Bra { .. }))
        && [to(16), to(8)] == [Some(target); 2]
}

#[cfg(test)]
mod tests {
    use super::stack;

    fn of(text: &str) -> Result<usize, String> {
        let program = warpsmith_isa::assemble(text, "test").map_err(|e| e.to_string())?;
        stack(&program.words)
    }

    #[test]
    fn balanced_code_passes() {
        let code = "SSY join;\nBRA C0.NE, join;\nMVI R1, 0x1;\njoin:\nNOP.S;\nRET;\n";
        assert_eq!(of(code), Ok(1));
        let code = "PBK done;\nstep:\nBRK C0.NE;\nBRA step;\ndone:\nRET;\n";
        assert_eq!(of(code), Ok(1));
        let code = "again:\nSSY none;\nBRA C0.EQ, none;\nNOP.S;\nBRA again;\nnone:\nNOP.S;\nRET;\n";
        assert_eq!(of(code), Ok(1));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let wrong = |code: &str, what: &str| {
            let e = of(code).expect_err("an error");
            assert!(e.contains(what), "{e}");
        };
        wrong("NOP.S;\nRET;\n", "own SSY");
        wrong("BRK;\nRET;\n", "without PBK");
        wrong("again:\nSSY again;\nBRA again;\n", "grows");
        wrong("MVI R0, 0x1;\n", "runs off");
    }
}
