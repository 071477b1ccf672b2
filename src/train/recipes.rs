//! Training settings of papers, by name.

use super::config::{Schedule, TrainingConfig};
use super::schedule::noam_rate;
use crate::error::{BaseError, Error, Result};

/// The optimisation of a paper: learning rate, regularisation and the end of a run. Data, system, limits and checkpoints
/// stay as they are.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Name of the recipe.
    pub name: &'static str,
    /// Author, year and section of the paper, or the study.
    pub source: &'static str,
    /// One sentence for the user who chooses.
    pub description: &'static str,
    apply: fn(&mut TrainingConfig, usize),
}

/// All recipes, those from random weights first.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        name: "vaswani-2017",
        source: "Vaswani et al. 2017, §5",
        description: "From random weights: Noam schedule with 4,000 updates of warm-up, batches of 25,000 target tokens",
        apply: vaswani,
    },
    Recipe {
        name: "x-transformer-2022",
        source: "Liu & Chen 2022 (X-Transformer)",
        description: "From random weights: Noam schedule, batches of 128 sentences, smoothing 0.1",
        apply: x_transformer,
    },
    Recipe {
        name: "catsby-2022",
        source: "Choi et al. 2022 (CATSBY)",
        description: "From random weights beside BERT: rate 5e-4 by inverse square root, dropout 0.3, weight decay 1e-4",
        apply: catsby,
    },
    Recipe {
        name: "maruf-2019-second-stage",
        source: "Maruf et al. 2019, §4.2",
        description: "A document-level system on top of a trained model: rate 1e-4 throughout, dropout 0.2, of attention weights too, early stopping",
        apply: maruf,
    },
    Recipe {
        name: "context-upon-student",
        source: "docs/research/ctxpro.md",
        description: "A context on top of a distilled student, which stays as it is: rate 1e-3, no dropout and no smoothing",
        apply: upon_student,
    },
];

impl Recipe {
    /// # Errors
    /// [`BaseError::Config`] with all names if there is no such recipe.
    pub fn named(name: &str) -> Result<&'static Self> {
        RECIPES
            .iter()
            .find(|recipe| recipe.name == name)
            .ok_or_else(|| {
                Error::Base(BaseError::Config {
                    field: "recipe",
                    found: name.to_owned(),
                    allowed: RECIPES
                        .iter()
                        .map(|recipe| recipe.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                })
            })
    }

    /// Sets the optimisation of `config`.
    ///
    /// # Errors
    /// If there is no system as `config` names it, whose width scales the Noam schedule.
    pub fn apply(&self, config: &mut TrainingConfig) -> Result<()> {
        let d_model = config.system()?.d_model();
        let defaults = TrainingConfig::default();
        config.adam_beta_1 = defaults.adam_beta_1;
        config.adam_beta_2 = defaults.adam_beta_2;
        config.adam_epsilon = defaults.adam_epsilon;
        config.weight_decay = defaults.weight_decay;
        config.learning_rate_factor = defaults.learning_rate_factor;
        config.attention_dropout = defaults.attention_dropout;
        config.batch_sentences = defaults.batch_sentences;
        config.patience = defaults.patience;
        config.context_only = defaults.context_only;
        (self.apply)(config, d_model);
        Ok(())
    }
}

fn vaswani(config: &mut TrainingConfig, _: usize) {
    config.schedule = Schedule::Noam;
    config.warmup_steps = 4_000;
    config.batch_tokens = 25_000;
    config.dropout = 0.1;
    config.label_smoothing = 0.1;
}

/// The paper names the schedule, the batch, sentences of 80 tokens at most and the smoothing; warm-up and dropout are those of
/// Vaswani et al. 2017. The limit in tokens is above what so many sentences have.
fn x_transformer(config: &mut TrainingConfig, _: usize) {
    config.schedule = Schedule::Noam;
    config.warmup_steps = 4_000;
    config.batch_sentences = 128;
    config.batch_tokens = 128 * 81;
    config.dropout = 0.1;
    config.label_smoothing = 0.1;
}

/// The schedule of fairseq's `inverse_sqrt` is Noam's with another factor.
fn catsby(config: &mut TrainingConfig, d_model: usize) {
    const PEAK: f64 = 5e-4;
    config.schedule = Schedule::Noam;
    config.warmup_steps = 4_000;
    config.learning_rate_factor = PEAK / noam_rate(4_000, d_model, 4_000, 1.0);
    config.dropout = 0.3;
    config.label_smoothing = 0.1;
    config.weight_decay = 1e-4;
}

/// The authors' program is written in DyNet, whose Adam has these constants; its four dropouts, one of them of attention
/// weights, have one rate in the paper.
fn maruf(config: &mut TrainingConfig, _: usize) {
    config.schedule = Schedule::Constant;
    config.learning_rate = 1e-4;
    config.dropout = 0.2;
    config.attention_dropout = 0.2;
    config.label_smoothing = 0.1;
    config.adam_beta_2 = 0.999;
    config.adam_epsilon = 1e-8;
    config.patience = 5;
}

fn upon_student(config: &mut TrainingConfig, _: usize) {
    config.schedule = Schedule::ConstantWithWarmup;
    config.learning_rate = 1e-3;
    config.warmup_steps = 20;
    config.dropout = 0.0;
    config.label_smoothing = 0.0;
    config.batch_tokens = 2_500;
    config.context_only = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(recipe: &str, preset: &str) -> TrainingConfig {
        let mut config = TrainingConfig {
            corpus: "corpus".into(),
            preset: preset.to_owned(),
            steps: 77,
            seed: 9,
            // As an earlier recipe leaves it.
            context_only: true,
            weight_decay: 0.5,
            attention_dropout: 0.5,
            batch_sentences: 7,
            ..TrainingConfig::default()
        };
        let recipe = Recipe::named(recipe).expect("a recipe");
        recipe.apply(&mut config).expect("a system");
        config
    }

    #[test]
    fn every_recipe_can_be_trained_with_and_leaves_data_and_limits_alone() {
        for recipe in RECIPES {
            let config = settings(recipe.name, "selective-small");
            config.validate().expect(recipe.name);
            assert_eq!((config.steps, config.seed), (77, 9), "{}", recipe.name);
        }
    }

    #[test]
    fn nothing_of_an_earlier_recipe_is_left() {
        let config = settings("vaswani-2017", "x-transformer-small");
        assert!(!config.context_only && config.weight_decay.abs() < 1e-12);
        assert!(config.attention_dropout.abs() < 1e-12 && config.batch_sentences == 0);
        let config = settings("x-transformer-2022", "x-transformer-small");
        assert_eq!((config.batch_sentences, config.warmup_steps), (128, 4_000));
    }

    #[test]
    fn the_inverse_square_root_peaks_at_the_papers_rate_for_each_width() {
        for preset in ["catsby-small", "catsby"] {
            let config = settings("catsby-2022", preset);
            let d_model = config.system().expect("a system").d_model();
            let rate = |step| config.rate(step, d_model);
            assert!((rate(4_000) - 5e-4).abs() < 1e-12, "{preset}");
            assert!((rate(16_000) - 2.5e-4).abs() < 1e-12, "{preset}");
        }
    }

    #[test]
    fn an_unknown_recipe_is_refused_with_all_names() {
        let error = Recipe::named("adam").expect_err("no recipe").to_string();
        assert!(
            error.contains("catsby-2022") && error.contains("adam"),
            "{error}"
        );
    }
}
