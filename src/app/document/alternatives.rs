//! Other translations of the selected sentence, which the open model finds when a person asks for them.

use std::sync::Arc;

use crate::document::DocumentPage;
use crate::document::editing::Editing;
use crate::document::progress::Preparation;
use crate::jobs::{JobControl, JobId, Request, State};
use crate::models::{ModelState, Models};
use crate::notices::in_words;
use crate::shared::Shared;
use canopy_document::document::Document;
use canopy_document::placeholder::stripped;
use canopy_project::Target;
use canopy_translate::inference::{Flag, Reads, Translation};

/// Translations that are wanted besides the one that the model takes for the best.
const OTHERS: usize = 5;

/// Something a person does with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlternativesCommand {
    /// Opens the panel and searches for the selected sentence.
    Find,
    /// Takes one of the list, the first being 0, in place of the translation.
    Use(usize),
    /// Ends the search.
    Stop,
    /// Closes the panel.
    Close,
}

/// The state of the list for the selected sentence.
#[derive(Debug, Default)]
pub enum AlternativesState {
    /// No search has been started.
    #[default]
    None,
    /// The model searches.
    Running(Search),
    /// The translations in the order of the model, its own first; the present one may be among them.
    Found(Vec<Translation>),
    /// Why the list is missing.
    Failed(String),
}

/// A search under way.
#[derive(Debug)]
pub struct Search {
    job: JobId,
    control: JobControl,
    started_secs: f64,
    own: Option<Translation>,
    others: Vec<Translation>,
    /// Preparation before the search, with how much of it is done and to be done.
    pub preparing: Option<(Preparation, usize, usize)>,
    /// Tokens that a language model has computed.
    pub tokens: usize,
}

impl Search {
    /// Time since it was requested.
    pub fn secs(&self, shared: &Shared) -> f64 {
        (shared.now_secs - self.started_secs).max(0.0)
    }
}

/// The sentence and the translation that alternatives belong to.
#[derive(Debug)]
struct Subject {
    document: Arc<Document>,
    sentence: usize,
    /// Its translation when they were requested.
    target: String,
    languages: Option<(String, String)>,
    model: String,
}

/// The panel of alternatives.
#[derive(Debug, Default)]
pub struct Alternatives {
    /// Whether the panel is shown.
    pub is_open: bool,
    /// Its content.
    pub state: AlternativesState,
    of: Option<Subject>,
    /// The search that has found the list.
    found_by: Option<JobId>,
}

impl Alternatives {
    /// One of the list, the first being 0.
    pub fn get(&self, place: usize) -> Option<&Translation> {
        self.list().get(place)
    }

    /// The list; empty until it is made.
    pub fn list(&self) -> &[Translation] {
        match &self.state {
            AlternativesState::Found(found) => found,
            _ => &[],
        }
    }

    /// The number of the search that has found the list.
    pub fn found_by(&self) -> Option<JobId> {
        self.found_by
    }

    /// The model that searches, or has searched.
    pub fn model(&self) -> &str {
        self.of.as_ref().map_or("", |of| &of.model)
    }

    fn running(&mut self, job: JobId) -> Option<&mut Search> {
        match &mut self.state {
            AlternativesState::Running(search) if search.job == job => Some(search),
            _ => None,
        }
    }

    /// Ends a search under way.
    pub(crate) fn stop(&mut self) {
        if let AlternativesState::Running(search) = &self.state {
            search.control.cancel();
            self.state = AlternativesState::None;
        }
    }

    fn empty(&mut self) {
        self.stop();
        self.state = AlternativesState::None;
        self.of = None;
    }

    fn close(&mut self) {
        self.empty();
        self.is_open = false;
    }

    /// Forgets what belongs to another sentence or to another translation of it.
    pub(crate) fn follow(&mut self, editing: &Editing, models: &Models) {
        if editing.open.is_none() {
            return self.close();
        }
        let is_old = |of: &Subject| !of.is_present(editing, models, self.list());
        if self.of.as_ref().is_some_and(is_old) {
            self.empty();
        }
    }

    pub(crate) fn others_found(&mut self, job: JobId, translations: Vec<Translation>) {
        if let Some(search) = self.running(job) {
            search.others = translations;
        }
    }

    pub(crate) fn computed(&mut self, job: JobId, tokens: usize) {
        if let Some(search) = self.running(job) {
            search.tokens = tokens;
        }
    }

    /// Lists what was found; `false` if the job is another one.
    pub(crate) fn finished(&mut self, job: JobId) -> bool {
        let Some(search) = self.running(job) else {
            return false;
        };
        let others = std::mem::take(&mut search.others);
        let all = search.own.take().into_iter().chain(others);
        let mut found: Vec<Translation> = Vec::with_capacity(OTHERS + 1);
        for one in all.filter(|it| !it.flags.contains(&Flag::Empty)) {
            // Two that differ in their markup alone look the same.
            let shown = stripped(&one.text);
            if found.iter().all(|known| stripped(&known.text) != shown) {
                found.push(one);
            }
        }
        self.found_by = Some(job);
        self.state = AlternativesState::Found(found);
        true
    }

