//! Suggestions of a large language model for the selected sentence.

use std::sync::Arc;
use std::time::Duration;

use super::command::Command;
use super::language;
use super::language_model::{LanguageModelCommand, Tested};
use super::markup::to_editable;
use super::models::ModelState;
use super::notices::{NoticeKind, in_words};
use super::state::AppState;
use crate::error::Result;
use crate::jobs::{JobId, Request, ServerRequest, State, SuggestionRequest};
use crate::settings::LanguageModel;
use canopy_qa::llm::{Endpoint, Neighbour, Question, Suggestion};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Where a key for the server can stand.
const KEY_VARIABLE: &str = "CANOPY_LLM_KEY";

/// Sentences before and after, and similar ones of the memory, at most.
const BEFORE: usize = 3;
const AFTER: usize = 2;
const SIMILAR: usize = 3;

impl AppState {
    pub(super) fn apply_language_model(&mut self, command: LanguageModelCommand) {
        match command {
            LanguageModelCommand::Name => {
                self.document.suggestions.tested = Tested::No;
                self.document.suggestions.is_naming = true;
            }
            LanguageModelCommand::Test(address) => self.test_server(address),
            LanguageModelCommand::Leave => self.document.suggestions.is_naming = false,
            LanguageModelCommand::Choose(chosen) => self.choose_language_model(chosen),
            LanguageModelCommand::Suggest => self.request_suggestion(),
            LanguageModelCommand::Use => self.use_suggestion(),
        }
    }

    fn test_server(&mut self, address: String) {
        let server = LanguageModel {
            address,
            model: String::new(),
        };
        match endpoint(&server) {
            Ok(endpoint) => {
                let job = self.shared.next_job();
                self.document.suggestions.tested = Tested::Running(job);
                let request = ServerRequest { job, endpoint };
                self.document.suggestions.server_requests.push(request);
            }
            Err(error) => self.document.suggestions.tested = Tested::Failed(in_words(&error)),
        }
    }

    pub(super) fn server_tested(&mut self, job: JobId, models: Result<Vec<String>>) {
        if self.document.suggestions.tested == Tested::Running(job) {
            self.document.suggestions.tested = match models {
                Ok(models) => Tested::Models(models),
                Err(error) => Tested::Failed(in_words(&error)),
            };
        }
    }

    fn choose_language_model(&mut self, chosen: Option<LanguageModel>) {
        if let Some(chosen) = &chosen
            && let Err(error) = endpoint(chosen)
        {
            self.shared
                .show_error("The language model cannot be used", &error);
            return;
        }
        self.document.suggestions.is_naming = false;
        self.document.suggestions.forget();
        self.shared.set(|settings| settings.language_model = chosen);
    }

