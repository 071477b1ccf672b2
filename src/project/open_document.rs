//! The open document with its targets: what a person sees and changes.

mod edit;
mod languages;
mod recut;
mod targets;

use std::collections::HashSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::filtered::Filtered;
use super::find::Find;
use super::history::{Change, History, Step};
use super::markup;
use super::notes::Written;
use super::one_shot::OneShot;
use super::other_language::{OtherLanguage, retargeted};
use super::target::{Restored, Target, restored};
use crate::project::{IgnoredFinding, content_hash, source_hash};
use crate::segment_history::{append, now};
use crate::{Origin, Project, SavedTarget, State, Version};
use canopy_document::document::{Document, Sentence};
use canopy_qa::checks::{CheckKind, Checks, Finding};
use canopy_translate::inference::{
    DetectedLanguage, Translation, detected_language, detected_of_translations, unlike_in_mean,
};

/// How many sentences are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    pub untranslated: usize,
    pub draft: usize,
    pub edited: usize,
    pub confirmed: usize,
}

impl Counts {
    pub fn total(&self) -> usize {
        self.untranslated + self.draft + self.edited + self.confirmed
    }

    pub fn get(&self, state: State) -> usize {
        match state {
            State::Untranslated => self.untranslated,
            State::Draft => self.draft,
            State::Edited => self.edited,
            State::Confirmed => self.confirmed,
        }
    }

    fn slot(&mut self, state: State) -> &mut usize {
        match state {
            State::Untranslated => &mut self.untranslated,
            State::Draft => &mut self.draft,
            State::Edited => &mut self.edited,
            State::Confirmed => &mut self.confirmed,
        }
    }

    /// Share of sentences that have a target, and of confirmed ones, from 0 to 1.
    pub fn shares(&self) -> (f32, f32) {
        let total = self.total().max(1) as f32;
        (
            (self.total() - self.untranslated) as f32 / total,
            self.confirmed as f32 / total,
        )
    }
}

/// A target sentence in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    pub sentence: usize,
    /// With readable tokens, see [`markup`].
    pub text: String,
    /// The text that the editor began with; the target may have changed since.
    pub begun_with: String,
    /// Problems of the last attempt to keep it.
    pub problems: Vec<markup::Problem>,
    /// Text to insert at the caret; the window takes it.
    pub insert: Option<Insertion>,
}

/// Text that a command writes into the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Insertion {
    Term(String),
    /// The next tag of the source that is not there; around what is selected a pair of them.
    NextTag,
}

/// One document and the work done on it.
#[derive(Debug)]
pub struct OpenDocument {
    pub path: PathBuf,
    pub document: Arc<Document>,
    pub selected: Option<usize>,
    pub editor: Option<Editor>,
    pub find: Find,
    /// The filter, if not all sentences are shown.
    pub filtered: Option<Filtered>,
    /// Set when the selection or a section is to be brought into view; the window takes it.
    pub scroll_to: OneShot<usize>,
    /// The sentence at the top of the window.
    pub first_visible: usize,
    /// How many sentences are in view.
    pub num_visible: usize,
    /// The file that its translation was written to last.
    pub written: Option<Written>,
    /// The language of its source by its text; none where there are no letters.
    pub language: Option<DetectedLanguage>,
    /// Work on this text under another path, until the user decides about it.
    pub moved_work: Option<MovedWork>,
    /// The language that it is translated from, where its file declares it or a person has said it.
    pub source_language: Option<String>,
    /// The language of its targets; none until a model or a person says it.
    pub target_language: Option<String>,
    /// The document as it was read, if its file declares a target language.
    declared: Option<Arc<Document>>,
    /// Work in other target languages.
    others: Vec<OtherLanguage>,
    /// The quality checks that are made.
    checks: Vec<CheckKind>,
    /// Findings that a person does not want to see.
    ignored: HashSet<IgnoredFinding>,
    /// Its termbases, in the order in which they count; new terms go to the first.
    pub terms: Vec<PathBuf>,
    /// The model that translated it last.
    pub model: Option<PathBuf>,
    targets: Vec<Target>,
    /// All texts that each sentence has had.
    histories: Vec<Vec<Version>>,
    /// Names the text of the document.
    content: String,
    /// Work of a person on sentences that the document does not have now.
    unmatched: Vec<SavedTarget>,
    /// Counts up with every change of a target, so that the window notices.
    revisions: Vec<u32>,
    /// Sentences whose translation an update has changed, until they are reviewed.
    changed: HashSet<usize>,
    /// Changes of an update under way.
    updated: Vec<Change>,
    history: History,
    /// Counts of each section with all below it; `[0]` is the document.
    counts: Vec<Counts>,
    /// The sum of the drafts' confidences in percent, and how many drafts have one.
    confidences: (usize, usize),
    sections: Vec<SectionOutline>,
    words: Vec<usize>,
}

