//! Blind judgement: a person sees two translations of a document, not knowing whose they are, and says which is better.
//!
//! Documents come in random order and on random sides; adequacy (does it say what the source says?) and fluency (is it
//! good German, say, throughout?) are judged separately, and ties are allowed. Everything is one JSON file, so that a
//! judgement can be gone on with, checked and published.
//!
//! After Läubli, Sennrich & Volk, "Has Machine Translation Achieved Human Parity? A Case for Document-level Evaluation",
//! EMNLP 2018, who let whole documents be ranked, and Maruf, Martins & Haffari, NAACL 2019, whose test is
//! [`sign_test`].

use std::fmt::Write;
use std::path::Path;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::sign_test;
use canopy_base::file::write_atomically;
use canopy_document::csv::quoted;

/// Format name of the file.
pub const FORMAT: &str = "canopy blind judgement";

/// Two systems, the documents that both translated, and what was said of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Name of the file's format.
    pub format: String,
    /// Names of the two systems.
    pub systems: [String; 2],
    /// Start of the random numbers that order documents and sides.
    pub seed: u64,
    /// In the order in which they are shown.
    pub documents: Vec<JudgedDocument>,
}

/// A document in both translations.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedDocument {
    /// Name of the document.
    pub name: String,
    /// Paragraph by paragraph, as are the translations.
    pub source: Vec<String>,
    /// Translations of the systems, in their order.
    pub translations: [Vec<String>; 2],
    /// Whether the second system is on the left.
    pub swapped: bool,
    /// Which side says better what the source says; none if nobody has answered.
    pub adequacy: Option<Vote>,
    /// Which side reads better; none if nobody has answered.
    pub fluency: Option<Vote>,
}

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vote {
    /// The translation on the left is better.
    Left,
    /// Neither is better.
    Tie,
    /// The translation on the right is better.
    Right,
}

/// A question to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Which translation says better what the source says?
    Adequacy,
    /// Which translation reads better?
    Fluency,
}

/// How often each system was preferred.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Tally {
    /// Documents in which the first system was preferred.
    pub first: u64,
    /// Documents in which the second system was preferred.
    pub second: u64,
    /// Documents in which neither was preferred.
    pub ties: u64,
    /// Two-sided sign test, ties split.
    pub p: f64,
}

impl Judgement {
    /// Puts documents in random order and on random sides; all of it follows from `seed`.
    pub fn new(systems: [String; 2], mut documents: Vec<JudgedDocument>, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        documents.shuffle(&mut rng);
        for document in &mut documents {
            document.swapped = rng.random();
        }
        Self {
            format: FORMAT.to_owned(),
            systems,
            seed,
            documents,
        }
    }

    /// # Errors
    /// If it cannot be read, is no such file, or a document has translations of other lengths than its source.
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::read(path))?;
        let broken = |problem: String| Error::BrokenJudgement {
            problem,
            path: path.to_owned(),
        };
        let judgement: Self =
            serde_json::from_slice(&bytes).map_err(|cause| broken(cause.to_string()))?;
        if judgement.format != FORMAT {
            return Err(broken(format!("its format is {:?}", judgement.format)));
        }
        for (number, document) in judgement.documents.iter().enumerate() {
            let expected = document.source.len();
            for translation in &document.translations {
                let found = translation.len();
                if found != expected {
                    let number = number + 1;
                    let problem = format!(
                        "document {number} has {expected} paragraphs, its translation {found}"
                    );
                    return Err(broken(problem));
                }
            }
        }
        Ok(judgement)
    }

    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path, overwrite: bool) -> Result<()> {
        Ok(write_atomically(path, &self.to_bytes(), overwrite)?)
    }

    /// Returns the bytes of the judgement's JSON file.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("plain data becomes JSON")
    }

    /// The first document that is not judged to the end.
    pub fn next_open(&self) -> Option<usize> {
        self.documents
            .iter()
            .position(|document| document.adequacy.is_none() || document.fluency.is_none())
    }

    /// Counts the answers to one question.
    pub fn tally(&self, criterion: Criterion) -> Tally {
        let mut tally = Tally::default();
        for document in &self.documents {
            let Some(vote) = document.vote(criterion) else {
                continue;
            };
            match (vote, document.swapped) {
                (Vote::Tie, _) => tally.ties += 1,
                (Vote::Left, false) | (Vote::Right, true) => tally.first += 1,
                (Vote::Left, true) | (Vote::Right, false) => tally.second += 1,
            }
        }
        tally.p = sign_test(tally.first, tally.second, tally.ties);
        tally
    }

    /// A line a document and criterion: who was preferred.
    pub fn csv(&self) -> String {
        let mut text = "document,criterion,preferred\r\n".to_owned();
        for document in &self.documents {
            for criterion in [Criterion::Adequacy, Criterion::Fluency] {
                let preferred = match document.vote(criterion) {
                    None => continue,
                    Some(Vote::Tie) => "tie",
                    Some(Vote::Left) => &self.systems[usize::from(document.swapped)],
                    Some(Vote::Right) => &self.systems[usize::from(!document.swapped)],
                };
                let (document, criterion) = (quoted(&document.name), criterion.name());
                // Writing to a string does not fail.
                let _ = write!(text, "{document},{criterion},{}\r\n", quoted(preferred));
            }
        }
        text
    }
}

