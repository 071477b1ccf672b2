//! A lexical table learnt from pairs: IBM model 1, Brown et al., "The Mathematics of Statistical Machine Translation",
//! Computational Linguistics 19(2), 1993.

use super::{Shortlist, Vocabularies};

/// Rounds of expectation and maximisation.
const ROUNDS: usize = 4;

/// Longer sentences say little about each word, and cost most.
const LONGEST: usize = 100;

/// A probability below which a word is no translation of another.
const LEAST: f32 = 1e-4;

/// Source words, each with the target words that it occurs with, in order, and their probabilities.
struct Table(Vec<(Vec<u32>, Vec<f32>)>);

impl Shortlist {
    /// Learns from pairs of ids; what no source word explains, and the `frequent` commonest target words, are listed under
    /// `end`, the id that ends every source sentence.
    ///
    /// A list has at most `best` words.
    pub fn learn(
        pairs: &[(Vec<u32>, Vec<u32>)],
        vocabularies: Vocabularies,
        end: u32,
        [frequent, best]: [usize; 2],
    ) -> Self {
        let is_used = |(source, target): &&(Vec<u32>, Vec<u32>)| {
            !target.is_empty() && source.len() <= LONGEST && target.len() <= LONGEST
        };
        let pairs: Vec<&(Vec<u32>, Vec<u32>)> = pairs.iter().filter(is_used).collect();
        let mut table = Table::from_cooccurrences(&pairs, vocabularies.source, end);
        for _ in 0..ROUNDS {
            table.learn(&pairs, end);
        }
        let commonest = commonest(&pairs, vocabularies.target, frequent);
        let lists = (0..).zip(&table.0).map(|(id, (targets, probabilities))| {
            let mut ranked: Vec<(f32, u32)> = probabilities
                .iter()
                .copied()
                .zip(targets.iter().copied())
                .filter(|(probability, _)| *probability >= LEAST)
                .collect();
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(best);
            let mut list: Vec<u32> = ranked.into_iter().map(|(_, word)| word).collect();
            // Marian reads no file whose last list is empty.
            let is_last = id as usize + 1 == vocabularies.source;
            if id == end || is_last && list.is_empty() {
                list.extend(&commonest);
            }
            list
        });
        Self {
            best: (u64::from(vocabularies.digest) << 32) + best as u64,
            ..Self::from_lists(lists)
        }
    }
}

impl Table {
    /// All words that each one occurs with, equally probable.
    fn from_cooccurrences(pairs: &[&(Vec<u32>, Vec<u32>)], sources: usize, end: u32) -> Self {
        let mut beside: Vec<Vec<u32>> = vec![Vec::new(); sources];
        let mut sorted = vec![0; sources];
        for (source, target) in pairs {
            for &word in source.iter().chain([&end]) {
                let list = &mut beside[word as usize];
                list.extend(target);
                // Doubled at most before it is made shorter again.
                if list.len() > 2 * sorted[word as usize] + 1_024 {
                    list.sort_unstable();
                    list.dedup();
                    sorted[word as usize] = list.len();
                }
            }
        }
        let lists = beside.into_iter().map(|mut list| {
            list.sort_unstable();
            list.dedup();
            #[expect(clippy::cast_precision_loss, reason = "a vocabulary is small")]
            let equal = 1.0 / list.len().max(1) as f32;
            let probabilities = vec![equal; list.len()];
            (list, probabilities)
        });
        Self(lists.collect())
    }

    /// Counts how often each word explains another, as probable as that is now, and makes probabilities of the counts.
    fn learn(&mut self, pairs: &[&(Vec<u32>, Vec<u32>)], end: u32) {
        let zeros = |(list, _): &(Vec<u32>, Vec<f32>)| vec![0.0_f32; list.len()];
        let mut counts: Vec<Vec<f32>> = self.0.iter().map(zeros).collect();
        let mut places = Vec::new();
        for (source, target) in pairs {
            for word in target {
                places.clear();
                let mut sum = 0.0;
                for &of in source.iter().chain([&end]) {
                    let (list, probabilities) = &self.0[of as usize];
                    let place = list.binary_search(word).expect("it is beside it");
                    sum += probabilities[place];
                    places.push((of as usize, place, probabilities[place]));
                }
                for &(of, place, probability) in &places {
                    counts[of][place] += probability / sum.max(f32::MIN_POSITIVE);
                }
            }
        }
        for ((_, probabilities), mut counts) in self.0.iter_mut().zip(counts) {
            let sum: f32 = counts.iter().sum();
            for count in &mut counts {
                *count /= sum.max(f32::MIN_POSITIVE);
            }
            *probabilities = counts;
        }
    }
}

/// The most frequent target words of the pairs.
fn commonest(pairs: &[&(Vec<u32>, Vec<u32>)], targets: usize, count: usize) -> Vec<u32> {
    let mut counts = vec![0_u32; targets];
    for word in pairs.iter().flat_map(|(_, target)| target) {
        counts[*word as usize] += 1;
    }
    let mut words: Vec<(u32, u32)> = (0..).zip(counts).filter(|(_, count)| *count > 0).collect();
    words.sort_by_key(|&(word, count)| (std::cmp::Reverse(count), word));
    words
        .into_iter()
        .take(count)
        .map(|(word, _)| word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_gets_what_it_is_translated_by() {
        // Words 1 to 4 become 11 to 14; 5 is an article of the target that nothing in the source stands for.
        let mut pairs = Vec::new();
        for (a, b) in [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3), (2, 4)] {
            pairs.push((vec![a, b], vec![5, 10 + a, 5, 10 + b]));
        }
        let vocabularies = Vocabularies {
            source: 7,
            target: 20,
            are_joint: false,
            digest: 5,
        };
        let learnt = Shortlist::learn(&pairs, vocabularies, 0, [1, 2]);
        for word in 1..5 {
            // What it lacks of a multiple of eight are the lowest ids.
            let words = learnt.words([word], [0, 20]);
            let words: Vec<u32> = words.into_iter().filter(|word| *word > 8).collect();
            assert_eq!(words, [10 + word]);
        }
        // The list of the end has what is commonest; Marian wants the last one to have something too.
        for end in [0, 6] {
            assert!(learnt.words([end], [0, 20]).contains(&5));
        }
        assert!(learnt.words([5], [0, 20]).is_empty());
        assert!(learnt.fitted(vocabularies).is_ok());
    }
}
