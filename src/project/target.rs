//! Target sentences of a document, with their states.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::project::source_hash;
use crate::segment_history::{append, now};
use crate::{Origin, Project, SavedTarget, State, Version};
use canopy_document::document::{Document, Sentence};
use canopy_translate::inference::Flag;

/// The target side of one sentence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Target {
    /// With placeholders, empty while there is none.
    pub text: String,
    /// How far the work on the sentence has come.
    pub state: State,
    /// Warnings of the model about its translation.
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

    /// Where its text comes from.
    pub fn origin(&self) -> Origin {
        match self.state {
            State::Untranslated => Origin::Cleared,
            State::Draft if self.flags.contains(&Flag::Memory) => Origin::Memory,
            State::Draft => Origin::Machine,
            State::Edited => Origin::Hand,
            State::Confirmed => Origin::Confirmed,
        }
    }

    /// The translation in the sentence's file: work of a person, which no model replaces.
    pub fn from_sentence(sentence: &Sentence) -> Self {
        let Some(known) = &sentence.known else {
            return Self::default();
        };
        Self {
            text: known.text.clone(),
            state: known.standing.into(),
            ..Self::default()
        }
    }
}

impl Target {
    /// The target as a step of its history.
    pub fn version(&self, origin: Origin, time: Option<Timestamp>) -> Version {
        Version {
            origin,
            text: self.text.clone(),
            model: self.model.clone(),
            time,
        }
    }
}

/// The history of a target as it was read: with its present state at its end.
pub(super) fn with_present(
    saved: &[Version],
    target: &Target,
    sentence: &Sentence,
) -> Vec<Version> {
    let mut history = saved.to_vec();
    if let (Some(known), true) = (&sentence.known, history.is_empty()) {
        history.push(Version {
            origin: Origin::File,
            text: known.text.clone(),
            model: None,
            time: None,
        });
    }
    let is_there = history.last().is_some_and(|last| last.text == target.text);
    let is_new = !is_there && *target != Target::from_sentence(sentence);
    let is_first = history.is_empty();
    if is_new && (target.state != State::Untranslated || !is_first) {
        // Older versions of the program kept no times.
        let time = (!is_first).then(now);
        append(&mut history, target.version(target.origin(), time));
    }
    history
}

/// The state of a document that an earlier session left.
pub(super) struct Restored {
    /// Translations that fit the document, else those of the file.
    pub targets: Vec<Target>,
    pub histories: Vec<Vec<Version>>,
    /// Work that does not fit.
    pub unmatched: Vec<SavedTarget>,
}

pub(super) fn restored(project: &Project, document: &Document) -> Restored {
    let matched = project.matched(document);
    let unmatched = project.unmatched(&matched);
    let (mut targets, mut histories) = (Vec::new(), Vec::new());
    for (saved, sentence) in matched.into_iter().zip(&document.sentences) {
        // Earlier versions kept what the file has as if it were a draft.
        let is_of_file = |saved: &&SavedTarget| {
            sentence.known.is_some() && saved.state == State::Draft && saved.model.is_none()
        };
        let saved = saved.filter(|saved| !is_of_file(saved));
        let target = saved.map_or_else(|| Target::from_sentence(sentence), Target::from);
        let history = saved.map_or(&[][..], |saved| saved.history.as_slice());
        histories.push(with_present(history, &target, sentence));
        targets.push(target);
    }
    Restored {
        targets,
        histories,
        unmatched,
    }
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

/// A path as the project file has it; one that is no Unicode cannot be kept.
pub(super) fn text_of(path: Option<&PathBuf>) -> Option<String> {
    path?.to_str().map(str::to_owned)
}

/// Paths likewise.
pub(super) fn texts_of(paths: &[PathBuf]) -> Vec<String> {
    let texts = paths.iter().filter_map(|path| path.to_str());
    texts.map(str::to_owned).collect()
}

/// The targets that the project file keeps: those that are not as the file of the document has them, or have a past.
pub(super) fn saved_targets<'t>(
    document: &Document,
    histories: &[Vec<Version>],
    unmatched: &[SavedTarget],
    target: impl Fn(usize) -> &'t Target,
) -> Vec<SavedTarget> {
    let saved = |index: usize| {
        let target = target(index);
        SavedTarget {
            index,
            source: source_hash(&document.sentences[index].text),
            text: target.text.clone(),
            state: target.state,
            flags: target.flags.clone(),
            model: target.model.clone(),
            confidence: target.confidence,
            history: histories[index].clone(),
        }
    };
    // What is in the file is not ours.
    let of_file = |index: usize| Target::from_sentence(&document.sentences[index]);
    let has_past = |index: usize| {
        let mut history = histories[index].iter();
        history.any(|version| version.origin != Origin::File)
    };
    let is_worked_on = |&index: &usize| *target(index) != of_file(index) || has_past(index);
    let worked_on = (0..document.sentences.len()).filter(is_worked_on);
    // Behind those of the document, so that the last ones come first.
    let unmatched = unmatched.iter().cloned();
    worked_on.map(saved).chain(unmatched).collect()
}
