//! What the next programs are made for: instructions and operands that found something, or that the solver asks for.

use std::collections::VecDeque;
use warpsmith_cosim::random::{directed_rows, Limits, Steer, Wish};
use warpsmith_isa::{Tier, ROWS};

/// Wishes of a program.
const WISHES: usize = 40;

/// What a generated program is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Like {
    /// Straight-line code of words with all their bits random.
    Words,
    /// Straight-line code of chosen instructions on operands that were loaded together.
    Lanes,
    /// Of several warps, with control flow.
    Flow,
}

/// What is known of instructions and operands.
pub struct Steering {
    lanes: u32,
    tier: Tier,
    /// How much each row found lately.
    worth: Vec<f64>,
    allowed: Vec<bool>,
    sets: Vec<[u32; 3]>,
    wishes: VecDeque<Wish>,
    /// How much programs of each kind found lately, and how far each is behind its share.
    found: [f64; 3],
    behind: [f64; 3],
}

impl Steering {
    /// All instructions alike.
    pub fn new(limits: &Limits, lanes: u32) -> Self {
        let mut allowed = vec![false; ROWS.len()];
        directed_rows(limits).into_iter().for_each(|r| allowed[r] = true);
        Steering {
            lanes,
            tier: limits.tier,
            worth: vec![0.0; ROWS.len()],
            allowed,
            sets: vec![],
            wishes: VecDeque::new(),
            found: [1.0; 3],
            behind: [0.0; 3],
        }
    }

    /// Of which kind the next program is: the one that finds more has the larger share, none less than a tenth.
    pub fn like(&mut self) -> Like {
        let all: f64 = self.found.iter().sum();
        for (behind, found) in self.behind.iter_mut().zip(self.found) {
            *behind += 0.1 + 0.7 * found / all;
        }
        // Wishes without operands are words as they are.
        let kinds = match self.wishes.front() {
            Some(wish) if wish.operands.is_none() => &[Like::Words][..],
            Some(_) => &[Like::Lanes],
            None => &[Like::Words, Like::Lanes, Like::Flow],
        };
        let behind = |like: &&Like| self.behind[**like as usize];
        let like = kinds.iter().copied().max_by(|a, b| behind(&a).total_cmp(&behind(&b))).unwrap_or(Like::Words);
        self.behind[like as usize] -= 1.0;
        like
    }

    /// What a program found.
    pub fn learn(&mut self, words: &[u32], like: Like, found: usize) {
        let lately = &mut self.found[like as usize];
        *lately = (0.8 * *lately + 0.2 * found as f64).max(0.01);
        self.worth.iter_mut().for_each(|w| *w *= 0.9);
        let mut rows: Vec<usize> = self.rows(words);
        rows.sort_unstable();
        rows.dedup();
        let share = found as f64 / rows.len().max(1) as f64;
        rows.into_iter().for_each(|r| self.worth[r] += share);
    }

    /// Rows of the instructions of a program.
    fn rows(&self, words: &[u32]) -> Vec<usize> {
        let (mut rows, mut at) = (vec![], 0);
        while at < words.len() {
            let second = words.get(at + 1).copied().unwrap_or(0);
            if let Ok(i) = self.tier.decode(words[at], second) {
                rows.push(usize::from(i.form));
            }
            at += if words[at] & 1 != 0 { 2 } else { 1 };
        }
        rows
    }

    /// A pattern of the solver: instruction words of the decoder, and what the unit sees.
    pub fn pattern(&mut self, instructions: &[u64], operands: &[u64]) {
        let of = |i: usize| operands.get(i).copied().unwrap_or(0) as u32;
        let set = [of(0), of(1), of(2)];
        if set != [0; 3] && !self.sets.contains(&set) {
            self.sets.push(set);
        }
        let operands = (!operands.is_empty()).then_some(set);
        for word in instructions {
            let Ok(i) = self.tier.decode(*word as u32, (*word >> 32) as u32) else { continue };
            if self.allowed[usize::from(i.form)] {
                let wish = Wish { word: *word, operands };
                if !self.wishes.contains(&wish) {
                    self.wishes.push_back(wish);
                }
            }
        }
    }

    /// Wishes that no program had yet.
    pub fn wishes(&self) -> usize {
        self.wishes.len()
    }

    /// For the next program.
    pub fn next(&mut self) -> Steer {
        let most = self.worth.iter().copied().fold(0.0, f64::max);
        let weight = |r: usize| match self.allowed[r] {
            true if most > 0.0 => 2 + (14.0 * self.worth[r] / most) as u32,
            true => 1,
            false => 0,
        };
        let wishes = self.wishes.len().min(WISHES);
        Steer {
            weights: (0..ROWS.len()).map(weight).collect(),
            sets: self.sets.clone(),
            wishes: self.wishes.drain(..wishes).collect(),
            lanes: self.lanes,
        }
    }
}
