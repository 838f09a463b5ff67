//! Data of kmeans, hotspot, pathfinder, alignment, bfs and spmv: points, grids, sequences, graphs.

use super::float_a::{floats, rounded, sign, times};
use super::{bits, noise, packed, words, DataFile};
use std::collections::VecDeque;

/// Every data file of these kernels.
pub fn files() -> Vec<DataFile> {
    let mut files = vec![];
    let mut put = |path, words| files.push(DataFile { path, words });
    kmeans(&mut put);
    hotspot(&mut put);
    pathfinder(&mut put);
    alignment(&mut put);
    bfs(&mut put);
    spmv(&mut put);
    files
}

type Put<'a> = dyn FnMut(&'static str, Vec<u32>) + 'a;

/// Whole numbers as coordinates: distances are exact. The last centre is far from all points.
fn kmeans(put: &mut Put) {
    let (n, k, dims) = (300, 6, 4);
    let raw = noise(300, n * dims);
    let home = noise(301, k * dims);
    let place = |c: usize, d: usize| home[d * k + c] % 180 + if c == k - 1 { 4000 } else { 0 };
    let point = |i: usize, d: usize| place(i % (k - 1), d) + raw[d * n + i] % 90;
    let centre = |c: usize, d: usize| place(c, d) + (10 * c + d) as u32;
    let by_dimension = |count: usize, value: &dyn Fn(usize, usize) -> u32| -> Vec<f32> {
        (0..count * dims).map(|i| value(i % count, i / count) as f32).collect()
    };
    put("kmeans/points.hex", bits(&by_dimension(n, &point)));
    put("kmeans/centres.hex", bits(&by_dimension(k, &centre)));

    let distance =
        |i: usize, c: usize| (0..dims).map(|d| u64::from(point(i, d).abs_diff(centre(c, d))).pow(2)).sum::<u64>();
    let nearest = |i: usize| (0..k).min_by_key(|c| (distance(i, *c), *c)).unwrap_or(0);
    let member: Vec<usize> = (0..n).map(nearest).collect();
    put("kmeans/member.hex", member.iter().map(|c| *c as u32).collect());
    let moved: Vec<f64> = (0..k * dims)
        .map(|i| {
            let (c, d) = (i % k, i / k);
            let own: Vec<u32> = (0..n).filter(|p| member[*p] == c).map(|p| point(p, d)).collect();
            match own.len() {
                0 => f64::from(centre(c, d)),
                count => f64::from(own.iter().sum::<u32>()) / count as f64,
            }
        })
        .collect();
    put("kmeans/expect_moved.hex", bits(&rounded(&moved)));
}

/// Two steps of heat conduction on 30 by 21 cells.
fn hotspot(put: &mut Put) {
    let (w, h) = (30, 21);
    let heat = floats(310, w * h, 320.0, 340.0);
    let power = floats(311, w * h, 0.0, 8.0);
    put("hotspot/heat.hex", bits(&heat));
    put("hotspot/power.hex", bits(&power));
    let mut now: Vec<f64> = heat.iter().map(|v| f64::from(*v)).collect();
    for _ in 0..2 {
        let step = |i: usize| {
            let (x, y, own) = (i % w, i / w, now[i]);
            let at = |x: usize, y: usize| now[y.min(h - 1) * w + x.min(w - 1)];
            let sides = at(x + 1, y) + at(x.saturating_sub(1), y) - 2.0 * own;
            let up_down = at(x, y + 1) + at(x, y.saturating_sub(1)) - 2.0 * own;
            let air = (80.0 - own) / 32.0;
            own + (f64::from(power[i]) + up_down / 4.0 + sides / 8.0 + air) / 16.0
        };
        now = (0..w * h).map(step).collect();
    }
    put("hotspot/expect.hex", bits(&rounded(&now)));
}

/// Costs of the cheapest ways through eight more rows of 150 columns.
fn pathfinder(put: &mut Put) {
    let (w, h) = (150, 8);
    let first: Vec<i32> = noise(320, w).iter().map(|x| (x % 10) as i32).collect();
    let wall: Vec<i32> = noise(321, w * h).iter().map(|x| (x % 10) as i32).collect();
    put("pathfinder/first.hex", words(&first));
    put("pathfinder/wall.hex", words(&wall));
    let mut costs = first;
    for row in wall.chunks(w) {
        let least = |x: usize| *costs[x.saturating_sub(1)..(x + 2).min(w)].iter().min().unwrap_or(&0);
        costs = (0..w).map(|x| least(x) + row[x]).collect();
    }
    put("pathfinder/expect.hex", words(&costs));
}

