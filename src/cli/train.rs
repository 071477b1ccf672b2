//! `canopy train`

use std::path::{Path, PathBuf};

use async_signal::Signal;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};

use super::interrupt::orders_to_end;
use super::options::models;
use super::terminal::{StatusLine, duration, print, warn, write_stderr};
use crate::error::{BaseError, Error, Result};
use canopy_base::error::caught;
use canopy_nn::model::Preset;
use canopy_project::Folders;
use canopy_train::{
    Control, EndReason, Estimate, MomentPrecision, Order, Phase, ProductPrecision, RECIPES, Recipe,
    TrainingConfig, TrainingEvent, device_of_run, probe, remember_run, train, train_remote,
    with_smaller_batches,
};
use canopy_translate::inference::ComputeDevice;

/// Exit code of a program ended by Ctrl+C, as shells count, or by another order.
const INTERRUPTED: i32 = 130;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
#[command(
    after_help = "Examples:\n  canopy train --corpus corpora/manual --preset x-transformer-small --run runs/first --steps \
    3750\n  canopy train --corpus corpora/manual --from runs/first/checkpoints/last --preset selective-small --run \
    runs/selective\n  canopy train --resume --run runs/first\n\nSee docs/guide/training.md and docs/reference/settings.md."
)]
pub(super) struct TrainArguments {
    /// Corpus folder, as `canopy corpus import` makes it
    #[arg(long, value_name = "DIR", required_unless_present_any = ["config", "resume"])]
    corpus: Option<PathBuf>,
    /// System and size to train, such as x-transformer-small
    #[arg(long, value_name = "NAME", value_parser = presets())]
    preset: Option<String>,
    /// Learning rate, regularisation and stopping rule of a paper, overriding those of --config
    #[arg(long, value_name = "NAME", value_parser = recipes(), conflicts_with = "resume")]
    recipe: Option<String>,
    /// Model to fine-tune, Canopy's or another program's: a folder or the name of an installed model. The preset's
    /// context is added to it; the learning rate is constant
    #[arg(long, value_name = "DIR|NAME", value_parser = models())]
    from: Option<PathBuf>,
    /// Encoder folder of `canopy model import`, for presets that read BERT, such as catsby-small
    #[arg(long, value_name = "DIR")]
    bert: Option<PathBuf>,
    /// Contexts that `canopy corpus select-context` chose for this corpus, which BERT reads after each sentence
    #[arg(long, value_name = "FILE")]
    contexts: Option<PathBuf>,
    /// Encoder folder that chose these contexts, if it is not that of --bert: the model keeps it and chooses contexts
    /// with it when it translates [default: the folder that the contexts name]
    #[arg(long, value_name = "DIR")]
    context_encoder: Option<PathBuf>,
    /// Translations to remember in addition to the training pairs, for presets with a memory: a TMX file, a corpus, PO or
    /// MO files, or a table. Sentences of the held-out documents are left out
    #[arg(long, value_name = "FILE|DIR")]
    memory: Option<PathBuf>,
    /// Corpus of general documents that shows what fine-tuning forgets: with --from, the run ends with the scores on it
    /// before and after, next to those on the held-out documents
    #[arg(long, alias = "general", value_name = "DIR")]
    eval_corpus: Option<PathBuf>,
    /// Contrastive set (`canopy contrast make`, ContraPro and others): after each validation the run reports how often the model
    /// prefers its right translations
    #[arg(long, value_name = "FILE")]
    contrastive_set: Option<PathBuf>,
    /// Train BERT too
    #[arg(long)]
    train_bert: bool,
    /// With --from: freeze the sentence-level network, and train only the layers that read context
    #[arg(long)]
    context_only: bool,
    /// Folder for checkpoints, settings and events
    #[arg(long, value_name = "DIR", required_unless_present = "estimate")]
    run: Option<PathBuf>,
    /// Estimate the time and memory of a run from a few updates, and train nothing
    #[arg(long, conflicts_with = "resume")]
    estimate: bool,
    /// Settings in TOML; the other options override it
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    #[command(flatten)]
    place: super::options::PlaceArguments,
    /// Devices that share every batch: graphics adapters, or workers with their own threads on the CPU
    #[arg(long, value_name = "N")]
    devices: Option<usize>,
    /// Precision of matrix products: 16 bits are for GPUs that support them, and slower on the CPU
    #[arg(long, value_name = "NUMBERS")]
    precision: Option<ProductPrecision>,
    /// Accepted for older scripts, without effect
    #[arg(long, value_name = "NUMBERS", hide = true)]
    moments: Option<MomentPrecision>,
    /// Seed of the initial weights, the data order and dropout
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Maximum number of updates, including those before a resume; 0 for no limit
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Maximum number of target tokens, including those before a resume; 0 for no limit
    #[arg(long, value_name = "N")]
    target_tokens: Option<u64>,
    /// Maximum minutes of this session; 0 for no limit
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Updates between checkpoints
    #[arg(long, value_name = "STEPS")]
    checkpoint_every: Option<usize>,
    /// Updates between validations; 0 for none
    #[arg(long, value_name = "STEPS")]
    validate_every: Option<usize>,
    /// Development segments scored while training; 0 for all, which are scored at the end in any case
    #[arg(long, value_name = "N")]
    validation_segments: Option<usize>,
    /// Resume from the last checkpoint in the run folder
    #[arg(long)]
    resume: bool,
}

