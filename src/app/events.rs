//! Reports of jobs: events of pages, and those that concern several of them.

use std::path::PathBuf;

use derive_more::From;

use super::aligning::AlignEvent;
use super::document::DocumentEvent;
use super::document::progress::Preparation;
use super::error::Error;
use super::evaluating::EvaluateEvent;
use super::explorer::{ExploreEvent, Present};
use super::jobs::JobId;
use super::models::ModelsEvent;
use super::notices::NoticeKind;
use super::project::ProjectEvent;
use super::state::AppState;
use super::training::{CorpusFacts, RunEvent};

/// A report of a job: to a page, which has its events in a folder of its own, or to several.
#[derive(Debug, From)]
pub enum Event {
    /// A report to the page of the document.
    #[from]
    Document(DocumentEvent),
    /// A report to the explorer.
    #[from]
    Explore(ExploreEvent),
    /// A report to the page of trainings.
    #[from]
    Training(RunEvent),
    /// A report to the page of evaluations.
    #[from]
    Evaluate(EvaluateEvent),
    /// A report to the page of models.
    #[from]
    Models(ModelsEvent),
    /// A report to the page of the project.
    #[from]
    Project(ProjectEvent),
    /// A report to the page of alignments.
    #[from]
    Align(AlignEvent),
    /// Steps of adapting to the memory's matches for the document, done and to be done, before anything is
    /// translated.
    Adapting {
        /// Number of the job.
        job: JobId,
        /// Steps that are done.
        done: usize,
        /// Steps to be done.
        num: usize,
    },
    /// A job is done.
    Finished {
        /// Number of the job.
        job: JobId,
    },
    /// A job has stopped because it was cancelled.
    Cancelled {
        /// Number of the job.
        job: JobId,
    },
    /// All earlier writes are done, or their failures reported.
    Flushed {
        /// Number of the job.
        job: JobId,
    },
    /// Languages and sizes of a corpus.
    CorpusSeen {
        /// The folder of the corpus.
        folder: PathBuf,
        /// Its languages and size.
        facts: CorpusFacts,
    },
    /// Paths that are not there.
    PathsMissing {
        /// The paths.
        paths: Vec<PathBuf>,
    },
    /// Something else that a person wanted in a file.
    Saved {
        /// Number of the job.
        job: JobId,
        /// The file.
        path: PathBuf,
    },
    /// A job has failed.
    Failed {
        /// Number of the job.
        job: JobId,
        /// Why it has failed.
        error: Error,
    },
}

impl AppState {
    /// Receives an event; what belongs to an older job is dropped.
    pub fn receive(&mut self, event: impl Into<Event>) {
        self.handle(event.into());
        self.explorer
            .follow_margin(&mut self.shared, &self.document);
        self.document.follow(&mut self.shared, &self.models);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Document(event) => self.handle_document(event),
            Event::Explore(event) => {
                let present = Present::new(&self.document, &self.models, &self.projects);
                self.explorer.handle(&mut self.shared, present, event);
            }
            Event::Training(event) => {
                self.training
                    .handle(&mut self.shared, &self.models, &mut self.evaluate, event);
            }
            Event::Evaluate(event) => {
                self.evaluate
                    .handle(&mut self.shared, &mut self.training, event);
            }
            Event::Models(event) => self.handle_models(event),
            Event::Project(event) => self.handle_project(event),
            Event::Align(event) => self.aligning.handle(&mut self.shared, event),
            Event::Adapting { job, done, num } => {
                if !self.explorer.taking_in(job, done, num) {
                    let preparing = (Preparation::Adapting, done, num);
                    self.document.prepared(&self.shared, job, preparing);
                }
            }
            Event::CorpusSeen { folder, facts } => {
                self.training
                    .corpus_seen(&self.shared, &self.models, folder.clone(), facts);
                self.evaluate
                    .corpus_known(&self.models, &self.training, &folder);
            }
            Event::PathsMissing { paths } => self.forget_missing(&paths),
            Event::Saved { path, .. } => {
                self.shared
                    .notify(NoticeKind::Done, "Saved", path.display().to_string());
            }
            Event::Flushed { job } => self.shared.flushed(job),
            Event::Finished { job } => {
                if !self
                    .training
                    .run_ended(&mut self.shared, &mut self.evaluate, job)
                    && !self.document.alternatives.finished(job)
                {
                    self.finished(job, false);
                }
            }
            Event::Cancelled { job } => {
                if !self.evaluate.evaluation_ended(&mut self.training, job)
                    && !self
                        .training
                        .cancelled(&mut self.shared, &mut self.evaluate, job)
                    && !self.models.installing.cancelled(job)
                {
                    self.finished(job, true);
                }
            }
            Event::Failed { job, error } => self.failed(job, &error),
        }
    }
}
