//! Words for what the other crates only know as values.

use std::path::Path;

use super::menu::file_name;
use canopy_app::jobs::{Origin, State};
use canopy_app::markup::Problem;
use canopy_app::training::TrainingCommand;
use canopy_app::{AlignCommand, AlternativesCommand, AppState, Command, DocumentCommand, Target};
use canopy_qa::checks::CheckKind;
use canopy_translate::inference::{DeviceChoice, Flag, FormalityOption, InstalledModel};

pub(crate) fn state(state: State) -> &'static str {
    match state {
        State::Untranslated => "Untranslated",
        State::Draft => "Draft",
        State::Edited => "Edited",
        State::Confirmed => "Confirmed",
    }
}

/// Where a text of a sentence came from.
pub(crate) fn origin(origin: Origin) -> &'static str {
    match origin {
        Origin::File => "In the file",
        Origin::Machine => "Machine",
        Origin::Memory => "Memory",
        Origin::Hand => "By hand",
        Origin::Confirmed => "Confirmed",
        Origin::Merged => "Merged",
        Origin::Cleared => "Cleared",
    }
}

/// The meaning of a state, and the model that made the translation.
pub(crate) fn state_tooltip(target: &Target) -> String {
    let state = match target.state {
        State::Untranslated => "Untranslated",
        State::Draft => "Draft from the model, click to confirm it",
        State::Edited => "Edited, never overwritten by the model, click to confirm it",
        State::Confirmed => "Confirmed, never overwritten by the model, click to unconfirm",
    };
    let by = match target.state {
        State::Edited => "First translated by",
        State::Untranslated | State::Draft | State::Confirmed => "Translated by",
    };
    let mut lines = vec![state.to_owned()];
    lines.extend(target.model.as_ref().map(|model| format!("{by} {model}")));
    let confidence = target.confidence;
    lines.extend(confidence.map(|percent| format!("{percent} % likely to be good")));
    lines.join("\n")
}

/// A message as a sentence of its own.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// The explanation of a translation memory.
pub(crate) const MEMORY: &str = "Identical sentences are reused; for others the model looks up the translations of similar ones";
pub(crate) const FURTHER_MEMORY: &str =
    "Looked up, too; among equal matches those of the memory above come first";
pub(crate) const PENALTY: &str =
    "Subtracted from the matches of this memory, so that none of them counts as exact";
pub(crate) const LEARNING: &str = "Before a document is translated, the model is fine-tuned for a few seconds on similar sentences of the memory, only for this document";
pub(crate) const NO_MEMORY: &str = "Every sentence is translated by the model";

pub(crate) fn flag(flag: Flag) -> &'static str {
    match flag {
        Flag::LengthRatio => "Much shorter or longer than usual: something may be missing or added",
        Flag::Repetition => "Repeats the same words",
        Flag::Split => "Too long for the model: translated in parts and joined",
        Flag::CutOff => "The model did not finish: its translation was cut off",
        Flag::Markup => {
            "Some tags could not be placed: they are at the end of the sentence, or a tag pair is empty. Check the tags."
        }
        Flag::Numbers => "Numbers differ from the source",
        Flag::Signs => "Signs such as ≥, ₹ or § differ from the source",
        Flag::Unwritten => "The model wrote incomplete characters: they are left out",
        Flag::Empty => "The model returned nothing: the source is kept",
        Flag::OtherLanguage => {
            "The sentence is not in the model's source language: it is left as it is"
        }
        Flag::Memory => "The same sentence is in your translation memory: reused from there",
        Flag::Terms => {
            "A term of the termbase is not used: the model considers a translation with it much less probable"
        }
    }
}

/// The explanation of a command whose label is too short to say it.
pub(crate) fn explanation(command: &Command) -> Option<&'static str> {
    match command {
        Command::Document(DocumentCommand::UpdateRest) => Some(
            "Translates all drafts again, so that they follow the sentences you have edited or confirmed",
        ),
        Command::Document(DocumentCommand::Alternatives(AlternativesCommand::Find)) => Some(
            "Lists other translations of the selected sentence by the model, with how likely each is to be good",
        ),
        Command::Training(TrainingCommand::TrySample) => Some(
            "Trains two small models on a made-up language, in a minute or two, and compares them",
        ),
        Command::Align(command) => align_explanation(command),
        _ => None,
    }
}