/// Values of `--preset`.
fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(Preset::all().map(|preset| preset.name))
}

/// Values of `--recipe`.
fn recipes() -> PossibleValuesParser {
    PossibleValuesParser::new(RECIPES.iter().map(|recipe| {
        let help = format!("{} ({})", recipe.description, recipe.source);
        PossibleValue::new(recipe.name).help(help)
    }))
}

pub(super) fn run(arguments: &TrainArguments) -> Result<()> {
    let config = arguments.config()?;
    let device = match &arguments.run {
        Some(run) => device_of_run(run, arguments.resume, arguments.place.device)?,
        None => arguments.place.device,
    };
    let compute = ComputeDevice::open(arguments.place.with_key(device))?;
    if compute.software {
        warn("this GPU is emulated on the CPU; --device cpu is several times faster");
    }
    let mut line = StatusLine::new();
    let control = Control::default();
    end_on_interrupt(&control);
    let Some(run) = arguments.run.as_ref().filter(|_| !arguments.estimate) else {
        if let Some(client) = &compute.remote {
            return Err(Error::Base(BaseError::OnlyHere {
                what: "an estimate",
                host: client.host().to_string(),
            }));
        }
        // Where there is too little memory, burn panics.
        let probed = caught(|| probe(&config, &compute.device, &control))?;
        let Some(estimate) = probed else {
            interrupted()
        };
        return print(&estimate_text(&estimate));
    };
    // The window shows it too.
    if let Some(home) = Folders::for_user().data
        && let Err(error) = remember_run(&home, run)
    {
        warn(&format!("the window will not list this run: {error}"));
    }
    let mut observe = |event: &TrainingEvent| {
        show(&mut line, event);
        if matches!(event, TrainingEvent::Started { .. }) && !config.has_limit() {
            line.line(
                "no limit is given: it trains until Ctrl+C (--steps, --target-tokens or --minutes sets one, or patience \
                 in --config)",
            );
        }
    };
    if let Some(client) = &compute.remote {
        let resume = arguments.resume;
        let ended = train_remote(client, &config, run, resume, &control, &mut observe)?;
        if ended.is_order() {
            interrupted();
        }
        return Ok(());
    }
    let begun = (config.batch_tokens, arguments.resume);
    let (device, name) = (&compute.device, &compute.name);
    let ended = with_smaller_batches(run, begun, &mut observe, |batch_tokens, resume, observe| {
        let config = TrainingConfig {
            batch_tokens,
            ..config.clone()
        };
        train(&config, run, resume, device, name, &control, observe)
    })?;
    if ended.is_order() {
        interrupted();
    }
    Ok(())
}

/// Ends the program as Ctrl+C does, once everything is saved.
pub(super) fn interrupted() -> ! {
    std::process::exit(INTERRUPTED)
}

