//! Texts to ids and back: by the tokens that a GGUF file holds, as llama.cpp does it, or by the `tokenizer.json` of a folder.

mod byte_pairs;
mod library;
mod lookup;
mod merging;
mod places;
mod sentence_pieces;
#[cfg(test)]
mod tests;
mod unigrams;
mod whole;

use crate::error::Result;

use super::folder::Folder;
use super::gguf::Gguf;
use byte_pairs::BytePairs;
use library::Library;
use lookup::Lookup;
use sentence_pieces::{SPACE, SentencePieces};
use unigrams::unigrams;
use whole::Whole;

/// Type of a token, as `tokenizer.ggml.token_type` numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenType {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl TokenType {
    fn code(self) -> u64 {
        self as u64 + 1
    }

    fn from_code(code: i64) -> Option<Self> {
        Some(match code {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }
}

enum Algorithm {
    BytePairs(BytePairs),
    SentencePieces(SentencePieces),
    /// The likeliest pieces: T5.
    Unigrams(Box<canopy_tokenize::SentencePieces>),
    Library(Box<Library>),
}

/// Which tokens with a meaning of their own are recognised in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Specials {
    /// Control tokens such as `<|im_start|>` become their ids: for prompts made by a program.
    Recognised,
    /// They stay text: for texts of others.
    AsText,
}

/// The tokenizer of a model.
pub struct Tokenizer {
    algorithm: Algorithm,
    tokens: Lookup,
    types: Vec<TokenType>,
    /// Tokens that are looked for before all others.
    whole: Whole,
    bos: Option<u32>,
    eos: Option<u32>,
    ends: Vec<u32>,
    /// Ids before and behind those of a text.
    around: [Vec<u32>; 2],
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Tokenizer of {} tokens", self.tokens.len())
    }
}

const MODEL: &str = "tokenizer.ggml.model";
const TOKENS: &str = "tokenizer.ggml.tokens";
const TYPES: &str = "tokenizer.ggml.token_type";
const SCORES: &str = "tokenizer.ggml.scores";

/// A character without width.
const JOINER: char = '\u{2060}';

/// Texts of tokens that end an answer, in addition to the one that the file names.
const ENDS: [&str; 5] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<end_of_turn>",
    "<|end_of_text|>",
];

impl Tokenizer {
    /// Reads the tokenizer of a file.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the key, if it is of a kind that is not known here, or
    /// its lists do not fit together.
    pub fn read(file: &Gguf) -> Result<Self> {
        let (tokens, types) = tokens(file)?;
        let vocab = tokens.len();
        let unknown = file.id("tokenizer.ggml.unknown_token_id", vocab)?;
        let algorithm = match file.needed(MODEL, file.text(MODEL)?)? {
            "gpt2" => Algorithm::BytePairs(BytePairs::read(file)?),
            "llama" => {
                let pieces = SentencePieces::read(file, &tokens, unknown.unwrap_or_default())?;
                if pieces.len() != vocab {
                    let problem = format!("{} scores for {vocab} tokens", pieces.len());
                    return Err(file.problem(SCORES, problem));
                }
                Algorithm::SentencePieces(pieces)
            }
            "t5" => Algorithm::Unigrams(Box::new(unigrams(file, &tokens, &types)?)),
            other => {
                let problem = format!("{other:?} is not known here, but gpt2, llama and t5");
                return Err(file.problem(MODEL, problem));
            }
        };
        let bos = file.id("tokenizer.ggml.bos_token_id", vocab)?;
        let eos = file.id("tokenizer.ggml.eos_token_id", vocab)?;
        let mut end_ids: Vec<u32> = ENDS.iter().filter_map(|it| tokens.find(it)).collect();
        end_ids.extend(eos);
        let [begins, ends] = match &algorithm {
            Algorithm::BytePairs(pairs) => [pairs.begins, false],
            Algorithm::SentencePieces(_) | Algorithm::Library(_) => [true, false],
            Algorithm::Unigrams(_) => [false, true],
        };
        let begins = file.bool("tokenizer.ggml.add_bos_token")?.unwrap_or(begins);
        let ends = file.bool("tokenizer.ggml.add_eos_token")?.unwrap_or(ends);
        let before = bos.filter(|_| begins);
        let behind = eos.filter(|_| ends);
        Ok(Self {
            whole: Whole::from_tokens(tokens.texts(), &types),
            algorithm,
            tokens,
            types,
            bos,
            eos,
            ends: end_ids,
            around: [before, behind].map(|id| id.into_iter().collect()),
        })
    }

