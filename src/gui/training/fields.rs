//! The numbers of a new run: label, unit and explanation of each, in one table.

use egui::DragValue;

use canopy_train::{Schedule, TrainingConfig};

/// A heading of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Length,
    Optimisation,
    Validation,
}

/// How a number is read and changed.
pub(super) enum Number {
    Count(fn(&mut TrainingConfig) -> &mut usize),
    /// From 1.
    Few(fn(&mut TrainingConfig) -> &mut usize),
    Tokens(fn(&mut TrainingConfig) -> &mut u64),
    Seed(fn(&mut TrainingConfig) -> &mut u64),
    Share(fn(&mut TrainingConfig) -> &mut f32),
    /// With its smallest step.
    Real(fn(&mut TrainingConfig) -> &mut f64, f64),
}

pub(super) struct Field {
    /// As the settings file has it.
    pub name: &'static str,
    pub section: Section,
    pub label: &'static str,
    pub unit: &'static str,
    pub explanation: &'static str,
    pub number: Number,
    /// The schedules that have it; none for all.
    pub schedules: &'static [Schedule],
}

const fn field(
    section: Section,
    name: &'static str,
    label: &'static str,
    unit: &'static str,
    explanation: &'static str,
    number: Number,
) -> Field {
    Field {
        name,
        section,
        label,
        unit,
        explanation,
        number,
        schedules: &[],
    }
}

const fn only_with(schedules: &'static [Schedule], field: Field) -> Field {
    Field { schedules, ..field }
}

use Number::{Count, Few, Real, Seed, Share, Tokens};
use Section::{Length, Optimisation, Validation};

pub(super) static FIELDS: &[Field] = &[
    field(
        Length,
        "steps",
        "Steps",
        "updates",
        "Maximum number of updates; 0 for no limit.",
        Count(|config| &mut config.steps),
    ),
    field(
        Length,
        "target_tokens",
        "Target tokens",
        "tokens",
        "Maximum number of target tokens; 0 for no limit.",
        Tokens(|config| &mut config.target_tokens),
    ),
    field(
        Length,
        "minutes",
        "Time",
        "minutes",
        "After this time the run saves and stops, and can be resumed; 0 for no limit.",
        Real(|config| &mut config.minutes, 1.0),
    ),
    field(
        Length,
        "patience",
        "Patience",
        "validations",
        "Ends the run after this many validations without a lower dev loss; 0 to continue.",
        Count(|config| &mut config.patience),
    ),
    only_with(
        &[Schedule::Noam, Schedule::ConstantWithWarmup],
        field(
            Optimisation,
            "warmup_steps",
            "Warm-up",
            "updates",
            "The learning rate rises for this many updates, then falls with their square root, or stays.",
            Count(|config| &mut config.warmup_steps),
        ),
    ),
    only_with(
        &[Schedule::Noam],
        field(
            Optimisation,
            "learning_rate_factor",
            "Factor",
            "",
            "Multiplies the learning rate; smaller if the loss jumps or becomes NaN.",
            Real(|config| &mut config.learning_rate_factor, 0.01),
        ),
    ),
    only_with(
        &[Schedule::Constant, Schedule::ConstantWithWarmup],
        field(
            Optimisation,
            "learning_rate",
            "Learning rate",
            "",
            "Of Adam. 1e-4 is cautious, 2e-4 learns contexts faster.",
            Real(|config| &mut config.learning_rate, 1e-5),
        ),
    ),
    field(
        Optimisation,
        "batch_tokens",
        "Batch",
        "tokens",
        "Target tokens in an update; for whole documents, tokens of their longer side. Memory grows with it.",
        Count(|config| &mut config.batch_tokens),
    ),
    field(
        Optimisation,
        "batch_sentences",
        "Batch, at most",
        "sentences",
        "Sentences in an update at most, within the limit of tokens; 0 for any number.",
        Count(|config| &mut config.batch_sentences),
    ),
    field(
        Optimisation,
        "devices",
        "Devices",
        "",
        "Number of graphics adapters, or of CPU workers, that share every batch. A document is read by one of them, so raise the batch size with the number.",
        Few(|config| &mut config.devices),
    ),
    field(
        Optimisation,
        "dropout",
        "Dropout",
        "",
        "Share of activations dropped: more for small corpora.",
        Share(|config| &mut config.dropout),
    ),
    field(
        Optimisation,
        "attention_dropout",
        "Attention dropout",
        "",
        "Share of attention weights dropped: which other word or sentence a word reads.",
        Share(|config| &mut config.attention_dropout),
    ),
    field(
        Optimisation,
        "label_smoothing",
        "Label smoothing",
        "",
        "Share of the probability spread over all words.",
        Share(|config| &mut config.label_smoothing),
    ),
    field(
        Optimisation,
        "bpe_dropout",
        "BPE dropout",
        "",
        "Probability that a subword merge is skipped, so that words are split differently: 0.1 in long trainings on small corpora.",
        Share(|config| &mut config.bpe_dropout),
    ),
    field(
        Optimisation,
        "hidden_words",
        "Hidden words",
        "",
        "Share of source words hidden, so that a document-level model looks for them in the rest of the document.",
        Share(|config| &mut config.hidden_words),
    ),
    field(
        Optimisation,
        "copied_words",
        "Copied words",
        "",
        "Repeats every pair, preceded by this share of its own translation, so that a system that reads translations learns to; 0 for no copies.",
        Share(|config| &mut config.copied_words),
    ),
    field(
        Optimisation,
        "clip_norm",
        "Gradient clipping",
        "",
        "Largest norm of all gradients together; 0 for no limit.",
        Real(|config| &mut config.clip_norm, 0.1),
    ),
    field(
        Optimisation,
        "seed",
        "Seed",
        "",
        "Seed of the initial weights, the data order and dropout. On the CPU the same seed gives the same weights.",
        Seed(|config| &mut config.seed),
    ),
    field(
        Validation,
        "validate_every",
        "Validate every",
        "updates",
        "Loss and BLEU on held-out documents.",
        Count(|config| &mut config.validate_every),
    ),
    field(
        Validation,
        "validation_segments",
        "Validate on",
        "segments",
        "A fixed choice of whole documents while training; 0 for all of them. The end is always scored on all.",
        Count(|config| &mut config.validation_segments),
    ),
    field(
        Validation,
        "checkpoint_every",
        "Save every",
        "updates",
        "An interrupted run continues from its last checkpoint.",
        Count(|config| &mut config.checkpoint_every),
    ),
    field(
        Validation,
        "keep_checkpoints",
        "Keep",
        "checkpoints",
        "Number of last models that are kept, to be averaged into one.",
        Count(|config| &mut config.keep_checkpoints),
    ),
];

