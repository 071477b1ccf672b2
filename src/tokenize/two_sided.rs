//! Tokenizers of other programs' models: each side cuts texts in its own way and has its own list of tokens.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::languages::matching;
use super::sentence_pieces::SentencePieces;
use super::token_list::TokenList;
use super::tokenizer::{Decoded, Side, SpecialIds, Token, Tokenizer};
use super::word_merges::{GOES_ON, WordMerges};
use crate::error::{BaseError, Error, Result};

/// Stands for a space in tokens.
const SPACE: char = '\u{2581}';

/// Tokens that show nothing in any vocabulary.
const HIDDEN: [&str; 9] = [
    "<s>", "</s>", "<pad>", "<unk>", "<blank>", "<mask>", "[BOS]", "[EOS]", "[PAD]",
];

/// The way in which a side cuts texts.
#[derive(Debug, Clone)]
pub enum Cutter {
    /// Pieces of a SentencePiece model.
    SentencePieces(Arc<SentencePieces>),
    /// Every character is a token.
    Characters,
    /// Tokens are separated by spaces.
    Words,
    /// Words between spaces are cut further.
    Merges(Arc<WordMerges>),
}

impl Cutter {
    /// For a list of tokens alone: characters, if all of them but the special ones are such.
    pub fn fitting(list: &TokenList) -> Self {
        let is_special =
            |token: &str| token.len() > 2 && token.starts_with('<') && token.ends_with('>');
        let mut ordinary = list.tokens().iter().filter(|token| !is_special(token));
        if ordinary.all(|token| token.chars().count() <= 1) {
            Self::Characters
        } else {
            Self::Words
        }
    }
}

/// The file by which a side cuts texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum CutterFile {
    #[default]
    None,
    SentencePiece(Vec<u8>),
    Codes(String),
}

/// A side: how it cuts texts, and the ids of what it cuts them into.
#[derive(Debug, Clone)]
pub struct SideTokens {
    cutter: Cutter,
    /// The file by which it cuts, to be kept with a model.
    file: Arc<CutterFile>,
    list: Arc<TokenList>,
    unk: Option<u32>,
    /// Ids that show nothing.
    hidden: Arc<HashSet<u32>>,
}

/// Tokens that select a model's languages: codes, as the model writes them, and ids.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LanguageTokens {
    /// There is no choice.
    #[default]
    None,
    /// A token of the target language is before the source, such as `>>deu<<` of OPUS-MT.
    BeforeSource(Vec<(String, u32)>),
    /// A token of the source language is before the source, one of the target language begins the translation.
    OnBothSides(Vec<(String, u32)>),
    /// A token of the source language is after the end of the source, one of the target language begins the translation.
    BehindSource(Vec<(String, u32)>),
}

/// A tokenizer with two sides.
#[derive(Debug, Clone)]
pub struct TwoSidedTokenizer {
    source: SideTokens,
    target: SideTokens,
    special: SpecialIds,
    languages: LanguageTokens,
}

impl SideTokens {
    /// A side whose tokens without an id are `<unk>`, or left out if there is no such.
    pub fn new(cutter: Cutter, list: Arc<TokenList>) -> Self {
        let hidden = HIDDEN.iter().filter_map(|token| list.id(token));
        let mut hidden: HashSet<u32> = hidden.collect();
        if let Cutter::SentencePieces(pieces) = &cutter {
            let control = (0..).zip(list.tokens()).filter(|(_, token)| {
                let id = pieces.id(token);
                id.is_some_and(|id| pieces.is_control(id))
            });
            hidden.extend(control.map(|(id, _)| id));
        }
        Self {
            cutter,
            file: Arc::default(),
            unk: list.id("<unk>"),
            list,
            hidden: Arc::new(hidden),
        }
    }

    pub(super) fn with_file(self, file: CutterFile) -> Self {
        Self {
            file: Arc::new(file),
            ..self
        }
    }

    pub(super) fn file(&self) -> &CutterFile {
        &self.file
    }

