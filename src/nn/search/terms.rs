//! Terms that a translation has to use, and how far a hypothesis has come with them.
//!
//! Dynamic beam allocation, Post & Vilar, "Fast Lexically Constrained Decoding with Dynamic Beam Allocation for Neural Machine
//! Translation", NAACL 2018, §3; constraints as tries, Hu et al., "Improved Lexically Constrained Decoding for Translation
//! and Monolingual Rewriting", NAACL 2019, §3. Unlike theirs, a constraint is met by any one of several token sequences: the
//! forms of a term.

use serde::{Deserialize, Serialize};

use super::beam::Candidate;

/// How much terms weigh.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum TermForce {
    /// No translation ends without them.
    Hard,
    /// A hypothesis with all tokens of a term ranks as if it were this much more probable (natural logarithm).
    Soft {
        /// Natural logarithm of the factor.
        bonus: f32,
    },
}

/// The terms of one sentence, as ids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TermConstraints {
    terms: Vec<Trie>,
    /// Forbidden sequences.
    forbidden: Trie,
    /// Sequences that must not begin but where a sentence does, and the tokens after which one does.
    #[serde(default)]
    forbidden_within: Trie,
    #[serde(default)]
    ends: Vec<u32>,
    force: TermForce,
}

/// Token sequences that begin alike, as a tree; node 0 is its root.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Trie {
    nodes: Vec<Node>,
    /// Tokens of the longest sequence.
    longest: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Node {
    /// By token; few enough to be looked through.
    children: Vec<(u32, usize)>,
    is_end: bool,
    depth: usize,
}

/// How far a hypothesis has come with the terms of its sentence.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct TermProgress {
    met: Vec<bool>,
    /// Terms under way and the node of each; those of the forbidden trie by themselves.
    begun: Vec<(usize, usize)>,
    forbidden: Vec<usize>,
    forbidden_within: Vec<usize>,
    /// Whether a sentence has begun.
    is_within: bool,
}

impl Trie {
    fn from_sequences(sequences: &[Vec<u32>]) -> Self {
        let mut trie = Self {
            nodes: vec![Node::default()],
            longest: 0,
        };
        for ids in sequences.iter().filter(|ids| !ids.is_empty()) {
            let mut node = 0;
            for &id in ids {
                node = trie.child(node, id).unwrap_or_else(|| {
                    let (child, depth) = (trie.nodes.len(), trie.nodes[node].depth + 1);
                    trie.nodes[node].children.push((id, child));
                    trie.nodes.push(Node {
                        depth,
                        ..Node::default()
                    });
                    child
                });
            }
            trie.nodes[node].is_end = true;
            trie.longest = trie.longest.max(ids.len());
        }
        trie
    }

    fn child(&self, node: usize, id: u32) -> Option<usize> {
        let children = &self.nodes.get(node)?.children;
        children
            .iter()
            .find(|(other, _)| *other == id)
            .map(|&(_, child)| child)
    }

    fn is_empty(&self) -> bool {
        self.longest == 0
    }

    /// Where a token leads from these nodes.
    fn children_of(&self, nodes: impl Iterator<Item = usize>, id: u32) -> Vec<usize> {
        nodes.filter_map(|node| self.child(node, id)).collect()
    }

    /// Takes away the probability of the tokens that end a sequence of which these nodes are the last ones.
    fn forbid<'n>(&self, nodes: impl Iterator<Item = &'n usize>, scores: &mut [f32]) {
        let children = nodes.filter_map(|&node| Some(&self.nodes.get(node)?.children));
        for &(id, child) in children.flatten() {
            if self.nodes[child].is_end {
                scores[id as usize] = f32::NEG_INFINITY;
            }
        }
    }
}