/// The fields that most runs need: how long to train. The others are for those who know them.
const COMMON: [&str; 3] = ["steps", "minutes", "patience"];

impl Field {
    /// Whether it is shown outside *Advanced*.
    pub(super) fn is_common(&self) -> bool {
        COMMON.contains(&self.name)
    }

    /// Whether it means something under this schedule.
    pub(super) fn applies(&self, schedule: Schedule) -> bool {
        self.schedules.is_empty() || self.schedules.contains(&schedule)
    }

    /// The field to type or drag the number in.
    pub(super) fn drag<'a>(&self, config: &'a mut TrainingConfig) -> DragValue<'a> {
        match self.number {
            Count(of) => DragValue::new(of(config)).speed(10.0),
            Few(of) => DragValue::new(of(config)).speed(0.05).range(1..=256),
            Tokens(of) => DragValue::new(of(config)).speed(10_000.0),
            Seed(of) => DragValue::new(of(config)).speed(0.1),
            Share(of) => DragValue::new(of(config)).speed(0.005).max_decimals(3),
            Real(of, step) => DragValue::new(of(config))
                .speed(step)
                .custom_formatter(|number, _| written(number)),
        }
    }
}

/// Small numbers as powers of ten.
fn written(number: f64) -> String {
    if number != 0.0 && number.abs() < 0.001 {
        format!("{number:e}")
    } else {
        let text = format!("{number:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_that_everybody_sees_are_fields() {
        let common = FIELDS.iter().filter(|field| field.is_common());
        assert_eq!(common.count(), COMMON.len());
    }

    #[test]
    fn numbers_are_short_and_exact_enough() {
        for (number, text) in [
            (0.0, "0"),
            (2.0, "2"),
            (0.05, "0.05"),
            (1e-4, "1e-4"),
            (2.5e-5, "2.5e-5"),
        ] {
            assert_eq!(written(number), text);
        }
    }
}
