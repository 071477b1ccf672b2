//! The translation under way: how far it is, and what waits for it.

use crate::command::Scope;
use crate::document::editing::Editing;
use crate::document::progress::{Preparation, Progress, Running};
use crate::document::terms::Terms;
use crate::jobs::{JobControl, JobId, Request};
use crate::models::{ModelState, Models};
use crate::notices::NoticeKind;
use crate::project::Translating;
use crate::shared::Shared;
use canopy_translate::inference::Translation;

/// The translation that runs, and those that wait.
#[derive(Debug, Default)]
pub struct Translations {
    /// The translation that runs.
    pub running: Option<Running>,
    /// The speed of the last translation, for the status bar.
    pub last_progress: Option<Progress>,
    /// The scope to translate once the model is open.
    pub(crate) waiting_scope: Option<Scope>,
    /// Documents of the project that are translated one after the other.
    pub(crate) batch: Option<Translating>,
}

impl Translations {
    /// Whether there is something to cancel.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || self.waiting_scope.is_some()
    }

    /// Whether a translation waits until the model is open.
    pub fn is_waiting_for_model(&self) -> bool {
        self.waiting_scope.is_some()
    }

    pub(crate) fn cancel(&mut self) {
        if self.waiting_scope.take().is_some() {
            self.stop_project();
        }
        if let Some(running) = &self.running {
            running.control.cancel();
        }
    }

    /// After a failure, or when a person stops it: translates no more documents of the project.
    pub(crate) fn stop_project(&mut self) {
        self.batch = None;
    }

    pub(crate) fn prepared(
        &mut self,
        shared: &Shared,
        job: JobId,
        preparing: (Preparation, usize, usize),
    ) {
        let now_secs = shared.now_secs;
        let Some(running) = self.running.as_mut().filter(|running| running.job == job) else {
            return;
        };
        running.preparing = Some(preparing);
        // Speed and time left are those of the requested sentences.
        if running.progress.done_sentences == 0 {
            running.progress.started_secs = now_secs;
            running.progress.latest_secs = now_secs;
        }
    }

    pub(crate) fn translated(
        &mut self,
        shared: &Shared,
        editing: &mut Editing,
        job: JobId,
        index: usize,
        translation: Translation,
    ) {
        let now_secs = shared.now_secs;
        let Some(running) = self.running.as_mut().filter(|running| running.job == job) else {
            return;
        };
        let Some(document) = &mut editing.open else {
            return;
        };
        running.progress.done_sentences += 1;
        running.progress.done_words += document.progress.num_words(index);
        running.progress.latest_secs = now_secs;
        running.preparing = None;
        let received = if running.updates {
            document.update(index, translation, &running.model)
        } else {
            document.receive(index, translation, &running.model)
        };
        if received {
            editing.touch(shared);
        }
    }

    /// Sends sentences to the worker.
    pub(crate) fn request(
        &mut self,
        shared: &mut Shared,
        editing: &Editing,
        terms: &Terms,
        models: &Models,
        sentences: Vec<usize>,
        updates: bool,
    ) {
        let job = shared.next_job();
        let Some(document) = &editing.open else {
            return;
        };
        let control = JobControl::default();
        control.set_first_visible(document.first_visible);
        let progress = Progress {
            num_sentences: sentences.len(),
            num_words: sentences
                .iter()
                .map(|&sentence| document.progress.num_words(sentence))
                .sum(),
            started_secs: shared.now_secs,
            latest_secs: shared.now_secs,
            ..Progress::default()
        };
        let (fixed, document) = (document.targets.fixed(), document.document.clone());
        let options = shared.search_options();
        let model = match &models.in_use.current {
            ModelState::Open { info, .. } => info.name.clone(),
            _ => String::new(),
        };
        self.running = Some(Running {
            job,
            control: control.clone(),
            progress,
            preparing: None,
            updates,
            model,
        });
        shared.requests.push(Request::Translate {
            job,
            document,
            sentences,
            fixed,
            terms: terms.termbase(),
            formality: shared.settings.formality,
            options,
            control,
        });
    }
}

/// Ends an update: its changes are one undo step, and a message reports them.
pub(crate) fn finish_update(shared: &mut Shared, editing: &mut Editing, running: &Running) {
    let Some(document) = editing.open.as_mut().filter(|_| running.updates) else {
        return;
    };
    let changed = document.finish_update();
    let read = running.progress.done_sentences;
    if read == 0 {
        return;
    }
    let detail = format!("{changed} of {read} drafts have a new translation.");
    shared.notify(NoticeKind::Done, "The drafts are updated", detail);
}
