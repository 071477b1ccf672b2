//! Questions that only the window system can put: which file, which folder.

use std::path::PathBuf;

use super::aligning::AlignCommand;
use super::command::Command;
use super::document::checking::CheckCommand;
use super::document::merging::MergeCommand;
use super::document::segments::SegmentsCommand;
use super::document::terms::TermsCommand;
use super::evaluating::{ContrastCommand, EvaluateCommand};
use super::explorer::ExploreCommand;
use super::models::ModelsCommand;
use super::project::{ProjectCommand, SettingsCommand};
use super::settings::{BILINGUAL_EXTENSIONS, MEMORY_EXTENSIONS};
use super::training::{Side, TrainingCommand};
use crate::{SaveCommand, WindowCommand};
use canopy_corpus::Column;
use canopy_document::document::Format;
use canopy_document::export::ExportFormat;

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub enum DialogRequest {
    /// A document to be opened.
    OpenDocument {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// Where the translation of a document shall go.
    SaveTranslation {
        /// The document that is translated.
        document: PathBuf,
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
        /// The name that the dialog proposes.
        name: String,
    },
    /// Where sentences with their translations shall go.
    ExportTranslation {
        /// The document that is translated.
        document: PathBuf,
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
        /// The name that the dialog proposes.
        name: String,
        /// The format of the file.
        format: ExportFormat,
    },
    /// A model folder to be opened.
    ModelFolder {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// A model folder to be added to those that are installed.
    AddModel,
    /// A model in a zip or GGUF file.
    AddModelFile,
    /// A translation memory in a file.
    Memory,
    /// A termbase.
    Terms,
    /// Rules for where sentences end.
    SegmentationRules,
    /// A memory that is a corpus or a folder of PO files.
    MemoryFolder,
    /// The folder of a corpus.
    Corpus,
    /// A file or folder of the corpus to be made.
    CorpusSide(Side),
    /// The folder of a run outside the data folder.
    RunFolder,
    /// Where the model of a run shall go.
    Export {
        /// The folder of the run.
        run: PathBuf,
        /// The name that the dialog proposes.
        name: String,
    },
    /// A trace to be opened.
    OpenTrace {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// A trace to be compared with the one that is open.
    CompareTrace {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// Where a view of a trace shall go, as a figure or as numbers.
    Explanation {
        /// The name that the dialog proposes.
        name: String,
    },
    /// Where a trace shall go.
    Trace {
        /// The name that the dialog proposes.
        name: String,
    },
    /// A model to be evaluated.
    EvaluatedModel {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// A corpus to evaluate on.
    TestCorpus,
    /// A judgement to be opened.
    OpenJudgement,
    /// A contrastive set to score models on.
    ContrastiveSet,
    /// A folder of a sentence encoder.
    Encoder,
    /// Files of another program's sentence encoder: a wheel or zip file, or a folder.
    EncoderFile,
    /// The folder of another program's sentence encoder.
    EncoderFolder,
    /// A folder of Hunspell dictionaries.
    Dictionaries,
    /// The encoder folder of a BERT, for a run.
    Bert,
    /// A file of contexts, for a run.
    Contexts,
    /// Translations that a run remembers.
    RunMemory,
    /// A contrastive set that a run is scored on.
    RunContrastiveSet,
    /// Where scores shall go, as a table or a figure.
    Scores {
        /// The name that the dialog proposes.
        name: String,
    },
    /// Where votes shall go.
    Votes {
        /// The name that the dialog proposes.
        name: String,
    },
    /// Where the charts shall go.
    Chart {
        /// The name that the dialog proposes.
        name: String,
    },
    /// XLIFF that another person has worked on.
    Merge {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// A document to be aligned.
    AlignedDocument {
        /// The side that the document is for.
        column: Column,
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// Where aligned pairs shall go.
    AlignedPairs {
        /// The name that the dialog proposes.
        name: String,
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// A project's folder.
    ProjectFolder,
    /// Where a new project shall be.
    NewProject {
        /// The name that the dialog proposes.
        name: String,
    },
    /// A document to add to the project.
    ProjectDocument {
        /// The folder that the dialog begins in.
        folder: Option<PathBuf>,
    },
    /// One more translation memory of the project.
    ProjectMemory,
    /// Its termbase.
    ProjectTerms,
    /// Where the word count of the project shall go.
    WordCount {
        /// The name that the dialog proposes.
        name: String,
    },
    /// The end of the program.
    Quit,
    /// No question: a folder to show in the system's file manager.
    ShowFolder(PathBuf),
}

/// The kind of path to be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialogKind {
    /// An existing file; its possible extensions.
    File(&'static str, Vec<&'static str>),
    /// An existing folder.
    Folder,
    /// A new one, with a proposal.
    NewFile(String),
}

impl DialogRequest {
    /// The kind of path to choose, and the title of the dialog; `None` if the question is about something else.
    #[expect(clippy::too_many_lines, reason = "a table: an arm for each question")]
    pub fn pick(&self) -> Option<(&'static str, DialogKind)> {
        Some(match self {
            Self::OpenDocument { .. } => (
                "Open a document",
                DialogKind::File("Documents", Format::all_endings()),
            ),
            Self::Merge { .. } => (
                "Merge changes from XLIFF",
                DialogKind::File("XLIFF", BILINGUAL_EXTENSIONS.to_vec()),
            ),
            Self::AlignedDocument { column, .. } => (
                match column {
                    Column::Source => "Choose the document",
                    Column::Target => "Choose its translation",
                },
                DialogKind::File("Documents", Format::all_endings()),
            ),
            Self::AlignedPairs { name, .. } => (
                "Save the pairs as TMX, TSV or JSON",
                DialogKind::NewFile(name.clone()),
            ),
            Self::ProjectFolder => ("Open a project folder", DialogKind::Folder),
            Self::NewProject { name } => (
                "Create a project in a new folder",
                DialogKind::NewFile(name.clone()),
            ),
            Self::ProjectDocument { .. } => (
                "Add a document to the project",
                DialogKind::File("Documents", Format::all_endings()),
            ),
            Self::SaveTranslation { name, .. } => {
                ("Save the translation", DialogKind::NewFile(name.clone()))
            }
            Self::ExportTranslation { name, .. } => (
                "Export source and translation",
                DialogKind::NewFile(name.clone()),
            ),
            Self::ModelFolder { .. } | Self::EvaluatedModel { .. } => {
                ("Choose a model folder", DialogKind::Folder)
            }
            Self::AddModel => ("Add a model folder", DialogKind::Folder),
            Self::AddModelFile => (
                "Add a model from a file",
                DialogKind::File("Models", vec!["zip", "argosmodel", "gguf"]),
            ),
            Self::Memory | Self::RunMemory | Self::ProjectMemory => (
                "Choose a translation memory",
                DialogKind::File(
                    "Translation memories",
                    [MEMORY_EXTENSIONS, &["po"], BILINGUAL_EXTENSIONS].concat(),
                ),
            ),
            Self::Terms | Self::ProjectTerms => (
                "Choose a termbase",
                DialogKind::File(
                    "Termbases",
                    vec!["tbx", "xml", "csv", "tsv", "txt", "utf8", "tab"],
                ),
            ),
            Self::SegmentationRules => (
                "Choose sentence splitting rules (SRX)",
                DialogKind::File("Segmentation rules", vec!["srx"]),
            ),
            Self::MemoryFolder => (
                "Choose a corpus or a folder of PO files",
                DialogKind::Folder,
            ),
            Self::Corpus | Self::TestCorpus => ("Choose a corpus folder", DialogKind::Folder),
            Self::Contexts => (
                "Choose a file of contexts",
                DialogKind::File("Contexts", vec!["jsonl"]),
            ),
            Self::Bert | Self::Encoder => ("Choose an encoder folder", DialogKind::Folder),
            Self::EncoderFile => (
                "Import a sentence encoder",
                DialogKind::File("Wheels and zip files", vec!["whl", "zip"]),
            ),
            Self::EncoderFolder => (
                "Import the folder of a sentence encoder",
                DialogKind::Folder,
            ),
            Self::Dictionaries => (
                "Choose a folder of Hunspell dictionaries",
                DialogKind::Folder,
            ),
            Self::OpenJudgement => (
                "Open a judgement",
                DialogKind::File("Judgements", vec!["json"]),
            ),
            Self::ContrastiveSet | Self::RunContrastiveSet => (
                "Choose a contrastive set",
                DialogKind::File("Contrastive sets", vec!["json", "src", "en"]),
            ),
            Self::Scores { name } => (
                "Save scores as CSV, TEX, JSON, SVG or PNG",
                DialogKind::NewFile(name.clone()),
            ),
            Self::Votes { name } => (
                "Save the votes as CSV or JSON",
                DialogKind::NewFile(name.clone()),
            ),
            Self::CorpusSide(Side::Memory) => (
                "Choose a translation memory or a table",
                DialogKind::File("Translation memories and tables", vec!["tmx", "tsv"]),
            ),
            Self::CorpusSide(Side::Source) => (
                "Choose the folder of the source documents",
                DialogKind::Folder,
            ),
            Self::CorpusSide(Side::Target) => (
                "Choose the folder of their translations",
                DialogKind::Folder,
            ),
            Self::RunFolder => ("Open a run folder", DialogKind::Folder),
            Self::Export { name, .. } => ("Export the model", DialogKind::NewFile(name.clone())),
            Self::CompareTrace { .. } => (
                "Choose another trace of this document",
                DialogKind::File("Traces", vec!["trace", "json"]),
            ),
            Self::OpenTrace { .. } => (
                "Open a trace",
                DialogKind::File("Traces", vec!["trace", "json"]),
            ),
            Self::Explanation { name } => (
                "Save as SVG, PNG, CSV or JSON",
                DialogKind::NewFile(name.clone()),
            ),
            Self::Trace { name } => (
                "Save the trace as .trace or .json",
                DialogKind::NewFile(name.clone()),
            ),
            Self::Chart { name } => (
                "Save the charts as SVG or PNG",
                DialogKind::NewFile(name.clone()),
            ),
            Self::WordCount { name } => (
                "Save the word count as CSV",
                DialogKind::NewFile(name.clone()),
            ),
            Self::Quit | Self::ShowFolder(_) => return None,
        })
    }

    /// The label of the button that answers the question.
    pub fn button(&self) -> &'static str {
        match self {
            Self::NewProject { .. } => "Create",
            Self::EncoderFile | Self::EncoderFolder => "Import",
            Self::AddModel
            | Self::AddModelFile
            | Self::ProjectDocument { .. }
            | Self::ProjectMemory => "Add",
            Self::Export { .. } | Self::ExportTranslation { .. } => "Export",
            _ => match self.pick() {
                Some((_, DialogKind::NewFile(_))) => "Save",
                _ => "Open",
            },
        }
    }

    /// Where to begin.
    pub fn folder(&self) -> Option<&PathBuf> {
        match self {
            Self::OpenDocument { folder }
            | Self::ProjectDocument { folder }
            | Self::Merge { folder }
            | Self::AlignedDocument { folder, .. }
            | Self::AlignedPairs { folder, .. }
            | Self::SaveTranslation { folder, .. }
            | Self::ExportTranslation { folder, .. }
            | Self::OpenTrace { folder }
            | Self::CompareTrace { folder }
            | Self::EvaluatedModel { folder }
            | Self::ModelFolder { folder } => folder.as_ref(),
            _ => None,
        }
    }

    /// The command for the chosen path; `confirmed` if the person knows that an existing file goes.
    pub fn answer(self, path: PathBuf, confirmed: bool) -> Command {
        let training = Command::Training;
        match self {
            Self::OpenDocument { .. } | Self::Quit | Self::ShowFolder(_) => {
                Command::Window(WindowCommand::OpenPath(path))
            }
            Self::SaveTranslation { document, .. } => Command::from(SaveCommand::SaveTo {
                document,
                path,
                overwrite: confirmed,
            }),
            Self::ExportTranslation {
                document, format, ..
            } => Command::from(SaveCommand::ExportTo {
                document,
                path,
                format,
                overwrite: confirmed,
            }),
            Self::AlignedDocument { column, .. } => Command::Align(AlignCommand::Use(column, path)),
            Self::AlignedPairs { .. } => Command::Align(AlignCommand::SaveTo(path)),
            Self::Merge { .. } => Command::from(MergeCommand::Read(path)),
            Self::WordCount { .. } => Command::Project(ProjectCommand::CountWordsTo(path)),
            Self::ProjectMemory => Command::Project(SettingsCommand::AddMemory(path).into()),
            Self::ProjectTerms => Command::Project(SettingsCommand::AddTerms(path).into()),
            Self::ProjectFolder => Command::Project(ProjectCommand::Open(path)),
            Self::NewProject { .. } => Command::Project(ProjectCommand::Create(path)),
            Self::ProjectDocument { .. } => Command::Project(ProjectCommand::Add(vec![path])),
            Self::ModelFolder { .. } => Command::Models(ModelsCommand::Open(path)),
            Self::AddModel | Self::AddModelFile => Command::Models(ModelsCommand::Bring(path)),
            Self::Memory | Self::MemoryFolder => {
                Command::Models(ModelsCommand::UseMemory(Some(path)))
            }
            Self::Terms => Command::from(TermsCommand::Also(path)),
            Self::SegmentationRules => Command::from(SegmentsCommand::UseRules(Some(path))),
            Self::OpenTrace { .. } => Command::Explore(ExploreCommand::OpenTrace(path)),
            Self::CompareTrace { .. } => Command::Explore(ExploreCommand::CompareWith(path)),
            Self::Explanation { .. } => Command::Explore(ExploreCommand::SaveFigure(path)),
            Self::Trace { .. } => Command::Explore(ExploreCommand::SaveTrace(path)),
            Self::EncoderFile | Self::EncoderFolder => {
                Command::Explore(ExploreCommand::ImportEncoder(path))
            }
            Self::Dictionaries => Command::from(CheckCommand::UseDictionaries(Some(path))),
            Self::Encoder => Command::Explore(ExploreCommand::UseEncoder(path)),
            Self::EvaluatedModel { .. } => Command::Evaluate(EvaluateCommand::AddModel(path)),
            Self::TestCorpus => Command::Evaluate(EvaluateCommand::UseCorpus(path)),
            Self::OpenJudgement => Command::Evaluate(EvaluateCommand::OpenJudgement(path)),
            Self::ContrastiveSet => {
                Command::Evaluate(EvaluateCommand::Contrast(ContrastCommand::UseSet(path)))
            }
            Self::Scores { .. } => Command::Evaluate(EvaluateCommand::Save(path)),
            Self::Votes { .. } => Command::Evaluate(EvaluateCommand::ExportVotes(path)),
            Self::Corpus => training(TrainingCommand::UseCorpus(path)),
            Self::Bert => training(TrainingCommand::UseBert(path)),
            Self::Contexts => training(TrainingCommand::UseContexts(path)),
            Self::RunMemory => training(TrainingCommand::UseMemory(path)),
            Self::RunContrastiveSet => training(TrainingCommand::UseContrastiveSet(path)),
            Self::CorpusSide(side) => training(TrainingCommand::UseSide(side, path)),
            Self::RunFolder => training(TrainingCommand::Follow(path)),
            Self::Export { run, .. } => training(TrainingCommand::ExportTo(run, path)),
            Self::Chart { .. } => training(TrainingCommand::SaveChart(path)),
        }
    }
}