/// Work on the same document that lies under another path.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedWork {
    pub project: Project,
    /// How many sentences of the open document it has translations of.
    pub fitting: usize,
}

/// A section as the outline shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionOutline {
    pub title: String,
    pub depth: usize,
    pub has_children: bool,
    /// All sentences in it and below it: sections are contiguous in reading order.
    pub sentences: Range<usize>,
}

impl OpenDocument {
    /// Takes over what still matches of an earlier session.
    pub fn new(path: PathBuf, document: Arc<Document>, project: Option<&Project>) -> Self {
        let nothing = Project::new(PathBuf::new(), String::new(), vec![]);
        let said = project.and_then(|it| it.target_language.as_deref());
        let [source, target] = document.declared_languages();
        let declared = target.map(|_| Arc::clone(&document));
        let (source, target) = (
            source.map(str::to_owned),
            said.or(target)
                .map(str::to_owned)
                .or_else(|| detected_of_translations(&document)),
        );
        let document = retargeted(&document, target.as_deref());
        let Restored {
            targets,
            histories,
            unmatched,
        } = restored(project.unwrap_or(&nothing), &document);
        let mut open = Self::with_targets(path, document, targets, histories);
        open.unmatched = unmatched;
        (open.declared, open.target_language) = (declared, target);
        open.source_language = project.and_then(|it| it.source_language.clone()).or(source);
        if let Some(project) = project {
            let others = project.other_languages.iter().cloned();
            open.others = others.map(OtherLanguage::Kept).collect();
            open.model = project.model.as_ref().map(PathBuf::from);
            if let Some(names) = &project.checks {
                open.checks = known_checks(names);
            }
            open.ignored = project.ignored.iter().cloned().collect();
            open.terms = project.terms.iter().map(PathBuf::from).collect();
        }
        open
    }

    /// A document with a target for each sentence, and what each has been.
    fn with_targets(
        path: PathBuf,
        document: Arc<Document>,
        targets: Vec<Target>,
        histories: Vec<Vec<Version>>,
    ) -> Self {
        let num_sentences = document.sentences.len();
        let words = document
            .sentences
            .iter()
            .map(Sentence::word_count)
            .collect();
        let mut open = Self {
            path,
            selected: (num_sentences > 0).then_some(0),
            editor: None,
            find: Find::default(),
            filtered: None,
            scroll_to: OneShot::default(),
            first_visible: 0,
            num_visible: 0,
            written: None,
            language: detected_language(&document),
            moved_work: None,
            source_language: None,
            target_language: None,
            declared: None,
            others: Vec::new(),
            checks: Checks::default().kinds,
            ignored: HashSet::new(),
            terms: Vec::new(),
            model: None,
            targets,
            histories,
            content: content_hash(&document),
            unmatched: Vec::new(),
            revisions: vec![0; num_sentences],
            changed: HashSet::new(),
            updated: Vec::new(),
            history: History::default(),
            counts: vec![Counts::default(); document.sections.len()],
            confidences: (0, 0),
            sections: outline(&document),
            words,
            document,
        };
        for sentence in 0..num_sentences {
            let state = open.targets[sentence].state;
            open.count(sentence, |counts| *counts.slot(state) += 1);
            open.add_confidence(sentence);
        }
        open
    }

