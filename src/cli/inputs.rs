//! Inputs of a command: nothing that it writes may take their place, with `--force` or without.

use std::path::Path;

use crate::error::{BaseError, Error, Result};
use canopy_base::file::{canonicalize, is_same_file};
use canopy_corpus::gettext::is_catalogue;

/// Files that the folders of models, encoders, corpora, runs and sweeps are made of. Others in them may be replaced,
/// such as
/// a figure next to the curves that it shows.
const PARTS: &str = "config.toml corpus.json dev.jsonl encoder.toml events.jsonl memory.tsv memory.tsv.gz \
    model.toml optimizer.safetensors pieces.json progress.json run.json sweep.toml test.jsonl train.jsonl \
    vocabulary.json vocabulary.model weights.safetensors modules.json";

/// Before any work: whether `output` is not one of `inputs` and in no folder of them, however they are spelt or
/// linked.
///
/// # Errors
/// [`Error::Base(BaseError::OverInput)`] if it is.
pub(super) fn check_output<'a>(
    output: &Path,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    // What is not there cannot be lost.
    let Ok(place) = canonicalize(output) else {
        return Ok(());
    };
    let mut inputs = inputs.into_iter();
    let is_read =
        |input: &Path| is_same_file(input, &place) || is_part(&place) && is_below(&place, input);
    if inputs.any(is_read) {
        return Err(Error::Base(BaseError::OverInput {
            path: output.to_owned(),
        }));
    }
    Ok(())
}

/// Whether a file of this name is read where its folder is.
fn is_part(file: &Path) -> bool {
    let name = file.file_name().and_then(|name| name.to_str());
    file.is_file()
        && (is_catalogue(file)
            || name.is_some_and(|name| PARTS.split(' ').any(|part| part == name)))
}

fn is_below(place: &Path, folder: &Path) -> bool {
    let folder = canonicalize(folder);
    folder.is_ok_and(|folder| folder.is_dir() && place.starts_with(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_folder_are_read_and_what_lies_beside_them_is_not() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("corpus");
        std::fs::create_dir_all(folder.join("po/de")).expect("folders");
        for name in ["train.jsonl", "set.json", "po/de/writer.PO"] {
            std::fs::write(folder.join(name), "").expect("a file");
        }
        let check = |name: &str| check_output(&folder.join(name), [folder.as_path()]);
        for read in ["train.jsonl", "po/de/writer.PO", "po/../train.jsonl", "."] {
            assert!(
                matches!(check(read), Err(Error::Base(BaseError::OverInput { .. }))),
                "{read}"
            );
        }
        for free in ["set.json", "dev.jsonl", "po"] {
            assert!(check(free).is_ok(), "{free}");
        }
    }
}
