//! The configuration of a training run, as in the run folder's `config.toml`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::batch::BatchLimits;
use super::event::RunLimits;
use super::mixed_precision::{MomentPrecision, ProductPrecision};
use super::optimizer::AdamConstants;
use super::schedule::{noam_rate, warmed_up};
use crate::error::{BaseError, Error, Result};
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{Context, Preset};
use canopy_translate::inference::imported_files;

/// Devices of one run at most.
const MOST_DEVICES: usize = 256;

/// Settings of one run; every field but `corpus` has a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrainingConfig {
    /// Corpus folder.
    pub corpus: PathBuf,
    /// Name of the system.
    pub preset: String,
    /// Model folder whose weights and vocabulary the run begins with; empty for random weights. The preset's context is
    /// fine-tuned from it.
    pub from: PathBuf,
    /// Encoder folder of an imported BERT, for presets that read one.
    pub bert: PathBuf,
    /// The contexts that BERT reads, by `canopy corpus select-context`; empty for those that the preset chooses by place.
    pub contexts: PathBuf,
    /// Encoder folder that chose the contexts by similarity, where that is another than `bert`, or BERT learns too: the
    /// model keeps it, to choose likewise when it translates; empty for the folder that the contexts name.
    pub context_encoder: PathBuf,
    /// Translations that a preset with a memory has in addition to the training pairs; empty for none.
    pub memory: PathBuf,
    /// A corpus of general documents, whose scores before and after show what a fine-tuned model forgets; empty for
    /// none.
    pub general: PathBuf,
    /// A contrastive set: after each validation the run reports how often the model prefers the right translations of up to 300 of
    /// its items; empty for none.
    pub contrastive_set: PathBuf,
    /// Whether BERT learns too; else its states are computed once for each sentence and kept.
    pub train_bert: bool,
    /// Whether the sentence-level network stays as it is where a system that reads documents begins with it.
    pub context_only: bool,
    /// Tokens of the joint vocabulary, if the corpus has none yet.
    pub vocab_size: usize,
    /// Seed of the initial weights, the data order and dropout.
    pub seed: u64,
    /// Tokens in a batch: target tokens of sentences, or those of the longer side of whole documents.
    pub batch_tokens: usize,
    /// Sentences in a batch at most, which holds no more tokens than `batch_tokens` either; 0 for any number.
    pub batch_sentences: usize,
    /// Devices that share every batch: as many graphics adapters, or threads of their own on the CPU.
    pub devices: usize,
    /// Numbers of the matrix products. Those of 16 bits are for graphics cards.
    pub precision: ProductPrecision,
    /// Read from older settings, without effect.
    #[serde(skip_serializing)]
    pub moments: MomentPrecision,
    /// The course of the learning rate.
    pub schedule: Schedule,
    /// Learning rate of the constant schedules.
    pub learning_rate: f64,
    /// Updates until the learning rate reaches its peak, but for the constant schedule.
    pub warmup_steps: usize,
    /// Multiplies the Noam schedule.
    pub learning_rate_factor: f64,
    /// Multiplies the learning rate of what reads beyond the sentence, which is new where the rest has been trained.
    pub context_learning_rate_factor: f64,
    /// Updates over which the bias of a new context's gates falls from 2 to 0, in addition to what it learns: at first the
    /// gate lets 88 % of a sentence's own states pass, in the end half of them; 0 for a bias that only learns.
    pub gate_opening_steps: usize,
    /// Adam's β₁, the decay of the mean of the gradients.
    pub adam_beta_1: f64,
    /// Adam's β₂, the decay of the mean of their squares.
    pub adam_beta_2: f64,
    /// Adam's ε.
    pub adam_epsilon: f64,
    /// By which every weight is shortened in an update, times the learning rate.
    pub weight_decay: f64,
    /// Share of the probability spread over the whole vocabulary, in `[0, 1)`.
    pub label_smoothing: f32,
    /// Share of activations dropped, in `[0, 1)`.
    pub dropout: f32,
    /// Share of attention weights dropped after the softmax or sparsemax, those of the attention to the document among them,
    /// in `[0, 1)`. Fused attention kernels of a GPU do not have it: there it is computed by tensor operations.
    pub attention_dropout: f32,
    /// Probability with which a merge of subwords is left out wherever it could be done, so that each epoch has the same texts in
    /// other subwords, in `[0, 1)`: BPE-dropout, Provilkov et al., ACL 2020.
    pub bpe_dropout: f32,
    /// Share of source tokens hidden in training, so that the model looks for them in the document, in `[0, 1)`: Fernandes
    /// et al., "Measuring and Increasing Context Usage in Context-Aware Machine Translation", ACL 2021, §5.
    pub hidden_words: f32,
    /// Share of the words of its own translation that a copy of each training pair reads as the translation before it, so that
    /// a system that reads translations learns to, in `[0, 1)`; 0 for no copies.
    pub copied_words: f32,
    /// Share of the training pairs that others read as the model in `from` translates them, not as a person did, drawn anew in each
    /// update, in `[0, 1]`: Maruf et al. 2019 train so, since a system that is at work reads its own drafts.
    pub draft_share: f32,
    /// Sentences that a token reads in each head, T of Trankova et al. 2024, §3.2; 0 for the preset's.
    pub top_t: usize,
    /// Updates over which the number of sentences that a token reads falls from 32 to T; 0 for T throughout.
    pub narrowing_steps: usize,
    /// Largest common norm of the gradients; 0 for no limit.
    pub clip_norm: f64,
    /// Updates between validations; 0 for none, not even at the end.
    pub validate_every: usize,
    /// Development segments that are scored while training: whole documents, always the same ones, until there are so
    /// many; 0 for all. All are scored once at the end.
    pub validation_segments: usize,
    /// Updates between checkpoints.
    pub checkpoint_every: usize,
    /// How many of the last checkpoints' models are kept to be averaged; 0 for none.
    pub keep_checkpoints: usize,
    /// Validations without a smaller dev loss after which the run ends; 0 for no limit.
    pub patience: usize,
    /// Updates in all; 0 for no limit.
    pub steps: usize,
    /// Target tokens in all; 0 for no limit.
    pub target_tokens: u64,
    /// Maximum minutes of this session; 0 for no limit.
    pub minutes: f64,
    /// The context of the system, where it is to be another than the preset's, of the same kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<Context>,
}

