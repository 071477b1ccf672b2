//! BPE-dropout: the same text in other subwords.
//!
//! Provilkov, Emelianenko & Voita, "BPE-Dropout: Simple and Effective Subword Regularization", ACL 2020, Algorithm 1: before
//! each merge every merge that is possible is left out with some probability, and the first of the others is done.

use std::collections::HashMap;

use rand::{Rng, RngExt};

/// The merges of a byte-level BPE vocabulary.
#[derive(Debug, Clone, Default)]
pub struct Merges {
    /// The id that two ids merge into, and the rank of the merge.
    of_pairs: HashMap<[u32; 2], Merge>,
    /// The two ids that an id was merged of; no entry for bytes and special ids.
    parts: HashMap<u32, [u32; 2]>,
    /// Ids whose text begins with a space: no merge goes from the one before into them.
    begin_words: Vec<bool>,
}

#[derive(Debug, Clone, Copy)]
struct Merge {
    rank: usize,
    id: u32,
}

impl Merges {
    /// `merges` as two ids and what they become, the first learnt first; `begins_word` for every id whether its text begins
    /// with a space.
    pub(super) fn new(
        merges: impl Iterator<Item = ([u32; 2], u32)>,
        begin_words: Vec<bool>,
    ) -> Self {
        let mut all = Self {
            begin_words,
            ..Self::default()
        };
        for (rank, (pair, id)) in merges.enumerate() {
            all.of_pairs.entry(pair).or_insert(Merge { rank, id });
            all.parts.entry(id).or_insert(pair);
        }
        all
    }

    /// The text of `ids` in subwords of which each merge was left out with the probability `share` wherever it could be done;
    /// other ids stay. With 0 they are those of ordinary text again.
    pub fn drawn(&self, ids: &[u32], share: f32, rng: &mut impl Rng) -> Vec<u32> {
        let mut drawn = Vec::with_capacity(ids.len() + ids.len() / 4);
        let mut word = Vec::new();
        let begins = |id: u32| self.begin_words.get(id as usize) == Some(&true);
        for tokens in ids.chunk_by(|_, &next| !begins(next)) {
            word.clear();
            for &id in tokens {
                self.cut(id, &mut word);
            }
            self.merge(&mut word, f64::from(share), rng);
            drawn.append(&mut word);
        }
        drawn
    }

    /// The bytes of an id.
    fn cut(&self, id: u32, bytes: &mut Vec<u32>) {
        match self.parts.get(&id) {
            Some(&[left, right]) => {
                self.cut(left, bytes);
                self.cut(right, bytes);
            }
            None => bytes.push(id),
        }
    }

    fn merge(&self, word: &mut Vec<u32>, share: f64, rng: &mut impl Rng) {
        loop {
            let pairs = word.windows(2).enumerate();
            let possible = pairs.filter_map(|(at, pair)| {
                let merge = self.of_pairs.get(&[pair[0], pair[1]])?;
                Some((at, *merge))
            });
            let left = possible.filter(|_| share == 0.0 || !rng.random_bool(share));
            let Some((at, merge)) = left.min_by_key(|(_, merge)| merge.rank) else {
                return;
            };
            word[at] = merge.id;
            word.remove(at + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use crate::vocabulary::Vocabulary;

    const TEXTS: [&str; 4] = [
        "The printer prints the printed pages; printing ends.",
        "  Two spaces, a tab\tand a line\n\nUmlauts: Öl, über, Größe, 日本語",
        "„Zitat“ (foo.bar[12] == 3_000) don't; x--y",
        "",
    ];

    fn vocabulary() -> Vocabulary {
        let texts = TEXTS.iter().cycle().take(40).map(|text| (*text).to_owned());
        Vocabulary::train(texts, 500).expect("large enough")
    }

    #[test]
    fn without_dropout_they_are_the_subwords_of_ordinary_text() {
        let vocabulary = vocabulary();
        let (merges, mut rng) = (vocabulary.merges(), ChaCha8Rng::seed_from_u64(1));
        for text in TEXTS {
            let ids = vocabulary.encode(text);
            assert_eq!(merges.drawn(&ids, 0.0, &mut rng), ids, "{text}");
        }
    }

    #[test]
    fn the_text_is_the_same_in_more_subwords() {
        let vocabulary = vocabulary();
        let (merges, mut rng) = (vocabulary.merges(), ChaCha8Rng::seed_from_u64(2));
        let text = format!("\u{e000}{}\u{e020} {}", TEXTS[0], TEXTS[1]);
        let ids = vocabulary.encode(&text);
        let mut lengths = Vec::new();
        for share in [0.1, 0.5, 0.9] {
            let drawn: Vec<Vec<u32>> = (0..20)
                .map(|_| merges.drawn(&ids, share, &mut rng))
                .collect();
            for other in &drawn {
                assert_eq!(vocabulary.decode(other), vocabulary.decode(&ids));
            }
            assert!(drawn.iter().any(|other| *other != drawn[0]), "{share}");
            lengths.push(drawn.iter().map(Vec::len).sum::<usize>() / 20);
        }
        assert!(
            lengths.is_sorted() && lengths[0] >= ids.len(),
            "{lengths:?}"
        );
        assert!(lengths[2] > 2 * ids.len(), "nearly bytes: {lengths:?}");
    }

    #[test]
    fn special_ids_stay() {
        let (vocabulary, mut rng) = (vocabulary(), ChaCha8Rng::seed_from_u64(3));
        let special = [Vocabulary::BOS, Vocabulary::EOS, 4, Vocabulary::UNK, 9_999];
        let drawn = vocabulary.merges().drawn(&special, 0.9, &mut rng);
        assert_eq!(drawn, special);
    }
}