impl TermConstraints {
    /// For each term the sequences of which one is required, and those that are forbidden; what has no tokens is left out.
    pub fn new(terms: &[Vec<Vec<u32>>], forbidden: &[Vec<u32>], force: TermForce) -> Self {
        let terms = terms
            .iter()
            .map(|sequences| Trie::from_sequences(sequences));
        Self {
            terms: terms.filter(|trie| !trie.is_empty()).collect(),
            forbidden: Trie::from_sequences(forbidden),
            forbidden_within: Trie::default(),
            ends: Vec::new(),
            force,
        }
    }

    /// Forbids further sequences within sentences: not at the beginning and not after one of the tokens `ends`.
    #[must_use]
    pub fn forbidding_within(mut self, sequences: &[Vec<u32>], mut ends: Vec<u32>) -> Self {
        ends.sort_unstable();
        self.forbidden_within = Trie::from_sequences(sequences);
        self.ends = ends;
        self
    }

    /// Returns whether there is nothing to use and nothing to avoid.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.forbidden.is_empty() && self.forbidden_within.is_empty()
    }

    /// Tokens of all terms in their longest forms.
    pub(super) fn num_tokens(&self) -> usize {
        self.terms.iter().map(|trie| trie.longest).sum()
    }

    /// Hypotheses to keep in addition to those of a beam, so that every bank has one.
    pub(super) fn more_hypotheses(&self) -> usize {
        match self.force {
            TermForce::Hard => self.terms.len(),
            TermForce::Soft { .. } => 0,
        }
    }

    pub(super) fn start(&self) -> TermProgress {
        TermProgress {
            met: vec![false; self.terms.len()],
            ..TermProgress::default()
        }
    }

    /// Whether the sentence may end.
    pub(super) fn complete(&self, progress: &TermProgress) -> bool {
        self.force != TermForce::Hard || progress.met.iter().all(|&met| met)
    }

    /// Takes away the probability of what must not follow.
    pub(super) fn constrain(&self, progress: &TermProgress, scores: &mut [f32], end: u32) {
        if !self.complete(progress) {
            scores[end as usize] = f32::NEG_INFINITY;
        }
        let begun = progress.forbidden.iter().chain(&[0]);
        self.forbidden.forbid(begun, scores);
        let root: &[usize] = if progress.is_within { &[0] } else { &[] };
        let begun = progress.forbidden_within.iter().chain(root);
        self.forbidden_within.forbid(begun, scores);
    }

    /// The tokens that bring a term further.
    pub(super) fn next_ids(&self, progress: &TermProgress) -> Vec<u32> {
        let begun = progress.begun.iter().copied();
        let open = (0..self.terms.len()).filter(|&term| !progress.met[term]);
        let nodes = begun.chain(open.map(|term| (term, 0)));
        let mut ids: Vec<u32> = nodes
            .flat_map(|(term, node)| &self.terms[term].nodes[node].children)
            .map(|&(id, _)| id)
            .collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Takes note of a token of the translation that is no placeholder.
    pub(super) fn push(&self, progress: &mut TermProgress, id: u32) {
        let open = (0..self.terms.len()).filter(|&term| !progress.met[term]);
        let nodes = progress
            .begun
            .iter()
            .copied()
            .chain(open.map(|term| (term, 0)));
        let next = nodes.filter_map(|(term, node)| Some((term, self.terms[term].child(node, id)?)));
        let mut next: Vec<(usize, usize)> = next.collect();
        next.sort_unstable();
        next.dedup();
        for &(term, node) in &next {
            progress.met[term] |= self.terms[term].nodes[node].is_end;
        }
        next.retain(|&(term, _)| !progress.met[term]);
        progress.begun = next;
        let nodes = progress.forbidden.iter().copied().chain([0]);
        progress.forbidden = self.forbidden.children_of(nodes, id);
        let root = progress.is_within.then_some(0);
        let nodes = progress.forbidden_within.iter().copied().chain(root);
        progress.forbidden_within = self.forbidden_within.children_of(nodes, id);
        progress.is_within = self.ends.binary_search(&id).is_err();
    }

    /// The bank of a hypothesis: tokens of the terms it has met and of the one it is in. A soft search has one bank.
    pub(super) fn bank(&self, progress: &TermProgress) -> usize {
        match self.force {
            TermForce::Hard => self.met_tokens(progress).iter().sum(),
            TermForce::Soft { .. } => 0,
        }
    }

    /// By how much a hypothesis ranks higher than its probability.
    #[expect(clippy::cast_precision_loss, reason = "terms are short")]
    pub(super) fn bonus(&self, progress: &TermProgress) -> f32 {
        let TermForce::Soft { bonus } = self.force else {
            return 0.0;
        };
        let met = self.met_tokens(progress).into_iter().zip(&self.terms);
        met.map(|(met, trie)| bonus * met as f32 / trie.longest as f32)
            .sum()
    }

    /// For each term how many of its tokens are written; all if it is met, whatever its form.
    fn met_tokens(&self, progress: &TermProgress) -> Vec<usize> {
        let mut tokens: Vec<usize> = vec![0; self.terms.len()];
        for &(term, node) in &progress.begun {
            let trie = &self.terms[term];
            tokens[term] = tokens[term].max(trie.nodes[node].depth.min(trie.longest - 1));
        }
        for ((tokens, trie), &met) in tokens.iter_mut().zip(&self.terms).zip(&progress.met) {
            if met {
                *tokens = trie.longest;
            }
        }
        tokens
    }
}

