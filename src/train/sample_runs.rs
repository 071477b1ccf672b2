//! The two runs of the sample: the same tiny Transformer by itself, and with a tree of the document.
//!
//! They learn the [synthetic language](canopy_corpus::synthetic) from random weights in a minute or two on two cores. T
//! falls from all sentences of a tale to four while the tree learns; the learning rate rises for the first tenth of the
//! updates.

use std::path::Path;

use super::config::TrainingConfig;

/// A run of the sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRun {
    /// Name of its folder.
    pub name: &'static str,
    /// The settings of the run.
    pub config: TrainingConfig,
}

/// The sentence-level run and that of the tree, on the corpus in this folder.
pub fn sample_runs(corpus: &Path) -> [SampleRun; 2] {
    let both = TrainingConfig {
        corpus: corpus.to_owned(),
        batch_tokens: 1_300,
        warmup_steps: 100,
        learning_rate_factor: 0.2,
        // With it the tree keeps guessing for minutes; hardly a sentence comes again, so that nothing is learned by heart.
        dropout: 0.0,
        label_smoothing: 0.0,
        clip_norm: 1.0,
        validate_every: 50,
        // All of them; they are few.
        validation_segments: 0,
        checkpoint_every: 200,
        keep_checkpoints: 0,
        ..TrainingConfig::default()
    };
    [
        SampleRun {
            name: "sample sentence by sentence",
            config: TrainingConfig {
                preset: "transformer-tiny".to_owned(),
                steps: 300,
                ..both.clone()
            },
        },
        SampleRun {
            name: "sample whole document",
            config: TrainingConfig {
                preset: "hierarchical-conditional-tiny".to_owned(),
                steps: 850,
                narrowing_steps: 600,
                ..both
            },
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use canopy_nn::model::Preset;

    #[test]
    fn the_runs_are_valid_and_end_by_themselves() {
        for run in sample_runs(Path::new("corpus")) {
            run.config.validate().expect("valid settings");
            assert!(run.config.has_limit());
            let preset = Preset::named(&run.config.preset).expect("a preset");
            assert!(preset.config(700).num_parameters() < 150_000);
        }
    }
}