    fn request_suggestion(&mut self) {
        let Some(chosen) = self.shared.settings.language_model.clone() else {
            self.document.suggestions.is_naming = true;
            return;
        };
        let (Some(question), ModelState::Open { info, .. }) =
            (self.question(), &self.models.current)
        else {
            let detail = "Open a model, which sets the languages, and select a sentence.";
            self.shared
                .notify(NoticeKind::Hint, "Nothing to suggest", detail);
            return;
        };
        let [source, target] = [&info.source_language, &info.target_language]
            .map(|code| language::name(code.as_str()));
        let endpoint = match endpoint(&chosen) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                return self
                    .shared
                    .show_error("The language model cannot be used", &error);
            }
        };
        let job = self.shared.next_job();
        self.document.suggestions.pending =
            self.document.selected().map(|sentence| (job, sentence));
        self.document.suggestions.requests.push(SuggestionRequest {
            job,
            endpoint,
            source,
            target,
            question,
        });
    }

    /// The question about the selected sentence; none without a source to translate.
    fn question(&self) -> Option<Question> {
        let open = self.document.open.as_ref()?;
        let (index, sentences) = (open.selected?, &open.document.sentences);
        let neighbour = |index: usize| {
            let target = open.target(index);
            let is_there = target.state != State::Untranslated;
            Neighbour {
                source: to_editable(&sentences[index].text),
                target: is_there.then(|| to_editable(&target.text)),
            }
        };
        let sentence = &sentences[index];
        let memory = self.memory().map(|memory| {
            let shown = sentence.plain_text();
            let similar = memory.to_show(shown.trim()).into_iter().take(SIMILAR);
            let pairs = similar.map(|pair| (pair.source.to_owned(), pair.target.to_owned()));
            pairs.collect()
        });
        let terms = self.document.terms.index.as_ref();
        let terms = terms.map(|index| index.pairs(&sentence.text));
        let after = (index + 1..sentences.len()).take(AFTER);
        Some(Question {
            stored: sentence.text.clone(),
            source: to_editable(&sentence.text),
            before: (index.saturating_sub(BEFORE)..index)
                .map(neighbour)
                .collect(),
            after: after.map(neighbour).collect(),
            terms: terms.unwrap_or_default(),
            memory: memory.unwrap_or_default(),
        })
    }

    pub(super) fn suggested(&mut self, job: JobId, suggestion: Result<Box<Suggestion>>) {
        let Some((_, sentence)) = self
            .document
            .suggestions
            .pending
            .take_if(|pending| pending.0 == job)
        else {
            return;
        };
        match suggestion {
            Ok(suggestion) => {
                let text = suggestion.text.clone();
                self.document.suggestions.found = Some((sentence, *suggestion));
                self.rank(sentence, text);
            }
            Err(error) => {
                self.shared
                    .show_error("The language model gave no suggestion", &error);
                let settings = Command::LanguageModel(LanguageModelCommand::Name);
                self.shared.with_button("Settings…", settings);
            }
        }
    }

    /// Scores the translation and the suggestion with the open model; not where two models are chained.
    fn rank(&mut self, sentence: usize, suggested: String) {
        let (Some(open), ModelState::Open { .. }) = (&self.document.open, &self.models.current)
        else {
            return;
        };
        let own = open.target(sentence);
        if own.state == State::Untranslated {
            return;
        }
        let others = (0..open.num_sentences()).filter(|other| *other != sentence);
        let known = others.map(|other| (other, open.target(other)));
        let known = known.filter(|(_, target)| target.state != State::Untranslated);
        let known = known.map(|(other, target)| (other, target.text.clone()));
        let (document, candidates) = (Arc::clone(&open.document), [own.text.clone(), suggested]);
        let (revision, known) = (open.revision(sentence), known.collect());
        let job = self.shared.next_job();
        self.document.suggestions.ranking = Some((job, sentence, revision));
        self.shared.requests.push(Request::Rank {
            job,
            document,
            sentence,
            candidates,
            known,
        });
    }

    pub(super) fn ranked(&mut self, job: JobId, mean_log_probs: Option<[f32; 2]>) {
        let ranking = self
            .document
            .suggestions
            .ranking
            .take_if(|ranking| ranking.0 == job);
        let ranked = ranking.zip(mean_log_probs);
        if let Some(((_, sentence, revision), means)) = ranked {
            self.document.suggestions.ranked = Some((sentence, revision, means));
        }
    }

    fn use_suggestion(&mut self) {
        let suggestion = self
            .document
            .selected()
            .and_then(|it| self.document.suggestions.get(it));
        if let Some(text) = suggestion.map(|suggestion| to_editable(&suggestion.text)) {
            self.keep_edit_for_good();
            self.edit_selected();
            self.editing(text);
        }
    }
}

fn endpoint(chosen: &LanguageModel) -> Result<Endpoint> {
    let key = std::env::var(KEY_VARIABLE)
        .ok()
        .filter(|key| !key.is_empty());
    Ok(Endpoint::new(&chosen.address, &chosen.model, key, TIMEOUT)?)
}