    /// Whether it has the tokens and the file of another side.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.list.tokens() == other.list.tokens() && self.file == other.file
    }

    /// The tokens of the side.
    pub fn list(&self) -> &TokenList {
        &self.list
    }

    /// Lets these ids show nothing.
    fn hide(&mut self, ids: impl IntoIterator<Item = u32>) {
        Arc::make_mut(&mut self.hidden).extend(ids);
    }

    fn tokens(&self, text: &str) -> Vec<Token> {
        match &self.cutter {
            Cutter::SentencePieces(pieces) => {
                let pieces = pieces.cut(text).into_iter();
                let tokens = pieces.map(|piece| self.known(&piece.text, piece.range));
                tokens.flatten().collect()
            }
            Cutter::Characters => {
                let characters = text.char_indices().filter_map(|(at, character)| {
                    let range = at..at + character.len_utf8();
                    if character.is_whitespace() {
                        let spaces = [SPACE.to_string(), " ".to_owned()];
                        let id = spaces.iter().find_map(|space| self.list.id(space))?;
                        return Some(Token { id, range });
                    }
                    self.known(&text[range.clone()], range)
                });
                characters.collect()
            }
            Cutter::Words => {
                let words = text.split_whitespace().filter_map(|word| {
                    let start = word.as_ptr() as usize - text.as_ptr() as usize;
                    self.known(word, start..start + word.len())
                });
                words.collect()
            }
            Cutter::Merges(merges) => {
                let words = text.split_whitespace().flat_map(|word| {
                    let mut start = word.as_ptr() as usize - text.as_ptr() as usize;
                    merges
                        .cut(word)
                        .into_iter()
                        .filter_map(move |(piece, length)| {
                            let range = start..start + length;
                            start += length;
                            self.known(&piece, range)
                        })
                });
                words.collect()
            }
        }
    }

    fn known(&self, token: &str, range: Range<usize>) -> Option<Token> {
        let id = self.list.id(token).or(self.unk)?;
        Some(Token { id, range })
    }

    fn decoded(&self, ids: &[u32]) -> Decoded {
        let shown = |id: u32| {
            let token = self.list.token(id);
            token.filter(|token| !token.is_empty() && !self.hidden.contains(&id))
        };
        let shown: Vec<Option<&str>> = ids.iter().map(|&id| shown(id)).collect();
        let tokens: Vec<&str> = shown.iter().copied().flatten().collect();
        let (text, ranges) = match &self.cutter {
            Cutter::SentencePieces(pieces) => {
                // A token of the other side that this model does not have shows itself.
                let readable = |token: &&str| match pieces.id(token) {
                    Some(_) => (*token).to_owned(),
                    None => token.replace(SPACE, " "),
                };
                pieces.decode_pieces(&tokens.iter().map(readable).collect::<Vec<_>>())
            }
            Cutter::Characters => joined(tokens.iter().map(|token| token.replace(SPACE, " "))),
            Cutter::Merges(_) => joined(tokens.iter().map(|token| {
                let within = token.strip_suffix(GOES_ON);
                within.map_or_else(|| format!("{token} "), str::to_owned)
            })),
            Cutter::Words => joined((0..).zip(&tokens).map(|(place, token)| {
                let space = if place == 0 { "" } else { " " };
                format!("{space}{token}")
            })),
        };
        trimmed(&text, ranges, &shown)
    }
}

fn joined(parts: impl Iterator<Item = String>) -> (String, Vec<Range<usize>>) {
    let mut text = String::new();
    let ranges = parts.map(|part| {
        let start = text.len();
        text += &part;
        start..text.len()
    });
    let ranges = ranges.collect();
    (text, ranges)
}

/// Without space at the ends; tokens that are not shown have empty ranges.
fn trimmed(text: &str, ranges: Vec<Range<usize>>, shown: &[Option<&str>]) -> Decoded {
    let lead = text.len() - text.trim_start().len();
    let text = text.trim();
    let place = |at: usize| at.saturating_sub(lead).min(text.len());
    let mut ranges = ranges.into_iter();
    let mut end = 0;
    let ranges = shown.iter().map(|token| {
        let range = token.and_then(|_| ranges.next());
        let range = range.map_or(end..end, |range| place(range.start)..place(range.end));
        end = range.end;
        range
    });
    Decoded {
        ranges: ranges.collect(),
        text: text.to_owned(),
    }
}

impl TwoSidedTokenizer {
    /// Joins two sides; language tokens are hidden in decoded text.
    pub fn new(
        mut source: SideTokens,
        mut target: SideTokens,
        special: SpecialIds,
        languages: LanguageTokens,
    ) -> Self {
        match &languages {
            LanguageTokens::None => {}
            LanguageTokens::BeforeSource(codes) => source.hide(codes.iter().map(|(_, id)| *id)),
            LanguageTokens::OnBothSides(codes) | LanguageTokens::BehindSource(codes) => {
                source.hide(codes.iter().map(|(_, id)| *id));
                target.hide(codes.iter().map(|(_, id)| *id));
            }
        }
        Self {
            source,
            target,
            special,
            languages,
        }
    }

