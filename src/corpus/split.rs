//! Which documents are for training, for development and for tests.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A part of a corpus; a document is in one of them as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// For training.
    Train,
    /// For development: choosing among models and settings.
    Dev,
    /// For tests.
    Test,
}

impl Split {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 3] = [Self::Train, Self::Dev, Self::Test];

    /// The rule by which everybody's figures compare: SHA-256 of the document's id, read as one big-endian integer,
    /// modulo 100; 0 to 3 is a test document, 4 and 5 a development document.
    pub fn for_document(document: &str) -> Self {
        let hash = Sha256::digest(document.as_bytes());
        match hash
            .iter()
            .fold(0, |rest, &byte| (rest * 256 + u32::from(byte)) % 100)
        {
            0..=3 => Self::Test,
            4 | 5 => Self::Dev,
            _ => Self::Train,
        }
    }

    /// As in file names and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Train => "train",
            Self::Dev => "dev",
            Self::Test => "test",
        }
    }

    /// Its file in a corpus folder.
    pub fn file_name(self) -> String {
        format!("{}.jsonl", self.name())
    }
}

impl std::str::FromStr for Split {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|split| split.name() == name);
        found.ok_or_else(|| format!("{name} is not one of train, dev, test"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_rule_is_the_published_one() {
        // python: int(hashlib.sha256(path.encode()).hexdigest(), 16) % 100
        for (path, split) in [
            ("sbasic/guide/access2base.html", Split::Train),
            ("sbasic/guide/insert_control.html", Split::Train),
            ("sbasic/python/python_2_basic.html", Split::Test),
            ("sbasic/shared/01/06130500.html", Split::Test),
            ("sbasic/shared/01030400.html", Split::Dev),
            ("sbasic/shared/01050300.html", Split::Dev),
            ("sbasic/shared/03040000.html", Split::Test),
            ("sbasic/shared/03100700.html", Split::Test),
        ] {
            assert_eq!(Split::for_document(path), split, "{path}");
        }
    }
}
