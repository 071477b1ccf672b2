//! Events of the page of trainings.

use std::path::PathBuf;

use super::Training;
use crate::evaluating::Evaluate;
use crate::jobs::{JobId, RunSnapshot};
use crate::models::Models;
use crate::shared::Shared;
use canopy_corpus::survey::Survey;
use canopy_train::{Estimate, TrainingEvent};

/// A report to the page of trainings: about runs, and about corpora that are made.
#[derive(Debug)]
pub enum RunEvent {
    /// An event of a run; it ends with `Finished` or `Failed`.
    Progressed {
        /// Number of the job.
        job: JobId,
        /// The event.
        event: TrainingEvent,
    },
    /// Something about the runs that are followed is new; all of them, with the corpora that were made in the window.
    Seen {
        /// The runs.
        runs: Vec<RunSnapshot>,
        /// Folders of the corpora.
        corpora: Vec<PathBuf>,
    },
    /// The probe of a form's settings is done.
    Probed {
        /// Number of the job.
        job: JobId,
        /// Memory and time.
        estimate: Estimate,
    },
    /// A run has another name, and so another folder.
    Renamed {
        /// The folder it had.
        folder: PathBuf,
        /// The folder it has.
        to: PathBuf,
    },
    /// A run was moved to the trash.
    Trashed {
        /// The folder it had.
        folder: PathBuf,
        /// Where it is in the trash.
        to: PathBuf,
    },
    /// So much of what a corpus is made of is read, in `[0, 1]`.
    CorpusRead {
        /// Number of the job.
        job: JobId,
        /// The share.
        share: f64,
    },
    /// Found in what is to become a corpus.
    Surveyed {
        /// Number of the job.
        job: JobId,
        /// Languages, sizes and doubts.
        survey: Box<Survey>,
    },
    /// A corpus is written.
    CorpusMade {
        /// Number of the job.
        job: JobId,
        /// Its folder.
        folder: PathBuf,
        /// Number of its pairs.
        pairs: usize,
    },
}

impl Training {
    pub(crate) fn handle(
        &mut self,
        shared: &mut Shared,
        models: &Models,
        evaluate: &mut Evaluate,
        event: RunEvent,
    ) {
        use RunEvent as E;
        match event {
            E::Seen { runs, corpora } => {
                self.corpora.add(corpora);
                self.runs.seen(runs);
            }
            // The run folder says the same to the charts.
            E::Progressed { job, event } => self.sample_progressed(shared, evaluate, job, &event),
            E::Probed { job, estimate } => {
                if let Some(form) = &mut self.form {
                    form.probed(job, estimate);
                }
            }
            E::Renamed { folder, to } => self.runs.renamed(&folder, to),
            E::Trashed { folder, to } => self.runs.trashed.push((folder, to)),
            E::CorpusRead { job, share } => {
                if let Some(form) = &mut self.corpus_form {
                    form.progressed(job, share);
                }
            }
            E::Surveyed { job, survey } => {
                if let Some(form) = &mut self.corpus_form {
                    form.surveyed(job, survey);
                }
            }
            E::CorpusMade { job, folder, pairs } => {
                self.corpus_made(shared, models, job, folder, pairs);
            }
        }
    }
}
