//! Which placeholders a hypothesis may still place.
//!
//! Every placeholder of the source is in the translation exactly once, and pairs nest.

use canopy_document::placeholder::Placeholder;
use canopy_tokenize::Tokenizer;
use canopy_tokenize::vocabulary::Vocabulary;

/// The markup of one sentence as far as a hypothesis has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Markup {
    /// Placeholders not placed yet, opening ones and points.
    missing: Vec<u32>,
    /// How many pairs are open.
    depth: usize,
}

/// A placeholder that is tried where the sentence would end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForcedPlaceholder {
    /// Id of the placeholder.
    pub id: u32,
    /// Its own log-probability.
    pub own: f32,
}

impl Markup {
    /// The markup of the source sentence `ids`.
    pub fn from_ids(ids: &[u32], vocabulary: &dyn Tokenizer) -> Self {
        let positions = |&id: &u32| {
            matches!(
                vocabulary.placeholder(id),
                Some(Placeholder::Open(_) | Placeholder::Point(_))
            )
        };
        Self {
            missing: ids.iter().copied().filter(positions).collect(),
            depth: 0,
        }
    }

    /// Whether all is placed and closed, so that the sentence may end.
    pub fn complete(&self) -> bool {
        self.missing.is_empty() && self.depth == 0
    }

    /// Takes note of a token of the translation.
    pub fn push(&mut self, id: u32, vocabulary: &dyn Tokenizer) {
        match vocabulary.placeholder(id) {
            None => {}
            Some(Placeholder::Close) => self.depth = self.depth.saturating_sub(1),
            Some(kind) => {
                if let Some(index) = self.missing.iter().position(|&missing| missing == id) {
                    self.missing.remove(index);
                    self.depth += usize::from(matches!(kind, Placeholder::Open(_)));
                }
            }
        }
    }

    /// Takes away the probability of what must not follow.
    ///
    /// While markup is missing, the sentence cannot end: where its end is more probable than the most probable placeholder,
    /// that one is returned with its own log-probability and is in the row as likely as the end, so that it is tried
    /// there: what the model forgot is at the end of its phrase and nothing is ever lost. That does not change its
    /// probability.
    pub fn constrain(
        &self,
        log_probs: &mut [f32],
        vocabulary: &dyn Tokenizer,
    ) -> Option<ForcedPlaceholder> {
        let allowed = |id: u32| match vocabulary.placeholder(id) {
            Some(Placeholder::Close) => self.depth > 0,
            Some(_) => self.missing.contains(&id),
            None => true,
        };
        for id in vocabulary.placeholder_ids() {
            if !allowed(id) {
                log_probs[id as usize] = f32::NEG_INFINITY;
            }
        }
        if self.complete() {
            return None;
        }
        let end = std::mem::replace(&mut log_probs[Vocabulary::EOS as usize], f32::NEG_INFINITY);
        let open = vocabulary.placeholder_ids().filter(|&id| allowed(id));
        let id = open.max_by(|&a, &b| log_probs[a as usize].total_cmp(&log_probs[b as usize]))?;
        let own = log_probs[id as usize];
        if own >= end || own.is_nan() {
            return None;
        }
        log_probs[id as usize] = end;
        Some(ForcedPlaceholder { id, own })
    }

    /// The tokens that complete the markup, for a translation that was cut off.
    pub fn completion(&self, vocabulary: &dyn Tokenizer) -> Vec<u32> {
        let close = vocabulary.placeholder_ids().end.saturating_sub(1);
        let mut ids = vec![close; self.depth];
        for &id in &self.missing {
            ids.push(id);
            if matches!(vocabulary.placeholder(id), Some(Placeholder::Open(_))) {
                ids.push(close);
            }
        }
        ids
    }
}
