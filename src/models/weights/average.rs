//! The mean of several checkpoints of one run, which translates better than each of them.

use std::path::PathBuf;

use burn::tensor::Device;

use super::folder::ModelFolder;
use super::loading::load_module;
use super::tensors::{NamedTensors, module_tensors};
use crate::error::{BaseError, Error, Result};
use canopy_nn::model::Model;
use canopy_tokenize::ModelTokenizer;

/// Loads model folders of one configuration and averages their weights; the description is the last one's, without the
/// scores it had by itself.
///
/// # Errors
/// If a folder cannot be read or is of another configuration or vocabulary than the last.
pub fn averaged_model(
    folders: &[PathBuf],
    device: &Device,
) -> Result<(ModelFolder, Model, ModelTokenizer)> {
    let (last, others) = folders.split_last().expect("at least one folder");
    let mut description = ModelFolder::open(last)?;
    let (model, tokenizer) = description.load(last, device)?;
    if others.is_empty() {
        return Ok((description, model, tokenizer));
    }
    (description.training.dev_loss, description.training.dev_bleu) = (None, None);
    let mut sum = module_tensors(&model);
    for folder in others {
        let other = ModelFolder::open(folder)?;
        let (weights, other_tokenizer) = other.load(folder, device)?;
        if other.model != description.model || !other_tokenizer.has_tokens_of(&tokenizer) {
            let reason = format!(
                "configuration or vocabulary differ from those of {}",
                last.display()
            );
            return Err(Error::Base(BaseError::Model {
                reason,
                path: folder.clone(),
            }));
        }
        add(&mut sum, &module_tensors(&weights));
    }
    let share = 1.0 / folders.len() as f32;
    sum.values_mut()
        .flat_map(|(_, values)| values)
        .for_each(|value| *value *= share);
    Ok((description, load_module(model, sum, last)?, tokenizer))
}

fn add(sum: &mut NamedTensors, other: &NamedTensors) {
    for (name, (_, values)) in sum {
        let (_, other) = &other[name];
        values
            .iter_mut()
            .zip(other)
            .for_each(|(value, other)| *value += other);
    }
}