    /// Says why nothing was found; `false` if the job is another one.
    pub(crate) fn failed(
        &mut self,
        job: JobId,
        error: &(impl std::error::Error + 'static),
    ) -> bool {
        let is_own = self.running(job).is_some();
        if is_own {
            self.state = AlternativesState::Failed(in_words(error));
        }
        is_own
    }
}

impl Subject {
    /// Whether the sentence is selected, and its translation that of the request or one of the list.
    fn is_present(&self, editing: &Editing, models: &Models, list: &[Translation]) -> bool {
        let Some(open) = &editing.open else {
            return false;
        };
        let is_here = Arc::ptr_eq(&open.document, &self.document)
            && open.selected == Some(self.sentence)
            && editing.pair(models).codes() == self.languages;
        if !is_here {
            return false;
        }
        let text = &open.target(self.sentence).text;
        let is_known = *text == self.target || list.iter().any(|it| it.text == *text);
        let edits = open.editor.as_ref();
        is_known && edits.is_none_or(|editor| editor.text == editor.begun_with)
    }
}

impl DocumentPage {
    pub(crate) fn execute_alternatives(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        command: AlternativesCommand,
    ) {
        match command {
            AlternativesCommand::Find => self.find_alternatives(shared, models),
            AlternativesCommand::Use(place) => self.use_alternative(shared, place),
            AlternativesCommand::Stop => self.alternatives.stop(),
            AlternativesCommand::Close => self.alternatives.close(),
        }
    }

    /// Why no alternatives can be searched for now.
    pub fn why_no_alternatives(&self, models: &Models) -> Option<&'static str> {
        if self.editing.selected().is_none() {
            return Some("Select a sentence");
        }
        match &models.in_use.current {
            ModelState::None => return Some("No model is open"),
            ModelState::Opening { .. } => return Some("The model is being opened"),
            ModelState::Open { .. } => {}
        }
        if self.pair(models).without_model().is_some() {
            Some("No model is open for the languages of the document")
        } else if self.translations.is_busy() {
            Some("A translation is running")
        } else {
            None
        }
    }

    fn find_alternatives(&mut self, shared: &mut Shared, models: &Models) {
        self.alternatives.is_open = true;
        let is_running = matches!(self.alternatives.state, AlternativesState::Running(_));
        if is_running || !self.editing.keep_edit(shared) {
            return;
        }
        if self.why_no_alternatives(models).is_some() {
            return;
        }
        self.adopt_target(shared, models);
        let (Some(open), ModelState::Open { info, .. }) =
            (&self.editing.open, &models.in_use.current)
        else {
            return;
        };
        let Some(sentence) = open.selected else {
            return;
        };
        // A model that reads translations reads the present ones; it need not draft others first.
        let mut fixed = match info.reads {
            Reads::Translations => {
                let texts = open.targets.texts().into_iter().enumerate();
                texts.filter_map(|(at, text)| Some((at, text?))).collect()
            }
            _ => open.targets.fixed(),
        };
        fixed.remove(&sentence);
        let mut options = shared.search_options();
        options.alternatives = OTHERS;
        if options.beam_size > 0 {
            options.beam_size = options.beam_size.max(OTHERS + 1);
        }
        let (job, control) = (shared.next_job(), JobControl::default());
        self.alternatives.of = Some(Subject {
            document: Arc::clone(&open.document),
            sentence,
            target: open.target(sentence).text.clone(),
            languages: self.editing.pair(models).codes(),
            model: info.name.clone(),
        });
        self.alternatives.state = AlternativesState::Running(Search {
            job,
            control: control.clone(),
            started_secs: shared.now_secs,
            own: None,
            others: Vec::new(),
            preparing: None,
            tokens: 0,
        });
        shared.requests.push(Request::Translate {
            job,
            document: Arc::clone(&open.document),
            sentences: vec![sentence],
            fixed,
            terms: self.terms.termbase(),
            formality: shared.settings.formality,
            options,
            control,
        });
    }

    /// Puts one of the list in place of the translation, in a step that can be undone.
    fn use_alternative(&mut self, shared: &Shared, place: usize) {
        let (Some(found), Some(of)) = (self.alternatives.get(place), &self.alternatives.of) else {
            return;
        };
        let target = Target {
            text: found.text.clone(),
            state: State::Edited,
            model: Some(of.model.clone()).filter(|_| found.num_tokens > 0),
            ..Target::default()
        };
        let open = self.editing.open.as_ref();
        if open.is_some_and(|open| open.target(of.sentence).text == target.text) {
            return;
        }
        self.editing.change(shared, of.sentence, target);
    }

    /// A preparation of the translation, or of the search for alternatives.
    pub(crate) fn prepared(
        &mut self,
        shared: &Shared,
        job: JobId,
        preparing: (Preparation, usize, usize),
    ) {
        match self.alternatives.running(job) {
            Some(search) => search.preparing = Some(preparing),
            None => self.translations.prepared(shared, job, preparing),
        }
    }

    /// A translation of the document, or the best one of the search for alternatives.
    pub(crate) fn translated(
        &mut self,
        shared: &Shared,
        job: JobId,
        index: usize,
        translation: Translation,
    ) {
        if let Some(search) = self.alternatives.running(job) {
            search.own = Some(translation);
            return;
        }
        let editing = &mut self.editing;
        self.translations
            .translated(shared, editing, job, index, translation);
    }
}