fn estimate_text(estimate: &Estimate) -> String {
    let total = estimate.total_secs.map_or_else(String::new, |secs| {
        format!("in all about {}, ", duration(secs))
    });
    let (megabytes, steps) = (
        estimate.peak_bytes as f64 / 1e6,
        estimate.steps_per_epoch as f64,
    );
    format!(
        "{} parameters, {megabytes:.0} MB of memory, {:.2} s a step, {:.0} target tokens/s, {} steps an epoch, which \
         takes {}; {total}without validations\n",
        estimate.parameters,
        estimate.seconds_per_step,
        estimate.target_tokens_per_second,
        estimate.steps_per_epoch,
        duration(steps * estimate.seconds_per_step),
    )
}

/// Ctrl+C, or a termination signal, ends the run after a checkpoint; another Ctrl+C ends the program at once.
pub(super) fn end_on_interrupt(control: &Control) {
    let control = control.clone();
    match orders_to_end() {
        Ok(signals) => {
            std::thread::spawn(move || {
                for signal in futures_lite::stream::block_on(signals) {
                    if control.order() < Order::Stop {
                        write_stderr("\ncanopy: saving; press Ctrl+C again to quit immediately\n");
                        control.stop();
                    } else if !matches!(signal, Ok(Signal::Term)) {
                        // A system may send the signal twice.
                        interrupted();
                    }
                }
            });
        }
        Err(error) => warn(&format!("Ctrl+C will end the run without saving: {error}")),
    }
}

impl TrainArguments {
    /// The settings of a file, with a preset that is known unless the command line names another.
    fn settings(&self, path: &Path) -> Result<TrainingConfig> {
        let config = TrainingConfig::open(path)?;
        match Preset::named(&config.preset) {
            Err(error) if self.preset.is_none() => Err(Error::Base(BaseError::Settings {
                reason: error.to_string(),
                path: path.to_owned(),
            })),
            _ => Ok(config),
        }
    }

    /// The file's settings, or the run folder's when it is resumed, under those of the command line.
    fn config(&self) -> Result<TrainingConfig> {
        let of_run = self.run.as_ref().map(|run| run.join("config.toml"));
        let of_run = of_run.filter(|path| self.resume && path.exists());
        let path = self.config.clone().or(of_run);
        let mut config = match path {
            Some(path) => self.settings(&path)?,
            None => match &self.from {
                Some(from) => TrainingConfig::fine_tuning(from.clone()),
                None => TrainingConfig::default(),
            },
        };
        set(&mut config.from, self.from.as_ref());
        set(&mut config.bert, self.bert.as_ref());
        set(&mut config.contexts, self.contexts.as_ref());
        set(&mut config.context_encoder, self.context_encoder.as_ref());
        set(&mut config.memory, self.memory.as_ref());
        set(&mut config.general, self.eval_corpus.as_ref());
        set(&mut config.contrastive_set, self.contrastive_set.as_ref());
        config.train_bert |= self.train_bert;
        config.context_only |= self.context_only;
        set(&mut config.corpus, self.corpus.as_ref());
        set(&mut config.preset, self.preset.as_ref());
        if let Some(name) = &self.recipe {
            Recipe::named(name)?.apply(&mut config)?;
            config.context_only |= self.context_only;
        }
        set(&mut config.devices, self.devices.as_ref());
        set(&mut config.precision, self.precision.as_ref());
        set(&mut config.moments, self.moments.as_ref());
        set(&mut config.seed, self.seed.as_ref());
        set(&mut config.steps, self.steps.as_ref());
        set(&mut config.target_tokens, self.target_tokens.as_ref());
        set(&mut config.minutes, self.minutes.as_ref());
        set(&mut config.checkpoint_every, self.checkpoint_every.as_ref());
        set(&mut config.validate_every, self.validate_every.as_ref());
        set(
            &mut config.validation_segments,
            self.validation_segments.as_ref(),
        );
        Ok(config)
    }
}

/// Prefers the command line to the file.
fn set<T: Clone>(to: &mut T, from: Option<&T>) {
    if let Some(from) = from {
        from.clone_into(to);
    }
}

