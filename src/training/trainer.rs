//! The training loop.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;

use super::batch::hide_words;
use super::checkpoint::{self, Checkpoint, Progress};
use super::config::TrainingConfig;
use super::data::TrainingData;
use super::event::{EndReason, Phase, TrainingEvent};
use super::optimizer::Adam;
use super::run_folder::RunFolder;
use super::validation::Validator;
use crate::corpus::{Corpus, Split};
use crate::error::{Error, Result};
use crate::kernels::DropoutSource;
use crate::model::{Batch, Model, ModelConfig, Preset};
use crate::text::vocabulary::Vocabulary;
use crate::weights::{Languages, ModelFolder, TrainingRecord};

/// Updates over which the speed is averaged.
const SPEED_WINDOW: usize = 20;

/// Trains as `config` says, in the run folder `run`.
///
/// Every event is written to the run folder and given to `observe`; `Break` stops the run after a checkpoint.
///
/// # Errors
/// If the configuration or the corpus is not valid, the folder was used before, or a file cannot be written.
pub fn train(
    config: &TrainingConfig,
    run: &Path,
    resume: bool,
    device: &Device,
    device_name: &str,
    observe: &mut dyn FnMut(&TrainingEvent) -> ControlFlow<()>,
) -> Result<EndReason> {
    config.validate()?;
    let preset = Preset::named(&config.preset)?;
    // First, so that a mistyped corpus does not use up the run folder.
    Corpus::open(&config.corpus)?;
    let folder = RunFolder::open(run, resume)?;
    let mut reporter = Reporter {
        folder,
        observe,
        stopped: false,
    };
    reporter.phase(Phase::Read)?;
    let autodiff = device.clone().autodiff();
    let saved = if resume {
        checkpoint::load(&reporter.folder.last(), &autodiff)?
    } else {
        None
    };
    if let Some(begun) = saved
        .as_ref()
        .map(|saved| &saved.description.training.preset)
        && begun != preset.name
    {
        let reason = format!(
            "the run trains {begun}, not {}; begin another run for that",
            preset.name
        );
        return Err(Error::Settings {
            reason,
            path: run.to_owned(),
        });
    }
    let base = Base::open(config, &preset, saved.is_some(), &autodiff)?;
    let vocabulary = match (&saved, &base) {
        (Some(saved), _) => Some(saved.vocabulary.clone()),
        (None, base) => base.as_ref().map(|base| base.vocabulary.clone()),
    };
    let max_tokens = match (&saved, &base) {
        (Some(saved), _) => saved.description.model.max_tokens,
        (None, Some(base)) => base.config.max_tokens,
        (None, None) => preset.config(config.vocab_size).max_tokens,
    };
    let data = TrainingData::open(config, vocabulary, max_tokens)?;
    if data.train.num_counted() == 0 {
        return Err(Error::NothingToLearn {
            path: config.corpus.clone(),
        });
    }
    reporter.phase(Phase::Tokenise)?;
    let validator = Validator::new(&data.corpus, Split::Dev, data.examples(Split::Dev)?)?;
    if validator.is_empty() {
        let message =
            "the corpus has no development documents: there is no BLEU to choose the best model by";
        reporter.report(TrainingEvent::Warning {
            message: message.to_owned(),
        })?;
    }
    let mut trainer = Trainer::start(config, &preset, &data, &autodiff, saved, base)?;
    reporter.folder.keep(config)?;
    reporter.report(TrainingEvent::Started {
        parameters: trainer.model.num_params(),
        examples: data.train.num_counted(),
        skipped: data.skipped,
        device: device_name.to_owned(),
        step: trainer.progress.step,
    })?;
    let reason = trainer.run(&data, &validator, &mut reporter)?;
    reporter.report(TrainingEvent::Finished {
        step: trainer.progress.step,
        reason,
    })?;
    Ok(reason)
}

