//! `canopy project`

mod check;
mod folder;
mod history;
mod merge;
mod place;
mod settings;
mod translate;

use clap::Subcommand;

use crate::error::Result;

#[derive(Debug, Subcommand)]
pub(super) enum ProjectCommand {
    /// Begin a project of several documents: one folder with all that belongs to them
    New(folder::NewArguments),
    /// Take documents into a project
    Add(folder::AddArguments),
    /// Print or change a project's languages, model, memories and termbases
    Settings(settings::SettingsArguments),
    /// Tell how far a project is, and how much there is to translate
    Status(folder::StatusArguments),
    /// Translate what has no translation yet in all documents of a project
    Translate(translate::TranslateArguments),
    /// Look for faults in the translations of a project
    Check(check::ProjectCheckArguments),
    /// Take over what somebody else has changed in an exported XLIFF file
    Merge(merge::MergeArguments),
    /// Write the translations of a project
    Export(folder::ExportArguments),
    /// Tell every text that the sentences of a document have had: from which model, memory or person, and when
    History(history::HistoryArguments),
}

pub(super) fn run(command: &ProjectCommand) -> Result<()> {
    match command {
        ProjectCommand::New(arguments) => folder::new(arguments),
        ProjectCommand::Add(arguments) => folder::add(arguments),
        ProjectCommand::Settings(arguments) => settings::run(arguments),
        ProjectCommand::Status(arguments) => folder::status(arguments),
        ProjectCommand::Translate(arguments) => translate::run(arguments),
        ProjectCommand::Check(arguments) => check::run(arguments),
        ProjectCommand::Merge(arguments) => merge::run(arguments),
        ProjectCommand::Export(arguments) => folder::export(arguments),
        ProjectCommand::History(arguments) => history::run(arguments),
    }
}
