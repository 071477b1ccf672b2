//! Suffixes of a source that a model reads with it: similar translations, previous ones, and constraints.

use super::Match;
use canopy_tokenize::{Side, Tokenizer};

/// The suffix that an encoder of `max_tokens` reads after a sentence of `own` tokens: `sentence_break`, and as many
/// tokens of
/// the match's translation as there is room for, with one kept for the end. Nothing without a match.
pub fn fuzzy_suffix(
    found: Option<Match<'_>>,
    own: usize,
    tokenizer: &dyn Tokenizer,
    (sentence_break, max_tokens): (u32, usize),
) -> Vec<u32> {
    let room = max_tokens.saturating_sub(own + 2);
    let Some(found) = found.filter(|_| room > 0) else {
        return Vec::new();
    };
    let target = tokenizer
        .encode(Side::Target, found.target)
        .into_iter()
        .take(room);
    std::iter::once(sentence_break).chain(target).collect()
}

/// The suffix of a sentence of `own` tokens, for an encoder that reads `max_tokens`, where it reads the `translations`
/// of those before it, the nearest first: each after `sentence_break`, as many as there is room for, the farthest cut off.
pub fn previous_suffix<'i>(
    translations: impl IntoIterator<Item = &'i [u32]>,
    own: usize,
    (sentence_break, max_tokens): (u32, usize),
) -> Vec<u32> {
    let room = max_tokens.saturating_sub(own + 1);
    let mut suffix = Vec::new();
    for ids in translations {
        // A break with nothing after it says nothing.
        if suffix.len() + 1 >= room {
            break;
        }
        suffix.push(sentence_break);
        let left = room - suffix.len();
        suffix.extend(ids.iter().take(left));
    }
    suffix
}

/// The suffix of a sentence of `own` tokens where the encoder reads a side constraint after it: all of that or nothing.
pub fn constraint_suffix(constraint: Option<Vec<u32>>, own: usize, max_tokens: usize) -> Vec<u32> {
    let fits = |ids: &Vec<u32>| own + ids.len() < max_tokens;
    constraint.filter(fits).unwrap_or_default()
}