/// Passes events on.
struct Reporter<'a> {
    folder: RunFolder,
    observe: &'a mut dyn FnMut(&TrainingEvent) -> ControlFlow<()>,
    stopped: bool,
}

impl Reporter<'_> {
    fn report(&mut self, event: TrainingEvent) -> Result<()> {
        self.folder.record(&event)?;
        self.stopped |= (self.observe)(&event).is_break();
        Ok(())
    }

    fn phase(&mut self, phase: Phase) -> Result<()> {
        self.report(TrainingEvent::Phase { phase })
    }
}

/// A trained model that a run begins with.
struct Base {
    model: Model,
    vocabulary: Vocabulary,
    /// Of the new model.
    config: ModelConfig,
}

impl Base {
    /// None if the run begins with random weights or goes on.
    fn open(
        config: &TrainingConfig,
        preset: &Preset,
        resumed: bool,
        device: &Device,
    ) -> Result<Option<Self>> {
        if resumed || config.from.as_os_str().is_empty() {
            return Ok(None);
        }
        let description = ModelFolder::open(&config.from)?;
        let sizes = preset
            .config(description.model.vocab_size)
            .upon(&description.model)?;
        let (model, vocabulary) = description.load(&config.from, device)?;
        Ok(Some(Self {
            model,
            vocabulary,
            config: sizes,
        }))
    }
}

/// A run under way.
struct Trainer<'a> {
    config: &'a TrainingConfig,
    description: ModelFolder,
    model: Model,
    optimizer: Adam,
    progress: Progress,
    /// Target tokens and seconds of the last updates.
    speeds: VecDeque<(u64, f64)>,
    /// When this session began, and how many seconds the run had then.
    session: (Instant, f64),
}

impl<'a> Trainer<'a> {
    fn start(
        config: &'a TrainingConfig,
        preset: &Preset,
        data: &TrainingData,
        device: &Device,
        saved: Option<Checkpoint>,
        base: Option<Base>,
    ) -> Result<Self> {
        let (description, model, optimizer, progress) = if let Some(saved) = saved {
            (
                saved.description,
                saved.weights,
                saved.optimizer,
                saved.progress,
            )
        } else {
            let mut sizes = base.as_ref().map_or_else(
                || preset.config(data.vocabulary.len()),
                |base| base.config.clone(),
            );
            sizes.dropout = config.dropout;
            let model = match base {
                Some(base) => Model::taking_up(base.model, &sizes, config.seed, device)?,
                None => Model::seeded(&sizes, config.seed, device)?,
            };
            (
                describe(config, preset, data, sizes),
                model,
                Adam::default(),
                Progress::default(),
            )
        };
        let session = (Instant::now(), progress.elapsed_secs);
        Ok(Self {
            config,
            description,
            model,
            optimizer,
            progress,
            speeds: VecDeque::new(),
            session,
        })
    }

    fn run(
        &mut self,
        data: &TrainingData,
        validator: &Validator,
        reporter: &mut Reporter,
    ) -> Result<EndReason> {
        reporter.phase(Phase::Train)?;
        loop {
            let (seed, epoch) = (self.config.seed, self.progress.epoch);
            let batch_tokens = self.config.batch_tokens;
            let batches = if self.model.reads_documents() {
                data.train.document_batches(batch_tokens, seed, epoch)
            } else {
                data.train.sentence_batches(batch_tokens, seed, epoch)
            };
            for runs in batches.iter().skip(self.progress.batch) {
                if let Some(reason) = self.end_reason(reporter) {
                    // Before the checkpoint, which must know the best score so far.
                    if !self
                        .progress
                        .step
                        .is_multiple_of(self.config.validate_every)
                    {
                        self.validate(data, validator, reporter)?;
                    }
                    self.save(data, reporter)?;
                    return Ok(reason);
                }
                let mut batch = data.train.batch(runs);
                let (share, step) = (self.config.hidden_words, self.progress.step + 1);
                hide_words(&mut batch, share, &data.vocabulary, seed, step);
                self.progress.batch += 1;
                self.step(&batch, reporter)?;
                if self
                    .progress
                    .step
                    .is_multiple_of(self.config.validate_every)
                {
                    self.validate(data, validator, reporter)?;
                }
                if self
                    .progress
                    .step
                    .is_multiple_of(self.config.checkpoint_every)
                {
                    self.save(data, reporter)?;
                }
            }
            self.progress.epoch += 1;
            self.progress.batch = 0;
        }
    }