    /// Two sides with `</s>` after the source and at the end of translations, which begin with `<pad>` if there is one and
    /// else with `<s>` or `</s>`. Tokens such as `>>deu<<` name the target language.
    ///
    /// # Errors
    /// If a side has no `</s>`; the text says which.
    pub fn marian(source: SideTokens, target: SideTokens) -> Result<Self, String> {
        let end = |side: &SideTokens| side.list.id("</s>");
        let (Some(source_end), Some(eos)) = (end(&source), end(&target)) else {
            return Err("there is no token </s>".to_owned());
        };
        let start = ["<pad>", "<s>"]
            .iter()
            .find_map(|token| target.list.id(token));
        let special = SpecialIds {
            start: start.unwrap_or(eos),
            eos,
            unk: source.unk,
            pad: target.list.id("<pad>"),
            source_prefix: Vec::new(),
            source_suffix: vec![source_end],
            target_prefix: Vec::new(),
        };
        let code = |(id, token): (u32, &String)| {
            let code = token.strip_prefix(">>")?.strip_suffix("<<")?;
            Some((code.to_owned(), id))
        };
        let codes: Vec<_> = (0..).zip(source.list.tokens()).filter_map(code).collect();
        let languages = if codes.is_empty() {
            LanguageTokens::None
        } else {
            LanguageTokens::BeforeSource(codes)
        };
        Ok(Self::new(source, target, special, languages))
    }

    pub(super) fn sides(&self) -> [&SideTokens; 2] {
        [&self.source, &self.target]
    }

    pub(super) fn languages(&self) -> &LanguageTokens {
        &self.languages
    }

    pub(super) fn special_ids(&self) -> &SpecialIds {
        &self.special
    }

    /// This tokenizer for other languages, see [`Tokenizer::between`].
    ///
    /// # Errors
    /// [`BaseError::Config`] if the model cannot.
    pub fn between_languages(&self, source: Option<&str>, target: &str) -> Result<Self> {
        let mut other = self.clone();
        let languages = &self.languages;
        let target = languages.id("target language", target)?;
        let special = &mut other.special;
        match languages {
            LanguageTokens::None | LanguageTokens::BeforeSource(_) => {
                special.source_prefix = vec![target];
            }
            LanguageTokens::OnBothSides(_) => {
                special.target_prefix = vec![target];
                if let Some(source) = source {
                    special.source_prefix = vec![languages.id("source language", source)?];
                }
            }
            LanguageTokens::BehindSource(_) => {
                special.target_prefix = vec![target];
                if let Some(source) = source {
                    let source = languages.id("source language", source)?;
                    special.source_suffix.truncate(1);
                    special.source_suffix.push(source);
                }
            }
        }
        Ok(other)
    }

    fn side(&self, side: Side) -> &SideTokens {
        match side {
            Side::Source => &self.source,
            Side::Target => &self.target,
        }
    }

    /// The token of a language with which a source begins, such as `>>deu<<`, its bytes and its id.
    fn written_language(&self, text: &str) -> Option<Token> {
        let LanguageTokens::BeforeSource(_) = &self.languages else {
            return None;
        };
        let end = text.strip_prefix(">>")?.find("<<")? + 4;
        let id = self.source.list.id(&text[..end])?;
        Some(Token { id, range: 0..end })
    }
}

impl Tokenizer for TwoSidedTokenizer {
    fn special(&self) -> &SpecialIds {
        &self.special
    }

    fn len(&self, side: Side) -> usize {
        self.side(side).list.len()
    }

    fn tokens(&self, side: Side, text: &str) -> Vec<Token> {
        let language = self.written_language(text).filter(|_| side == Side::Source);
        let Some(language) = language else {
            return self.side(side).tokens(text);
        };
        let start = language.range.end;
        let rest = self.source.tokens(&text[start..]).into_iter();
        let rest = rest.map(|token| Token {
            range: token.range.start + start..token.range.end + start,
            ..token
        });
        [language].into_iter().chain(rest).collect()
    }

    fn decoded(&self, side: Side, ids: &[u32]) -> Decoded {
        self.side(side).decoded(ids)
    }

    fn token(&self, side: Side, id: u32) -> Option<String> {
        self.side(side).list.token(id).map(str::to_owned)
    }

    fn id(&self, side: Side, token: &str) -> Option<u32> {
        self.side(side).list.id(token)
    }

    fn target_languages(&self) -> Vec<String> {
        let codes = self.languages.codes().iter();
        codes.map(|(code, _)| code.clone()).collect()
    }