/// How the learning rate changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// Up and down, Vaswani et al. 2017, Eq. 3.
    #[default]
    Noam,
    /// Always the same.
    Constant,
    /// Rises evenly over `warmup_steps`, then stays: a trained network is not thrown off by Adam's first updates, whose
    /// moments know few gradients.
    ConstantWithWarmup,
}

impl Default for TrainingConfig {
    fn default() -> Self {
        Self {
            corpus: PathBuf::new(),
            preset: "x-transformer-small".to_owned(),
            from: PathBuf::new(),
            bert: PathBuf::new(),
            contexts: PathBuf::new(),
            context_encoder: PathBuf::new(),
            memory: PathBuf::new(),
            general: PathBuf::new(),
            contrastive_set: PathBuf::new(),
            train_bert: false,
            context_only: false,
            vocab_size: 8_000,
            seed: 1,
            batch_tokens: 2_500,
            batch_sentences: 0,
            devices: 1,
            precision: ProductPrecision::Float32,
            moments: MomentPrecision::Float32,
            schedule: Schedule::Noam,
            learning_rate: 1e-4,
            warmup_steps: 1_000,
            learning_rate_factor: 1.0,
            context_learning_rate_factor: 1.0,
            gate_opening_steps: 0,
            adam_beta_1: 0.9,
            adam_beta_2: 0.98,
            adam_epsilon: 1e-9,
            weight_decay: 0.0,
            label_smoothing: 0.1,
            dropout: 0.1,
            attention_dropout: 0.0,
            bpe_dropout: 0.0,
            hidden_words: 0.0,
            copied_words: 0.0,
            draft_share: 0.0,
            top_t: 0,
            narrowing_steps: 0,
            clip_norm: 2.0,
            validate_every: 500,
            validation_segments: 200,
            checkpoint_every: 250,
            keep_checkpoints: 4,
            patience: 0,
            steps: 0,
            target_tokens: 0,
            minutes: 0.0,
            structure: None,
        }
    }
}

impl TrainingConfig {
    /// Settings of the second stage of Maruf et al. 2019, §4.2: from a trained model, Adam at a constant 1e-4, dropout
    /// 0.2, until the dev loss no longer falls.
    pub fn second_stage(from: PathBuf) -> Self {
        Self {
            from,
            schedule: Schedule::Constant,
            dropout: 0.2,
            patience: 5,
            ..Self::default()
        }
    }

    /// Settings for continuing with a trained model: those of [`second_stage`](Self::second_stage), or, upon a model of another
    /// program, gentler ones. A model that reads documents brings the preset of its context along.
    ///
    /// Distilled students (Kim et al., WNGT 2019) are trained without dropout, and their scores are sharp: with dropout 0.1 a
    /// student of Firefox loses 9.3 nats a token at once, and a label smoothing of 0.1 raises its loss by 2.8, whose gradient
    /// flattens what it knows.
    pub fn fine_tuning(from: PathBuf) -> Self {
        if imported_files(&from).is_none() {
            let own = ModelFolder::alone(&from).ok();
            let preset = own.and_then(|own| own.model.preset_to_go_on());
            let second = Self::second_stage(from);
            let preset = preset.map_or_else(|| second.preset.clone(), |it| it.name.to_owned());
            return Self { preset, ..second };
        }
        Self {
            from,
            schedule: Schedule::ConstantWithWarmup,
            learning_rate: 3e-5,
            warmup_steps: 50,
            dropout: 0.0,
            label_smoothing: 0.0,
            batch_tokens: 1_000,
            validate_every: 25,
            checkpoint_every: 100,
            patience: 5,
            ..Self::default()
        }
    }

