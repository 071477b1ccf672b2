//! The training loop.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;

use super::base::{self, Base, Start};
use super::bert::{self, BertBase, BertTexts};
use super::checkpoint::{self, Progress};
use super::clock::Clock;
use super::comparing::Comparison;
use super::config::TrainingConfig;
use super::contrast;
use super::control::{Control, Order};
use super::data::{self, TrainingData};
use super::divergence::Beginning;
use super::drafts;
use super::event::{EndReason, Phase, TrainingEvent};
use super::optimizer::Adam;
use super::reporter::Reporter;
use super::run_folder::RunFolder;
use super::sources::Sources;
use super::update::Started;
use super::validating::Scoring;
use super::workers::Workers;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::Corpus;
use canopy_corpus::error::Error as CorpusError;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{Model, Preset};

/// Trains as `config` says, in the run folder `run`.
///
/// Every event is written to the run folder and given to `observe`; `control` pauses and ends the run.
///
/// # Errors
/// If the configuration or the corpus is not valid, the folder was used before or is in use, or a file cannot be
/// written. What stands in the way of a run that has begun is the last event of its folder.
pub fn train(
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
    device: &Device,
    device_name: &str,
    control: &Control,
    observe: &mut dyn FnMut(&TrainingEvent),
) -> Result<EndReason> {
    config.validate()?;
    let preset = config.system()?;
    // First, so that a mistyped corpus does not use up the run folder.
    let corpus = open_corpus(config, resume)?;
    if !resume {
        bert::check(config, &preset)?;
        contrast::set_of(config)?;
        data::check_memory(config, &preset)?;
        data::check_copies(config, &preset)?;
        drafts::check(config, &preset)?;
        base::check_context_only(config, &preset)?;
    }
    let folder = RunFolder::open(run, resume)?;
    let mut reporter = Reporter::new(folder, control, observe);
    let device = (device, device_name);
    let ended = trained(config, &preset, &corpus, resume, device, &mut reporter);
    if let Err(error) = &ended {
        let message = error.to_string();
        // If the disk is full, the error itself says so.
        let _ = reporter.report(TrainingEvent::Failed { message });
    }
    ended
}

fn trained(
    config: &TrainingConfig,
    preset: &Preset,
    corpus: &Corpus,
    resume: bool,
    (device, device_name): (&Device, &str),
    reporter: &mut Reporter,
) -> Result<EndReason> {
    reporter.phase(Phase::Read)?;
    config.check_precision(device)?;
    if let Some(message) = config.moments.warning() {
        reporter.report(TrainingEvent::Warning { message })?;
    }
    let device = device.clone().autodiff();
    let (mut trainer, data) = prepared(config, preset, corpus, resume, &device, reporter)?;
    reporter.phase(Phase::Tokenise)?;
    let scoring = Scoring::new(config, &data, reporter)?;
    trainer.begin(&scoring, reporter)?;
    let mut batches = trainer.batches(&data);
    reporter.report(TrainingEvent::Started {
        parameters: trainer.model.num_params(),
        examples: data.train.num_counted(),
        skipped: data.skipped,
        device: match config.devices {
            1 => device_name.to_owned(),
            devices => format!("{devices} × {device_name}"),
        },
        step: trainer.progress.step,
        limits: config.limits(),
        steps_per_epoch: batches.len(),
    })?;
    let comparison = Comparison::new(config, &data, &scoring)?;
    if let Some(comparison) = &comparison {
        trainer.score_before(comparison, &data, reporter)?;
    }
    let reason = trainer.run(&data, &scoring, &mut batches, reporter)?;
    if let Some(comparison) = comparison.filter(|_| !reason.is_order()) {
        trainer.compare_with_before(&comparison, &data, &device.clone().inner(), reporter)?;
    }
    reporter.report(TrainingEvent::Finished {
        step: trainer.progress.step,
        reason,
    })?;
    Ok(reason)
}

