//! The states of the pairs that share most with a sentence: of a large datastore its search is compared with these alone.
//!
//! Deguchi et al., "Subset Retrieval Nearest Neighbor Machine Translation", ACL 2023. The pairs are those whose sources share
//! the rarest tokens with the sentence, for their length.

use std::ops::Range;

use burn::tensor::Tensor;
use rustc_hash::FxHashMap;

use super::{Datastore, Keys, Neighbours, values};
use canopy_kernels::packed::{PackedMatrix, Scratch};

/// States of a datastore that is compared as a whole.
const FEW: usize = 8_192;

/// Pairs of a subset, at most.
const PAIRS: usize = 64;

/// Tokens that every pair costs in addition to its own.
const COST: usize = 3;

/// Which states are of which pair, and the pairs that have each source token.
#[derive(Debug, Clone, Default)]
pub struct StatesOfPairs {
    /// Tokens of the source and the numbers of the states of each pair.
    pairs: Vec<(usize, Range<usize>)>,
    /// In order.
    having: FxHashMap<u32, Vec<u32>>,
}

/// Some states of a datastore.
#[derive(Debug, Clone)]
pub struct Subset {
    pub(super) near: PackedMatrix,
    /// The number of each in the datastore, in order.
    pub(super) numbers: Vec<u32>,
}

impl StatesOfPairs {
    /// Adds a pair whose states have these numbers.
    pub fn push(&mut self, source: &[u32], states: Range<usize>) {
        let number = u32::try_from(self.pairs.len()).expect("fewer than 2³² pairs");
        self.pairs.push((source.len(), states));
        for &token in source {
            let having = self.having.entry(token).or_default();
            if having.last() != Some(&number) {
                having.push(number);
            }
        }
    }

    /// The pairs that share most with a sentence, in order.
    #[expect(clippy::cast_precision_loss, reason = "counts become f32")]
    fn sharing(&self, source: &[u32]) -> Vec<usize> {
        let mut tokens = source.to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        let mut shared = vec![0.0_f32; self.pairs.len()];
        for having in tokens.iter().filter_map(|token| self.having.get(token)) {
            let rarity = (self.pairs.len() as f32 / having.len() as f32).ln();
            for &pair in having {
                shared[pair as usize] += rarity;
            }
        }
        let gain =
            |(pair, shared): (usize, f32)| (shared / (self.pairs[pair].0 + COST) as f32, pair);
        let found = shared.into_iter().enumerate().map(gain);
        let mut found: Vec<(f32, usize)> = found.filter(|(gain, _)| *gain > 0.0).collect();
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(PAIRS);
        let mut numbers: Vec<usize> = found.into_iter().map(|(_, pair)| pair).collect();
        numbers.sort_unstable();
        numbers
    }
}

impl Datastore {
    /// A subset that knows the pairs of its states.
    #[must_use]
    pub fn with_pairs(mut self, pairs: StatesOfPairs) -> Self {
        self.pairs = Some(pairs.into());
        self
    }

    /// [`Self::near_of`] of rows of a tensor, where there are subsets.
    pub fn near_translations<'s>(
        &self,
        states: Tensor<2>,
        translations: impl Iterator<Item = (&'s [u32], usize)> + Clone,
    ) -> Vec<Neighbours> {
        match &self.keys {
            Keys::Tensor { .. } => self.near(states),
            Keys::Packed(_) => {
                let scratch = &mut Scratch::on_cores(true);
                self.near_of(&values(states), translations, scratch)
            }
        }
    }

    /// The nearest neighbours of the states of some translations, each among those that the search of its sentence is compared
    /// with: `translations` gives the tokens of the source and the number of states of each.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`
    ///
    /// # Panics
    /// If the datastore was not made for packed weights.
    pub fn near_of<'s>(
        &self,
        states: &[f32],
        translations: impl Iterator<Item = (&'s [u32], usize)> + Clone,
        scratch: &mut Scratch,
    ) -> Vec<Neighbours> {
        let rows: usize = translations.clone().map(|(_, rows)| rows).sum();
        let d_model = states.len() / rows.max(1);
        let mut near = Vec::with_capacity(rows);
        for (source, rows) in translations {
            let own = &states[near.len() * d_model..][..rows * d_model];
            near.extend(self.near_rows(own, self.subset(source).as_ref(), scratch));
        }
        near
    }

    /// The states that a search of this sentence is compared with; none if with all.
    pub fn subset(&self, source: &[u32]) -> Option<Subset> {
        let (Keys::Packed(keys), Some(pairs)) = (&self.keys, &self.pairs) else {
            return None;
        };
        if self.next.len() <= FEW {
            return None;
        }
        let states = pairs.sharing(source).into_iter();
        let states = states.flat_map(|pair| pairs.pairs[pair].1.clone());
        let numbers = states.map(|state| u32::try_from(state).expect("states fit 32 bits"));
        let numbers: Vec<u32> = numbers.collect();
        (numbers.len() >= self.num_nearest()).then(|| Subset {
            near: keys.near.select(&numbers),
            numbers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datastore::KnnConfig;

    /// States of a pair.
    const EACH: usize = 10;
    const D_MODEL: usize = 8;

    /// Pairs of which each has a token of its own, and all have token 1.
    fn datastore(pairs: u32) -> (Vec<f32>, Datastore) {
        let mut of_pairs = StatesOfPairs::default();
        for (pair, first) in (0..pairs).zip((0..).step_by(EACH)) {
            of_pairs.push(&[1, 100 + pair], first..first + EACH);
        }
        let count = EACH * pairs as usize;
        let mut number = 1_u16;
        let numbers = std::iter::repeat_with(|| {
            number = number.wrapping_mul(25_173).wrapping_add(13_849);
            f32::from(number) / 6_553.6
        });
        let keys: Vec<f32> = numbers.take(count * D_MODEL).collect();
        let next = (0..50).cycle().take(count).collect();
        let datastore = Datastore::packed(&keys, D_MODEL, next, KnnConfig::default());
        (keys, datastore.with_pairs(of_pairs))
    }

    #[test]
    fn a_sentence_is_compared_with_the_states_of_the_pairs_that_share_its_rarest_tokens() {
        let (keys, large) = datastore(900);
        let subset = large.subset(&[107, 1, 203]).expect("there are many states");
        assert!(subset.numbers.is_sorted());
        let is_in = |state: u32| subset.numbers.binary_search(&state).is_ok();
        assert!(
            (70..80).chain(1_030..1_040).all(is_in) && !is_in(500),
            "{:?}",
            subset.numbers
        );
        let scratch = &mut Scratch::default();
        let state = &keys[75 * D_MODEL..][..D_MODEL];
        let near = large.near_rows(state, Some(&subset), scratch);
        assert_eq!(near[0].states[0].0, 75, "by its number among all");
        let far = &keys[500 * D_MODEL..][..D_MODEL];
        let near = large.near_rows(far, Some(&subset), scratch);
        assert!(near[0].states.iter().all(|&(number, _)| is_in(number)));
        let both = [state, far].concat();
        let sources: [(&[u32], usize); 2] = [(&[107, 203], 1), (&[4, 5], 1)];
        let near = large.near_of(&both, sources.into_iter(), scratch);
        let nearest: Vec<u32> = near.iter().map(|near| near.states[0].0).collect();
        assert_eq!(
            nearest,
            [75, 500],
            "what shares nothing is compared with all"
        );
    }

    #[test]
    fn a_small_datastore_is_compared_as_a_whole() {
        let (_, small) = datastore(800);
        assert!(small.subset(&[107]).is_none());
    }
}
