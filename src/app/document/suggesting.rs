//! Suggestions of a large language model for the selected sentence.

use std::sync::Arc;
use std::time::Duration;

use crate::command::Command;
use crate::document::editing::Editing;
use crate::document::language_model::{LanguageModelCommand, Suggestions, Tested};
use crate::document::terms::Terms;
use crate::error::Result;
use crate::jobs::{JobId, Request, ServerRequest, State, SuggestionRequest};
use crate::language;
use crate::markup::to_editable;
use crate::models::{ModelState, Models};
use crate::notices::{NoticeKind, in_words};
use crate::settings::LanguageModel;
use crate::shared::Shared;
use canopy_qa::llm::{Endpoint, Neighbour, Question, Suggestion};

/// How long an answer may take.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The environment variable that may hold a key for the server.
const KEY_VARIABLE: &str = "CANOPY_LLM_KEY";

/// Sentences before and after, and similar ones of the memory, at most.
const BEFORE: usize = 3;
const AFTER: usize = 2;
const SIMILAR: usize = 3;

impl Suggestions {
    pub(crate) fn execute(
        &mut self,
        shared: &mut Shared,
        editing: &mut Editing,
        terms: &Terms,
        models: &Models,
        command: LanguageModelCommand,
    ) {
        match command {
            LanguageModelCommand::Name => {
                self.tested = Tested::No;
                self.is_naming = true;
            }
            LanguageModelCommand::Test(address) => self.test_server(shared, address),
            LanguageModelCommand::Leave => self.is_naming = false,
            LanguageModelCommand::Choose(chosen) => self.choose(shared, chosen),
            LanguageModelCommand::Suggest => self.request(shared, editing, terms, models),
            LanguageModelCommand::Use => self.use_found(shared, editing),
        }
    }

    fn test_server(&mut self, shared: &mut Shared, address: String) {
        let server = LanguageModel {
            address,
            model: String::new(),
        };
        match endpoint(&server) {
            Ok(endpoint) => {
                let job = shared.next_job();
                self.tested = Tested::Running(job);
                let request = ServerRequest { job, endpoint };
                self.server_requests.push(request);
            }
            Err(error) => self.tested = Tested::Failed(in_words(&error)),
        }
    }

    pub(crate) fn server_tested(&mut self, job: JobId, models: Result<Vec<String>>) {
        if self.tested == Tested::Running(job) {
            self.tested = match models {
                Ok(models) => Tested::Models(models),
                Err(error) => Tested::Failed(in_words(&error)),
            };
        }
    }

    fn choose(&mut self, shared: &mut Shared, chosen: Option<LanguageModel>) {
        if let Some(chosen) = &chosen
            && let Err(error) = endpoint(chosen)
        {
            shared.show_error("The language model cannot be used", &error);
            return;
        }
        self.is_naming = false;
        self.forget();
        shared.set(|settings| settings.language_model = chosen);
    }

    fn request(&mut self, shared: &mut Shared, editing: &Editing, terms: &Terms, models: &Models) {
        let Some(chosen) = shared.settings.language_model.clone() else {
            self.is_naming = true;
            return;
        };
        let (Some(question), ModelState::Open { info, .. }) =
            (question(editing, terms, models), &models.in_use.current)
        else {
            let detail = "Open a model, which sets the languages, and select a sentence.";
            shared.notify(NoticeKind::Hint, "Nothing to suggest", detail);
            return;
        };
        let [source, target] = [&info.source_language, &info.target_language]
            .map(|code| language::name(code.as_str()));
        let endpoint = match endpoint(&chosen) {
            Ok(endpoint) => endpoint,
            Err(error) => {
                return shared.show_error("The language model cannot be used", &error);
            }
        };
        let job = shared.next_job();
        self.pending = editing.selected().map(|sentence| (job, sentence));
        self.requests.push(SuggestionRequest {
            job,
            endpoint,
            source,
            target,
            question,
        });
    }

    pub(crate) fn suggested(
        &mut self,
        shared: &mut Shared,
        editing: &Editing,
        models: &Models,
        job: JobId,
        suggestion: Result<Box<Suggestion>>,
    ) {
        let Some((_, sentence)) = self.pending.take_if(|pending| pending.0 == job) else {
            return;
        };
        match suggestion {
            Ok(suggestion) => {
                let text = suggestion.text.clone();
                self.found = Some((sentence, *suggestion));
                self.rank(shared, editing, models, sentence, text);
            }
            Err(error) => {
                shared.show_error("The language model gave no suggestion", &error);
                let settings = Command::from(LanguageModelCommand::Name);
                shared.with_button("Settings…", settings);
            }
        }
    }

    /// Scores the translation and the suggestion with the open model; not where two models are chained.
    fn rank(
        &mut self,
        shared: &mut Shared,
        editing: &Editing,
        models: &Models,
        sentence: usize,
        suggested: String,
    ) {
        let (Some(open), ModelState::Open { .. }) = (&editing.open, &models.in_use.current) else {
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
        let (revision, known) = (open.targets.revision(sentence), known.collect());
        let job = shared.next_job();
        self.ranking = Some((job, sentence, revision));
        shared.requests.push(Request::Rank {
            job,
            document,
            sentence,
            candidates,
            known,
        });
    }

    pub(crate) fn was_ranked(&mut self, job: JobId, mean_log_probs: Option<[f32; 2]>) {
        let ranking = self.ranking.take_if(|ranking| ranking.0 == job);
        let ranked = ranking.zip(mean_log_probs);
        if let Some(((_, sentence, revision), means)) = ranked {
            self.ranked = Some((sentence, revision, means));
        }
    }

    fn use_found(&mut self, shared: &Shared, editing: &mut Editing) {
        let suggestion = editing.selected().and_then(|it| self.get(it));
        if let Some(text) = suggestion.map(|suggestion| to_editable(&suggestion.text)) {
            editing.commit_edit(shared);
            editing.edit_selected(shared);
            editing.set_text(shared, text);
        }
    }
}

/// The question about the selected sentence; none without a source to translate.
fn question(editing: &Editing, terms: &Terms, models: &Models) -> Option<Question> {
    let open = editing.open.as_ref()?;
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
    let memory = editing.pair(models).memory().map(|memory| {
        let shown = sentence.plain_text();
        let similar = memory.to_show(shown.trim()).into_iter().take(SIMILAR);
        let pairs = similar.map(|pair| (pair.source.to_owned(), pair.target.to_owned()));
        pairs.collect()
    });
    let terms = terms.index.as_ref();
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

fn endpoint(chosen: &LanguageModel) -> Result<Endpoint> {
    let key = std::env::var(KEY_VARIABLE)
        .ok()
        .filter(|key| !key.is_empty());
    Ok(Endpoint::new(&chosen.address, &chosen.model, key, TIMEOUT)?)
}
