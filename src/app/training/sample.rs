//! The sample run: two small models learn a made-up language one after the other, and are then compared.

use std::path::{Path, PathBuf};

use super::{Runs, Training};
use crate::command::Page;
use crate::evaluating::Evaluate;
use crate::jobs::{CorpusImport, JobControl, JobId, RunRequest, TrainingRequest};
use crate::settings::Device;
use crate::shared::Shared;
use canopy_corpus::Split;
use canopy_corpus::synthetic::nouns_right;
use canopy_evaluate::evaluation::Evaluation;
use canopy_train::{Order, TrainingEvent, best_model, free_folder, sample_runs};

/// How far it is.
#[derive(Debug, Clone)]
pub enum SampleStage {
    /// The tales are written.
    Writing(JobId, JobControl),
    /// Both models learn.
    Learning,
    /// Both have learned and are not compared yet.
    Learned,
    /// Their translations are compared.
    Comparing(JobId),
    /// With the number of the evaluation.
    Compared(usize),
    /// By a person, or because of an error.
    Stopped,
}

/// Nouns of the test tales whose ending a model has right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NounScores {
    /// Name of the model.
    pub system: String,
    /// Nouns whose ending is right.
    pub right: usize,
    /// Nouns in all.
    pub all: usize,
}

/// How far the sample run is.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The step it is at.
    pub stage: SampleStage,
    /// Folder of the corpus of tales.
    pub corpus: PathBuf,
    /// The sentence-level run, then that of the tree; empty before the tales are written.
    pub runs: Vec<PathBuf>,
    jobs: Vec<JobId>,
    /// How many of them have ended.
    ended: usize,
    /// Scores of both models, once they are compared.
    pub nouns: Vec<NounScores>,
    /// The segment that the tree gained most in.
    pub example: Option<usize>,
}

impl Training {
    pub(super) fn try_sample(&mut self, shared: &mut Shared) {
        shared.page = Page::Training;
        (self.form, self.corpus_form) = (None, None);
        self.runs.shows_table = false;
        if let Some(sample) = self.sample.as_ref().filter(|it| it.is_running()) {
            if let Some(run) = sample.runs.get(sample.ended).or(sample.runs.last()) {
                self.runs.selected = Some(run.clone());
            }
            return;
        }
        self.sample = Some(Sample::begin(shared));
    }

    /// A run that a person ends takes the sample with it.
    pub(crate) fn sample_progressed(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
        event: &TrainingEvent,
    ) {
        if let TrainingEvent::Finished { reason, .. } = event
            && reason.is_order()
        {
            self.sample_run_ended(shared, evaluate, job, false);
        }
    }

    /// A run has ended, at its goal or before. Returns whether it was one of the sample's.
    pub(super) fn sample_run_ended(
        &mut self,
        shared: &mut Shared,
        evaluate: &mut Evaluate,
        job: JobId,
        is_whole: bool,
    ) -> bool {
        let Some(sample) = &mut self.sample else {
            return false;
        };
        let was_learning = sample.learning().is_some();
        let is_own = sample.run_ended(&mut self.runs, job, is_whole);
        if was_learning && matches!(sample.stage, SampleStage::Learned) {
            sample.compare(shared, evaluate);
        }
        is_own
    }
}

impl Sample {
    /// Has the tales written.
    fn begin(shared: &mut Shared) -> Self {
        let (job, control) = (shared.next_job(), JobControl::default());
        let corpora = shared.home().join("corpora");
        shared.run_requests.push(RunRequest::MakeCorpus {
            job,
            import: Box::new(CorpusImport::Tales { corpora }),
            control: control.clone(),
        });
        Self {
            stage: SampleStage::Writing(job, control),
            corpus: PathBuf::new(),
            runs: Vec::new(),
            jobs: Vec::new(),
            ended: 0,
            nouns: Vec::new(),
            example: None,
        }
    }

    /// Whether something of it is under way.
    pub fn is_running(&self) -> bool {
        use SampleStage as S;
        matches!(self.stage, S::Writing(..) | S::Learning | S::Comparing(_))
    }

    /// Which of its runs learns now, from 0.
    pub fn learning(&self) -> Option<usize> {
        matches!(self.stage, SampleStage::Learning).then_some(self.ended)
    }

    fn is_writing(&self, job: JobId) -> bool {
        matches!(self.stage, SampleStage::Writing(here, _) if here == job)
    }

    /// The tales are made: both runs begin. Returns whether they are the sample's.
    pub(super) fn corpus_made(
        &mut self,
        shared: &mut Shared,
        runs: &mut Runs,
        job: JobId,
        corpus: &Path,
    ) -> bool {
        if !self.is_writing(job) {
            return false;
        }
        let below = shared.runs_folder();
        let own = sample_runs(corpus).map(|run| (free_folder(&below, run.name), run.config));
        self.stage = SampleStage::Learning;
        corpus.clone_into(&mut self.corpus);
        self.runs = own.iter().map(|(folder, _)| folder.clone()).collect();
        for (folder, config) in own {
            let job = runs.enqueue(shared, folder.clone(), config, false, Device::Cpu);
            // Both curves in the same charts.
            runs.compared.insert(folder);
            self.jobs.push(job);
        }
        self.show_run(runs, 0);
        true
    }