fn open_corpus(config: &TrainingConfig, resume: bool) -> Result<Corpus> {
    Corpus::open(&config.corpus).map_err(|cause| match cause {
        CorpusError::Base(BaseError::Read { .. }) if resume => Error::CorpusGone {
            path: config.corpus.clone(),
            cause: Box::new(cause.into()),
        },
        other => other.into(),
    })
}

/// The model, its place, and the corpus in its words; all that can be refused is refused here.
fn prepared<'a>(
    config: &'a TrainingConfig,
    preset: &Preset,
    corpus: &Corpus,
    resume: bool,
    device: &Device,
    reporter: &mut Reporter,
) -> Result<(Trainer<'a>, TrainingData)> {
    let saved = if resume {
        checkpoint::load(&reporter.folder.last(), config, device)?
    } else {
        None
    };
    let sources = Sources::from_config(config, preset, corpus)?;
    if let Some(saved) = &saved {
        let begun = &saved.description.training.preset;
        if begun != preset.name {
            let reason = format!(
                "the run trains {begun}, not {}; start another run for that",
                preset.name
            );
            return Err(Error::Base(BaseError::Settings {
                reason,
                path: reporter.folder.path().to_owned(),
            }));
        }
        if let Some(begun) = reporter.folder.sources() {
            sources.check(begun, config)?;
        }
    }
    let base = Base::open(config, preset, (saved.is_some(), corpus), device)?;
    let tokenizer = match (&saved, &base) {
        (Some(saved), _) => Some(saved.tokenizer.clone()),
        (None, base) => base.as_ref().map(|base| base.tokenizer.clone()),
    };
    let max_tokens = match (&saved, &base) {
        (Some(saved), _) => saved.description.model.max_tokens,
        (None, Some(base)) => base.config.max_tokens,
        (None, None) => preset.config(config.vocab_size).max_tokens,
    };
    let known = saved.as_ref().map(|saved| &saved.description);
    let known = known.or_else(|| base.as_ref().map(|base| &base.description));
    let has_one = known.is_some_and(|known| known.pieces.is_some());
    let bert = BertBase::open(config, preset, has_one, device)?;
    let texts = BertTexts::for_run(config, preset, corpus, known, bert.as_ref())?;
    let mut data = TrainingData::open_with(config, tokenizer, max_tokens, texts)?;
    if data.train.num_counted() == 0 {
        return Err(Error::Base(BaseError::NothingToLearn {
            path: config.corpus.clone(),
        }));
    }
    if config.draft_share > 0.0 {
        // An order to end meanwhile ends it before its first update.
        data.drafts = drafts::prepare(config, &data, device, reporter)?.unwrap_or_default();
    }
    let start = Start::new(config, preset, &data, device, saved, (base, bert))?;
    reporter.folder.keep(config, sources)?;
    let workers = Workers::new(device, config.devices)?;
    Ok((Trainer::new(config, start, workers), data))
}

/// A run under way.
pub(super) struct Trainer<'a> {
    pub config: &'a TrainingConfig,
    pub description: ModelFolder,
    pub model: Model,
    pub(super) optimizer: Adam,
    pub(super) workers: Workers,
    pub progress: Progress,
    pub clock: Clock,
    /// The update that a graphics card still computes, and when the one before had ended.
    pub(super) started: Option<Started>,
    pub(super) ended: Option<Instant>,
    /// The progress in the last checkpoint.
    saved: Option<Progress>,
    /// Until there is a checkpoint.
    pub(super) beginning: Option<Beginning>,
    /// How often the run went back to the last checkpoint.
    pub(super) tries: u32,
    /// Whether it was said that validation takes longer than training.
    pub warned_of_validation: bool,
    /// Whether it was said that 16 bits are too few for an update.
    pub(super) warned_of_overflow: bool,
}

impl<'a> Trainer<'a> {
    pub(crate) fn new(config: &'a TrainingConfig, start: Start, workers: Workers) -> Self {
        let resumed = start.progress != Progress::default();
        let beginning = (!resumed).then(|| Beginning {
            model: start.model.clone(),
            optimizer: start.optimizer.clone(),
            progress: start.progress,
        });
        Self {
            config,
            workers,
            beginning,
            tries: 0,
            description: start.description,
            model: start.model,
            optimizer: start.optimizer,
            progress: start.progress,
            clock: Clock::new(start.progress, 0.0),
            started: None,
            ended: None,
            saved: resumed.then_some(start.progress),
            warned_of_validation: false,
            warned_of_overflow: false,
        }
    }

