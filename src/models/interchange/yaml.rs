//! YAML as Marian writes it: a mapping of texts to texts or to lists of texts.
//!
//! Types are not guessed: in a vocabulary `on` and `1` are words.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};

/// Levels of nesting that are read; nothing of Marian's has more than three.
const MAX_DEPTH: usize = 16;

/// A value of a YAML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Yaml {
    Text(String),
    List(Vec<Yaml>),
    /// In the order of the file.
    Mapping(Vec<(String, Yaml)>),
}

impl Yaml {
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list, or a single text.
    pub(super) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().filter_map(Self::text).collect(),
            Self::Mapping(_) => Vec::new(),
        }
    }
}

/// Reads a file whose top is a mapping.
pub(super) fn read_mapping(text: &str) -> Result<Vec<(String, Yaml)>, String> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
    };
    loop {
        match reader.next()? {
            Event::MappingStart(..) => return reader.mapping(0),
            Event::StreamEnd => return Ok(Vec::new()),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::Alias(_) => {
                return Err("its top is not a mapping".to_owned());
            }
            _ => {}
        }
    }
}

/// The settings by key; of equal keys the last one counts.
pub(super) fn read_settings(text: &str) -> Result<BTreeMap<String, Yaml>, String> {
    Ok(read_mapping(text)?.into_iter().collect())
}

struct Reader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, String> {
        match self.parser.next_event() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(problem)) => Err(problem.to_string()),
            None => Err("it is cut off".to_owned()),
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<Vec<(String, Yaml)>, String> {
        let mut pairs = Vec::new();
        loop {
            match self.next()? {
                Event::MappingEnd => return Ok(pairs),
                Event::Scalar(key, ..) => {
                    let event = self.next()?;
                    pairs.push((key.into_owned(), self.value(event, depth + 1)?));
                }
                _ => return Err("a key of it is not text".to_owned()),
            }
        }
    }

    fn value(&mut self, event: Event<'a>, depth: usize) -> Result<Yaml, String> {
        if depth > MAX_DEPTH {
            return Err(format!("it is nested more than {MAX_DEPTH} levels deep"));
        }
        match event {
            Event::Scalar(text, ..) => Ok(Yaml::Text(text.into_owned())),
            Event::MappingStart(..) => Ok(Yaml::Mapping(self.mapping(depth)?)),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Yaml::List(items)),
                        event => items.push(self.value(event, depth + 1)?),
                    }
                }
            }
            // They could grow a small file without bound, and nothing of Marian's has one.
            Event::Alias(_) => Err("it has an alias, which is not read".to_owned()),
            _ => Err("it is damaged".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_vocabulary_stay_texts() {
        let text =
            "</s>: 0\n',': 8\n'on': 64\n'''': 42\n'\"': 89\n\"\\u2581x\": 90\nyes: 91\n'1': 92\n";
        let pairs = read_mapping(text).expect("a vocabulary");
        let words: Vec<&str> = pairs.iter().map(|(word, _)| word.as_str()).collect();
        assert_eq!(words, ["</s>", ",", "on", "'", "\"", "▁x", "yes", "1"]);
        assert_eq!(pairs[1].1, Yaml::Text("8".to_owned()));
    }

    #[test]
    fn lists_settings_and_damage_are_distinguished() {
        let settings = read_settings("a:\n  - 7\n  - x\nb:\n  []\nc: \"\"\n").expect("settings");
        assert_eq!(settings["a"].texts(), ["7", "x"]);
        assert_eq!(settings["b"], Yaml::List(Vec::new()));
        assert_eq!(settings["c"].text(), Some(""));
        for text in ["- a", "a: [", "a: *b", "? [x]\n: y"] {
            assert!(read_mapping(text).is_err(), "{text:?} was read");
        }
        assert!(read_mapping(&"{a: ".repeat(10_000)).is_err(), "nested");
    }
}
