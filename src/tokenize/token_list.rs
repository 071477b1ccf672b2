//! Vocabularies that are lists of tokens: the number of a token is its id.

use std::collections::{BTreeMap, HashMap};

/// Ids that a list may have without a token, in share of all: a file that leaves out more is damaged.
const LARGEST_GAP: usize = 1 << 16;

/// Tokens by id, and ids by token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenList {
    tokens: Vec<String>,
    ids: HashMap<String, u32>,
}

impl TokenList {
    /// In the order of their ids. Of equal ones the first counts.
    pub fn new(tokens: Vec<String>) -> Self {
        let mut ids = HashMap::with_capacity(tokens.len());
        for (id, token) in (0..).zip(&tokens) {
            ids.entry(token.clone()).or_insert(id);
        }
        Self { tokens, ids }
    }

    /// List of pairs of token and id, in any order.
    ///
    /// # Errors
    /// If two tokens have one id, or most ids have no token; the text says which.
    pub fn from_pairs(pairs: impl IntoIterator<Item = (String, u32)>) -> Result<Self, String> {
        let mut by_id: BTreeMap<u32, String> = BTreeMap::new();
        let mut ids = HashMap::new();
        for (token, id) in pairs {
            if let Some(other) = by_id.insert(id, token.clone()) {
                return Err(format!("{other:?} and {token:?} both have the id {id}"));
            }
            ids.insert(token, id);
        }
        let len = by_id.last_key_value().map_or(0, |(&id, _)| id as usize + 1);
        if len > by_id.len() + LARGEST_GAP {
            return Err(format!(
                "it has {} tokens, but the id {}",
                by_id.len(),
                len - 1
            ));
        }
        let mut tokens = vec![String::new(); len];
        for (id, token) in by_id {
            tokens[id as usize] = token;
        }
        Ok(Self { tokens, ids })
    }

    /// A JSON object of tokens with their ids, as Hugging Face's `vocab.json`, or a list of tokens, as CTranslate2's
    /// `shared_vocabulary.json`.
    ///
    /// # Errors
    /// If it is neither, or as in [`Self::from_pairs`].
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        #[derive(serde::Deserialize)]
        #[serde(untagged)]
        enum Json {
            List(Vec<String>),
            Object(HashMap<String, u32>),
        }
        match serde_json::from_slice(json) {
            Ok(Json::List(tokens)) => Ok(Self::new(tokens)),
            Ok(Json::Object(ids)) => Self::from_pairs(ids),
            Err(cause) if cause.is_data() => {
                Err("it is neither a list of tokens nor an object of tokens with ids".to_owned())
            }
            Err(cause) => Err(cause.to_string()),
        }
    }

    /// A token a line, as in CTranslate2's `source_vocabulary.txt`.
    pub fn from_lines(text: &str) -> Self {
        let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
        // Tokens may hold other line ends than this.
        let lines = lines.map(|line| {
            line.strip_suffix('\r')
                .filter(|it| !it.is_empty())
                .unwrap_or(line)
        });
        Self::new(lines.map(str::to_owned).collect())
    }

    /// Appends a token if it is missing.
    #[must_use]
    pub fn with(mut self, token: &str) -> Self {
        if !self.ids.contains_key(token) {
            self.ids.insert(
                token.to_owned(),
                self.tokens.len().try_into().unwrap_or(u32::MAX),
            );
            self.tokens.push(token.to_owned());
        }
        self
    }

    /// Number of tokens.
    #[expect(clippy::len_without_is_empty, reason = "no request")]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The id of a token.
    pub fn id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The token of an id.
    pub fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(id as usize).map(String::as_str)
    }

    /// All tokens in the order of their ids; empty where an id has none.
    pub fn tokens(&self) -> &[String] {
        &self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_objects_and_lines_are_read() {
        let list = TokenList::from_json(r#"["</s>", "<unk>", "▁a"]"#.as_bytes()).expect("a list");
        let object = r#"{"▁a": 2, "</s>": 0, "<unk>": 1}"#;
        assert_eq!(TokenList::from_json(object.as_bytes()), Ok(list.clone()));
        assert_eq!(TokenList::from_lines("</s>\n<unk>\r\n▁a\n"), list);
        assert_eq!(
            (list.len(), list.id("▁a"), list.token(1)),
            (3, Some(2), Some("<unk>"))
        );
        assert_eq!(list.clone().with("<unk>"), list);
        assert_eq!(list.with("<pad>").id("<pad>"), Some(3));
    }

    #[test]
    fn gaps_have_no_token_and_damaged_files_are_refused() {
        let gap = TokenList::from_json(br#"{"a": 0, "b": 2}"#).expect("an object");
        assert_eq!((gap.len(), gap.token(1)), (3, Some("")));
        let refusal = |json: &str| TokenList::from_json(json.as_bytes()).expect_err("refused");
        assert!(refusal(r#"{"a": 0, "b": 0}"#).contains("both have the id 0"));
        assert!(refusal(r#"{"a": 4000000000}"#).contains("4000000000"));
        assert!(refusal(r#"{"a": "b"}"#).contains("neither"));
        assert!(refusal(r#"["a""#).contains("EOF"));
    }
}