    /// Reads the tokenizer of a folder whose network has embeddings of `vocab` tokens.
    ///
    /// # Errors
    /// [`LanguageModel`](crate::error::Error::LanguageModel) with the file, if there is none, or one that is not known
    /// here.
    pub fn from_folder(folder: &Folder, vocab: usize) -> Result<Self> {
        let (algorithm, tokens) = Library::read(folder, vocab)?;
        let special = |key: &str| -> Result<Option<u32>> {
            let named = folder.special_token(&format!("{key}_token"))?;
            let named = named.and_then(|token| algorithm.id(&token));
            let ids = folder.ids(&format!("{key}_token_id"))?;
            let mut ids = ids.into_iter().filter(|id| (*id as usize) < vocab);
            Ok(named.or_else(|| ids.next()))
        };
        let (bos, eos) = (special("bos")?, special("eos")?);
        let mut ends: Vec<u32> = ENDS.iter().filter_map(|it| algorithm.id(it)).collect();
        ends.extend(eos);
        ends.extend(folder.ids("eos_token_id")?);
        Ok(Self {
            whole: Whole::from_tokens(&tokens.texts, &tokens.types),
            around: algorithm.around(),
            algorithm: Algorithm::Library(Box::new(algorithm)),
            tokens: Lookup::new(tokens.texts),
            types: tokens.types,
            bos,
            eos,
            ends,
        })
    }

    /// Number of tokens.
    pub fn vocab(&self) -> usize {
        self.tokens.len()
    }

    /// The token that a text begins with, if any.
    pub fn bos(&self) -> Option<u32> {
        self.bos
    }

