use super::*;
use rand::{Rng, SeedableRng};

fn graph(edges: &[&[u32]]) -> Graph {
    Graph::new(edges.len(), |b| edges[b as usize].to_vec())
}

#[test]
fn a_diamond() {
    let g = graph(&[&[1, 2], &[3], &[3], &[]]);
    assert_eq!(g.rpo(), [0, 1, 2, 3]);
    let d = g.dominators();
    assert_eq!(d.idom, [NONE, 0, 0, 0]);
    assert!(d.dominates(0, 3) && !d.dominates(1, 3) && d.dominates(1, 1));
    assert_eq!(d.frontier(&g), [vec![], vec![3], vec![3], vec![]]);
    let p = g.postdominators(|_| false);
    assert_eq!(p.idom, [3, 3, 3, 4, NONE]);
    assert!(g.loops().list.is_empty());
}

#[test]
fn nested_loops() {
    // 0 -> 1 -> 2 -> 2, 2 -> 3 -> 1, 3 -> 4
    let g = graph(&[&[1], &[2], &[2, 3], &[1, 4], &[]]);
    let l = g.loops();
    assert_eq!(l.list.len(), 2);
    assert_eq!((l.list[0].header, l.list[0].body.clone()), (1, vec![1, 2, 3]));
    assert_eq!((l.list[1].header, l.list[1].body.clone()), (2, vec![2]));
    assert_eq!(l.list[1].parent, Some(0));
    assert_eq!([0, 1, 2, 3, 4].map(|b| l.depth(b)), [0, 1, 2, 1, 0]);
    assert!(l.contains(0, 2) && !l.contains(1, 3));
}

#[test]
fn a_loop_with_two_entries() {
    let g = graph(&[&[1, 2], &[2], &[1, 3], &[]]);
    let l = g.loops();
    assert_eq!(l.list.len(), 1);
    assert_eq!((l.list[0].entries, l.list[0].body.clone()), (2, vec![1, 2]));
}

#[test]
fn graphs_without_an_exit_have_postdominators() {
    // An endless loop, left under a guard in block 1.
    let g = graph(&[&[1], &[2, 3], &[4], &[4], &[1]]);
    let p = g.postdominators(|b| b == 1);
    assert_eq!((p.idom[2], p.idom[3], p.idom[4]), (4, 4, 1));
    let p = g.postdominators(|_| false);
    assert!((0..5).all(|b| p.reachable(b)));
    assert_eq!(p.idom[1], 4);
}

#[test]
fn ways_out_count_only_where_there_is_no_better_one() {
    // Block 2 traps, block 3 returns early, 4 ends.
    let g = graph(&[&[1, 2], &[3], &[], &[4], &[]]);
    let early = |b: u32| b == 2 || b == 3;
    assert_eq!(g.ways_out(early), [1, 1, 3, 1, 1]);
    assert_eq!(g.postdominators(early).idom[..5], [1, 3, 5, 4, 5]);
}

#[test]
fn no_blocks_is_a_graph_too() {
    let g = graph(&[]);
    assert!(g.is_empty() && g.rpo().is_empty() && g.loops().list.is_empty());
    g.dominators();
    g.postdominators(|_| true);
}

/// A dominates b exactly where b cannot be reached without a.
fn slow_dominates(g: &Graph, a: u32, b: u32) -> bool {
    let mut seen = vec![false; g.len()];
    let mut work = vec![0];
    while let Some(x) = work.pop() {
        if x == a || std::mem::replace(&mut seen[x as usize], true) {
            continue;
        }
        work.extend(&g.succ[x as usize]);
    }
    !seen[b as usize]
}

#[test]
fn random_graphs_agree_with_the_definitions() {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    for _ in 0..300 {
        let n = rng.gen_range(1..14usize);
        let g = Graph::new(n, |_| {
            let k = rng.gen_range(0..3);
            (0..k).map(|_| rng.gen_range(0..n as u32)).collect::<Vec<_>>()
        });
        let (d, p, l) = (g.dominators(), g.postdominators(|_| false), g.loops());
        let reachable = g.rpo();
        for b in 0..n as u32 {
            assert_eq!(d.reachable(b), reachable.contains(&b));
            if !d.reachable(b) {
                continue;
            }
            assert!(p.reachable(b), "{g:?}");
            for &a in &reachable {
                assert_eq!(d.dominates(a, b), slow_dominates(&g, a, b), "{g:?} {a} {b}");
            }
            // In a loop exactly where the block reaches itself.
            let again = g.reaching(g.pred[b as usize].iter().copied());
            assert_eq!(l.depth(b) > 0, again.contains(b), "{g:?} {b}");
            let up = p.idom[b as usize];
            if up != n as u32 {
                let ends = (0..n as u32).filter(|&x| g.succ[x as usize].is_empty());
                let reach = g.reaching(ends);
                if reach.contains(b) {
                    // No way from b to an end avoids its postdominator.
                    let mut seen = vec![false; n];
                    let mut work = vec![b];
                    while let Some(x) = work.pop() {
                        if x == up || std::mem::replace(&mut seen[x as usize], true) {
                            continue;
                        }
                        assert!(!g.succ[x as usize].is_empty(), "{g:?} {b} {up}");
                        work.extend(&g.succ[x as usize]);
                    }
                }
            }
        }
        let frontier = d.frontier(&g);
        for &a in &reachable {
            for &b in &reachable {
                let into = g.pred[b as usize].iter().any(|&p| d.reachable(p) && d.dominates(a, p));
                let strict = a != b && d.dominates(a, b);
                assert_eq!(frontier[a as usize].contains(&b), into && !strict, "{g:?} {a} {b}");
            }
        }
    }
}