    /// The language of the document that its file declares, a person has said, or its text surely is in.
    pub fn source(&self) -> Option<String> {
        let sure = self.language.as_ref().filter(|found| found.is_reliable);
        let detected = sure.map(|found| found.code.clone());
        self.source_language.clone().or(detected)
    }

    /// Names the text of the document, whatever its path.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The quality checks that are made.
    pub fn checks(&self) -> &[CheckKind] {
        &self.checks
    }

    /// Switches a quality check on or off.
    pub fn toggle_check(&mut self, kind: CheckKind) {
        if self.checks.contains(&kind) {
            self.checks.retain(|other| *other != kind);
        } else {
            self.checks.push(kind);
            self.checks.sort_unstable();
        }
    }

    /// Whether a person does not want to see a finding.
    pub fn is_ignored(&self, finding: &Finding) -> bool {
        !self.ignored.is_empty()
            && self
                .ignored_as(finding)
                .is_some_and(|it| self.ignored.contains(&it))
    }

    /// Notes that a person does not want to see a finding.
    pub fn ignore(&mut self, finding: &Finding) {
        let ignored = self.ignored_as(finding);
        self.ignored.extend(ignored);
    }

    /// Shows all findings again.
    pub fn forget_ignored(&mut self) {
        self.ignored.clear();
    }

    fn ignored_as(&self, finding: &Finding) -> Option<IgnoredFinding> {
        let sentence = self.document.sentences.get(finding.segment)?;
        Some(IgnoredFinding {
            source: source_hash(&sentence.text),
            check: finding.check.to_string(),
            message: finding.message.clone(),
        })
    }

    pub fn num_sentences(&self) -> usize {
        self.targets.len()
    }

    pub fn target(&self, sentence: usize) -> &Target {
        &self.targets[sentence]
    }

    /// All texts that a sentence has had, the oldest first.
    pub fn history(&self, sentence: usize) -> &[Version] {
        &self.histories[sentence]
    }

    pub fn revision(&self, sentence: usize) -> u32 {
        self.revisions[sentence]
    }

    /// Counts up with every change of any target.
    pub fn total_revision(&self) -> u64 {
        self.revisions
            .iter()
            .map(|&revision| u64::from(revision))
            .sum()
    }

    pub fn counts(&self) -> Counts {
        self.counts.first().copied().unwrap_or_default()
    }

    pub fn section_counts(&self, section: usize) -> Counts {
        self.counts[section]
    }

    pub fn sections(&self) -> &[SectionOutline] {
        &self.sections
    }

    /// Words of a source sentence.
    pub fn num_words(&self, sentence: usize) -> usize {
        self.words[sentence]
    }

    pub fn section_of(&self, sentence: usize) -> usize {
        self.document.paragraphs[self.document.sentences[sentence].paragraph].section
    }

    pub fn can_undo(&self) -> bool {
        self.history.can_undo()
    }

    pub fn can_redo(&self) -> bool {
        self.history.can_redo()
    }

    /// Whether undoing, and redoing, makes other sentences.
    pub fn recuts(&self) -> (bool, bool) {
        (self.history.undo_recuts(), self.history.redo_recuts())
    }

    /// Sentences among `sentences` that a machine translation may replace; `again` includes drafts.
    pub fn translatable(&self, sentences: Range<usize>, again: bool) -> Vec<usize> {
        let wanted = |state: State| {
            if again {
                state.is_replaceable()
            } else {
                state == State::Untranslated
            }
        };
        sentences
            .filter(|&sentence| wanted(self.targets[sentence].state))
            .collect()
    }

