//! Our own format: a set with its documents in one JSON file.
//!
//! ```json
//! {"format": "canopy-contrastive", "version": 1, "name": "help-final-test", "about": "…",
//!  "documents": [{"id": "swriter/guide/a.html", "sentences": [{"source": "…", "reference": "…", "place": [0, 4]}]}],
//!  "items": [{"id": "swriter/guide/a.html#12", "document": 0, "sentence": 12, "correct": "… er …",
//!             "contrasts": [{"text": "… sie …", "replacement": "sie"}],
//!             "category": "it:er", "pronoun": "er", "distance": 1, "antecedent": "der Befehl"}]}
//! ```
//! `document` and `sentence` count from 0; `place` is the sentence in its paragraph and the paragraph in its document;
//! texts have the placeholders of a corpus. `needs_target_context` (may be missing) says that nothing but earlier
//! translations distinguishes right from wrong. Unknown keys are ignored, a higher `version` is refused.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Place;
use crate::error::{Error, Result};
use crate::set::{ContrastiveSet, Item, SetDocument};
use canopy_base::file::write_atomically;

/// The value of `format`.
pub const FORMAT: &str = "canopy-contrastive";
/// The highest version that is read.
pub const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    needs_target_context: bool,
    documents: Vec<SetDocument>,
    /// One by one, so that a broken one can be named.
    items: Vec<serde_json::Value>,
}

pub(super) fn read(text: &str, path: &Path) -> Result<ContrastiveSet> {
    let no_set = |problem| Error::ContrastiveSet {
        problem,
        path: path.to_owned(),
    };
    let file: File = serde_json::from_str(text).map_err(|cause| no_set(cause.to_string()))?;
    if file.format != FORMAT {
        return Err(no_set(format!("the format is {:?}", file.format)));
    }
    if file.version > VERSION {
        let newer = format!("version {} is newer than {VERSION}", file.version);
        return Err(no_set(newer));
    }
    let mut items = Vec::with_capacity(file.items.len());
    for (index, value) in file.items.into_iter().enumerate() {
        let mut place = Place {
            path,
            item: (index + 1).to_string(),
        };
        let item: Item =
            serde_json::from_value(value).map_err(|cause| place.problem(cause.to_string()))?;
        place.item.clone_from(&item.id);
        check(&item, &file.documents).map_err(|problem| place.problem(problem))?;
        items.push(item);
    }
    Ok(ContrastiveSet {
        name: file.name,
        about: file.about,
        documents: file.documents,
        items,
        needs_target_context: file.needs_target_context,
    })
}

fn check(item: &Item, documents: &[SetDocument]) -> Result<(), String> {
    let Some(document) = documents.get(item.document) else {
        let known = documents.len();
        return Err(format!(
            "document {} of {known} is not there",
            item.document
        ));
    };
    if item.sentence >= document.sentences.len() {
        let (sentence, known) = (item.sentence, document.sentences.len());
        return Err(format!("sentence {sentence} of {known} is not there"));
    }
    if item.contrasts.is_empty() {
        return Err("\"contrasts\" is empty".to_owned());
    }
    if item.candidates().any(|text| text.trim().is_empty()) {
        return Err("a translation is empty".to_owned());
    }
    Ok(())
}

impl ContrastiveSet {
    /// Writes the set in our own format.
    ///
    /// # Errors
    /// If `path` exists and `overwrite` is false, or writing fails.
    pub fn save(&self, path: &Path, overwrite: bool) -> Result<()> {
        let items = self.items.iter().map(serde_json::to_value);
        let file = File {
            format: FORMAT.to_owned(),
            version: VERSION,
            name: self.name.clone(),
            about: self.about.clone(),
            needs_target_context: self.needs_target_context,
            documents: self.documents.clone(),
            items: items
                .collect::<serde_json::Result<_>>()
                .expect("texts and numbers are JSON"),
        };
        let mut bytes = serde_json::to_vec_pretty(&file).expect("texts and numbers are JSON");
        bytes.push(b'\n');
        Ok(write_atomically(path, &bytes, overwrite)?)
    }
}