    /// The tales could not be written, or are no longer wanted. Returns whether the job was that.
    pub(super) fn corpus_ended(&mut self, job: JobId) -> bool {
        let is_writing = self.is_writing(job);
        if is_writing {
            self.stage = SampleStage::Stopped;
        }
        is_writing
    }

    /// Whether this is one of its runs.
    pub fn has_run(&self, run: &Path) -> bool {
        self.runs.iter().any(|own| own == run)
    }

    /// Shows one of its runs, unless a person looks at something else.
    fn show_run(&self, runs: &mut Runs, number: usize) {
        let looks_on = runs.selected.as_ref();
        if looks_on.is_none_or(|run| self.runs.contains(run)) {
            runs.selected = self.runs.get(number).cloned();
        }
    }

    /// A run has ended, at its goal or before. Returns whether it was one of the sample's.
    fn run_ended(&mut self, runs: &mut Runs, job: JobId, is_whole: bool) -> bool {
        if !self.jobs.contains(&job) {
            return false;
        }
        if !matches!(self.stage, SampleStage::Learning) {
            return true;
        }
        if !is_whole {
            self.stage = SampleStage::Stopped;
            self.abandon_runs(runs);
            return true;
        }
        self.ended += 1;
        if self.ended < self.jobs.len() {
            self.show_run(runs, self.ended);
        } else {
            self.stage = SampleStage::Learned;
        }
        true
    }

    fn abandon_runs(&self, runs: &mut Runs) {
        let queue = runs.queue.iter().rev().map(|queued| queued.job);
        let under_way = queue.filter(|job| self.jobs.contains(job));
        let orders = under_way.map(|job| TrainingRequest::Order {
            job,
            order: Order::Abandon,
        });
        runs.requests.extend(orders);
    }

    pub(super) fn stop(&mut self, runs: &mut Runs, evaluate: &Evaluate) {
        match &self.stage {
            SampleStage::Writing(_, control) => control.cancel(),
            SampleStage::Learning => {
                self.stage = SampleStage::Stopped;
                self.abandon_runs(runs);
            }
            SampleStage::Comparing(_) => evaluate.cancel(),
            SampleStage::Learned | SampleStage::Compared(_) | SampleStage::Stopped => {}
        }
    }

    /// Translates the test tales with both models, once they have learned and no other evaluation is under way.
    pub(super) fn compare(&mut self, shared: &mut Shared, evaluate: &mut Evaluate) {
        if !matches!(self.stage, SampleStage::Learned) || evaluate.running.is_some() {
            return;
        }
        let models: Option<Vec<PathBuf>> = self.runs.iter().map(|run| best_model(run)).collect();
        let corpus = self.corpus.clone();
        self.stage = match models {
            Some(models) => {
                let job = evaluate.start_evaluation(
                    shared,
                    models,
                    corpus,
                    Split::Test,
                    false,
                    Device::Cpu,
                );
                SampleStage::Comparing(job)
            }
            // One was deleted.
            None => SampleStage::Stopped,
        };
    }

    /// Whether this evaluation compares its models.
    pub(crate) fn is_compared_by(&self, job: JobId) -> bool {
        matches!(self.stage, SampleStage::Comparing(here) if here == job)
    }

    /// Its scores are computed, as the evaluation of this number.
    pub(crate) fn evaluated(&mut self, number: usize, evaluation: &Evaluation) {
        let comparison = &evaluation.comparison;
        let systems = comparison.systems.iter().enumerate();
        let nouns = systems.map(|(at, system)| {
            let pairs = comparison.segments.iter();
            let pairs = pairs.map(|it| (it.segment.reference.as_str(), it.hypotheses[at].as_str()));
            let (right, all) = nouns_right(pairs);
            NounScores {
                system: system.name.clone(),
                right,
                all,
            }
        });
        self.nouns = nouns.collect();
        let wins = comparison.extremes.first().map(|extremes| &extremes.wins);
        self.example = wins.and_then(|wins| wins.first()).map(|win| win.segment);
        self.stage = SampleStage::Compared(number);
    }

    /// The evaluation has ended without scores.
    pub(crate) fn not_evaluated(&mut self, job: JobId) {
        if self.is_compared_by(job) {
            self.stage = SampleStage::Learned;
        }
    }

    pub(super) fn show(&self, shared: &mut Shared, evaluate: &mut Evaluate) {
        if let SampleStage::Compared(number) = self.stage {
            shared.page = Page::Evaluate;
            evaluate.show_evaluation(number);
        }
    }

    /// Whether its scores are what the page of evaluations shows.
    pub fn is_shown(&self, evaluate: &Evaluate) -> bool {
        matches!(self.stage, SampleStage::Compared(number) if number == evaluate.shown)
    }
}
