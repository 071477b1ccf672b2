//! Vocabulary shortlists: the few target words that a sentence may need, given by the words of its source.
//!
//! A network with a large vocabulary spends half of a search on the scores of words that have nothing to do with the sentence.
//! With a shortlist only those are scored that a lexical table has for a word of the source, and those that always may come:
//! Devlin, "Sharp Models on Dull Hardware", EMNLP 2017, §2.2; Kim et al., "From Research to Production and Back: Ludicrously
//! Fast Neural Machine Translation", WNGT 2019, §3.
//!
//! Files have the form of Marian's binary shortlists, which Firefox's models come with (`data/shortlist.h` there): numbers of 64
//! bits, little-endian, and words of 32. Lexical tables as text are read, too.

mod learning;
mod table;

use std::ops::Range;
use std::path::Path;

use crate::error::Result;
use canopy_base::digest::checksum_from;
use canopy_base::file::write_atomically;
use canopy_tokenize::{Side, Tokenizer};

/// The first number of a file.
const MAGIC: u64 = 0xF11A_48D5_0134_17F5;

/// Numbers in front of the offsets: magic, checksum, first, best, how many offsets, how many words.
const HEADER: usize = 6;

/// The vocabularies that a shortlist is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vocabularies {
    /// How many ids the source has.
    pub source: usize,
    /// How many ids the target has.
    pub target: usize,
    /// Whether both have the same words under the same ids.
    pub are_joint: bool,
    /// Another number for most other vocabularies of these sizes.
    pub digest: u32,
}

impl Vocabularies {
    /// Vocabularies of a tokenizer, of which a network scores the first `scored` target ids.
    pub fn from_tokenizer(tokenizer: &dyn Tokenizer, scored: usize) -> Self {
        let [source, target] = [Side::Source, Side::Target].map(|side| tokenizer.len(side));
        let token = |side, id| tokenizer.token(side, id).unwrap_or_default();
        let tokens = |side, len: usize| (0..).take(len).map(move |id| token(side, id));
        let are_joint =
            source == target && tokens(Side::Source, source).eq(tokens(Side::Target, target));
        let all = tokens(Side::Source, source).chain(tokens(Side::Target, target));
        let digest = all.fold(0, |digest, token| checksum_from(digest, &token));
        Self {
            source,
            target: target.min(scored),
            are_joint,
            digest,
        }
    }
}

/// The number of words in a list is a multiple of it.
const FILLED: usize = 8;

/// Candidate target words for the words of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortlist {
    /// Target ids below it are in every list.
    first: u64,
    /// How many words each list was cut to, for the record. The upper half of lists that we make identifies the vocabularies, see
    /// [`Vocabularies::digest`]; it is 0 in those of others.
    best: u64,
    /// Where the list of each source id begins among the words, and where the last one ends.
    offsets: Vec<u64>,
    /// Target ids, list by list.
    words: Vec<u32>,
    /// Whether a word of the source may be copied: both sides have one vocabulary.
    copies: bool,
}

