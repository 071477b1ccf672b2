//! The option or command that helps with an error. Messages of libraries name none, since the window has none.

use std::borrow::Cow;

use crate::error::{BaseError, Error};
use canopy_base::error::find;
use canopy_contrast::error::Error as ContrastError;
use canopy_corpus::error::Error as CorpusError;
use canopy_document::error::Error as DocumentError;
use canopy_explain::error::Error as ExplainError;
use canopy_models::error::{Error as ModelsError, OtherKind};
use canopy_nn::error::Error as NetworkError;
use canopy_project::error::Error as ProjectError;
use canopy_server::error::Error as ServerError;
use canopy_tokenize::error::Error as TokenizeError;
use canopy_train::error::Error as TrainError;
use canopy_translate::catalogue::ONLY_GGUF;
use canopy_translate::error::Error as TranslateError;

/// Follows the message of [`ONLY_GGUF`].
pub(super) const ADD_GGUF: &str = " with `canopy model import FILE.gguf`";

/// An error with the option or command that helps.
pub(super) fn advised(error: &Error) -> String {
    format!("{error}{}", advice(error, false))
}

/// The advice behind an error's message; empty if there is none. `translates`: whether the command is `canopy translate`.
pub(super) fn advice(error: &Error, translates: bool) -> Cow<'static, str> {
    if let Some(TrainError::RemoteRun { host, .. }) = find(error) {
        return format!(" (--device remote:{host})").into();
    }
    let found = find(error).and_then(on_training);
    let found = found.or_else(|| on_document(find(error)?, translates));
    let found = found.or_else(|| find(error).and_then(on_serving));
    let found = found.or_else(|| find(error).and_then(on_models));
    let found = found.or_else(|| find(error).and_then(on_shortlists));
    let found = found.or_else(|| find(error).and_then(on_corpora));
    let found = found.or_else(|| find(error).and_then(on_contrastive_sets));
    let found = found.or_else(|| find(error).and_then(on_traces));
    let found = found.or_else(|| find(error).and_then(on_alignments));
    let found = found.or_else(|| find(error).and_then(on_vocabularies));
    let found = found.or_else(|| find(error).and_then(on_translations));
    let found = found.or_else(|| find(error).and_then(on_base));
    let found = found.or(match error {
        Error::NothingToEvaluate { .. } => Some(" (--split, here or where it is imported)"),
        _ => None,
    });
    found.unwrap_or_default().into()
}

fn on_training(error: &TrainError) -> Option<&'static str> {
    Some(match error {
        TrainError::RunExists { .. } => " (or pass --resume to continue)",
        TrainError::RunBusy { .. } => "; stop that run (`canopy run stop`) or name another folder",
        TrainError::NoEvents { .. } => "; name the folder that `canopy train` wrote",
        TrainError::Diverged { .. } | TrainError::Checkpoint { .. } => " (--resume)",
        TrainError::NotRunning { .. } => " (`canopy train --resume`)",
        TrainError::CorpusChanged { .. } => " (or name the old one with --corpus)",
        TrainError::SourceChanged { .. } => " (or name the old one with --memory or --contexts)",
        TrainError::CorpusGone { .. } => " (or name its new place with --corpus)",
        _ => return None,
    })
}

fn on_document(error: &DocumentError, translates: bool) -> Option<&'static str> {
    Some(match error {
        DocumentError::UnknownFormat { .. } if translates => {
            " (or give --format txt to read it as plain text)"
        }
        DocumentError::SrxOfWhich { .. } => "; name it with --from",
        _ => return None,
    })
}

fn on_serving(error: &ServerError) -> Option<&'static str> {
    Some(match error {
        ServerError::Serve { .. } => "; choose another port with --port",
        ServerError::NeedsKey { .. } => "; give one with --key, or serve at 127.0.0.1",
        _ => return None,
    })
}

fn on_models(error: &ModelsError) -> Option<&'static str> {
    Some(match error {
        ModelsError::Encoder { .. } => "; make it again with `canopy model import`",
        ModelsError::NoDescription { .. } => {
            "; name one that a training run or `canopy model average` made"
        }
        ModelsError::LanguageModel { .. } => {
            "; `canopy translate --model` takes its folder, zipped or not, or its GGUF file, if its family is known"
        }
        ModelsError::UnknownModel {
            other: Some(other), ..
        } => on_other_kind(*other),
        _ => return None,
    })
}

/// Where a file or folder that is no model belongs.
fn on_other_kind(kind: OtherKind) -> &'static str {
    match kind {
        OtherKind::Document => "; name it without an option, and with --model what translates it",
        OtherKind::Memory => "; name it with --memory",
        OtherKind::Termbase => "; name it with --terms",
        OtherKind::LanguageModel => {
            "; `canopy translate --llm` takes the address of such a program"
        }
        OtherKind::Shortlist => "; name its model, and it with --shortlist",
        OtherKind::Run => "; `canopy train --resume` continues it",
        OtherKind::Corpus => "; name it with --corpus, or as --memory",
        OtherKind::Encoder => " (`canopy train --bert`)",
        OtherKind::Project => "; `canopy project translate` translates it",
        OtherKind::PackedModel => {
            "; add it with `canopy model import`, or unpack it and name the folder"
        }
    }
}