fn align_explanation(command: &AlignCommand) -> Option<&'static str> {
    Some(match command {
        AlignCommand::ToggleRight => "Accepts the row, and goes to the next one to review",
        AlignCommand::ToggleLeftOut => "It is not written",
        AlignCommand::MoveUp => "Moves the first sentence of this side to the row above",
        AlignCommand::MoveDown => "Moves the last sentence of this side to the row below",
        AlignCommand::PushDown => {
            "Empties this cell and moves its content and the cells below down one row, up to the next empty cell or accepted row"
        }
        AlignCommand::PullUp => {
            "Moves the cells below up into this empty cell, up to the next empty cell or accepted row"
        }
        AlignCommand::AlignAgain => "Aligns again from this row to the next accepted row",
        AlignCommand::SelectNextOpen => "A doubtful pair, or a sentence without the other side",
        _ => return None,
    })
}

/// On the choice of a form of address.
pub(crate) const ADDRESS: &str = "For sentences with “you” before any that you have edited or confirmed; applies from the next translation on";

/// A form of address in German.
pub(crate) fn formality(choice: Option<FormalityOption>) -> &'static str {
    match choice {
        None => "automatic",
        Some(FormalityOption::Du) => "du",
        Some(FormalityOption::Sie) => "Sie",
        Some(FormalityOption::Ihr) => "ihr, to several",
        Some(FormalityOption::PoliteIhr) => "Ihr (archaic)",
        Some(FormalityOption::Commonest) => "same throughout (most frequent)",
    }
}

/// On a draft that an update gave another text.
pub(crate) const CHANGED: &str = "Changed by the last update of the rest";

/// The name of a check in the list of findings.
pub(crate) fn check(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Untranslated => "No translation",
        CheckKind::Identical => "The same as the source",
        CheckKind::Tags => "Tags",
        CheckKind::Variables => "Variables and addresses",
        CheckKind::Numbers => "Numbers",
        CheckKind::Signs => "Signs",
        CheckKind::Units => "Units",
        CheckKind::Dates => "Dates",
        CheckKind::TooLong => "Longer than allowed",
        CheckKind::Length => "Unusual length",
        CheckKind::EndMark => "Mark at the end",
        CheckKind::Brackets => "Brackets and quotes",
        CheckKind::Quotes => "Quotation marks",
        CheckKind::Spaces => "Spaces",
        CheckKind::Capital => "Capital letter",
        CheckKind::RepeatedWord => "Repeated word",
        CheckKind::Terms => "Terms",
        CheckKind::Spelling => "Spelling",
        CheckKind::Inconsistent => "Translated in several ways",
    }
}

pub(crate) fn device(choice: DeviceChoice) -> &'static str {
    match choice {
        DeviceChoice::Auto => "Automatic",
        DeviceChoice::Cpu => "CPU",
        DeviceChoice::Gpu => "GPU",
        DeviceChoice::Remote(host) => host.as_str(),
    }
}

pub(crate) fn problems(problems: &[Problem]) -> String {
    problems
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

/// `512 MB`, `1.3 GB`.
#[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
pub(crate) fn bytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 0.5 {
        "under 1 MB".to_owned()
    } else if megabytes < 999.5 {
        format!("{megabytes:.0} MB")
    } else {
        format!("{:.1} GB", megabytes / 1e3)
    }
}

/// The texts that a model is for, as far as it is known; empty where it is not.
pub(crate) fn subject(model: &InstalledModel) -> &str {
    let folder = model.folder.file_name().and_then(|name| name.to_str());
    let folder = folder.filter(|_| model.is_shipped).unwrap_or_default();
    if folder.starts_with("firefox-") || folder == "starter-en-pt" {
        "general text: letters, news, web pages"
    } else if folder.starts_with("starter-") || folder.starts_with("help-") {
        "texts about software: help pages, manuals, messages"
    } else {
        &model.title
    }
}

/// The name of a model with its languages, such as `Starter (en → de)`; of one that is not installed, that of its folder.
pub(crate) fn model(state: &AppState, folder: &Path) -> String {
    match state.models.library.get(folder) {
        Some(model) => format!("{} ({})", model.name, model.pair()),
        None => file_name(folder),
    }
}

/// `1 sentence`, `2 sentences`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