    /// The id of a token by its text.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.tokens.find(token)
    }

    /// Whether `id` ends an answer.
    pub fn is_end(&self, id: u32) -> bool {
        self.ends.contains(&id)
    }

    /// The text of a special token, for templates.
    pub fn special_text(&self, id: Option<u32>) -> &str {
        id.and_then(|id| self.tokens.text(id)).unwrap_or_default()
    }

    /// The token that ends a text, if any.
    pub fn eos(&self) -> Option<u32> {
        self.eos
    }

    fn token(&self, id: u32) -> Option<(&str, TokenType)> {
        Some((self.tokens.text(id)?, *self.types.get(id as usize)?))
    }

    /// The ids of a prompt, with the tokens that the model wants around it.
    pub fn encode_prompt(&self, text: &str) -> Vec<u32> {
        let [before, behind] = &self.around;
        let ids = self.encode(text, Specials::Recognised, true);
        [before, &ids[..], behind].concat()
    }

    /// The ids of a prompt that a template has made, which may begin with the token that a text begins with.
    pub fn encode_conversation(&self, prompt: &str) -> Vec<u32> {
        let ids = self.encode(prompt, Specials::Recognised, true);
        let [before, _] = &self.around;
        if ids.starts_with(before) {
            return ids;
        }
        [before, &ids[..]].concat()
    }

    /// A text of others for a prompt: what reads like a token of the template gets a word joiner after its first letter.
    pub fn defused(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for id in self.whole.within(&text) {
            let Some((token, token_type)) = self.token(id) else {
                continue;
            };
            if token_type != TokenType::UserDefined {
                let (first, rest) = token.split_at(token.ceil_char_boundary(1));
                text = text.replace(token, &format!("{first}{JOINER}{rest}"));
            }
        }
        text
    }

    /// A text without what [`Self::defused`] has added.
    pub fn fused(&self, text: &str) -> String {
        text.replace(JOINER, "")
    }

    /// The ids of a text alone; `begins` says whether it stands at the beginning or after a special token.
    pub fn encode(&self, text: &str, specials: Specials, begins: bool) -> Vec<u32> {
        if let Algorithm::Library(tokenizer) = &self.algorithm {
            return self.encode_by(tokenizer, text, specials, begins);
        }
        let (mut ids, mut begins) = (Vec::new(), begins);
        for part in self.parts(text, specials) {
            match part {
                Part::Id(id) => {
                    ids.push(id);
                    begins = true;
                }
                Part::Text(text) => {
                    let mut add = |id| ids.push(id);
                    match &self.algorithm {
                        Algorithm::BytePairs(pairs) => pairs.encode(text, &self.tokens, &mut add),
                        Algorithm::SentencePieces(pieces) => {
                            pieces.encode(text, begins, &self.tokens, &mut add);
                        }
                        Algorithm::Unigrams(pieces) => {
                            pieces.encode(text).into_iter().for_each(&mut add);
                        }
                        Algorithm::Library(tokenizer) => {
                            tokenizer
                                .encode(text, begins)
                                .into_iter()
                                .for_each(&mut add);
                        }
                    }
                    begins = false;
                }
            }
        }
        ids
    }

    /// The ids of a text by the tokenizer of a folder, which recognises all special tokens: where they stay text, a text is cut
    /// within each.
    fn encode_by(
        &self,
        tokenizer: &Library,
        text: &str,
        specials: Specials,
        begins: bool,
    ) -> Vec<u32> {
        let defused = self.defused(text);
        if specials == Specials::Recognised || defused == text {
            return tokenizer.encode(text, begins);
        }
        let parts = defused.split(JOINER).enumerate();
        let ids = parts.map(|(number, part)| tokenizer.encode(part, begins && number == 0));
        ids.collect::<Vec<_>>().concat()
    }

    /// A text cut at the tokens that are looked for first.
    fn parts<'t>(&self, text: &'t str, specials: Specials) -> Vec<Part<'t>> {
        let mut parts = vec![Part::Text(text)];
        parts.retain(|_| !text.is_empty());
        for id in self.whole.within(text) {
            let Some((token, token_type)) = self.token(id) else {
                continue;
            };
            let is_defined = token_type == TokenType::UserDefined;
            if token.is_empty() || !is_defined && specials == Specials::AsText {
                continue;
            }
            let cut = |part: Part<'t>| match part {
                Part::Id(id) => vec![Part::Id(id)],
                Part::Text(text) => {
                    let texts = text.split(token).map(Part::Text);
                    let mut cut: Vec<Part<'t>> =
                        texts.flat_map(|text| [text, Part::Id(id)]).collect();
                    cut.pop();
                    cut.retain(|part| !matches!(part, Part::Text("")));
                    cut
                }
            };
            parts = parts.into_iter().flat_map(cut).collect();
        }
        parts
    }

    /// The bytes of a token; none for those with a meaning of their own. A character may be spread over several tokens.
    pub fn bytes(&self, id: u32) -> Vec<u8> {
        let Some((text, token_type)) = self.token(id) else {
            return Vec::new();
        };
        let (has_letters, is_library) = match &self.algorithm {
            Algorithm::BytePairs(_) => (true, false),
            Algorithm::SentencePieces(_) | Algorithm::Unigrams(_) => (false, false),
            Algorithm::Library(tokenizer) => (tokenizer.has_letters, true),
        };
        match token_type {
            TokenType::Control | TokenType::Unknown | TokenType::Unused => Vec::new(),
            TokenType::UserDefined if has_letters || !is_library => text.as_bytes().to_owned(),
            TokenType::Byte => sentence_pieces::byte(text).into_iter().collect(),
            TokenType::Normal if has_letters => text.chars().filter_map(byte_pairs::byte).collect(),
            TokenType::UserDefined | TokenType::Normal => text.replace(SPACE, " ").into_bytes(),
        }
    }

    /// The text of ids; bytes that are no UTF-8 become replacement characters.
    pub fn decode(&self, ids: &[u32]) -> String {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| self.bytes(*id)).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// A part of a text: a token that is already found, or what is left.
#[derive(Debug, Clone, Copy)]
enum Part<'t> {
    Id(u32),
    Text(&'t str),
}

fn tokens(file: &Gguf) -> Result<(Lookup, Vec<TokenType>)> {
    let texts = file.needed(TOKENS, file.texts(TOKENS)?)?;
    if texts.is_empty() || u32::try_from(texts.len()).is_err() {
        return Err(file.problem(TOKENS, format!("{} tokens", texts.len())));
    }
    let Some(types) = file.integers(TYPES)? else {
        let types = vec![TokenType::Normal; texts.len()];
        return Ok((Lookup::new(texts), types));
    };
    if types.len() != texts.len() {
        let problem = format!("{} types for {} tokens", types.len(), texts.len());
        return Err(file.problem(TYPES, problem));
    }
    let token_type = |(text, code): (&str, &i64)| {
        let problem = || file.problem(TYPES, format!("the type of {text:?} is {code}"));
        TokenType::from_code(*code).ok_or_else(problem)
    };
    let types: Result<Vec<TokenType>> = texts.iter().zip(types).map(token_type).collect();
    let types = types?;
    Ok((Lookup::new(texts), types))
}