/// Three pairs of 40 letters; the second of a pair is the first with letters changed, lost and added.
fn alignment(put: &mut Put) {
    const LENGTH: usize = 40;
    let letters =
        |seed: u32| -> Vec<u8> { noise(seed, LENGTH).iter().map(|x| b"ACGT"[(x >> 7) as usize % 4]).collect() };
    let (mut firsts, mut seconds, mut matrices, mut bests) = (vec![], vec![], vec![], vec![]);
    for pair in 0..3 {
        let first = letters(330 + pair);
        let other = letters(335 + pair);
        let mut second = first.clone();
        for (i, x) in noise(340 + pair, 4 * (pair as usize + 1)).iter().enumerate() {
            let at = (x >> 8) as usize % second.len();
            match i % 3 {
                0 => second[at] = other[i],
                1 => second.insert(at, other[i]),
                _ => {
                    second.remove(at);
                }
            }
        }
        second.extend(&other);
        second.truncate(LENGTH);
        matrices.extend(global_scores(&first, &second));
        bests.extend(best_part(&first, &second));
        firsts.extend(first);
        seconds.extend(second);
    }
    put("alignment/first.hex", packed(&firsts));
    put("alignment/second.hex", packed(&seconds));
    put("alignment/expect_matrix.hex", words(&matrices));
    put("alignment/expect_best.hex", bests);
}

const GAP: i32 = 4;

/// The same 5, purine for purine or pyrimidine for pyrimidine -1, anything else -3.
fn likeness(a: u8, b: u8) -> i32 {
    let purine = |c: u8| c == b'A' || c == b'G';
    match (a == b, purine(a) == purine(b)) {
        (true, _) => 5,
        (_, true) => -1,
        _ => -3,
    }
}

/// Needleman and Wunsch: row by row, the second sequence goes down.
fn global_scores(first: &[u8], second: &[u8]) -> Vec<i32> {
    let w = first.len() + 1;
    let mut m = vec![0; w * (second.len() + 1)];
    for i in 0..m.len() {
        let (x, y) = (i % w, i / w);
        m[i] = match (x, y) {
            (_, 0) => -GAP * x as i32,
            (0, _) => -GAP * y as i32,
            _ => (m[i - w - 1] + likeness(first[x - 1], second[y - 1])).max(m[i - 1].max(m[i - w]) - GAP),
        };
    }
    m
}

/// Smith and Waterman: score, and row and column of the end in one word.
fn best_part(first: &[u8], second: &[u8]) -> [u32; 2] {
    let w = first.len() + 1;
    let mut m = vec![0; w * (second.len() + 1)];
    let mut best = (0, 0, 0);
    for i in (0..m.len()).filter(|i| i % w > 0 && i / w > 0) {
        let step = m[i - w - 1] + likeness(first[i % w - 1], second[i / w - 1]);
        m[i] = step.max(m[i - 1].max(m[i - w]) - GAP).max(0);
    }
    for x in 1..w {
        for y in 1..=second.len() {
            if m[y * w + x] > best.0 {
                best = (m[y * w + x], y, x);
            }
        }
    }
    [best.0 as u32, (best.1 | best.2 << 16) as u32]
}

/// Neighbours of every node: a ring with holes, and some edges anywhere.
fn graph(seed: u32, n: usize) -> Vec<Vec<usize>> {
    let raw = noise(seed, 4 * n);
    (0..n)
        .map(|i| {
            let count = raw[4 * i] as usize % 4;
            let mut to: Vec<usize> = (1..=count).map(|k| raw[4 * i + k] as usize % n).collect();
            if i % 11 != 7 {
                to.push((i + 1) % n);
            }
            // Nodes that nothing leads to.
            to.retain(|t| t % 29 != 17);
            to
        })
        .collect()
}

fn distances(graph: &[Vec<usize>]) -> Vec<i32> {
    let mut distance = vec![-1; graph.len()];
    distance[0] = 0;
    let mut queue = VecDeque::from([0]);
    while let Some(node) = queue.pop_front() {
        for &other in &graph[node] {
            if distance[other] < 0 {
                distance[other] = distance[node] + 1;
                queue.push_back(other);
            }
        }
    }
    distance
}

