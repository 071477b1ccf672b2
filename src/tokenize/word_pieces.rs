//! Subwords of BERT: words cut into the longest pieces that a vocabulary has.
//!
//! Wu et al., "Google's Neural Machine Translation System", 2016, §4.1, after the splitting of Devlin et al., "BERT",
//! NAACL 2019: at spaces, punctuation and Chinese characters, in uncased models in lower case and without accents. On
//! disk it is a `tokenizer.json` of the `tokenizers` crate.

use std::path::Path;

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::{ModelWrapper, Tokenizer};

use crate::error::Result;
use crate::vocabulary::tokenizer_of;
use canopy_base::file::write_atomically;

const UNKNOWN: &str = "[UNK]";
const BEGIN: &str = "[CLS]";
const SEPARATOR: &str = "[SEP]";

/// The pieces of an encoder: texts to ids.
#[derive(Debug, Clone)]
pub struct WordPieces {
    tokenizer: Box<Tokenizer>,
    begin: u32,
    separator: u32,
}

impl PartialEq for WordPieces {
    fn eq(&self, other: &Self) -> bool {
        let [own, other] = [self, other].map(|pieces| pieces.tokenizer.to_string(false).ok());
        own == other
    }
}

impl WordPieces {
    /// Pieces of a `vocab.txt`, one per line; `lowercase` also strips accents.
    ///
    /// # Errors
    /// If it lacks one of `[UNK]`, `[CLS]` and `[SEP]`; the text says which.
    pub fn from_lines(lines: &str, lowercase: bool) -> Result<Self, String> {
        let vocabulary =
            WordPiece::read_bytes(lines.as_bytes()).map_err(|cause| cause.to_string())?;
        let model = WordPiece::builder()
            .vocab(vocabulary)
            .unk_token(UNKNOWN.to_owned())
            .build()
            .map_err(|cause| cause.to_string())?;
        let mut tokenizer = Tokenizer::new(model);
        tokenizer
            .with_normalizer(Some(BertNormalizer::new(true, true, None, lowercase)))
            .with_pre_tokenizer(Some(BertPreTokenizer));
        Self::around(tokenizer)
    }

    /// Pieces of a `tokenizer.json`.
    ///
    /// # Errors
    /// If it is not valid, cuts words otherwise, or lacks one of `[UNK]`, `[CLS]` and `[SEP]`; the text says which.
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let tokenizer = tokenizer_of(json)?;
        if !matches!(tokenizer.get_model(), ModelWrapper::WordPiece(_)) {
            return Err("its model is not WordPiece".to_owned());
        }
        Self::around(tokenizer)
    }

    fn around(tokenizer: Tokenizer) -> Result<Self, String> {
        // Lengths are cut where sequences are put together.
        let mut tokenizer = tokenizer;
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(None)
            .map_err(|cause| cause.to_string())?;
        // Else "[SEP]" written in a document would end the sentence.
        tokenizer.set_encode_special_tokens(true);
        let id = |piece: &str| {
            let found = tokenizer.token_to_id(piece);
            found.ok_or_else(|| format!("it has no piece {piece}"))
        };
        id(UNKNOWN)?;
        let (begin, separator) = (id(BEGIN)?, id(SEPARATOR)?);
        Ok(Self {
            tokenizer: Box::new(tokenizer),
            begin,
            separator,
        })
    }

    /// Writes a `tokenizer.json`: completely, or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let json = self.tokenizer.to_string(false);
        let json = json.expect("a vocabulary in memory is valid JSON");
        Ok(write_atomically(path, json.as_bytes(), true)?)
    }

    /// How many ids there are.
    #[expect(clippy::len_without_is_empty, reason = "it always has the special ids")]
    pub fn len(&self) -> usize {
        let ids = self.tokenizer.get_vocab(true).into_values();
        ids.max().map_or(0, |largest| largest as usize + 1)
    }

    /// The ids of a text alone.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        let encoding = self.tokenizer.encode_fast(text, false);
        let encoding = encoding.expect("what has no piece becomes [UNK]");
        encoding.get_ids().to_vec()
    }

    /// `[CLS] text [SEP]`, no longer than `max_tokens`.
    pub fn sentence(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let mut ids = self.encode(text);
        ids.truncate(max_tokens.saturating_sub(2));
        ids.insert(0, self.begin);
        ids.push(self.separator);
        ids
    }

    /// `[CLS] first [SEP] second [SEP]` and how many ids belong to the first; what is over `max_tokens` goes from the end
    /// of the longer one.
    pub fn pair(&self, first: &str, second: &str, max_tokens: usize) -> (Vec<u32>, usize) {
        let (mut first, mut second) = (self.encode(first), self.encode(second));
        let room = max_tokens.saturating_sub(3);
        while first.len() + second.len() > room {
            if first.len() > second.len() {
                first.pop();
            } else {
                second.pop();
            }
        }
        let mut ids = vec![self.begin];
        ids.extend(first);
        ids.push(self.separator);
        let of_first = ids.len();
        ids.extend(second);
        ids.push(self.separator);
        (ids, of_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nopen\n##ing\n##s\n.\ncafe\n日\n";

    fn pieces() -> WordPieces {
        WordPieces::from_lines(LINES, true).expect("a vocabulary")
    }

    #[test]
    fn words_are_cut_into_the_longest_pieces() {
        let pieces = pieces();
        assert_eq!(pieces.len(), 10);
        assert_eq!(pieces.encode("Opening opens."), [4, 5, 4, 6, 7]);
        assert_eq!(pieces.encode("CAFÉ日日"), [8, 9, 9]);
        assert_eq!(pieces.encode("closed \u{200D}\0"), [1]);
        assert_eq!(pieces.encode(""), Vec::<u32>::new());
        assert!(!pieces.encode("[SEP]").contains(&3), "text is no command");
    }

    #[test]
    fn sequences_fit_and_begin_and_end_as_they_should() {
        let pieces = pieces();
        assert_eq!(pieces.sentence("opens.", 512), [2, 4, 6, 7, 3]);
        assert_eq!(pieces.sentence("opens.", 4), [2, 4, 6, 3]);
        let pair = pieces.pair("opens.", "cafe", 512);
        assert_eq!(pair, (vec![2, 4, 6, 7, 3, 8, 3], 5));
        let pair = pieces.pair("opens.", "cafe", 5);
        assert_eq!(pair, (vec![2, 4, 3, 8, 3], 3));
    }

    #[test]
    fn a_saved_vocabulary_comes_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("vocabulary.json");
        pieces().save(&path).expect("written");
        let again = WordPieces::from_json(&std::fs::read(path).expect("there"));
        let again = again.expect("a vocabulary");
        assert_eq!(
            again.encode("Opening CAFÉ"),
            pieces().encode("opening cafe")
        );
    }

    #[test]
    fn what_lacks_a_special_piece_is_refused() {
        let problem = WordPieces::from_lines("[UNK]\n[CLS]\n", true).expect_err("no [SEP]");
        assert!(problem.contains("[SEP]"), "{problem}");
        assert!(WordPieces::from_json(b"{}").is_err());
    }
}