    /// Stores a translation of this model, unless a person has worked on the sentence.
    pub fn receive(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(target) = self.targets.get(sentence) else {
            return false;
        };
        if !target.state.is_replaceable() {
            return false;
        }
        let confidence = translation.confidence().map(percent);
        let Translation {
            text,
            flags,
            num_tokens,
            ..
        } = translation;
        // What a memory has, or what holds no word, no model has written.
        let model = (num_tokens > 0).then(|| model.to_owned());
        self.replace(
            sentence,
            Target {
                text,
                state: State::Draft,
                flags,
                model,
                confidence,
            },
        );
        true
    }

    /// The mean confidence in its drafts, in percent, if the document is unlike what the model knows.
    pub fn unlike(&self) -> Option<u8> {
        let (sum, count) = self.confidences;
        unlike_in_mean(sum as f32 / 100.0, count).map(percent)
    }

    /// Whether there are drafts that say how sure the model is.
    pub fn has_confidences(&self) -> bool {
        self.confidences.1 > 0
    }

    /// The draft in which the model has the least confidence, after the selected one in that order.
    pub fn next_least_sure(&self) -> Option<usize> {
        let key = |sentence: usize| Some((self.targets[sentence].draft_confidence()?, sentence));
        let drafts = || (0..self.num_sentences()).filter_map(key);
        let here = self.selected.and_then(key);
        let next = here.and_then(|here| drafts().filter(|draft| *draft > here).min());
        next.or_else(|| drafts().min())
            .map(|(_, sentence)| sentence)
    }

    /// Stores a translation of this model in place of a draft, as part of an update.
    pub fn update(&mut self, sentence: usize, translation: Translation, model: &str) -> bool {
        let Some(before) = self.targets.get(sentence).cloned() else {
            return false;
        };
        self.changed.remove(&sentence);
        if before.text == translation.text || !self.receive(sentence, translation, model) {
            return false;
        }
        self.updated.push(Change {
            sentence,
            before,
            after: self.targets[sentence].clone(),
        });
        self.changed.insert(sentence);
        true
    }

    /// Makes one undo step of what an update, and no later edit, has changed; returns the number of sentences.
    pub fn finish_update(&mut self) -> usize {
        let mut changes = std::mem::take(&mut self.updated);
        changes.retain(|change| self.targets[change.sentence] == change.after);
        let count = changes.len();
        self.history.record(changes);
        count
    }

    /// Whether the last update gave it another translation, and it was not reviewed since.
    pub fn is_changed(&self, sentence: usize) -> bool {
        self.changed.contains(&sentence)
    }

    /// A change by a person, which can be undone.
    pub fn change(&mut self, sentence: usize, after: Target) -> bool {
        self.change_all(vec![(sentence, after)]) > 0
    }

    /// Applies changes that are undone in one step; returns the number of changed sentences.
    pub fn change_all(&mut self, targets: Vec<(usize, Target)>) -> usize {
        self.change_all_from(targets, None)
    }

    /// Changes targets, with the origin of the texts where their states do not name it.
    pub fn change_all_from(
        &mut self,
        targets: Vec<(usize, Target)>,
        origin: Option<Origin>,
    ) -> usize {
        let changes = targets.into_iter().map(|(sentence, after)| Change {
            sentence,
            before: self.targets[sentence].clone(),
            after,
        });
        let changes: Vec<Change> = changes
            .filter(|change| change.before != change.after)
            .collect();
        for change in &changes {
            self.replace_from(change.sentence, change.after.clone(), origin);
        }
        let count = changes.len();
        self.history.record(changes);
        count
    }

