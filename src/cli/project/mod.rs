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
    /// Create a project of several documents: one folder with everything that belongs to them
    New(folder::NewArguments),
    /// Add documents to a project
    Add(folder::AddArguments),
    /// Print or change a project's languages, model, memories and termbases
    Settings(settings::SettingsArguments),
    /// Show the progress of a project, and its word count
    Status(folder::StatusArguments),
    /// Translate all untranslated sentences in the documents of a project
    Translate(translate::TranslateArguments),
    /// Check the translations of a project
    Check(check::ProjectCheckArguments),
    /// Merge another person's changes to an exported XLIFF file
    Merge(merge::MergeArguments),
    /// Write the translations of a project
    Export(folder::ExportArguments),
    /// Show all earlier translations of the sentences of a document: from which model, memory or person, and when
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
