//! How far a project is, and how much there is to translate in it.

use serde::Serialize;

use super::ProjectFolder;
use crate::State;
use crate::error::Result;
use crate::project::Project;
use canopy_corpus::memory::{Amount, Analysis, Band};
use canopy_document::csv::quoted;
use canopy_document::document::{Document, Sentence};

/// Amounts by [`Band::ALL`].
pub type Bands = [Amount; Band::ALL.len()];

/// One document of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DocumentStatus {
    /// Seen from the folder.
    pub document: String,
    /// Why it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Sentences by their states.
    pub untranslated: usize,
    /// Sentences that a model has translated.
    pub draft: usize,
    /// Sentences that a person has changed.
    pub edited: usize,
    /// Sentences that a person has confirmed.
    pub confirmed: usize,
    /// Words of its source.
    pub words: usize,
    /// Sentences and words by what the memories have.
    #[serde(skip)]
    pub bands: Bands,
}

impl DocumentStatus {
    /// Returns the number of sentences.
    pub fn segments(&self) -> usize {
        self.untranslated + self.draft + self.edited + self.confirmed
    }

    fn count(&mut self, state: State) {
        *match state {
            State::Untranslated => &mut self.untranslated,
            State::Draft => &mut self.draft,
            State::Edited => &mut self.edited,
            State::Confirmed => &mut self.confirmed,
        } += 1;
    }
}

/// All documents of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectStatus {
    /// The project.
    pub project: ProjectFolder,
    /// The documents in the order of the project file.
    pub documents: Vec<DocumentStatus>,
}

impl ProjectStatus {
    /// Looks at all documents; repetitions count across them, in their order. What is alike is what the memory's file has:
    /// confirmed sentences are progress.
    ///
    /// # Errors
    /// If the memory's file cannot be read.
    pub fn from_project(project: ProjectFolder) -> Result<Self> {
        let head = &project.head;
        let memory = project.file_memory(&head.source_language, &head.target_language)?;
        let mut analysis = Analysis::new(memory.as_ref());
        let mut documents = Vec::new();
        for (relative, path) in project.documents() {
            let mut status = DocumentStatus {
                document: relative.to_owned(),
                ..DocumentStatus::default()
            };
            match project.document(relative, &path) {
                Ok((document, work)) => look(&mut status, work.as_ref(), &document, &mut analysis),
                Err(error) => status.problem = Some(error.to_string()),
            }
            documents.push(status);
        }
        Ok(Self { project, documents })
    }

    /// A line for each document and one for all: sentences by their states, words by what is known of their sentences.
    pub fn csv(&self) -> String {
        let titles = ["document", "confirmed", "edited", "drafts", "untranslated"];
        let bands = Band::ALL.iter().map(|band| band.label());
        let titles = titles.into_iter().chain(["words"]).chain(bands);
        let mut csv = titles.map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let total = DocumentStatus {
            document: "all".to_owned(),
            ..self.total()
        };
        for row in self.documents.iter().chain([&total]) {
            let counts = [
                row.confirmed,
                row.edited,
                row.draft,
                row.untranslated,
                row.words,
            ];
            let numbers = counts
                .into_iter()
                .chain(row.bands.iter().map(|it| it.words));
            let numbers = numbers.map(|number| number.to_string());
            let line: Vec<String> = [quoted(&row.document)].into_iter().chain(numbers).collect();
            csv += &line.join(",");
            csv.push('\n');
        }
        csv
    }

    /// The sum of all documents.
    pub fn total(&self) -> DocumentStatus {
        let mut total = DocumentStatus::default();
        for status in &self.documents {
            total.untranslated += status.untranslated;
            total.draft += status.draft;
            total.edited += status.edited;
            total.confirmed += status.confirmed;
            total.words += status.words;
            for (sum, amount) in total.bands.iter_mut().zip(status.bands) {
                *sum += amount;
            }
        }
        total
    }
}

fn look(
    status: &mut DocumentStatus,
    work: Option<&Project>,
    document: &Document,
    analysis: &mut Analysis<'_>,
) {
    let nothing = vec![None; document.sentences.len()];
    let targets = work.map_or(nothing, |work| work.matched(document));
    for (sentence, saved) in document.sentences.iter().zip(targets) {
        status.count(saved.map_or_else(|| file_state(sentence), |saved| saved.state));
        if let Some((band, amount)) = analysis.count(&sentence.plain_text()) {
            status.words += amount.words;
            for (own, counted) in Band::ALL.iter().zip(&mut status.bands) {
                if *own == band {
                    *counted += amount;
                }
            }
        }
    }
}

/// The state of what the file of a document has for a sentence.
fn file_state(sentence: &Sentence) -> State {
    let known = sentence.known.as_ref();
    known.map_or(State::Untranslated, |known| known.standing.into())
}
