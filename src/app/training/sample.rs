//! The sample run: two small models learn a made-up language one after the other, and are then compared.

use std::path::{Path, PathBuf};

use super::Training;
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
    Learning,
    /// Both have learned and are not compared yet.
    Learned,
    Comparing(JobId),
    /// With the number of the evaluation.
    Compared(usize),
    /// By a person, or because of an error.
    Stopped,
}

/// Nouns of the test tales whose ending a model has right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NounScores {
    pub system: String,
    pub right: usize,
    pub all: usize,
}

/// How far the sample run is.
#[derive(Debug, Clone)]
pub struct Sample {
    pub stage: SampleStage,
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

impl Sample {
    fn new(job: JobId, control: JobControl) -> Self {
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
}

impl Training {
    pub(super) fn try_sample(&mut self, shared: &mut Shared) {
        shared.page = Page::Training;
        (self.form, self.corpus_form) = (None, None);
        self.shows_table = false;
        if let Some(sample) = self.sample.as_ref().filter(|it| it.is_running()) {
            if let Some(run) = sample.runs.get(sample.ended).or(sample.runs.last()) {
                self.selected = Some(run.clone());
            }
            return;
        }
        let (job, control) = (shared.next_job(), JobControl::default());
        self.sample = Some(Sample::new(job, control.clone()));
        let corpora = shared.home().join("corpora");
        self.run_request(RunRequest::MakeCorpus {
            job,
            import: Box::new(CorpusImport::Tales { corpora }),
            control,
        });
    }

    fn is_writing_sample(&self, job: JobId) -> bool {
        let sample = self.sample.as_ref();
        sample.is_some_and(|it| matches!(it.stage, SampleStage::Writing(here, _) if here == job))
    }

    /// The tales are there: both runs begin. Returns whether they are the sample's.
    pub(super) fn sample_corpus_made(
        &mut self,
        shared: &mut Shared,
        job: JobId,
        corpus: &Path,
    ) -> bool {
        if !self.is_writing_sample(job) {
            return false;
        }
        let below = shared.runs_folder();
        let runs = sample_runs(corpus).map(|run| (free_folder(&below, run.name), run.config));
        if let Some(sample) = &mut self.sample {
            sample.stage = SampleStage::Learning;
            corpus.clone_into(&mut sample.corpus);
            sample.runs = runs.iter().map(|(folder, _)| folder.clone()).collect();
        }
        for (folder, config) in runs {
            let job = self.enqueue(shared, folder.clone(), config, false, Device::Cpu);
            // Both curves in the same charts.
            self.compared.insert(folder);
            if let Some(sample) = &mut self.sample {
                sample.jobs.push(job);
            }
        }
        self.show_sample_run(0);
        true
    }

    /// The tales could not be written, or are no longer wanted. Returns whether the job was that.
    pub(super) fn sample_corpus_ended(&mut self, job: JobId) -> bool {
        let is_writing = self.is_writing_sample(job);
        if is_writing && let Some(sample) = &mut self.sample {
            sample.stage = SampleStage::Stopped;
        }
        is_writing
    }

    /// Whether this is one of its runs.
    pub fn is_sample(&self, run: &Path) -> bool {
        let sample = self.sample.as_ref();
        sample.is_some_and(|sample| sample.runs.iter().any(|own| own == run))
    }

    /// Shows one of its runs, unless a person looks at something else.
    fn show_sample_run(&mut self, number: usize) {
        let Some(sample) = &self.sample else {
            return;
        };
        let looks_on = self.selected.as_ref();
        if looks_on.is_none_or(|run| sample.runs.contains(run)) {
            self.selected = sample.runs.get(number).cloned();
        }
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
        if !sample.jobs.contains(&job) {
            return false;
        }
        if !matches!(sample.stage, SampleStage::Learning) {
            return true;
        }
        if !is_whole {
            sample.stage = SampleStage::Stopped;
            self.abandon_sample_runs();
            return true;
        }
        sample.ended += 1;
        let ended = sample.ended;
        if ended < sample.jobs.len() {
            self.show_sample_run(ended);
        } else {
            sample.stage = SampleStage::Learned;
            self.compare_sample(shared, evaluate);
        }
        true
    }

    fn abandon_sample_runs(&mut self) {
        let Some(sample) = &self.sample else {
            return;
        };
        let queue = self.queue.iter().rev().map(|queued| queued.job);
        let under_way = queue.filter(|job| sample.jobs.contains(job));
        let orders = under_way.map(|job| TrainingRequest::Order {
            job,
            order: Order::Abandon,
        });
        let orders: Vec<_> = orders.collect();
        self.requests.extend(orders);
    }

    pub(super) fn stop_sample(&mut self, evaluate: &Evaluate) {
        let Some(sample) = &mut self.sample else {
            return;
        };
        match &sample.stage {
            SampleStage::Writing(_, control) => control.cancel(),
            SampleStage::Learning => {
                sample.stage = SampleStage::Stopped;
                self.abandon_sample_runs();
            }
            SampleStage::Comparing(_) => evaluate.cancel(),
            SampleStage::Learned | SampleStage::Compared(_) | SampleStage::Stopped => {}
        }
    }

    pub(super) fn compare_sample(&mut self, shared: &mut Shared, evaluate: &mut Evaluate) {
        let Some(sample) = &self.sample else {
            return;
        };
        if !matches!(sample.stage, SampleStage::Learned) || evaluate.running.is_some() {
            return;
        }
        let models: Option<Vec<PathBuf>> = sample.runs.iter().map(|run| best_model(run)).collect();
        let corpus = sample.corpus.clone();
        let stage = match models {
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
        if let Some(sample) = &mut self.sample {
            sample.stage = stage;
        }
    }

    pub(crate) fn is_sample_evaluation(&self, job: JobId) -> bool {
        let sample = self.sample.as_ref();
        sample.is_some_and(|it| matches!(it.stage, SampleStage::Comparing(here) if here == job))
    }

    /// Its scores are there, as the evaluation of this number.
    pub(crate) fn sample_evaluated(&mut self, number: usize, evaluation: &Evaluation) {
        let Some(sample) = &mut self.sample else {
            return;
        };
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
        sample.nouns = nouns.collect();
        let wins = comparison.extremes.first().map(|extremes| &extremes.wins);
        sample.example = wins.and_then(|wins| wins.first()).map(|win| win.segment);
        sample.stage = SampleStage::Compared(number);
    }

    /// The evaluation has ended without scores.
    pub(crate) fn sample_not_evaluated(&mut self, job: JobId) {
        if self.is_sample_evaluation(job)
            && let Some(sample) = &mut self.sample
        {
            sample.stage = SampleStage::Learned;
        }
    }

    pub(super) fn show_sample(&mut self, shared: &mut Shared, evaluate: &mut Evaluate) {
        let sample = self.sample.as_ref();
        let Some(SampleStage::Compared(number)) = sample.map(|sample| &sample.stage) else {
            return;
        };
        let number = *number;
        shared.page = Page::Evaluate;
        evaluate.show_evaluation(number);
    }

    /// The sample, while its scores are what the page of evaluations shows.
    pub fn shown_sample(&self, evaluate: &Evaluate) -> Option<&Sample> {
        let sample = self.sample.as_ref()?;
        let shown = evaluate.shown;
        matches!(sample.stage, SampleStage::Compared(number) if number == shown).then_some(sample)
    }
}