    /// Takes the last change back and goes there; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let changes = match self.history.undo().cloned() {
            None => return false,
            Some(Step::Targets(changes)) => changes,
            Some(Step::Recut(recut)) => {
                self.exchange(recut.first, recut.after.targets.len(), &recut.before);
                self.scroll_to.set(self.selected);
                return true;
            }
        };
        for Change {
            sentence, before, ..
        } in changes.into_iter().rev()
        {
            self.replace(sentence, before);
            self.select(sentence);
        }
        true
    }

    /// Does the change taken back last again; `false` if there is none.
    pub fn redo(&mut self) -> bool {
        let changes = match self.history.redo().cloned() {
            None => return false,
            Some(Step::Targets(changes)) => changes,
            Some(Step::Recut(recut)) => {
                self.exchange(recut.first, recut.before.targets.len(), &recut.after);
                self.scroll_to.set(self.selected);
                return true;
            }
        };
        for Change {
            sentence, after, ..
        } in changes
        {
            self.replace(sentence, after);
            self.select(sentence);
        }
        true
    }

    /// The selected sentence, by its text and how many of the same come before it.
    pub fn place(&self) -> Option<(String, usize)> {
        let sentences = &self.document.sentences;
        let text = &sentences[self.selected?].text;
        let before = sentences[..self.selected?].iter();
        let count = before.filter(|other| other.text == *text).count();
        Some((text.clone(), count))
    }

    /// Selects the sentence that stood there when the document was read in another way.
    pub fn go_to(&mut self, (text, count): &(String, usize)) {
        let sentences = self.document.sentences.iter().enumerate();
        let mut same = sentences.filter(|(_, sentence)| sentence.text == *text);
        if let Some((sentence, _)) = same.nth(*count) {
            self.select(sentence);
        }
    }

    /// Selects a sentence and brings it into view.
    pub fn select(&mut self, sentence: usize) {
        self.selected = Some(sentence);
        self.scroll_to.set(sentence);
    }

    fn replace(&mut self, sentence: usize, target: Target) {
        self.replace_from(sentence, target, None);
    }

    fn replace_from(&mut self, sentence: usize, target: Target, origin: Option<Origin>) {
        let origin = origin.unwrap_or_else(|| target.origin());
        let version = target.version(origin, Some(now()));
        append(&mut self.histories[sentence], version);
        let (before, after) = (self.targets[sentence].state, target.state);
        self.count(sentence, |counts| {
            *counts.slot(before) -= 1;
            *counts.slot(after) += 1;
        });
        if let Some(percent) = self.targets[sentence].draft_confidence() {
            self.confidences.0 -= usize::from(percent);
            self.confidences.1 -= 1;
        }
        self.targets[sentence] = target;
        self.add_confidence(sentence);
        self.changed.remove(&sentence);
        self.revisions[sentence] = self.revisions[sentence].wrapping_add(1);
    }

    fn add_confidence(&mut self, sentence: usize) {
        if let Some(percent) = self.targets[sentence].draft_confidence() {
            self.confidences.0 += usize::from(percent);
            self.confidences.1 += 1;
        }
    }

    /// Applies `update` to the counts of all sections a sentence lies in.
    fn count(&mut self, sentence: usize, update: impl Fn(&mut Counts)) {
        let mut section = Some(self.section_of(sentence));
        while let Some(index) = section {
            update(&mut self.counts[index]);
            section = self.document.sections[index].parent;
        }
    }
}

/// The checks of these names; one that a newer program made is not known here.
fn known_checks(names: &[String]) -> Vec<CheckKind> {
    names.iter().filter_map(|name| name.parse().ok()).collect()
}

/// Titles, depths and extents of all sections.
fn outline(document: &Document) -> Vec<SectionOutline> {
    let mut outline = (0..document.sections.len())
        .map(|section| SectionOutline {
            title: document.section_title(section),
            depth: document.section_depth(section),
            has_children: false,
            sentences: document.sentences_below(section),
        })
        .collect::<Vec<_>>();
    for parent in document
        .sections
        .iter()
        .filter_map(|section| section.parent)
    {
        outline[parent].has_children = true;
    }
    outline
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "of a share"
)]
fn percent(share: f32) -> u8 {
    (share * 100.0).round() as u8
}
