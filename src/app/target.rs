//! Target sentences of a document, with their states.

use crate::inference::Flag;
use crate::jobs::{Project, SavedTarget, State};
use crate::text::document::Document;

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

/// The targets of an earlier session that fit the document, and what a person has done that does not.
pub(super) fn restored(project: &Project, document: &Document) -> (Vec<Target>, Vec<SavedTarget>) {
    let matched = project.matched(document);
    let unmatched = project.unmatched(&matched);
    let targets = matched.into_iter();
    let targets = targets.map(|saved| saved.map(Target::from).unwrap_or_default());
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