    fn end_reason(&self, reporter: &Reporter) -> Option<EndReason> {
        let limit_reached = self.config.steps > 0 && self.progress.step >= self.config.steps;
        let tokens_reached = self.config.target_tokens > 0
            && self.progress.target_tokens >= self.config.target_tokens;
        let stalled = self.config.patience > 0 && self.progress.stalled >= self.config.patience;
        let out_of_time = self.config.minutes > 0.0
            && self.session.0.elapsed().as_secs_f64() >= self.config.minutes * 60.0;
        match () {
            () if reporter.stopped => Some(EndReason::Stopped),
            () if limit_reached => Some(EndReason::Steps),
            () if tokens_reached => Some(EndReason::TargetTokens),
            () if stalled => Some(EndReason::Patience),
            () if out_of_time => Some(EndReason::Minutes),
            () => None,
        }
    }

    /// One update of the weights.
    fn step(&mut self, batch: &Batch, reporter: &mut Reporter) -> Result<()> {
        let begun = Instant::now();
        self.progress.step += 1;
        let (config, step) = (self.config, self.progress.step);
        if let Some(top_t) = self.description.model.top_t() {
            self.model.set_top_t(config.top_t(step, top_t));
        }
        let learning_rate = config.rate(step, self.description.model.d_model);
        let dropout = DropoutSource::new(
            config.dropout,
            config
                .seed
                .wrapping_mul(0x9E37_79B9)
                .wrapping_add(step as u64),
        );
        let loss = self.model.loss(batch, config.label_smoothing, &dropout);
        let mut gradients = loss.backward();
        let clip_norm = (config.clip_norm > 0.0).then_some(config.clip_norm);
        let model = self.model.clone();
        let (model, gradient_norm) =
            self.optimizer
                .update(model, &mut gradients, learning_rate, clip_norm);
        self.model = model;
        let loss = loss.into_scalar::<f32>();
        let tokens = batch.labels.len() as u64;
        self.progress.target_tokens += tokens;
        self.progress.elapsed_secs = self.session.1 + self.session.0.elapsed().as_secs_f64();
        self.speeds
            .push_back((tokens, begun.elapsed().as_secs_f64()));
        if self.speeds.len() > SPEED_WINDOW {
            self.speeds.pop_front();
        }
        if !loss.is_finite() {
            // Before anything is saved: the last checkpoint is still good.
            return Err(Error::Diverged { step, loss });
        }
        reporter.report(TrainingEvent::Step {
            step,
            epoch: self.progress.epoch,
            loss,
            learning_rate,
            gradient_norm,
            target_tokens: self.progress.target_tokens,
            target_tokens_per_second: self.speed(),
            elapsed_secs: self.progress.elapsed_secs,
            remaining_secs: self.remaining_secs(),
        })
    }

    #[expect(clippy::cast_precision_loss, reason = "token counts become f64")]
    fn speed(&self) -> f64 {
        let (tokens, secs) = self
            .speeds
            .iter()
            .fold((0, 0.0), |sum, speed| (sum.0 + speed.0, sum.1 + speed.1));
        tokens as f64 / secs.max(f64::MIN_POSITIVE)
    }