pub(super) fn show(line: &mut StatusLine, event: &TrainingEvent) {
    match event {
        TrainingEvent::Started {
            parameters,
            examples,
            skipped,
            device,
            step,
            ..
        } => {
            let from = if *step > 0 {
                format!(", resumed after step {step}")
            } else {
                String::new()
            };
            line.line(&format!(
                "{parameters} parameters, {examples} sentence pairs ({skipped} too long), {device}{from}"
            ));
        }
        TrainingEvent::Phase { phase } => show_phase(line, *phase),
        TrainingEvent::Step { .. } => show_step(line, event),
        TrainingEvent::Validated {
            step,
            target_tokens,
            dev_loss,
            dev_bleu,
            best,
            elapsed_secs,
            segments,
            whole,
            ..
        } => {
            let set = if *whole { "dev" } else { "dev sample" };
            let mark = if *best { " (best)" } else { "" };
            let elapsed = duration(*elapsed_secs);
            line.line(&format!(
                "step {step} · {target_tokens} target tokens · {elapsed} · {set} of {segments} segments: loss \
                 {dev_loss:.3} · BLEU {dev_bleu:.2}{mark}"
            ));
        }
        TrainingEvent::Contrasted {
            step,
            accuracy,
            items,
            gate_opening,
            ..
        } => {
            let mut parts = Vec::new();
            parts.extend(accuracy.map(|share| {
                format!(
                    "contrastive accuracy {:.1} % of {items} items",
                    100.0 * share
                )
            }));
            parts.extend(gate_opening.map(|share| format!("gates {:.1} % open", 100.0 * share)));
            line.line(&format!("step {step} · {}", parts.join(" · ")));
        }
        TrainingEvent::Compared { sets, .. } => {
            for set in sets {
                let ([before, after], [less, more]) = (set.bleu, set.loss);
                line.line(&format!(
                    "{:<8} · {} segments: BLEU {before:.2} before, {after:.2} after · loss {less:.3} before, {more:.3} after",
                    set.name, set.segments
                ));
            }
        }
        TrainingEvent::Warning { message } | TrainingEvent::WentBack { message, .. } => {
            line.line(&format!("warning: {message}"));
        }
        TrainingEvent::Finished { step, reason } => {
            let how = match reason {
                EndReason::Steps => "",
                EndReason::TargetTokens => ": all target tokens seen",
                EndReason::Minutes => ": time is up",
                EndReason::Patience => ": the dev loss no longer falls",
                EndReason::WorseThanBase => {
                    ": the model became much worse than the one it began with, which is kept in checkpoints/best"
                }
                EndReason::Stopped => ": stopped and saved, continue with --resume",
                EndReason::Abandoned => {
                    ": abandoned, continue from the last checkpoint with --resume"
                }
            };
            line.line(&format!("finished after step {step}{how}"));
        }
        // Failures are printed when the program ends.
        TrainingEvent::Saved { .. }
        | TrainingEvent::Samples { .. }
        | TrainingEvent::Failed { .. } => {}
    }
}

fn show_phase(line: &mut StatusLine, phase: Phase) {
    match phase {
        Phase::Read => line.show("reading the corpus"),
        Phase::Tokenise => line.show("preparing the development documents"),
        Phase::Draft => line.show("writing drafts of the training pairs"),
        Phase::Validate => line.show("validating"),
        Phase::Save => line.show("saving"),
        Phase::Paused => line.line("paused; continue with `canopy run resume`"),
        Phase::Train => {}
    }
}

fn show_step(line: &mut StatusLine, event: &TrainingEvent) {
    let TrainingEvent::Step {
        step,
        epoch,
        loss,
        learning_rate,
        target_tokens_per_second,
        remaining_secs,
        target_tokens,
        ..
    } = event
    else {
        return;
    };
    let left =
        remaining_secs.map_or_else(String::new, |secs| format!(" · {} left", duration(secs)));
    let text = format!(
        "step {step} · epoch {} · loss {loss:.3} · {target_tokens_per_second:.0} tokens/s · rate {learning_rate:.2e}{left}",
        epoch + 1
    );
    if step % 100 == 0 {
        line.line(&format!("{text} · {target_tokens} target tokens"));
    } else {
        line.show(&text);
    }
}
