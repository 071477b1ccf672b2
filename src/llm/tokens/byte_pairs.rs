//! Byte pair encoding as of GPT-2: words by a regular expression, bytes as letters, merges by rank.
//!
//! Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units", ACL 2016; Radford et al., "Language
//! Models are Unsupervised Multitask Learners", 2019, for bytes.

use std::cmp::Reverse;

use crate::error::Result;
use fancy_regex::Regex;

use super::lookup::Lookup;
use super::merging::merge;
use crate::gguf::Gguf;

const PRE: &str = "tokenizer.ggml.pre";
const MERGES: &str = "tokenizer.ggml.merges";

const GPT_2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)";
const LLAMA_3: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
const QWEN_2: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// Chinese and Japanese, then the rest; digits are cut off before.
const HAN: &str = r"[一-龥぀-ゟ゠-ヿ]+";
const HUNYUAN: &str = r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"##;

/// How texts are cut into words, by what `tokenizer.ggml.pre` says.
struct Words {
    names: &'static [&'static str],
    /// Each cuts what the one before has left.
    expressions: &'static [&'static str],
    /// Whether words of the vocabulary are taken whole.
    keeps_known: bool,
    /// Whether texts begin with the first special token, unless the file says otherwise.
    begins: bool,
}

/// Kinds of llama.cpp, `llama-vocab.cpp`.
const WORDS: [Words; 5] = [
    Words {
        names: &["gpt-2", "gpt2"],
        expressions: &[GPT_2],
        keeps_known: false,
        begins: false,
    },
    Words {
        names: &["smollm"],
        expressions: &[r"\p{N}", GPT_2],
        keeps_known: false,
        begins: false,
    },
    Words {
        names: &["llama-bpe", "llama3", "llama-v3"],
        expressions: &[LLAMA_3],
        keeps_known: true,
        begins: true,
    },
    Words {
        names: &["qwen2", "deepseek-r1-qwen", "hunyuan"],
        expressions: &[QWEN_2],
        keeps_known: false,
        begins: false,
    },
    Words {
        names: &["hunyuan-dense"],
        expressions: &[r"\p{N}{1,3}", HAN, HUNYUAN],
        keeps_known: false,
        begins: false,
    },
];

pub(super) struct BytePairs {
    expressions: Vec<Regex>,
    keeps_known: bool,
    pub begins: bool,
    /// Rank of `left right`.
    merges: Lookup,
}

/// The letter that stands for a byte in GPT-2's vocabularies.
fn letter(byte: u8) -> char {
    let is_printable = matches!(byte, b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff);
    if is_printable {
        return char::from(byte);
    }
    // All others in their order, from the first letter after Latin-1.
    let place = match byte {
        0..=0x20 => u32::from(byte),
        0x7f..=0xa0 => u32::from(byte) - 0x7f + 0x21,
        _ => 0x43,
    };
    char::from_u32(0x100 + place).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a letter stands for, if any.
pub(super) fn byte(letter: char) -> Option<u8> {
    let code = u32::from(letter);
    let code = match code {
        0x100..=0x120 => code - 0x100,
        0x121..=0x142 => code - 0x121 + 0x7f,
        0x143 => 0xad,
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => code,
        _ => return None,
    };
    u8::try_from(code).ok()
}

impl BytePairs {
    pub(crate) fn read(file: &Gguf) -> Result<Self> {
        let name = file.needed(PRE, file.text(PRE)?)?;
        let kind = WORDS.iter().find(|kind| kind.names.contains(&name));
        let kind = kind.ok_or_else(|| {
            let known: Vec<&str> = WORDS.iter().flat_map(|kind| kind.names).copied().collect();
            let known = known.join(", ");
            file.problem(PRE, format!("{name:?} is not known here, but {known}"))
        })?;
        let expressions: Result<Vec<Regex>> = kind
            .expressions
            .iter()
            .map(|it| Regex::new(it).map_err(|error| file.problem(PRE, error.to_string())))
            .collect();
        let merges = file.needed(MERGES, file.texts(MERGES)?)?;
        Ok(Self {
            expressions: expressions?,
            keeps_known: kind.keeps_known,
            begins: kind.begins,
            merges: Lookup::new(merges),
        })
    }

    /// Calls `add` with the id of each piece of `text`.
    pub(crate) fn encode(&self, text: &str, tokens: &Lookup, add: &mut impl FnMut(u32)) {
        for word in self.words(text) {
            let letters: String = word.bytes().map(letter).collect();
            if let Some(id) = tokens.find(&letters).filter(|_| self.keeps_known) {
                add(id);
                continue;
            }
            let rank = |pair: &str, middle: usize| {
                let (left, right) = pair.split_at(middle);
                self.merges.find(&format!("{left} {right}")).map(Reverse)
            };
            for piece in merge(&letters, rank) {
                let piece = &letters[piece];
                if let Some(id) = tokens.find(piece) {
                    add(id);
                    continue;
                }
                for letter in piece.chars() {
                    let id = tokens.find(letter.encode_utf8(&mut [0; 4]));
                    if let Some(id) = id {
                        add(id);
                    }
                }
            }
        }
    }

    /// The words of a text, and what lies between them.
    fn words<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut words = vec![text];
        for expression in &self.expressions {
            let cut = words.into_iter().flat_map(|word| cut(expression, word));
            words = cut.collect();
        }
        words
    }
}

/// Matches of an expression, and what lies between them; a search that gives up leaves the rest whole.
fn cut<'t>(expression: &Regex, text: &'t str) -> Vec<&'t str> {
    let (mut parts, mut end) = (Vec::new(), 0);
    for found in expression
        .find_iter(text)
        .map_while(std::result::Result::ok)
    {
        parts.extend([&text[end..found.start()], found.as_str()]);
        end = found.end();
    }
    parts.push(&text[end..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_has_a_letter_of_its_own() {
        for value in 0..=u8::MAX {
            assert_eq!(byte(letter(value)), Some(value));
        }
        assert_eq!((letter(b' '), letter(b'\n')), ('Ġ', 'Ċ'));
        assert_eq!(byte('€'), None);
    }

    #[test]
    fn words_are_those_of_gpt_2_and_llama_3() {
        let of = |expression: &str, text| {
            let expression = Regex::new(expression).expect("an expression");
            cut(&expression, text).join("|")
        };
        assert_eq!(
            of(GPT_2, "I'll  pay 100€\n\nnow "),
            "I|'ll| | pay| 100|€|\n|\n|now| "
        );
        assert_eq!(
            of(LLAMA_3, "I'LL pay 12345€\n\nnow"),
            "I|'LL| pay| |123|45|€\n\n|now"
        );
        assert_eq!(of(QWEN_2, "v12  (x)"), "v|1|2| | (|x|)");
        assert_eq!(of(HAN, "a漢字かなb"), "a|漢字かな|b");
        assert_eq!(
            of(HUNYUAN, "I'll pay (x) é — now!\n\nso"),
            "I|'ll| pay| (|x|)| é| —| now|!\n\n|so"
        );
    }
}