    #[expect(clippy::cast_precision_loss, reason = "step counts become f64")]
    fn remaining_secs(&self) -> Option<f64> {
        let (begun, before) = self.session;
        let session_secs = begun.elapsed().as_secs_f64();
        let by_minutes =
            (self.config.minutes > 0.0).then_some(self.config.minutes * 60.0 - session_secs);
        let by_steps = (self.config.steps > 0).then(|| {
            let left = self.config.steps.saturating_sub(self.progress.step) as f64;
            left * (before + session_secs) / self.progress.step as f64
        });
        let by_tokens = (self.config.target_tokens > 0).then(|| {
            let seen = self.progress.target_tokens;
            let left = self.config.target_tokens.saturating_sub(seen) as f64;
            left * (before + session_secs) / seen.max(1) as f64
        });
        [by_minutes, by_steps, by_tokens]
            .into_iter()
            .flatten()
            .min_by(f64::total_cmp)
            .map(|secs| secs.max(0.0))
    }

    fn validate(
        &mut self,
        data: &TrainingData,
        validator: &Validator,
        reporter: &mut Reporter,
    ) -> Result<()> {
        reporter.phase(Phase::Validate)?;
        let validation = validator.run(
            &self.model.valid(),
            &data.vocabulary,
            self.config.label_smoothing,
        );
        let best = self
            .progress
            .best_bleu
            .is_none_or(|best| validation.bleu > best);
        self.progress.elapsed_secs = self.session.1 + self.session.0.elapsed().as_secs_f64();
        if self
            .progress
            .best_loss
            .is_none_or(|best| validation.loss < best)
        {
            (self.progress.best_loss, self.progress.stalled) = (Some(validation.loss), 0);
        } else {
            self.progress.stalled += 1;
        }
        self.describe(Some((validation.loss, validation.bleu)));
        if best {
            self.progress.best_bleu = Some(validation.bleu);
            let folder = reporter.folder.best();
            checkpoint::save(
                &folder,
                &self.description,
                &self.model,
                &data.vocabulary,
                None,
                &self.progress,
            )?;
        }
        reporter.report(TrainingEvent::Validated {
            step: self.progress.step,
            target_tokens: self.progress.target_tokens,
            dev_loss: validation.loss,
            dev_bleu: validation.bleu,
            best,
            elapsed_secs: self.progress.elapsed_secs,
        })?;
        reporter.phase(Phase::Train)
    }

    fn save(&mut self, data: &TrainingData, reporter: &mut Reporter) -> Result<()> {
        reporter.phase(Phase::Save)?;
        self.describe(None);
        let (folder, optimizer) = (reporter.folder.last(), Some(&self.optimizer));
        checkpoint::save(
            &folder,
            &self.description,
            &self.model,
            &data.vocabulary,
            optimizer,
            &self.progress,
        )?;
        checkpoint::keep(&folder, self.progress.step, self.config.keep_checkpoints)?;
        let checkpoint = "checkpoints/last".to_owned();
        reporter.report(TrainingEvent::Saved {
            step: self.progress.step,
            checkpoint,
        })?;
        reporter.phase(Phase::Train)
    }

    fn describe(&mut self, validation: Option<(f32, f64)>) {
        let record = &mut self.description.training;
        record.steps = self.progress.step;
        record.target_tokens = self.progress.target_tokens;
        if let Some((loss, bleu)) = validation {
            (record.dev_loss, record.dev_bleu) = (Some(loss), Some(bleu));
        }
    }
}

/// The description of a new model, before its first step.
fn describe(
    config: &TrainingConfig,
    preset: &Preset,
    data: &TrainingData,
    sizes: ModelConfig,
) -> ModelFolder {
    let info = data.corpus.info();
    let languages = Languages {
        source: info.source_language.clone(),
        target: info.target_language.clone(),
    };
    let name = format!("{} {}-{}", preset.name, languages.source, languages.target);
    let mut description = ModelFolder::new(name, info.licence.clone(), languages, sizes);
    description.training = TrainingRecord {
        corpus: info.name.clone(),
        corpus_licence: info.licence.clone(),
        preset: preset.name.to_owned(),
        seed: config.seed,
        ..TrainingRecord::default()
    };
    description
}
