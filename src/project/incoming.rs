//! Changes that another person made in a file exported from the document.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;
use serde::Serialize;

use super::markup;
use super::open_document::OpenDocument;
use super::target::Target;
use crate::segment_history::at;
use crate::{Origin, State};
use canopy_document::changes::{Part, changes};
use canopy_document::document::{Document, Known, Sentence, Standing};
use canopy_document::placeholder::{folded, stripped};
use canopy_document::placeholder_map::PlaceholderMap;

/// A translation that another person has changed or approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingChange {
    /// Index of the sentence.
    pub sentence: usize,
    /// The target in the document.
    pub old: String,
    /// The target in the file.
    pub new: String,
    /// Both as a reader sees them, where they differ.
    pub parts: Vec<(Part, String)>,
    /// Whether both persons have changed the sentence.
    pub kind: ChangeKind,
    /// Whether the other person has approved the translation.
    pub is_approved: bool,
    /// Revision of the sentence when it was compared.
    pub revision: u32,
}

/// The kind of another person's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Only they have changed it since the export.
    Changed,
    /// The text is the same; they have declared it good.
    Approved,
    /// It was changed or confirmed here as well, or that is unknown.
    Conflict,
}

/// All that a file brings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Incoming {
    /// In the order of the document.
    pub changes: Vec<IncomingChange>,
    /// Translations of sentences that the document does not have.
    pub unmatched: usize,
}

impl Incoming {
    /// Compares the translations of a file with those of the document now, and with those that it had when it was
    /// exported.
    pub fn between(open: &OpenDocument, file: &Document) -> Self {
        let comparison = Comparison {
            open,
            file,
            exported: file.exchange.as_ref().and_then(|exchange| exchange.date),
        };
        let places = comparison.places();
        let mut incoming = Self::default();
        for (theirs, place) in file.sentences.iter().zip(places) {
            let Some(known) = &theirs.known else { continue };
            match place {
                Some((sentence, map)) => {
                    let change = comparison.change((sentence, &map), known);
                    incoming.changes.extend(change);
                }
                None => incoming.unmatched += 1,
            }
        }
        incoming.changes.sort_by_key(|change| change.sentence);
        incoming
    }

    /// Returns the number of sentences that both persons have changed.
    pub fn conflicts(&self) -> usize {
        let kinds = self.changes.iter().map(|change| change.kind);
        kinds.filter(|kind| *kind == ChangeKind::Conflict).count()
    }
}

impl OpenDocument {
    /// Accepts changes, in one step that can be undone; returns the number of sentences.
    pub fn merge<'c>(&mut self, changes: impl IntoIterator<Item = &'c IncomingChange>) -> usize {
        let target = |change: &IncomingChange| Target {
            text: change.new.clone(),
            state: if change.is_approved {
                State::Confirmed
            } else {
                State::Edited
            },
            model: self.target(change.sentence).model.clone(),
            ..Target::default()
        };
        let targets = changes.into_iter().map(|it| (it.sentence, target(it)));
        let targets = targets.collect();
        self.change_all_from(targets, Some(Origin::Merged))
    }
}

/// A file of another person, and the document that it was exported from.
struct Comparison<'a> {
    open: &'a OpenDocument,
    file: &'a Document,
    /// When it was exported.
    exported: Option<Timestamp>,
}

impl Comparison<'_> {
    /// The sentence of the document that each of the file's is, with what became of its codes: by the number of its unit,
    /// else by its text.
    fn places(&self) -> Vec<Option<(usize, PlaceholderMap)>> {
        let (own, file) = (&self.open.document.sentences, self.file);
        let place = |index: usize, theirs: &Sentence| {
            let map = PlaceholderMap::between(&own.get(index)?.text, &theirs.text)?;
            Some((index, map))
        };
        let by_unit = file.sentences.iter().map(|theirs| {
            let id = file.paragraphs[theirs.paragraph].id.as_ref()?;
            place(id.parse::<usize>().ok()?.checked_sub(1)?, theirs)
        });
        let mut places: Vec<Option<(usize, PlaceholderMap)>> = by_unit.collect();
        let taken: HashSet<usize> = places.iter().flatten().map(|(index, _)| *index).collect();
        let mut free: HashMap<String, VecDeque<usize>> = HashMap::new();
        let text = |sentence: &Sentence| folded(&stripped(&sentence.text));
        for (index, sentence) in own.iter().enumerate() {
            if !taken.contains(&index) {
                free.entry(text(sentence)).or_default().push_back(index);
            }
        }
        for (found, theirs) in places.iter_mut().zip(&file.sentences) {
            if found.is_none() {
                let next = free.get_mut(&text(theirs)).and_then(VecDeque::pop_front);
                *found = next.and_then(|index| place(index, theirs));
            }
        }
        places
    }

    fn change(
        &self,
        (sentence, map): (usize, &PlaceholderMap),
        known: &Known,
    ) -> Option<IncomingChange> {
        let here = self.open.target(sentence);
        let theirs = folded(&map.renumbered(&known.text));
        let is_theirs = |text: &str| map.without_lacking(text) == theirs;
        let is_approved = known.standing == Standing::Approved;
        let kind = if is_theirs(&here.text) {
            if !is_approved || here.state == State::Confirmed {
                return None;
            }
            ChangeKind::Approved
        } else {
            match self
                .exported
                .map(|time| at(self.open.targets.history(sentence), time))
            {
                Some(before) => {
                    let text = before.map_or("", |before| before.text.as_str());
                    if is_theirs(text) {
                        // Only here it was changed.
                        return None;
                    }
                    let was_confirmed = before.is_some_and(|it| it.origin == Origin::Confirmed);
                    let is_confirmed = here.state == State::Confirmed && !was_confirmed;
                    if folded(text) == folded(&here.text) && !is_confirmed {
                        ChangeKind::Changed
                    } else {
                        ChangeKind::Conflict
                    }
                }
                None if here.state.is_replaceable() => ChangeKind::Changed,
                None => ChangeKind::Conflict,
            }
        };
        let new = match kind {
            ChangeKind::Approved => here.text.clone(),
            ChangeKind::Changed | ChangeKind::Conflict => {
                self.mended(sentence, &map.restored(&known.text))
            }
        };
        Some(IncomingChange {
            sentence,
            parts: changes(&stripped(&here.text), &stripped(&new)),
            old: here.text.clone(),
            new,
            kind,
            is_approved,
            revision: self.open.targets.revision(sentence),
        })
    }

    /// A translation with the markup of its sentence, what is lost or torn put right.
    fn mended(&self, sentence: usize, text: &str) -> String {
        let source = &self.open.document.sentences[sentence].text;
        let editable = markup::to_editable(text);
        let mended = markup::from_editable(&editable, source).or_else(|_| {
            let repaired = markup::repaired(&editable, source);
            markup::from_editable(&repaired, source)
        });
        mended.unwrap_or_else(|_| text.to_owned())
    }
}