/// The candidates that stay, in the order in which they came, which is by rank: `width` that continue, dealt to the banks in
/// turn, the highest first, and those `end`s that are among the best `beam_size` of their bank. The best of the highest bank
/// and the best of all are among them, so that a sentence gets its terms and does not lose its way.
pub(super) fn allocated(
    candidates: Vec<Candidate>,
    banks: &[usize],
    end: u32,
    (beam_size, width): (usize, usize),
) -> Vec<Candidate> {
    let highest = banks.iter().copied().max().unwrap_or_default();
    let (mut stays, mut seen) = (vec![false; candidates.len()], vec![0; highest + 1]);
    let mut open: Vec<Vec<usize>> = vec![Vec::new(); highest + 1];
    for (position, (candidate, &bank)) in candidates.iter().zip(banks).enumerate() {
        if candidate.id == end {
            stays[position] = seen[bank] < beam_size;
        } else {
            open[bank].push(position);
        }
        seen[bank] += 1;
    }
    // Taken from their ends, the best first.
    for bank in &mut open {
        bank.reverse();
    }
    let best = open.iter().filter_map(|bank| bank.last()).min().copied();
    let mut left = width;
    let mut keep = |position: usize, left: &mut usize| {
        if !stays[position] && *left > 0 {
            stays[position] = true;
            *left -= 1;
        }
    };
    let top = open.iter_mut().rev().find_map(Vec::pop);
    for position in top.into_iter().chain(best) {
        keep(position, &mut left);
    }
    while left > 0 && open.iter().any(|bank| !bank.is_empty()) {
        for bank in open.iter_mut().rev() {
            if let Some(position) = bank.pop() {
                keep(position, &mut left);
            }
        }
    }
    let kept = candidates.into_iter().zip(stays);
    kept.filter_map(|(candidate, stays)| stays.then_some(candidate))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(ids: &[u32]) -> Vec<Candidate> {
        let candidate = |(number, &id): (usize, &u32)| Candidate {
            parent: number,
            id,
            log_prob: 0.0,
            rank: 0.0,
            terms: TermProgress::default(),
            bonus: 0.0,
        };
        ids.iter().enumerate().map(candidate).collect()
    }

    fn kept(banks: &[usize], width: usize) -> Vec<usize> {
        let ids: Vec<u32> = banks.iter().map(|_| 50).collect();
        let kept = allocated(candidates(&ids), banks, 1, (width, width));
        kept.iter().map(|candidate| candidate.parent).collect()
    }

    #[test]
    fn every_bank_has_a_place_and_none_stays_empty() {
        // Much of the lowest, little of the highest.
        assert_eq!(kept(&[0, 0, 0, 0, 1, 0, 2], 3), [0, 4, 6]);
        assert_eq!(kept(&[0, 0, 0, 0, 1, 0, 2], 5), [0, 1, 2, 4, 6]);
        assert_eq!(kept(&[0, 0, 0], 5), [0, 1, 2]);
    }

    #[test]
    fn the_highest_bank_and_the_best_hypothesis_stay_in_the_smallest_beam() {
        assert_eq!(kept(&[0, 1, 2, 3], 1), [3]);
        assert_eq!(kept(&[0, 1, 2, 3], 2), [0, 3]);
        let mut width = 1;
        while width < 12 {
            let banks = [3, 0, 1, 1, 0, 5, 2, 2, 0, 1];
            let kept = kept(&banks, width);
            assert_eq!(kept.len(), width.min(banks.len()));
            assert!(kept.iter().any(|&place| banks[place] == 5));
            width += 1;
        }
    }

    #[test]
    fn ends_count_among_the_best_of_their_bank() {
        let kept = allocated(candidates(&[50, 1, 51, 1]), &[0, 1, 1, 1], 1, (2, 2));
        let kept: Vec<usize> = kept.iter().map(|candidate| candidate.parent).collect();
        // The second end is the third of its bank.
        assert_eq!(kept, [0, 1, 2]);
    }

    #[test]
    fn a_term_is_met_by_any_form_however_it_begins() {
        let constraints = TermConstraints::new(
            &[vec![vec![7, 7, 8], vec![9]]],
            &[vec![5, 6]],
            TermForce::Hard,
        );
        let after = |ids: &[u32]| {
            let mut progress = constraints.start();
            for &id in ids {
                constraints.push(&mut progress, id);
            }
            progress
        };
        for (ids, bank, complete) in [
            (&[][..], 0, false),
            (&[7, 7], 2, false),
            (&[7, 7, 7], 2, false),
            (&[7, 7, 7, 8], 3, true),
            (&[7, 6], 0, false),
            (&[7, 9], 3, true),
            (&[9, 7, 7], 3, true),
        ] {
            let progress = after(ids);
            assert_eq!(constraints.bank(&progress), bank, "{ids:?}");
            assert_eq!(constraints.complete(&progress), complete, "{ids:?}");
        }
        assert_eq!(constraints.next_ids(&after(&[7])), [7, 9]);
        let mut scores = [0.0; 10];
        constraints.constrain(&after(&[5]), &mut scores, 1);
        assert_eq!(
            (scores[1], scores[6]),
            (f32::NEG_INFINITY, f32::NEG_INFINITY)
        );
        let mut scores = [0.0; 10];
        constraints.constrain(&after(&[9, 4]), &mut scores, 1);
        assert_eq!((scores[1], scores[6]), (0.0, 0.0));
    }

    #[test]
    fn what_is_forbidden_within_sentences_may_begin_them() {
        let constraints = TermConstraints::new(&[], &[], TermForce::Hard)
            .forbidding_within(&[vec![5], vec![6, 7]], vec![3, 2]);
        assert!(!constraints.is_empty());
        for (before, forbidden) in [
            (&[][..], &[][..]),
            (&[4], &[5]),
            (&[4, 2], &[]),
            (&[4, 2, 4], &[5]),
            (&[6], &[5]),
            (&[4, 6], &[5, 7]),
            (&[4, 3, 6], &[5]),
        ] {
            let mut progress = constraints.start();
            for &id in before {
                constraints.push(&mut progress, id);
            }
            let mut scores = [0.0; 10];
            constraints.constrain(&progress, &mut scores, 1);
            let found: Vec<usize> = (0..10).filter(|&id| scores[id] < 0.0).collect();
            assert_eq!(found, forbidden, "{before:?}");
        }
    }
}
