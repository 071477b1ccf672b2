//! Target sentences of a document, with their states.

use crate::inference::Flag;
use crate::jobs::{Project, SavedTarget, State};
use crate::text::document::{Document, Sentence, Standing};

/// The target side of one sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Target {
    /// With placeholders, empty while there is none.
    pub text: String,
    pub state: State,
    pub flags: Vec<Flag>,
    /// The name of the model whose translation it is, or began as; none if it has no model's.
    pub model: Option<String>,
    /// How likely it is to be good, in percent, while it is as the model wrote it.
    pub confidence: Option<u8>,
}

impl Target {
    /// Its confidence, if it is a draft.
    pub fn draft_confidence(&self) -> Option<u8> {
        self.confidence.filter(|_| self.state == State::Draft)
    }

    /// What the file of a sentence has for it: work of a person, which no model replaces.
    pub fn of_file(sentence: &Sentence) -> Self {
        let Some(known) = &sentence.known else {
            return Self::default();
        };
        Self {
            text: known.text.clone(),
            state: match known.standing {
                Standing::Draft | Standing::Translated => State::Edited,
                Standing::Approved => State::Confirmed,
            },
            ..Self::default()
        }
    }
}

/// The targets of an earlier session that fit the document, else those of the file, and what a person has done that does
/// not fit.
pub(super) fn restored(project: &Project, document: &Document) -> (Vec<Target>, Vec<SavedTarget>) {
    let matched = project.matched(document);
    let unmatched = project.unmatched(&matched);
    let target = |(saved, sentence): (Option<&SavedTarget>, &Sentence)| {
        let of_file = Target::of_file(sentence);
        // Earlier versions kept what the file has as if it were a draft.
        let is_of_file = |saved: &&SavedTarget| {
            sentence.known.is_some() && saved.state == State::Draft && saved.model.is_none()
        };
        let saved = saved.filter(|saved| !is_of_file(saved));
        saved.map_or(of_file, Target::from)
    };
    let targets = matched.into_iter().zip(&document.sentences).map(target);
    (targets.collect(), unmatched)
}

impl From<&SavedTarget> for Target {
    fn from(saved: &SavedTarget) -> Self {
        Self {
            text: saved.text.clone(),
            state: saved.state,
            flags: saved.flags.clone(),
            model: saved.model.clone(),
            confidence: saved.confidence,
        }
    }
}