    pub(super) fn device(&self) -> &Device {
        self.workers.device()
    }

    /// Makes counters of another session fit this one's settings.
    fn begin(&mut self, scoring: &Scoring, reporter: &mut Reporter) -> Result<()> {
        let (config, progress) = (self.config, &mut self.progress);
        let (before, now) = (progress.batch_tokens, config.batch_tokens);
        if before != 0 && before != now {
            progress.batch = progress.batch * before / now;
            reporter.warn(format!(
                "batches now have {now} tokens instead of {before}: a few pairs of this epoch are seen twice or not at all"
            ))?;
        }
        progress.batch_tokens = now;
        let (before, now) = (progress.batch_sentences, config.batch_sentences);
        if progress.step > 0 && before != now {
            progress.batch = (progress.batch * before)
                .checked_div(now)
                .unwrap_or(progress.batch);
            let limit = |sentences: usize| match sentences {
                0 => "any number of".to_owned(),
                limit => format!("up to {limit}"),
            };
            let (before, now) = (limit(before), limit(now));
            reporter.warn(format!(
                "batches now have {now} sentences instead of {before}: pairs of this epoch are seen twice or not at all"
            ))?;
        }
        progress.batch_sentences = config.batch_sentences;
        let segments = scoring.set().num_segments();
        if progress.segments != 0 && progress.segments != segments {
            (progress.best_bleu, progress.best_loss) = (None, None);
            progress.validation_secs = 0.0;
            reporter.warn(format!(
                "{segments} development segments are scored now instead of {}: the best model is looked for anew",
                progress.segments
            ))?;
        }
        progress.segments = segments;
        self.clock = Clock::new(*progress, scoring.final_validations());
        let is_regular = progress.step.is_multiple_of(config.checkpoint_every);
        if is_regular && let Some(saved) = self.saved {
            // A run may be killed between its checkpoint and this.
            checkpoint::keep(&reporter.folder.last(), saved.step, config.keep_checkpoints)?;
        }
        Ok(())
    }

    /// Batches of the epoch under way.
    pub(crate) fn batches(&self, data: &TrainingData) -> Vec<Vec<Range<usize>>> {
        let (seed, epoch) = (self.config.seed, self.progress.epoch);
        let limits = self.config.batch_limits();
        if self.model.encodes_documents() {
            data.train.document_batches(limits, seed, epoch)
        } else {
            data.train.sentence_batches(limits, seed, epoch)
        }
    }

    fn run(
        &mut self,
        data: &TrainingData,
        scoring: &Scoring,
        batches: &mut Vec<Vec<Range<usize>>>,
        reporter: &mut Reporter,
    ) -> Result<EndReason> {
        reporter.phase(Phase::Train)?;
        loop {
            let order = reporter.order();
            let goes_on = order == Order::Resume
                && self.end_reason().is_none()
                && !self.validation_is_due(false, scoring)
                && !self.checkpoint_is_due();
            if !goes_on
                && order != Order::Abandon
                && let Some(reason) = self.settle(reporter)?
            {
                self.start_again(reason, data, batches, reporter)?;
                continue;
            }
            match order {
                Order::Resume => {}
                Order::Pause => {
                    self.pause(data, reporter)?;
                    continue;
                }
                Order::Stop => {
                    self.save(data, false, reporter)?;
                    return Ok(EndReason::Stopped);
                }
                Order::Abandon => return Ok(EndReason::Abandoned),
            }
            let end = self.end_reason();
            let reason = if self.validation_is_due(end.is_some(), scoring) {
                let done = self.validate(data, scoring, reporter);
                self.diverged(done)?
            } else if self.checkpoint_is_due() {
                let done = self.save(data, false, reporter);
                self.diverged(done)?
            } else if let Some(end) = end {
                let done = match scoring.whole_at_end() {
                    Some(whole) if self.progress.scored < self.progress.step => {
                        self.score(whole, data, reporter).map(|()| None)
                    }
                    _ => self.save(data, true, reporter).map(|()| Some(end)),
                };
                if let Ok(Some(end)) = done {
                    return Ok(end);
                }
                self.diverged(done.map(|_| ()))?
            } else if let Some(runs) = batches.get(self.progress.batch) {
                self.step(data, runs, reporter)?
            } else {
                self.progress.epoch += 1;
                self.progress.batch = 0;
                *batches = self.batches(data);
                None
            };
            if let Some(reason) = reason {
                self.start_again(reason, data, batches, reporter)?;
            }
        }
    }

