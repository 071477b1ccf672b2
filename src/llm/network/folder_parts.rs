//! Names of a decoder's parts in folders of Hugging Face.

use crate::error::Result;

use super::families::Family;
use crate::parts::{OUTPUT, Parts};
use crate::weights::Weights;

/// Beginnings of names in folders: of a network alone, and of one within another that sees pictures.
const PREFIXES: [&str; 4] = [
    "model.",
    "",
    "language_model.model.",
    "model.language_model.",
];

/// The parts of a folder with layers 0 to `num_layers - 1`.
///
/// # Errors
/// [`LanguageModel`](crate::error::Error::LanguageModel), if a layer has a part that the family has not.
pub(super) fn parts_of_folder<'w>(
    weights: &'w Weights,
    family: &'static Family,
    num_layers: usize,
) -> Result<Parts<'w>> {
    let has = |prefix: &&&str| {
        let table = format!("{prefix}embed_tokens.weight");
        weights.tensors().contains_key(&table)
    };
    let prefix = PREFIXES.iter().find(has).unwrap_or(&PREFIXES[0]);
    let layers = format!("{prefix}layers.");
    for name in weights.tensors().keys() {
        let layer = name.strip_prefix(&layers);
        let Some((number, part)) = layer.and_then(|rest| rest.split_once('.')) else {
            continue;
        };
        let is_there = number
            .parse()
            .is_ok_and(|number: usize| number < num_layers);
        let stem = part.rsplit_once('.').map(|(stem, _)| stem);
        let is_known = stem.is_some_and(|stem| family.has_in_folders(stem));
        // Frequencies of rotations, which old files have.
        if !(is_there && is_known || part.ends_with("rotary_emb.inv_freq")) {
            let problem = format!("{} has no such part here", family.name);
            return Err(weights.problem(name, problem));
        }
    }
    let offset = f32::from(u8::from(family.norms_from_one));
    Ok(Parts::from_folder(
        weights,
        |own| name(family, prefix, own),
        offset,
    ))
}

/// The name in a folder of a part of GGUF, such as `blk.0.attn_q.weight`; none if the family has no such part.
fn name(family: &Family, prefix: &str, own: &str) -> Option<String> {
    if own == OUTPUT {
        let root = prefix.strip_suffix("model.").unwrap_or_default();
        return Some(format!("{root}lm_head.weight"));
    }
    let layer = own.strip_prefix("blk.").and_then(|it| it.split_once('.'));
    let (place, rest) = match layer {
        Some((number, rest)) => (format!("layers.{number}."), rest),
        None => (String::new(), own),
    };
    let (part, kind) = rest.rsplit_once('.')?;
    let name = family.name_in_folders(part)?;
    Some(format!("{prefix}{place}{name}.{kind}"))
}