/// First edge and number of edges of each node, and all edges; `from` edges lie before.
fn compressed(graph: &[Vec<usize>], from: usize) -> (Vec<u32>, Vec<u32>) {
    let (mut nodes, mut edges) = (vec![], vec![]);
    for to in graph {
        nodes.extend([(from + edges.len()) as u32, to.len() as u32]);
        edges.extend(to.iter().map(|t| *t as u32));
    }
    (nodes, edges)
}

fn bfs(put: &mut Put) {
    // One level of one graph: the search has come to distance 3.
    const LEVEL: i32 = 3;
    let g = graph(350, 152);
    let (nodes, edges) = compressed(&g, 0);
    put("bfs/nodes.hex", nodes);
    put("bfs/edges.hex", edges);
    let distance = distances(&g);
    let flags = |f: &dyn Fn(i32) -> bool| packed(&distance.iter().map(|d| u8::from(f(*d))).collect::<Vec<_>>());
    let known = |level: i32| -> Vec<i32> { distance.iter().map(|d| if *d <= level { *d } else { -1 }).collect() };
    put("bfs/frontier.hex", flags(&|d| d == LEVEL));
    put("bfs/none.hex", flags(&|_| false));
    put("bfs/visited.hex", flags(&|d| (0..=LEVEL).contains(&d)));
    put("bfs/reached.hex", flags(&|d| d == LEVEL + 1));
    put("bfs/expect_visited.hex", flags(&|d| (0..=LEVEL + 1).contains(&d)));
    put("bfs/distance.hex", words(&known(LEVEL)));
    put("bfs/expect_distance.hex", words(&known(LEVEL + 1)));

    let (mut nodes, mut edges, mut all) = (vec![], vec![], vec![]);
    for seed in 351..354 {
        let g = graph(seed, 110);
        let (n, e) = compressed(&g, edges.len());
        nodes.extend(n);
        edges.extend(e);
        all.extend(distances(&g));
    }
    put("bfs/all_nodes.hex", nodes);
    put("bfs/all_edges.hex", edges);
    put("bfs/expect_all.hex", words(&all));
}

/// 150 rows of up to 12 elements, every 40th of 60; all terms of a row have one sign.
fn spmv(put: &mut Put) {
    let (rows, columns) = (150, 90);
    let raw = noise(360, rows);
    let (mut first, mut column) = (vec![0], vec![]);
    for (r, x) in raw.iter().enumerate() {
        let count = if r % 40 == 21 { 60 } else { x % 13 };
        column.extend((0..count).map(|k| (x / 64 + k * 17) % columns as u32));
        first.push(column.len() as u32);
    }
    let row = |i: usize| first.partition_point(|f| *f as usize <= i) - 1;
    let value = times(&floats(361, column.len(), 0.5, 2.0), |i| sign(362, row(i)) * sign(363, column[i] as usize));
    let x = times(&floats(364, columns, 0.5, 2.0), |c| sign(363, c));
    let mut y = vec![0.0; rows];
    for (i, v) in value.iter().enumerate() {
        y[row(i)] += f64::from(*v) * f64::from(x[column[i] as usize]);
    }
    // 20 rows in double: whole significands, subnormal numbers among others, both signs; sums may cancel.
    let rows_double = 20;
    let double = |w: &[u32]| {
        let exponent = if w[1] % 16 == 0 { 0 } else { 900 + u64::from(w[1] >> 8) % 100 };
        f64::from_bits(u64::from(w[1]) << 32 & 0x800f_ffff_0000_0000 | exponent << 52 | u64::from(w[0]))
    };
    let doubles = |seed, n: usize| noise(seed, 2 * n).chunks(2).map(double).collect::<Vec<f64>>();
    let (value_double, x_double) = (doubles(365, first[rows_double] as usize), doubles(366, columns));
    let mut y_double = vec![0.0f64; rows_double];
    for (i, v) in value_double.iter().enumerate() {
        y_double[row(i)] = v.mul_add(x_double[column[i] as usize], y_double[row(i)]);
    }
    let quotients: Vec<f64> = y_double.iter().map(|y| y / 0.3).collect();
    let halves = |list: &[f64]| list.iter().flat_map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32]).collect();
    put("spmv/value_double.hex", halves(&value_double));
    put("spmv/x_double.hex", halves(&x_double));
    put("spmv/expect_double.hex", halves(&quotients));
    put("spmv/first.hex", first);
    put("spmv/column.hex", column);
    put("spmv/value.hex", bits(&value));
    put("spmv/x.hex", bits(&x));
    put("spmv/expect.hex", bits(&rounded(&y)));
}
