//! The large language model that a person has named, and what it suggests for the selected sentence.

use crate::jobs::{JobId, ServerRequest, SuggestionRequest};
use crate::settings::LanguageModel;
use canopy_qa::llm::Suggestion;

/// Something a person does with it.
#[derive(Debug, Clone, PartialEq)]
pub enum LanguageModelCommand {
    /// Shows where it is named.
    Name,
    /// Takes one, or none.
    Choose(Option<LanguageModel>),
    /// Lists the models of the server at an address.
    Test(String),
    /// Leaves it as it is.
    Leave,
    /// Requests a suggestion for the selected sentence.
    Suggest,
    /// Edits the sentence with what was suggested.
    Use,
}

/// The answer of a server to a request for its list of models.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Tested {
    /// No list is requested.
    #[default]
    No,
    /// The request is under way.
    Running(JobId),
    /// The names of its models.
    Models(Vec<String>),
    /// The message of the failure.
    Failed(String),
}

/// Suggestions of the window.
#[derive(Debug, Default)]
pub struct Suggestions {
    /// For its lane; the window sends and empties it.
    pub requests: Vec<SuggestionRequest>,
    /// Whether a person is naming a model.
    pub is_naming: bool,
    /// For the lane that lists models of servers, likewise.
    pub server_requests: Vec<ServerRequest>,
    /// The answer of the server that is being set up.
    pub tested: Tested,
    pub(crate) pending: Option<(JobId, usize)>,
    pub(crate) found: Option<(usize, Suggestion)>,
    pub(crate) ranking: Option<(JobId, usize, u32)>,
    /// The sentence and the revision of its translation that was ranked.
    pub(crate) ranked: Option<(usize, u32, [f32; 2])>,
}

impl Suggestions {
    /// The suggestion for a sentence.
    pub fn get(&self, sentence: usize) -> Option<&Suggestion> {
        let (index, suggestion) = self.found.as_ref()?;
        (*index == sentence).then_some(suggestion)
    }

    /// How likely the open model takes the translation of this revision and the suggestion to be: mean log-probabilities.
    pub fn ranked(&self, sentence: usize, revision: u32) -> Option<[f32; 2]> {
        let ranked = self
            .ranked
            .filter(|it| (it.0, it.1) == (sentence, revision));
        ranked.map(|(_, _, means)| means)
    }

    /// The sentence whose suggestion is pending.
    pub fn pending(&self) -> Option<usize> {
        self.pending.map(|(_, sentence)| sentence)
    }

    /// Forgets what belongs to another document.
    pub(crate) fn forget(&mut self) {
        self.pending = None;
        self.found = None;
        (self.ranking, self.ranked) = (None, None);
    }
}
