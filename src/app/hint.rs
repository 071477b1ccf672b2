//! The place in the window that helps with an error. Messages of libraries name none, since other programs use them, too.

use canopy_base::error::{Error as BaseError, find};
use canopy_contrast::error::Error as ContrastError;
use canopy_corpus::error::Error as CorpusError;
use canopy_explain::error::Error as ExplainError;
use canopy_models::error::{Error as ModelsError, OtherKind};
use canopy_project::error::Error as ProjectError;
use canopy_train::error::Error as TrainError;
use canopy_translate::error::Error as TranslateError;

/// The hint behind an error's message; empty if no place helps.
pub(super) fn hint(error: &(dyn std::error::Error + 'static)) -> &'static str {
    let found = find(error).and_then(on_base);
    let found = found.or_else(|| find(error).and_then(on_translations));
    let found = found.or_else(|| find(error).and_then(on_models));
    let found = found.or_else(|| find(error).and_then(on_traces));
    let found = found.or_else(|| find(error).and_then(on_corpora));
    let found = found.or_else(|| find(error).and_then(on_contrastive_sets));
    let found = found.or_else(|| find(error).and_then(on_alignments));
    let found = found.or_else(|| find(error).and_then(on_training));
    found.unwrap_or_default()
}

fn on_base(error: &BaseError) -> Option<&'static str> {
    Some(match error {
        BaseError::NoModel => "; choose one in the Model menu",
        _ => return None,
    })
}

fn on_translations(error: &TranslateError) -> Option<&'static str> {
    Some(match error {
        TranslateError::NoStarterModel => "; choose another model in the Model menu",
        TranslateError::RemoteKey { .. } => {
            ", which its server shows when it starts; give it in the device menu"
        }
        TranslateError::RemoteLost { .. } => {
            "; check that its server runs, or the tunnel to it, and start again: finished work is kept"
        }
        TranslateError::CatalogueAddress { .. } => "; give an address of https, a file or a folder",
        TranslateError::OwnLanguages { .. } => "; leave its languages empty",
        _ => return None,
    })
}

fn on_models(error: &ModelsError) -> Option<&'static str> {
    Some(match error {
        ModelsError::Encoder { .. } => "; import it again in Explore → Similarity",
        ModelsError::NoDescription { .. } => "; choose one that a training run made",
        ModelsError::LanguageModel { .. } => {
            "; add its GGUF file or its folder, zipped or not, in Models, if its family is known"
        }
        ModelsError::UnknownModel {
            other: Some(other), ..
        } => on_other_kind(*other)?,
        _ => return None,
    })
}

/// Where a file or folder that is no model belongs.
fn on_other_kind(kind: OtherKind) -> Option<&'static str> {
    Some(match kind {
        OtherKind::Document => "; open it with File → Open…",
        OtherKind::Memory => "; choose it in Resources → Translation memory",
        OtherKind::Termbase => "; choose it in Resources → Termbases",
        OtherKind::LanguageModel => {
            "; give the address of such a program in Resources → Language model…"
        }
        OtherKind::Run => "; resume it on the page Training",
        OtherKind::Corpus => "; choose it on the page Training, or as a memory in Resources",
        OtherKind::Encoder => "; choose it for a new run on the page Training",
        OtherKind::Project => "; open it with File → Open project…",
        OtherKind::PackedModel => "; add it with Models → Add a file…",
        OtherKind::Shortlist => return None,
    })
}

fn on_traces(error: &ExplainError) -> Option<&'static str> {
    Some(match error {
        ExplainError::NoTrace { .. } => "; open a .json or .trace file that Canopy wrote",
        ExplainError::BrokenTrace { .. } => "; trace the translation again",
        _ => return None,
    })
}

fn on_corpora(error: &CorpusError) -> Option<&'static str> {
    Some(match error {
        CorpusError::Contexts { .. } => "; choose the contexts again",
        CorpusError::NoPages { .. } => "; choose the folders that hold text/**/*.html",
        _ => return None,
    })
}

fn on_contrastive_sets(error: &ContrastError) -> Option<&'static str> {
    Some(match error {
        ContrastError::ContrastiveItem { .. } => "; use the set as published, or make it again",
        ContrastError::ContrastiveSet { .. } => {
            "; open the JSON of ContraPro, of Bawden et al. or Voita et al., or a set that Canopy made"
        }
        ContrastError::NoSetDocuments { .. } => {
            "; put them into the folder documents next to the set"
        }
        _ => return None,
    })
}

fn on_alignments(error: &ProjectError) -> Option<&'static str> {
    matches!(error, ProjectError::AlignmentRows { .. })
        .then_some("; use a file written by File → Align two documents…")
}

fn on_training(error: &TrainError) -> Option<&'static str> {
    Some(match error {
        TrainError::RunBusy { .. } => "; stop that run, or name another folder",
        TrainError::NoEvents { .. } => "; choose the folder of a training run",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_names_the_place_that_helps_with_an_error_of_a_library() {
        let memory = ModelsError::UnknownModel {
            reason: "it seems to be a translation memory".to_owned(),
            other: Some(OtherKind::Memory),
            path: "memory.tmx".into(),
        };
        let error = crate::error::Error::from(memory);
        assert!(hint(&error).contains("Resources → Translation memory"));
        assert_eq!(hint(&TranslateError::NoGpu), "");
    }
}
