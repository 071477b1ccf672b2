//! Requirements of a run whose system reads BERT.

use std::path::Path;

use canopy_models::weights::{EncoderFolder, EncoderKind, ModelFolder};
use canopy_nn::model::{ContextSentence, Preset};
use canopy_train::TrainingConfig;

/// The field that keeps such a run from beginning, and what to do.
pub(super) fn problem(
    config: &TrainingConfig,
    preset: &Preset,
) -> Option<(&'static str, &'static str)> {
    let (_, sentence) = preset.config(config.vocab_size).context?.bert()?;
    if config.bert.as_os_str().is_empty() {
        if !ModelFolder::has_bert(&config.from) {
            return Some(("bert", "Choose the folder of an imported BERT"));
        }
    } else if let Some(problem) = problem_of_encoder(&config.bert) {
        return Some(("bert", problem));
    }
    let is_chosen = matches!(sentence, ContextSentence::Similar(_));
    match (config.contexts.as_os_str().is_empty(), is_chosen) {
        (true, true) => Some(("contexts", "Choose the file of this corpus's contexts")),
        (false, _) if !config.contexts.is_file() => Some(("contexts", "There is no such file")),
        _ => None,
    }
}

fn problem_of_encoder(folder: &Path) -> Option<&'static str> {
    match EncoderFolder::open(folder) {
        Err(_) => Some("There is no imported encoder in this folder"),
        Ok(encoder) if !matches!(encoder.encoder, EncoderKind::Bert { .. }) => {
            Some("This encoder is not a BERT; choose an imported bert or sbert")
        }
        Ok(_) => None,
    }
}
