//! The training loop.

use std::ops::Range;
use std::path::Path;
use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;

use super::base::{Base, Start};
use super::batch::hide_words;
use super::bert::{self, BertBase, BertTexts};
use super::checkpoint::{self, Progress};
use super::clock::Clock;
use super::comparing::Comparison;
use super::config::TrainingConfig;
use super::control::{Control, Order};
use super::data::{self, TrainingData};
use super::event::{EndReason, Phase, TrainingEvent};
use super::optimizer::Adam;
use super::reporter::Reporter;
use super::run_folder::RunFolder;
use super::sources::Sources;
use super::validating::Scoring;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::kernels::DropoutSource;
use crate::model::{Batch, Model, Preset};
use crate::weights::ModelFolder;

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
    let preset = Preset::named(&config.preset)?;
    // First, so that a mistyped corpus does not use up the run folder.
    let corpus = open_corpus(config, resume)?;
    if !resume {
        bert::check(config, &preset)?;
        data::check_memory(config, &preset)?;
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
        device: device_name.to_owned(),
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
        Error::Read { .. } if resume => Error::CorpusGone {
            path: config.corpus.clone(),
            cause: Box::new(cause),
        },
        other => other,
    })
}

/// The model, where it stands, and the corpus in its words; all that can be refused is refused here.
fn prepared<'a>(
    config: &'a TrainingConfig,
    preset: &Preset,
    corpus: &Corpus,
    resume: bool,
    device: &Device,
    reporter: &mut Reporter,
) -> Result<(Trainer<'a>, TrainingData)> {
    let saved = if resume {
        checkpoint::load(&reporter.folder.last(), device)?
    } else {
        None
    };
    let sources = Sources::of(config, preset, corpus)?;
    if let Some(saved) = &saved {
        let begun = &saved.description.training.preset;
        if begun != preset.name {
            let reason = format!(
                "the run trains {begun}, not {}; begin another run for that",
                preset.name
            );
            return Err(Error::Settings {
                reason,
                path: reporter.folder.path().to_owned(),
            });
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
    let texts = BertTexts::of_run(config, preset, corpus, known, bert.as_ref())?;
    let data = TrainingData::open_with(config, tokenizer, max_tokens, texts)?;
    if data.train.num_counted() == 0 {
        return Err(Error::NothingToLearn {
            path: config.corpus.clone(),
        });
    }
    let start = Start::new(config, preset, &data, device, saved, (base, bert))?;
    reporter.folder.keep(config, sources)?;
    Ok((Trainer::new(config, start), data))
}

/// A run under way.
pub(super) struct Trainer<'a> {
    pub config: &'a TrainingConfig,
    pub description: ModelFolder,
    pub model: Model,
    optimizer: Adam,
    pub progress: Progress,
    pub clock: Clock,
    /// The progress in the last checkpoint.
    saved: Option<Progress>,
    /// Whether it was said that validation takes longer than training.
    pub warned_of_validation: bool,
}

/// The outcome of one update.
pub(super) struct Update {
    pub loss: f32,
    learning_rate: f64,
    gradient_norm: f64,
    tokens: u64,
    pub secs: f64,
}

impl<'a> Trainer<'a> {
    pub fn new(config: &'a TrainingConfig, start: Start) -> Self {
        let resumed = start.progress != Progress::default();
        Self {
            config,
            description: start.description,
            model: start.model,
            optimizer: start.optimizer,
            progress: start.progress,
            clock: Clock::new(start.progress, 0.0),
            saved: resumed.then_some(start.progress),
            warned_of_validation: false,
        }
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

    /// Of the epoch under way.
    pub fn batches(&self, data: &TrainingData) -> Vec<Vec<Range<usize>>> {
        let (seed, epoch) = (self.config.seed, self.progress.epoch);
        let batch_tokens = self.config.batch_tokens;
        if self.model.encodes_documents() {
            data.train.document_batches(batch_tokens, seed, epoch)
        } else {
            data.train.sentence_batches(batch_tokens, seed, epoch)
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
            match reporter.order() {
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
            if self.validation_is_due(end.is_some(), scoring) {
                self.validate(data, scoring, reporter)?;
            } else if self.checkpoint_is_due() {
                self.save(data, false, reporter)?;
            } else if let Some(reason) = end {
                if let Some(whole) = scoring.whole_at_end()
                    && self.progress.scored < self.progress.step
                {
                    self.score(whole, data, reporter)?;
                } else {
                    self.save(data, true, reporter)?;
                    return Ok(reason);
                }
            } else if let Some(runs) = batches.get(self.progress.batch) {
                self.step(data, runs, reporter)?;
            } else {
                self.progress.epoch += 1;
                self.progress.batch = 0;
                *batches = self.batches(data);
            }
        }
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
            () if limit_reached => Some(EndReason::Steps),
            () if tokens_reached => Some(EndReason::TargetTokens),
            () if stalled => Some(EndReason::Patience),
            () if out_of_time => Some(EndReason::Minutes),
            () => None,
        }
    }

    fn step(
        &mut self,
        data: &TrainingData,
        runs: &[Range<usize>],
        reporter: &mut Reporter,
    ) -> Result<()> {
        let mut batch = data.train.batch(runs);
        let (seed, share, step) = (
            self.config.seed,
            self.config.hidden_words,
            self.progress.step + 1,
        );
        hide_words(&mut batch, share, &*data.tokenizer, seed, step);
        self.progress.batch += 1;
        let device_lock = reporter.device_lock();
        let device_lock = device_lock.take();
        let update = self.update(&batch);
        drop(device_lock);
        self.progress.target_tokens += update.tokens;
        self.progress.elapsed_secs = self.clock.elapsed_secs();
        self.clock.stepped(update.tokens, update.secs);
        let loss = update.loss;
        let gradient_norm = update.gradient_norm;
        if !loss.is_finite() || !gradient_norm.is_finite() {
            reporter.warn(format!(
                "the loss of step {step} is {loss}, the length of its gradient {gradient_norm}"
            ))?;
            // Before anything is saved: the last checkpoint is still good.
            return Err(Error::Diverged { step, loss });
        }
        reporter.report(TrainingEvent::Step {
            step,
            epoch: self.progress.epoch,
            loss,
            learning_rate: update.learning_rate,
            gradient_norm: update.gradient_norm,
            target_tokens: self.progress.target_tokens,
            target_tokens_per_second: self.clock.speed(),
            secs: update.secs,
            elapsed_secs: self.progress.elapsed_secs,
            remaining_secs: self.clock.remaining_secs(self.config, &self.progress),
        })
    }

    /// One update of the weights.
    pub fn update(&mut self, batch: &Batch) -> Update {
        let begun = Instant::now();
        self.progress.step += 1;
        let (config, step) = (self.config, self.progress.step);
        if let Some(top_t) = self.description.model.top_t() {
            self.model.set_top_t(config.top_t_at(step, top_t));
        }
        let learning_rate = config.rate(step, self.description.model.d_model);
        let dropout = DropoutSource::new(
            config.dropout,
            config
                .seed
                .wrapping_mul(0x9E37_79B9)
                .wrapping_add(step as u64),
        );
        self.model.seed_masks(dropout.seed());
        let loss = self.model.loss(batch, config.label_smoothing, &dropout);
        let mut gradients = loss.backward();
        let clip_norm = (config.clip_norm > 0.0).then_some(config.clip_norm);
        let model = self.model.clone();
        let (model, gradient_norm) =
            self.optimizer
                .update(model, &mut gradients, learning_rate, clip_norm);
        self.model = model;
        Update {
            loss: loss.into_scalar::<f32>(),
            learning_rate,
            gradient_norm,
            tokens: batch.labels.len() as u64,
            secs: begun.elapsed().as_secs_f64(),
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

    pub fn describe(&mut self, validation: Option<(f32, f64)>) {
        let record = &mut self.description.training;
        record.steps = self.progress.step;
        record.target_tokens = self.progress.target_tokens;
        if let Some((loss, bleu)) = validation {
            (record.dev_loss, record.dev_bleu) = (Some(loss), Some(bleu));
        }
    }
}
