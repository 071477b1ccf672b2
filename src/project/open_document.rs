//! The open document with its targets: what a person sees and changes.

mod changes;
mod checks;
mod counts;
mod drafts;
mod edit;
mod languages;
mod recut;
mod targets;

use std::path::PathBuf;
use std::sync::Arc;

pub use self::checks::ChosenChecks;
pub use self::counts::{Counts, Progress, SectionOutline};
pub use self::targets::Targets;
use super::filtered::Filtered;
use super::find::Find;
use super::history::{Change, History};
use super::markup;
use super::notes::Written;
use super::one_shot::OneShot;
use super::other_language::{OtherLanguages, retargeted};
use super::target::{Restored, Target, restored};
use crate::project::content_hash;
use crate::{Project, SavedTarget};
use canopy_document::document::Document;
use canopy_qa::checks::Pair;
use canopy_translate::inference::{DetectedLanguage, detected_language, detected_of_translations};

/// A target sentence in the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Editor {
    /// Index of the sentence.
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
    /// A translation from the termbase.
    Term(String),
    /// The next tag of the source that is not there; around what is selected a pair of them.
    NextTag,
}

/// One document and the work done on it.
#[derive(Debug)]
pub struct OpenDocument {
    /// Path of the file.
    pub path: PathBuf,
    /// The document as it was read.
    pub document: Arc<Document>,
    /// The selected sentence.
    pub selected: Option<usize>,
    /// The editor of the selected sentence, while it is open.
    pub editor: Option<Editor>,
    /// The find bar.
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
    pub others: OtherLanguages,
    /// The checks that are made.
    pub checks: ChosenChecks,
    /// Its termbases, in the order in which they count; new terms go to the first.
    pub terms: Vec<PathBuf>,
    /// The model that translated it last.
    pub model: Option<PathBuf>,
    /// The target of each sentence.
    pub targets: Targets,
    /// How far the work is.
    pub progress: Progress,
    /// Names the text of the document.
    content: String,
    /// Work of a person on sentences that the document does not have now.
    unmatched: Vec<SavedTarget>,
    /// Changes of an update under way.
    updated: Vec<Change>,
    /// Changes that can be undone.
    pub history: History,
}

/// Work on the same document under another path.
#[derive(Debug, Clone, PartialEq)]
pub struct MovedWork {
    /// The work.
    pub project: Project,
    /// How many sentences of the open document it has translations of.
    pub fitting: usize,
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
        let targets = Targets::after(&Targets::default(), targets, histories);
        let mut open = Self::with_targets(path, document, targets);
        open.unmatched = unmatched;
        (open.declared, open.target_language) = (declared, target);
        open.source_language = project.and_then(|it| it.source_language.clone()).or(source);
        if let Some(project) = project {
            open.others = OtherLanguages::from_project(project);
            open.model = project.model.as_ref().map(PathBuf::from);
            open.checks = ChosenChecks::from_project(project);
            open.terms = project.terms.iter().map(PathBuf::from).collect();
        }
        open
    }

    /// A document with a target for each sentence.
    fn with_targets(path: PathBuf, document: Arc<Document>, targets: Targets) -> Self {
        Self {
            path,
            selected: (!document.sentences.is_empty()).then_some(0),
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
            others: OtherLanguages::default(),
            checks: ChosenChecks::default(),
            terms: Vec::new(),
            model: None,
            progress: Progress::new(&document, &targets.list),
            targets,
            content: content_hash(&document),
            unmatched: Vec::new(),
            updated: Vec::new(),
            history: History::default(),
            document,
        }
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

    /// Returns the number of sentences.
    pub fn num_sentences(&self) -> usize {
        self.document.sentences.len()
    }

    /// Returns the target of a sentence.
    pub fn target(&self, sentence: usize) -> &Target {
        &self.targets[sentence]
    }

    /// Sentences with their translations, for the checks.
    pub fn pairs(&self) -> Vec<Pair> {
        let sentences = self.document.sentences.iter().zip(self.targets.iter());
        let pairs = sentences.map(|(sentence, target)| {
            let paragraph = &self.document.paragraphs[sentence.paragraph];
            Pair {
                source: sentence.text.clone(),
                target: target.text.clone(),
                // The limit is the paragraph's.
                max_chars: paragraph
                    .max_chars
                    .filter(|_| paragraph.sentences.len() == 1),
            }
        });
        pairs.collect()
    }

    /// Other sentences with the same source that a person has neither edited nor confirmed.
    pub fn identical_open(&self, sentence: usize) -> Vec<usize> {
        let text = &self.document.sentences[sentence].text;
        let is_same = |&other: &usize| {
            other != sentence
                && self.targets[other].state.is_replaceable()
                && self.document.sentences[other].text == *text
        };
        (0..self.num_sentences()).filter(is_same).collect()
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
}