    /// The system: the preset, with the context of [`structure`](Self::structure) if that is set.
    ///
    /// # Errors
    /// If there is no such preset, or its context is of another kind.
    pub fn system(&self) -> Result<Preset> {
        let preset = Preset::named(&self.preset)?;
        match self.structure {
            Some(structure) => Ok(preset.restructured(structure)?),
            None => Ok(preset),
        }
    }

    /// Reads settings in TOML.
    ///
    /// # Errors
    /// [`BaseError::Settings`] with line and field if they are invalid.
    pub fn open(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
        toml::from_str(&text).map_err(|cause| {
            Error::Base(BaseError::Settings {
                reason: cause.to_string().trim_end().to_owned(),
                path: path.to_owned(),
            })
        })
    }

    /// These settings with absolute paths, independent of the working directory.
    ///
    /// # Errors
    /// If the system does not name that folder.
    pub fn with_absolute_paths(mut self) -> Result<Self> {
        for path in [
            &mut self.corpus,
            &mut self.from,
            &mut self.bert,
            &mut self.contexts,
            &mut self.context_encoder,
            &mut self.memory,
            &mut self.general,
            &mut self.contrastive_set,
        ] {
            if !path.as_os_str().is_empty() {
                *path = std::path::absolute(&path).map_err(Error::read(&path))?;
            }
        }
        Ok(self)
    }

    /// How much a batch holds.
    pub fn batch_limits(&self) -> BatchLimits {
        BatchLimits {
            tokens: self.batch_tokens,
            sentences: match self.batch_sentences {
                0 => usize::MAX,
                sentences => sentences,
            },
        }
    }

    /// Limits of the run.
    pub fn limits(&self) -> RunLimits {
        RunLimits {
            steps: self.steps,
            target_tokens: self.target_tokens,
            minutes: self.minutes,
        }
    }

    /// Whether anything but a person ends the run.
    pub fn has_limit(&self) -> bool {
        let has_patience = self.patience > 0 && self.validate_every > 0;
        has_patience || self.limits() != RunLimits::default()
    }

    /// The learning rate of update `step`, from 1, of a model of this width.
    pub fn rate(&self, step: usize, d_model: usize) -> f64 {
        match self.schedule {
            Schedule::Constant => self.learning_rate,
            Schedule::ConstantWithWarmup => warmed_up(self.learning_rate, step, self.warmup_steps),
            Schedule::Noam => {
                noam_rate(step, d_model, self.warmup_steps, self.learning_rate_factor)
            }
        }
    }

    /// How many sentences a token reads in update `step` when the model says `top_t`.
    pub fn top_t_at(&self, step: usize, top_t: usize) -> usize {
        const WIDEST: usize = 32;
        let narrowed = (WIDEST.saturating_sub(top_t) * step)
            .checked_div(self.narrowing_steps)
            .unwrap_or(WIDEST);
        WIDEST.saturating_sub(narrowed).max(top_t)
    }

    /// The constants of its optimizer.
    pub fn adam(&self) -> AdamConstants {
        AdamConstants {
            betas: (self.adam_beta_1, self.adam_beta_2),
            epsilon: self.adam_epsilon,
            weight_decay: self.weight_decay,
        }
    }