    fn between(&self, source: Option<&str>, target: &str) -> Result<Arc<dyn Tokenizer>> {
        Ok(Arc::new(self.between_languages(source, target)?))
    }
}

impl LanguageTokens {
    /// Languages with their tokens.
    pub fn codes(&self) -> &[(String, u32)] {
        match self {
            Self::None => &[],
            Self::BeforeSource(codes) | Self::OnBothSides(codes) | Self::BehindSource(codes) => {
                codes
            }
        }
    }

    fn id(&self, field: &'static str, language: &str) -> Result<u32> {
        let codes = self.codes();
        let found = matching(language, codes.iter().map(|(code, _)| code.as_str()));
        let found = found.and_then(|found| codes.iter().find(|(code, _)| code == found));
        found.map(|(_, id)| *id).ok_or_else(|| {
            let names: Vec<&str> = codes.iter().map(|(code, _)| code.as_str()).collect();
            let allowed = match names.as_slice() {
                [] => "that of the model, which has no choice".to_owned(),
                names => names.join(", "),
            };
            Error::Base(BaseError::Config {
                field,
                found: language.to_owned(),
                allowed,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tokens: &[&str]) -> Arc<TokenList> {
        Arc::new(TokenList::new(
            tokens.iter().map(ToString::to_string).collect(),
        ))
    }

    fn characters() -> TwoSidedTokenizer {
        let source = list(&["</s>", "<unk>", ">>deu<<", ">>nld<<", "a", "é", "\u{2581}"]);
        let target = list(&["</s>", "<unk>", "b", "\u{2581}", "<pad>"]);
        let [source, target] =
            [source, target].map(|list| SideTokens::new(Cutter::Characters, list));
        TwoSidedTokenizer::marian(source, target).expect("has </s>")
    }

    #[test]
    fn each_side_has_its_own_ids() {
        let tokenizer = characters();
        assert_eq!(tokenizer.encode(Side::Source, "aé x"), [4, 5, 6, 1]);
        assert_eq!(tokenizer.encode(Side::Target, "b a"), [2, 3, 1]);
        let ranges = tokenizer
            .tokens(Side::Source, "éa")
            .into_iter()
            .map(|it| it.range);
        assert_eq!(ranges.collect::<Vec<_>>(), [0..2, 2..3]);
        let decoded = tokenizer.decoded(Side::Target, &[3, 2, 4, 3, 2, 0, 99, 3]);
        assert_eq!(decoded.text, "b b");
        assert_eq!(
            decoded.ranges,
            [0..0, 0..1, 1..1, 1..2, 2..3, 3..3, 3..3, 3..3]
        );
        assert_eq!((tokenizer.special().start, tokenizer.special().eos), (4, 0));
    }

    #[test]
    fn the_target_language_stands_before_the_source() {
        let tokenizer = characters();
        assert_eq!(tokenizer.target_languages(), ["deu", "nld"]);
        let dutch = tokenizer.between(None, "nl").expect("a language");
        let source = dutch.encode(Side::Source, "a");
        assert_eq!(dutch.special().framed(&source), [3, 4, 0]);
        assert_eq!(
            tokenizer.encode(Side::Source, ">>deu<<a"),
            [2, 4],
            "as it may be written"
        );
        assert_eq!(
            tokenizer.encode(Side::Source, ">>fra<<a").first(),
            Some(&1),
            "no language of its"
        );
        let refusal = tokenizer
            .between(None, "fr")
            .expect_err("refused")
            .to_string();
        assert!(refusal.contains("deu, nld"), "{refusal}");
    }

    #[test]
    fn languages_may_stand_on_both_sides() {
        let tokens = list(&["<s>", "</s>", "a", "__de__", "__en__"]);
        let side = SideTokens::new(Cutter::Characters, tokens);
        let mut special = characters().special;
        special.source_suffix = vec![1];
        let codes = vec![("de".to_owned(), 3), ("en".to_owned(), 4)];
        for (languages, framed) in [
            (LanguageTokens::OnBothSides(codes.clone()), [4, 2, 1]),
            (LanguageTokens::BehindSource(codes), [2, 1, 4]),
        ] {
            let tokenizer =
                TwoSidedTokenizer::new(side.clone(), side.clone(), special.clone(), languages);
            let german = tokenizer.between(Some("eng"), "deu").expect("languages");
            assert_eq!(german.special().framed(&[2]), framed);
            assert_eq!(german.special().target_prefix, [3]);
            assert_eq!(german.decode(Side::Target, &[3, 2]), "a");
            assert!(german.between(Some("fr"), "de").is_err());
        }
    }
}
