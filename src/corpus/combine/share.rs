//! How often each document of a part is used, so that the part is its share of the whole.

use sha2::{Digest, Sha256};

/// Difference of shares that count as equal.
const SLACK: f64 = 1e-6;

/// How many words of a part are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Copies {
    /// For each word that it has.
    times: f64,
}

/// Returns how much of each part is used. Parts without a share are used once, and the others are added to them. Where all have
/// one, there are as many words as the parts have together, whatever the sum of the shares is.
///
/// # Errors
/// The place of a part that has a share and no words.
pub(super) fn copies(shares: &[Option<f64>], words: &[usize]) -> Result<Vec<Copies>, usize> {
    let given: f64 = shares.iter().flatten().sum();
    let whole: usize = words.iter().sum();
    let (mut all, mut sum) = (whole as f64, given);
    if shares.iter().any(Option::is_none) {
        let once = shares
            .iter()
            .zip(words)
            .filter(|(share, _)| share.is_none());
        let once: usize = once.map(|(_, words)| words).sum();
        all = once as f64 / (1.0 - given).max(SLACK);
        sum = 1.0;
    }
    let times = shares.iter().zip(words).enumerate();
    let times = times.map(|(at, (share, words))| match share {
        None => Ok(Copies { times: 1.0 }),
        Some(_) if *words == 0 => Err(at),
        Some(share) => Ok(Copies {
            times: share / sum * all / *words as f64,
        }),
    });
    times.collect()
}

impl Copies {
    /// How often each document is used. All are used equally often, but for what a whole number cannot say: then some are
    /// there once more, by a hash of their ids.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "copies are few"
    )]
    pub(super) fn per_document(self, ids: &[&str], words: &[usize]) -> Vec<usize> {
        let always = self.times.floor();
        let mut times = vec![always as usize; ids.len()];
        let mut rest = (self.times - always) * words.iter().sum::<usize>() as f64;
        let mut order: Vec<usize> = (0..ids.len()).collect();
        order.sort_by_cached_key(|at| <[u8; 32]>::from(Sha256::digest(ids[*at].as_bytes())));
        for at in order {
            let more = words[at] as f64;
            // Half a document too many is as good as half of one too few.
            if rest >= more / 2.0 && more > 0.0 {
                times[at] += 1;
                rest -= more;
            }
        }
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(shares: &[Option<f64>], words: &[usize]) -> Vec<f64> {
        let found = copies(shares, words).expect("all have words");
        found.into_iter().map(|copies| copies.times).collect()
    }

    #[test]
    fn parts_without_a_share_are_there_once() {
        assert_eq!(times(&[None, None], &[30, 10]), [1.0, 1.0]);
        // Half of a whole with 40 other words is 40 words, of which there are 10.
        assert_eq!(times(&[None, Some(0.5)], &[40, 10]), [1.0, 4.0]);
        assert_eq!(times(&[Some(0.2), None], &[40, 40]), [0.25, 1.0]);
    }

    #[test]
    fn where_all_have_a_share_there_are_as_many_words_as_before() {
        assert_eq!(
            times(&[Some(0.5), Some(0.5)], &[30, 10]),
            [20.0 / 30.0, 2.0]
        );
        assert_eq!(times(&[Some(3.0), Some(1.0)], &[20, 20]), [1.5, 0.5]);
        assert_eq!(copies(&[None, Some(0.5)], &[40, 0]), Err(1));
    }

    #[test]
    fn a_part_of_the_documents_is_there_once_more() {
        let ids: Vec<String> = (0..100).map(|number| format!("page {number}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let words = vec![10; 100];
        let times = Copies { times: 1.25 }.per_document(&ids, &words);
        assert_eq!(times.iter().sum::<usize>(), 125);
        assert!(times.iter().all(|times| (1..=2).contains(times)));
        assert_eq!(times, Copies { times: 1.25 }.per_document(&ids, &words));
        let few = Copies { times: 0.1 }.per_document(&ids, &words);
        assert_eq!(few.iter().sum::<usize>(), 10);
    }
}