    /// Refuses numbers of the optimizer that it cannot count with.
    fn validate_optimizer(&self) -> Result<()> {
        let refuse = |field, found: f64, allowed: &str| {
            Err(Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            }))
        };
        let positive = [
            ("learning_rate_factor", self.learning_rate_factor),
            (
                "context_learning_rate_factor",
                self.context_learning_rate_factor,
            ),
            ("learning_rate", self.learning_rate),
            ("adam_epsilon", self.adam_epsilon),
        ];
        let is_wrong = |(_, number): &(&str, f64)| !(*number > 0.0 && number.is_finite());
        if let Some((field, found)) = positive.into_iter().find(is_wrong) {
            return refuse(field, found, "a number above 0");
        }
        let betas = [
            ("adam_beta_1", self.adam_beta_1),
            ("adam_beta_2", self.adam_beta_2),
        ];
        let is_wrong = |(_, number): &(&str, f64)| !(0.0..1.0).contains(number);
        if let Some((field, found)) = betas.into_iter().find(is_wrong) {
            return refuse(field, found, "0 up to, but not including, 1");
        }
        if !(0.0..=1.0).contains(&self.weight_decay) {
            return refuse("weight_decay", self.weight_decay, "0 to 1");
        }
        Ok(())
    }

    /// Refuses values that cannot be trained with.
    ///
    /// # Errors
    /// [`BaseError::Config`] with the field and the values it may have.
    pub fn validate(&self) -> Result<()> {
        let refuse = |field, found: &dyn std::fmt::Display, allowed: &str| {
            Err(Error::Base(BaseError::Config {
                field,
                found: found.to_string(),
                allowed: allowed.to_owned(),
            }))
        };
        if self.corpus.as_os_str().is_empty() {
            return refuse("corpus", &"missing", "the folder of a corpus");
        }
        if self.batch_tokens == 0 {
            return refuse("batch_tokens", &self.batch_tokens, "at least 1");
        }
        if !(1..=MOST_DEVICES).contains(&self.devices) {
            return refuse("devices", &self.devices, &format!("1 to {MOST_DEVICES}"));
        }
        if self.checkpoint_every == 0 {
            return refuse("checkpoint_every", &self.checkpoint_every, "at least 1");
        }
        let shares = [
            ("label_smoothing", self.label_smoothing),
            ("bpe_dropout", self.bpe_dropout),
            ("hidden_words", self.hidden_words),
            ("copied_words", self.copied_words),
            ("dropout", self.dropout),
            ("attention_dropout", self.attention_dropout),
        ];
        let is_wrong = |(_, share): &(&str, f32)| !(0.0..1.0).contains(share);
        if let Some((field, found)) = shares.into_iter().find(is_wrong) {
            return refuse(field, &found, "0 up to, but not including, 1");
        }
        if !(0.0..=1.0).contains(&self.draft_share) {
            return refuse("draft_share", &self.draft_share, "0 to 1");
        }
        self.validate_optimizer()?;
        if self.clip_norm.is_nan() || self.clip_norm < 0.0 {
            return refuse("clip_norm", &self.clip_norm, "0 or a number above it");
        }
        if self.minutes.is_nan() || self.minutes < 0.0 {
            return refuse("minutes", &self.minutes, "0 or a number above it");
        }
        // The run's settings could not be written down.
        let counts = [
            ("seed", self.seed),
            ("steps", self.steps as u64),
            ("batch_sentences", self.batch_sentences as u64),
            ("gate_opening_steps", self.gate_opening_steps as u64),
            ("target_tokens", self.target_tokens),
            ("checkpoint_every", self.checkpoint_every as u64),
            ("validate_every", self.validate_every as u64),
            ("validation_segments", self.validation_segments as u64),
        ];
        let too_large = |(_, count): &(&str, u64)| i64::try_from(*count).is_err();
        if let Some((field, count)) = counts.into_iter().find(too_large) {
            return refuse(field, &count, &format!("up to {}", i64::MAX));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_by_itself_only_with_a_limit() {
        let endless = TrainingConfig::default();
        let steps = TrainingConfig {
            steps: 5,
            ..endless.clone()
        };
        assert!(!endless.has_limit() && steps.has_limit());
        let mut second = TrainingConfig::second_stage(PathBuf::new());
        assert!(second.has_limit());
        second.validate_every = 0;
        assert!(!second.has_limit(), "its patience is never used");
    }

    #[test]
    fn the_structure_of_a_system_is_a_setting() {
        use canopy_nn::model::{Reach, Side};

        let of = |text: &str| {
            let config: TrainingConfig = toml::from_str(text).expect("settings");
            let text = toml::to_string(&config).expect("can be written");
            let read: TrainingConfig = toml::from_str(&text).expect("the same settings");
            assert_eq!(read, config);
            config.system()
        };
        let online = "preset = \"flat-word-small\"\n[structure]\nkind = \"flat\"\nlevel = \"word\"\nreach = \"online\"\nside = \"decoder\"\n";
        let system = of(online).expect("a system");
        let Some(Context::Flat { reach, side, .. }) = system.config(50).context else {
            unreachable!("flat attention")
        };
        assert_eq!((reach, side), (Reach::Online, Side::Decoder));
        let zhang = "preset = \"zhang-small\"\n[structure]\nkind = \"zhang\"\nprevious = 3\n";
        for (side, expected) in [("", Side::Encoder), ("side = \"both\"\n", Side::Both)] {
            let system = of(&format!("{zhang}{side}")).expect("a system");
            let context = system.config(50).context;
            let previous = 3;
            let side = expected;
            assert_eq!(context, Some(Context::Zhang { previous, side }));
        }
        assert!(of(&online.replace("flat-word", "han")).is_err());
        assert!(of(&online.replace("flat-word", "x-transformer")).is_err());
        let unknown = online.replace("decoder", "middle");
        assert!(toml::from_str::<TrainingConfig>(&unknown).is_err());
    }
}
