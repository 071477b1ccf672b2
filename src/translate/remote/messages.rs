//! Messages between both machines, as JSON. Numbers whose last bit matters travel as bits.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use canopy_document::document::SectionNumbers;
use canopy_nn::model::BertSequence;
use canopy_nn::search::{
    Hypothesis, InvalidScores, SearchEvent, SearchOptions, SourceFrame, SourceSentence, SourceText,
    TermConstraints,
};

/// Version of these messages; both machines must have the same.
pub const PROTOCOL: u32 = 1;

/// Version of the program; results are the same to the last bit only between equal ones.
pub const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// The header in which a client says what it speaks.
pub const VERSION_HEADER: &str = "canopy-version";

/// The header of an answer with events of a training: how many bytes all of them have.
pub const TRAINING_LENGTH: &str = "canopy-length";

/// The header of an answer with events of a training: whether there will be no more.
pub const TRAINING_ENDED: &str = "canopy-ended";

/// Program and protocol, as in [`VERSION_HEADER`].
pub fn version() -> String {
    format!("{PROGRAM}/{PROTOCOL}")
}

/// Description of a server for clients that have its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// Name of its device, for a status bar.
    pub device: String,
}

/// Files that a server does not have yet, by their digests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// SHA-256 digests, in hexadecimal digits.
    pub missing: Vec<String>,
}

/// Files that a server has, and the name of the folder or file that they are.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RootedFiles {
    /// Digest of the list of all files.
    pub digest: String,
    /// Name of the folder or file.
    pub root: String,
}

/// The model of a job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelReference {
    /// Its files on the server.
    pub files: RootedFiles,
    /// Source and target.
    pub languages: [String; 2],
    /// Whether weights of searches are kept as 8-bit integers.
    pub int8: bool,
    /// The model that chooses among its translations.
    pub reranker: Option<RerankerReference>,
}

/// The model that chooses among translations.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RerankerReference {
    /// Its files on the server.
    pub files: RootedFiles,
    /// Bits of its weight.
    pub weight: u32,
}

/// A search for translations.
#[derive(Debug, Serialize, Deserialize)]
pub struct SearchRequest {
    /// The model that searches.
    pub model: ModelReference,
    /// Sentences as the model reads them.
    pub text: SentText,
    /// The beam, and how many other translations are reported.
    pub options: SearchOptions,
}

/// A [`SourceText`].
#[derive(Debug, Serialize, Deserialize)]
pub struct SentText {
    sentences: Vec<SourceSentence>,
    documents: Vec<Range<usize>>,
    wanted: Vec<usize>,
    known: HashMap<usize, Vec<u32>>,
    pieces: Vec<BertSequence>,
    #[serde(default)]
    headings: Vec<SectionNumbers>,
    terms: HashMap<usize, TermConstraints>,
    frame: SourceFrame,
}

impl SentText {
    /// The message with a text.
    pub fn from_source(text: &SourceText) -> Self {
        let terms = text.terms.iter();
        Self {
            sentences: text.sentences.clone(),
            documents: text.documents.clone(),
            wanted: text.wanted.clone(),
            known: text.known.clone(),
            pieces: text.pieces.clone(),
            headings: text.headings.clone(),
            terms: terms.map(|(&at, terms)| (at, (**terms).clone())).collect(),
            frame: text.frame.clone(),
        }
    }

    /// The text, if its numbers fit each other.
    pub fn text(self) -> Option<SourceText> {
        let num = self.sentences.len();
        let mut end = 0;
        for document in &self.documents {
            if document.start != end || document.end <= document.start {
                return None;
            }
            end = document.end;
        }
        let mut numbers = self
            .wanted
            .iter()
            .chain(self.known.keys())
            .chain(self.terms.keys());
        let fits = end == num
            && numbers.all(|&number| number < num)
            && (self.pieces.is_empty() || self.pieces.len() == num)
            && (self.headings.is_empty() || self.headings.len() == num);
        let terms = self.terms.into_iter();
        fits.then(|| SourceText {
            sentences: self.sentences,
            documents: self.documents,
            wanted: self.wanted,
            known: self.known,
            pieces: self.pieces,
            headings: self.headings,
            terms: terms.map(|(at, terms)| (at, Arc::new(terms))).collect(),
            frame: self.frame,
        })
    }
}

/// A job that a server has taken on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// Its name, by which it is polled.
    pub job: String,
}

/// Events of a job since the last poll.
#[derive(Debug, Serialize, Deserialize)]
pub struct Polled {
    /// In the order in which they happened.
    pub events: Vec<Found>,
    /// Whether there will be no more.
    pub ended: bool,
}

/// A result of a job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// A draft that other sentences read.
    Draft {
        /// The sentence in the text.
        number: usize,
        /// Its draft.
        hypothesis: SentHypothesis,
        /// Drafts that are still to be made.
        left: usize,
    },
    /// The translation of a sentence.
    Translation {
        /// The sentence in the text.
        number: usize,
        /// Its translation.
        hypothesis: SentHypothesis,
    },
    /// Scores that are not finite.
    Invalid {
        /// The sentence in the text.
        number: usize,
        /// Bits of a score.
        found: u32,
    },
    /// The search has failed.
    Failed {
        /// Why, for people.
        message: String,
    },
    /// All is found.
    Done,
}

impl Found {
    /// The message with a result.
    pub fn from_event(event: SearchEvent) -> Self {
        match event {
            SearchEvent::Draft {
                number,
                hypothesis,
                left,
            } => Self::Draft {
                number,
                hypothesis: hypothesis.into(),
                left,
            },
            SearchEvent::Translation { number, hypothesis } => Self::Translation {
                number,
                hypothesis: hypothesis.into(),
            },
        }
    }

    /// The message that scores are not finite.
    pub fn invalid(broken: InvalidScores) -> Self {
        Self::Invalid {
            number: broken.number,
            found: broken.found.to_bits(),
        }
    }
}

/// A [`Hypothesis`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SentHypothesis {
    ids: Vec<u32>,
    /// Bits of its log-probability.
    log_prob: u32,
    cut_off: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<SentHypothesis>,
}

impl From<Hypothesis> for SentHypothesis {
    fn from(hypothesis: Hypothesis) -> Self {
        Self {
            ids: hypothesis.ids,
            log_prob: hypothesis.log_prob.to_bits(),
            cut_off: hypothesis.cut_off,
            others: hypothesis.others.into_iter().map(Self::from).collect(),
        }
    }
}

impl From<SentHypothesis> for Hypothesis {
    fn from(sent: SentHypothesis) -> Self {
        Self {
            ids: sent.ids,
            log_prob: f32::from_bits(sent.log_prob),
            cut_off: sent.cut_off,
            others: sent.others.into_iter().map(Self::from).collect(),
        }
    }
}

/// Trainings of a server: their names, and what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrainingList {
    /// The outcome of each, by its name.
    pub trainings: BTreeMap<String, String>,
}

/// A file of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    /// Below the run folder.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its digest, in hexadecimal digits.
    pub sha256: String,
}