impl Shortlist {
    /// The lists of all source ids, in order.
    pub fn from_lists(lists: impl IntoIterator<Item = Vec<u32>>) -> Self {
        let (mut offsets, mut words) = (vec![0], Vec::new());
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            words.extend(list);
            offsets.push(words.len() as u64);
        }
        Self {
            first: 0,
            best: 0,
            offsets,
            words,
            copies: false,
        }
    }

    /// Whether a file begins as [`Self::save`] writes it.
    pub fn is_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC.to_le_bytes())
    }

    /// A file's contents as Marian, Firefox and [`Self::save`] write it.
    ///
    /// # Errors
    /// With what is wrong with it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let (numbers, _) = bytes.as_chunks::<8>();
        let number = |place: usize| numbers.get(place).map(|bytes| u64::from_le_bytes(*bytes));
        if number(0) != Some(MAGIC) {
            return Err("it does not begin as one");
        }
        let cut = "it is cut off, or longer than it says";
        let header: [u64; HEADER] = std::array::from_fn(|place| number(place).unwrap_or_default());
        let [_, checksum, first, best, num_offsets, num_words] = header;
        let sizes = usize::try_from(num_offsets)
            .ok()
            .zip(usize::try_from(num_words).ok());
        let (num_offsets, num_words) = sizes.ok_or(cut)?;
        let words_begin = num_offsets
            .checked_add(HEADER)
            .and_then(|it| it.checked_mul(8));
        let end = words_begin.and_then(|begin| begin.checked_add(num_words.checked_mul(4)?));
        if end != Some(bytes.len()) {
            return Err(cut);
        }
        if hash(&numbers[2..]) != checksum {
            return Err("its checksum is another one: it was damaged");
        }
        let offsets = numbers[HEADER..][..num_offsets].iter();
        let offsets: Vec<u64> = offsets.map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let (words, _) = bytes[bytes.len() - 4 * num_words..].as_chunks::<4>();
        let ends = [offsets.first(), offsets.last()].map(Option::<&u64>::copied);
        if ends != [Some(0), u64::try_from(num_words).ok()] || !offsets.is_sorted() {
            return Err("its lists do not follow one another");
        }
        Ok(Self {
            first,
            best,
            offsets,
            words: words
                .iter()
                .map(|bytes| u32::from_le_bytes(*bytes))
                .collect(),
            copies: false,
        })
    }

    /// # Errors
    /// If it cannot be written, or if something exists and is not to be replaced.
    pub fn save(&self, path: &Path, force: bool) -> Result<()> {
        Ok(write_atomically(path, &self.bytes(), force)?)
    }

    fn bytes(&self) -> Vec<u8> {
        let sizes = [self.offsets.len(), self.words.len()];
        let sizes = sizes.map(|size| u64::try_from(size).expect("sizes fit 64 bits"));
        let header = [MAGIC, 0, self.first, self.best, sizes[0], sizes[1]];
        let numbers = header.iter().chain(&self.offsets);
        let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(self.words.iter().flat_map(|word| word.to_le_bytes()));
        let checksum = hash(&bytes.as_chunks::<8>().0[2..]);
        bytes[8..16].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The shortlist of a model with these vocabularies; where both sides have one, words may be copied.
    ///
    /// # Errors
    /// With what does not fit.
    pub fn fitted(self, vocabularies: Vocabularies) -> Result<Self, String> {
        let Vocabularies {
            source,
            target,
            are_joint,
            digest,
        } = vocabularies;
        let lists = self.offsets.len().saturating_sub(1);
        if lists != source {
            return Err(format!(
                "it has lists for {lists} source words, the model has {source}"
            ));
        }
        let largest = self.words.iter().copied().max().unwrap_or_default() as usize;
        if largest >= target {
            return Err(format!(
                "it names target word {largest}, the model has {target}"
            ));
        }
        if ![0, u64::from(digest)].contains(&(self.best >> 32)) {
            return Err("it was made for another vocabulary".to_owned());
        }
        Ok(Self {
            copies: are_joint,
            ..self
        })
    }

    /// The target words, in order and each once, that translations of sentences with these source ids are made of, and all
    /// below `always`.
    ///
    /// # Panics
    /// If it does not fit the vocabularies, see [`Self::fitted`].
    pub fn words(
        &self,
        source: impl IntoIterator<Item = u32>,
        [always, target]: [usize; 2],
    ) -> Vec<u32> {
        let first = usize::try_from(self.first)
            .unwrap_or(usize::MAX)
            .max(always);
        let mut is_in = vec![false; target];
        is_in[..first.min(target)].fill(true);
        let mut seen = vec![false; self.offsets.len()];
        for id in source {
            let place = id as usize;
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            for &word in &self.words[self.list(place)] {
                is_in[word as usize] = true;
            }
            if self.copies
                && let Some(is_in) = is_in.get_mut(place)
            {
                *is_in = true;
            }
        }
        // As Marian fills a list up, so that its translations are ours.
        let count = is_in.iter().filter(|is_in| **is_in).count();
        let left = count.next_multiple_of(FILLED) - count;
        let others = is_in.iter_mut().skip(first).filter(|is_in| !**is_in);
        others.take(left).for_each(|is_in| *is_in = true);
        let words = is_in.into_iter().zip(0_u32..);
        words
            .filter_map(|(is_in, word)| is_in.then_some(word))
            .collect()
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "places in a vector that is in memory"
    )]
    fn list(&self, source: usize) -> Range<usize> {
        self.offsets[source] as usize..self.offsets[source + 1] as usize
    }

    /// How many words the lists have together, and how many source words have one.
    pub fn counts(&self) -> [usize; 2] {
        let pairs = self.offsets.windows(2);
        [self.words.len(), pairs.filter(|it| it[0] < it[1]).count()]
    }
}

/// Marian's checksum of whole numbers of 64 bits, with `std::hash` as it is of numbers: themselves.
fn hash(numbers: &[[u8; 8]]) -> u64 {
    let numbers = numbers.iter().map(|bytes| u64::from_le_bytes(*bytes));
    numbers.fold(0, |seed: u64, number| {
        let mixed = number
            .wrapping_add(0x9E37_79B9)
            .wrapping_add(seed << 6)
            .wrapping_add(seed >> 2);
        seed ^ mixed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Shortlist {
        Shortlist {
            first: 2,
            best: (7 << 32) + 3,
            ..Shortlist::from_lists([vec![], vec![27, 14, 27], vec![29], vec![]])
        }
    }

    #[test]
    fn a_sentence_gets_the_words_of_its_source() {
        let list = example();
        assert_eq!(list.words([1, 1, 3], [0, 30]), [0, 1, 2, 3, 4, 5, 14, 27]);
        assert_eq!(list.words([], [8, 30]), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(list.counts(), [3, 2]);
        let fitted = |source, target, digest| {
            let vocabularies = Vocabularies {
                source,
                target,
                are_joint: true,
                digest,
            };
            example().fitted(vocabularies)
        };
        let joint = fitted(4, 30, 7).expect("its vocabularies");
        assert_eq!(joint.words([2, 3], [1, 30]), [0, 1, 2, 3, 4, 5, 6, 29]);
        for (found, expected) in [
            (fitted(5, 30, 7), "4 source words"),
            (fitted(4, 29, 7), "target word 29"),
            (fitted(4, 30, 8), "another vocabulary"),
        ] {
            assert!(found.expect_err(expected).contains(expected));
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_refused_when_damaged() {
        let bytes = example().bytes();
        assert_eq!(Shortlist::from_bytes(&bytes), Ok(example()));
        for place in 0..bytes.len() {
            // The words that fill no whole number are not in the checksum of Marian's.
            let is_summed = place < bytes.len() / 8 * 8;
            let mut damaged = bytes.clone();
            damaged[place] ^= 16;
            assert_eq!(
                Shortlist::from_bytes(&damaged).is_err(),
                is_summed,
                "{place}"
            );
            assert!(Shortlist::from_bytes(&bytes[..place]).is_err(), "{place}");
        }
        assert!(Shortlist::from_bytes(&[bytes.as_slice(), &[0]].concat()).is_err());
    }
}