    fn start_again(
        &mut self,
        reason: String,
        data: &TrainingData,
        batches: &mut Vec<Vec<Range<usize>>>,
        reporter: &mut Reporter,
    ) -> Result<()> {
        self.go_back(reason, reporter)?;
        *batches = self.batches(data);
        reporter.phase(Phase::Train)
    }

    fn end_reason(&self) -> Option<EndReason> {
        let (config, progress) = (self.config, &self.progress);
        let limit_reached = config.steps > 0 && progress.step >= config.steps;
        let tokens_reached =
            config.target_tokens > 0 && progress.target_tokens >= config.target_tokens;
        let stalled = config.patience > 0 && progress.stalled >= config.patience;
        let out_of_time =
            config.minutes > 0.0 && self.clock.session_secs() >= config.minutes * 60.0;
        match () {
            () if progress.is_worse => Some(EndReason::WorseThanBase),
            () if limit_reached => Some(EndReason::Steps),
            () if tokens_reached => Some(EndReason::TargetTokens),
            () if stalled => Some(EndReason::Patience),
            () if out_of_time => Some(EndReason::Minutes),
            () => None,
        }
    }

    fn pause(&mut self, data: &TrainingData, reporter: &mut Reporter) -> Result<()> {
        self.save(data, false, reporter)?;
        let begun = Instant::now();
        reporter.phase(Phase::Paused)?;
        reporter.wait();
        self.clock.paused(begun.elapsed());
        reporter.phase(Phase::Train)
    }

    fn checkpoint_is_due(&self) -> bool {
        let (step, every) = (self.progress.step, self.config.checkpoint_every);
        let saved = self.saved.map_or(0, |saved| saved.step);
        step > saved && step.is_multiple_of(every)
    }

    /// Writes a checkpoint, if there is anything new to write; the regular ones and the last are kept to be averaged.
    fn save(&mut self, data: &TrainingData, at_end: bool, reporter: &mut Reporter) -> Result<()> {
        let at_same_time = |progress: Progress| Progress {
            elapsed_secs: 0.0,
            ..progress
        };
        let folder = reporter.folder.last();
        if self.saved.map(at_same_time) != Some(at_same_time(self.progress)) {
            reporter.phase(Phase::Save)?;
            self.progress.elapsed_secs = self.clock.elapsed_secs();
            self.describe(None);
            checkpoint::save(
                &folder,
                &self.description,
                &self.model,
                &data.tokenizer,
                Some(&self.optimizer),
                &self.progress,
            )?;
            self.saved = Some(self.progress);
            (self.beginning, self.tries) = (None, 0);
            reporter.report(TrainingEvent::Saved {
                step: self.progress.step,
                checkpoint: "checkpoints/last".to_owned(),
            })?;
            reporter.phase(Phase::Train)?;
        }
        let (step, every) = (self.progress.step, self.config.checkpoint_every);
        if at_end || (step > 0 && step.is_multiple_of(every)) {
            checkpoint::keep(&folder, step, self.config.keep_checkpoints)?;
        }
        Ok(())
    }

    pub(crate) fn describe(&mut self, validation: Option<(f32, f64)>) {
        let record = &mut self.description.training;
        record.steps = self.progress.step;
        record.target_tokens = self.progress.target_tokens;
        if let Some((loss, bleu)) = validation {
            (record.dev_loss, record.dev_bleu) = (Some(loss), Some(bleu));
        }
    }
}