impl JudgedDocument {
    /// Left and right as they are shown.
    pub fn sides(&self) -> [&[String]; 2] {
        let [first, second] = &self.translations;
        if self.swapped {
            [second, first]
        } else {
            [first, second]
        }
    }

    /// Returns the answer to a question; none if nobody has answered.
    pub fn vote(&self, criterion: Criterion) -> Option<Vote> {
        match criterion {
            Criterion::Adequacy => self.adequacy,
            Criterion::Fluency => self.fluency,
        }
    }

    /// Stores the answer to a question.
    pub fn set_vote(&mut self, criterion: Criterion, vote: Vote) {
        match criterion {
            Criterion::Adequacy => self.adequacy = Some(vote),
            Criterion::Fluency => self.fluency = Some(vote),
        }
    }
}

impl Criterion {
    /// Returns the name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Adequacy => "adequacy",
            Self::Fluency => "fluency",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(count: usize, seed: u64) -> Judgement {
        let documents = (0..count).map(|number| JudgedDocument {
            name: format!("page {number}"),
            source: vec!["It".to_owned()],
            translations: [vec!["Er".to_owned()], vec!["Es".to_owned()]],
            ..JudgedDocument::default()
        });
        let systems = ["plain", "context"].map(str::to_owned);
        Judgement::new(systems, documents.collect(), seed)
    }

    /// Prefers the second system wherever it is.
    fn prefer_second(judgement: &mut Judgement, count: usize) {
        for document in judgement.documents.iter_mut().take(count) {
            let left = document.sides()[0][0] == "Es";
            let vote = if left { Vote::Left } else { Vote::Right };
            document.set_vote(Criterion::Adequacy, vote);
        }
    }

    #[test]
    fn sides_are_random_and_votes_find_their_system() {
        let mut judgement = judgement(54, 1);
        let swapped = judgement.documents.iter().filter(|it| it.swapped).count();
        assert!((10..44).contains(&swapped), "{swapped}");
        prefer_second(&mut judgement, 39);
        for document in judgement.documents.iter_mut().skip(39) {
            let left = document.sides()[0][0] == "Er";
            document.adequacy = Some(if left { Vote::Left } else { Vote::Right });
        }
        let tally = judgement.tally(Criterion::Adequacy);
        assert_eq!((tally.first, tally.second, tally.ties), (15, 39, 0));
        assert!((tally.p - 0.0015).abs() < 5e-5);
        assert_eq!(judgement.tally(Criterion::Fluency).first, 0);
        assert_eq!(judgement.next_open(), Some(0), "fluency was not judged");
        assert!(judgement.csv().contains(",adequacy,\"context\""));
    }

    #[test]
    fn a_judgement_goes_on_where_it_was_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("judgement.json");
        let mut begun = judgement(5, 2);
        prefer_second(&mut begun, 2);
        begun.save(&path, false).expect("a file");
        assert_eq!(Judgement::open(&path).expect("the same"), begun);
        assert_ne!(begun, judgement(5, 3), "another seed, another order");
        begun.documents[1].translations[0].clear();
        begun.save(&path, true).expect("a file");
        let error = Judgement::open(&path).expect_err("it is broken");
        assert!(error.to_string().contains("document 2"), "{error}");
    }
}
