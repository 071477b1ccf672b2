//! `canopy train`

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;

use super::terminal::{StatusLine, duration, warn};
use crate::error::{Error, Result};
use crate::inference::ComputeDevice;
use crate::training::{Phase, TrainingConfig, TrainingEvent, train};

#[derive(Debug, Args)]
pub(super) struct TrainArguments {
    /// Corpus folder, as `canopy corpus import` makes it
    #[arg(long, value_name = "DIR", required_unless_present_any = ["config", "resume"])]
    corpus: Option<PathBuf>,
    /// System and size to train, such as x-transformer-small
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Model folder to begin with: the preset's context is put upon it, at a constant learning rate
    #[arg(long, value_name = "MODEL")]
    from: Option<PathBuf>,
    /// Folder for checkpoints, settings and events
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Settings in TOML; the other options override it
    #[arg(long, value_name = "FILE.toml")]
    config: Option<PathBuf>,
    /// Where to compute: auto takes a real GPU where there is one, else the CPU
    #[arg(long, value_enum, default_value = "auto")]
    device: super::Device,
    /// Decides initial weights, order of the data and dropout
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Updates in all, those before a resume included
    #[arg(long, value_name = "N")]
    steps: Option<usize>,
    /// Target tokens in all, those before a resume included
    #[arg(long, value_name = "N")]
    target_tokens: Option<u64>,
    /// Minutes of this session
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,
    /// Updates between checkpoints
    #[arg(long, value_name = "STEPS")]
    checkpoint_every: Option<usize>,
    /// Updates between validations
    #[arg(long, value_name = "STEPS")]
    validate_every: Option<usize>,
    /// Go on from the last checkpoint of the run folder
    #[arg(long)]
    resume: bool,
}

pub(super) fn run(arguments: &TrainArguments) -> Result<()> {
    let config = arguments.config()?;
    let compute = ComputeDevice::open(arguments.device.into())?;
    if compute.software {
        warn("this GPU is a program that runs on the CPU; --device cpu is several times faster");
    }
    let mut line = StatusLine::new();
    train(
        &config,
        &arguments.run,
        arguments.resume,
        &compute.device,
        &compute.name,
        &mut |event| {
            show(&mut line, event);
            ControlFlow::Continue(())
        },
    )?;
    Ok(())
}

impl TrainArguments {
    /// The file's settings, or the run folder's when it goes on, under those of the command line.
    fn config(&self) -> Result<TrainingConfig> {
        let of_run = self.run.join("config.toml");
        let path = self
            .config
            .clone()
            .or_else(|| (self.resume && of_run.exists()).then_some(of_run));
        let mut config = match path {
            Some(path) => {
                let text = std::fs::read_to_string(&path).map_err(Error::read(&path))?;
                toml::from_str(&text).map_err(|cause| Error::Settings {
                    reason: cause.to_string(),
                    path,
                })?
            }
            None => match &self.from {
                Some(from) => TrainingConfig::second_stage(from.clone()),
                None => TrainingConfig::default(),
            },
        };
        set(&mut config.from, self.from.as_ref());
        set(&mut config.corpus, self.corpus.as_ref());
        set(&mut config.preset, self.preset.as_ref());
        set(&mut config.seed, self.seed.as_ref());
        set(&mut config.steps, self.steps.as_ref());
        set(&mut config.target_tokens, self.target_tokens.as_ref());
        set(&mut config.minutes, self.minutes.as_ref());
        set(&mut config.checkpoint_every, self.checkpoint_every.as_ref());
        set(&mut config.validate_every, self.validate_every.as_ref());
        Ok(config)
    }
}

/// What the command line says goes before what the file says.
fn set<T: Clone>(to: &mut T, from: Option<&T>) {
    if let Some(from) = from {
        from.clone_into(to);
    }
}

fn show(line: &mut StatusLine, event: &TrainingEvent) {
    match event {
        TrainingEvent::Started {
            parameters,
            examples,
            skipped,
            device,
            step,
        } => {
            let from = if *step > 0 {
                format!(", goes on after step {step}")
            } else {
                String::new()
            };
            line.line(&format!(
                "{parameters} parameters, {examples} sentence pairs ({skipped} too long), {device}{from}"
            ));
        }
        TrainingEvent::Phase { phase } => match phase {
            Phase::Read => line.show("reading the corpus"),
            Phase::Tokenise => line.show("preparing the development documents"),
            Phase::Validate => line.show("validating"),
            Phase::Save => line.show("saving"),
            Phase::Train => {}
        },
        TrainingEvent::Step {
            step,
            epoch,
            loss,
            learning_rate,
            target_tokens_per_second,
            remaining_secs,
            target_tokens,
            ..
        } => {
            let left = remaining_secs
                .map_or_else(String::new, |secs| format!(" · {} left", duration(secs)));
            let text = format!(
                "step {step} · epoch {} · loss {loss:.3} · {target_tokens_per_second:.0} tokens/s · rate \
                 {learning_rate:.2e}{left}",
                epoch + 1
            );
            if step % 100 == 0 {
                line.line(&format!("{text} · {target_tokens} target tokens"));
            } else {
                line.show(&text);
            }
        }
        TrainingEvent::Validated {
            step,
            target_tokens,
            dev_loss,
            dev_bleu,
            best,
            elapsed_secs,
        } => {
            let mark = if *best { " (best)" } else { "" };
            let elapsed = duration(*elapsed_secs);
            line.line(&format!(
                "step {step} · {target_tokens} target tokens · {elapsed} · dev loss {dev_loss:.3} · dev BLEU \
                 {dev_bleu:.2}{mark}"
            ));
        }
        TrainingEvent::Saved { .. } => {}
        TrainingEvent::Warning { message } => line.line(&format!("warning: {message}")),
        TrainingEvent::Finished { step, .. } => line.line(&format!("finished after step {step}")),
    }
}
