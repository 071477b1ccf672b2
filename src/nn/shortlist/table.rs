//! Lexical tables as text, as `extract-lex` and Marian name them `lex.s2t`: on each line a target word, a source word and
//! the probability of the first, given the second.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::Shortlist;
use crate::error::{Error, Result};
use canopy_base::file::read_unpacked;
use canopy_tokenize::{Side, Tokenizer};

/// Target words that are in every list, the first of the vocabulary, and those that a source word has of the table: Marian's
/// own numbers.
const FIRST: u64 = 100;
const BEST: usize = 100;

/// The entry of a table without a word.
const NO_WORD: &str = "NULL";

impl Shortlist {
    /// Reads a binary file, as Marian, Firefox and [`Self::save`] write it, or a lexical table, either maybe packed by gzip. Of the target words those are read of
    /// which a network scores the first `scored` ids; words that are in no vocabulary are the unknown one.
    ///
    /// # Errors
    /// If it is neither, with the line, or was changed since.
    pub fn read(path: &Path, tokenizer: &dyn Tokenizer, scored: usize) -> Result<Self> {
        let bytes = read_unpacked(path)?;
        let found = match std::str::from_utf8(&bytes) {
            Ok(text) if !Self::is_binary(&bytes) => Self::from_table(text, tokenizer, scored),
            _ => Self::from_bytes(&bytes).map_err(str::to_owned),
        };
        found.map_err(|reason| Error::Shortlist {
            reason,
            path: path.to_owned(),
        })
    }

    fn from_table(text: &str, tokenizer: &dyn Tokenizer, scored: usize) -> Result<Self, String> {
        let mut table = vec![FxHashMap::default(); tokenizer.len(Side::Source)];
        let unknown = tokenizer.special().unk;
        let id = |side, word| tokenizer.id(side, word).or(unknown);
        for (number, line) in text.lines().enumerate() {
            let mut columns = line.split_whitespace();
            let [target, source, probability] = std::array::from_fn(|_| columns.next());
            let probability: Option<f32> = probability.and_then(|it| it.parse().ok());
            let (Some(target), Some(source), Some(probability), None) =
                (target, source, probability, columns.next())
            else {
                return Err(format!(
                    "line {} is not a target word, a source word and a probability",
                    number + 1
                ));
            };
            let has_words = source != NO_WORD && target != NO_WORD;
            let is_scored = |id: &u32| (*id as usize) < scored;
            let words = id(Side::Source, source).zip(id(Side::Target, target).filter(is_scored));
            if let Some((source, target)) = words
                && has_words
                && probability > 0.0
            {
                table[source as usize].insert(target, probability);
            }
        }
        if table.iter().all(FxHashMap::is_empty) {
            return Err("it names no words of the model".to_owned());
        }
        let lists = table.into_iter().map(|targets| {
            let mut ranked: Vec<(u32, f32)> = targets.into_iter().collect();
            ranked.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
            ranked.truncate(BEST);
            ranked.into_iter().map(|(target, _)| target).collect()
        });
        Ok(Self {
            first: FIRST,
            best: BEST as u64,
            ..Self::from_lists(lists)
        })
    }
}