fn on_shortlists(error: &NetworkError) -> Option<&'static str> {
    matches!(error, NetworkError::Shortlist { .. })
        .then_some("; make one with `canopy model shortlist`")
}

fn on_corpora(error: &CorpusError) -> Option<&'static str> {
    Some(match error {
        CorpusError::Contexts { .. } => {
            "; choose the contexts again with `canopy corpus select-context`"
        }
        CorpusError::NoPages { .. } => {
            "; name the folders that hold `text/**/*.html`, or take `canopy corpus import folders` for other pages"
        }
        _ => return None,
    })
}

fn on_contrastive_sets(error: &ContrastError) -> Option<&'static str> {
    Some(match error {
        ContrastError::ContrastiveItem { .. } => {
            "; use the set as published, or as `canopy contrast make` wrote it"
        }
        ContrastError::ContrastiveSet { .. } => {
            "; open the JSON of ContraPro, of Bawden et al. or Voita et al., the lines of SCAT (highlighted.test.en), or one that `canopy contrast make` wrote"
        }
        ContrastError::NoSetDocuments { .. } => "; name their folder with --documents",
        _ => return None,
    })
}

fn on_traces(error: &ExplainError) -> Option<&'static str> {
    Some(match error {
        ExplainError::NoTrace { .. } => {
            "; open a .json or .trace file that `canopy translate --trace` wrote"
        }
        ExplainError::BrokenTrace { .. } => {
            "; trace the translation again with `canopy translate --trace`"
        }
        ExplainError::NoContextTraced => " (--view cross, --view self, --view memory)",
        _ => return None,
    })
}

fn on_alignments(error: &ProjectError) -> Option<&'static str> {
    matches!(error, ProjectError::AlignmentRows { .. })
        .then_some("; use a file written by `canopy align --json` or the window")
}

fn on_vocabularies(error: &TokenizeError) -> Option<&'static str> {
    matches!(error, TokenizeError::Vocabulary { .. })
        .then_some("; make one with `canopy corpus vocabulary`")
}

fn on_translations(error: &TranslateError) -> Option<&'static str> {
    Some(match error {
        TranslateError::NoGpu => " (--device cpu)",
        TranslateError::Languages { .. } => "; name one with --model",
        TranslateError::NoStarterModel => {
            "; name a model with --model, or bring it back with `canopy model restore`"
        }
        TranslateError::OwnLanguages { .. } => "; leave --from and --to out",
        TranslateError::RemoteKey { .. } => {
            ", which `canopy serve --compute` shows there; give it in CANOPY_REMOTE_KEY or with --remote-key"
        }
        TranslateError::RemoteLost { .. } => {
            "; check that `canopy serve --compute` runs there, or the tunnel to it, and start again: finished work is kept"
        }
        TranslateError::CatalogueAddress { .. } => {
            "; name one that `canopy model catalogue list` shows, an address of https, a file or a folder"
        }
        TranslateError::Download { reason, .. } if reason == ONLY_GGUF => ADD_GGUF,
        _ => return None,
    })
}

fn on_base(error: &BaseError) -> Option<&'static str> {
    Some(match error {
        BaseError::Exists { .. } => " (or pass --force to replace it)",
        BaseError::Panicked { .. } => " (--verbose shows what led to it)",
        BaseError::NoModel => "; name one with --model",
        BaseError::NoRandomNumbers { .. } => "; choose a key with --key",
        BaseError::Config { field, found, .. } => return on_setting(field, found),
        _ => return None,
    })
}

/// The advice on a setting that libraries refuse.
fn on_setting(field: &str, found: &str) -> Option<&'static str> {
    Some(match (field, found) {
        ("bert", "missing") => "; import one with `canopy model import`, and name it with --bert",
        ("contexts", "missing") => {
            "; make one with `canopy corpus select-context`, and name it with --contexts"
        }
        ("contexts", _) => " (`canopy corpus select-context --type previous`)",
        ("source language", _) => " (--from)",
        ("target language", _) => " (--to)",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_names_the_option_that_helps_with_an_error_of_a_library() {
        let key = Error::from(TranslateError::RemoteKey {
            host: "there:4000".to_owned(),
        });
        let run = Error::Train(TrainError::RemoteRun {
            host: "there:4000".to_owned(),
            path: "runs/mine".into(),
        });
        let memory = Error::from(ModelsError::UnknownModel {
            reason: "it seems to be a translation memory".to_owned(),
            other: Some(OtherKind::Memory),
            path: "memory.tmx".into(),
        });
        let trace = Error::from(ExplainError::NoTrace {
            path: "page.html".into(),
        });
        assert!(advised(&key).contains("CANOPY_REMOTE_KEY"));
        assert!(advised(&run).contains("--device remote:there:4000"));
        assert!(advised(&memory).ends_with("; name it with --memory"));
        assert!(advised(&trace).ends_with("`canopy translate --trace` wrote"));
    }
}
