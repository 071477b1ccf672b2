//! `canopy project new`, `add`, `status` and `export`

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use crate::error::Result;
use crate::memories::{self, MemoryArguments};
use crate::options::wrong_usage;
use crate::terminal::print;
use crate::translate::exports;
use canopy_base::file::canonicalize;
use canopy_corpus::memory::{Amount, Band};
use canopy_document::export::ExportFormat;
use canopy_project::{DocumentStatus, Head, ProjectFolder, ProjectSettings, ProjectStatus};
use canopy_qa::checks::CheckKind;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy project new handbook --from en --to de *.html --memory old.tmx --terms \
    office.tbx\n\nThe folder gets canopy-project.toml, which names everything that belongs to it by relative paths, so \
    that it can be moved and put under version control. Documents, memory and termbase are copied into it."
)]
pub(crate) struct NewArguments {
    /// Folder of the project, which is created
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Documents to begin with
    #[arg(value_name = "FILE")]
    documents: Vec<PathBuf>,
    /// Language of the documents
    #[arg(long, value_name = "CODE")]
    from: String,
    /// Language of the translations
    #[arg(long, value_name = "CODE")]
    to: String,
    /// Name of the project; without it that of the folder
    #[arg(long)]
    name: Option<String>,
    /// Name of an installed model, or a model's folder; without it an installed model between the languages
    #[arg(long, value_name = "NAME|DIR")]
    model: Option<String>,
    #[command(flatten)]
    memory: MemoryArguments,
    /// Termbases in their order: TBX, tables or glossaries of OmegaT; new terms go to the first
    #[arg(long, value_name = "FILE")]
    terms: Vec<PathBuf>,
    /// Checks to make; default: the usual ones
    #[arg(long, value_name = "CHECK,…", value_delimiter = ',')]
    checks: Option<Vec<CheckKind>>,
}

pub(super) fn new(arguments: &NewArguments) -> Result<()> {
    let name = arguments.folder.file_name().unwrap_or_default();
    let name = arguments
        .name
        .clone()
        .unwrap_or_else(|| name.to_string_lossy().into_owned());
    let mut head = Head::new(name, arguments.from.clone(), arguments.to.clone());
    head.model.clone_from(&arguments.model);
    let checks = arguments.checks.as_ref();
    head.checks = checks.map(|kinds| kinds.iter().map(ToString::to_string).collect());
    let mut project = ProjectFolder::create(&arguments.folder, head)?;
    if !arguments.memory.memory.is_empty() {
        let mut settings = ProjectSettings::from_head(&project.head);
        settings.memories = memories::project_memories(&arguments.memory.memory)?;
        project.configure(&settings)?;
    }
    if !arguments.terms.is_empty() {
        project.use_terms(&arguments.terms)?;
    }
    Ok(project.add(&arguments.documents)?)
}

#[derive(Debug, Args)]
pub(crate) struct AddArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Documents, which are copied into the project unless they are in it
    #[arg(required = true, value_name = "FILE")]
    documents: Vec<PathBuf>,
}

pub(super) fn add(arguments: &AddArguments) -> Result<()> {
    Ok(ProjectFolder::open(&arguments.folder)?.add(&arguments.documents)?)
}

#[derive(Debug, Args)]
#[command(
    after_help = "Words are counted as by `canopy count`: repetitions across all documents, in their order, and what the \
    memory's \
    file has. Confirmed sentences count as progress, not as memory."
)]
pub(crate) struct StatusArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn status(arguments: &StatusArguments) -> Result<()> {
    let status = ProjectStatus::from_project(ProjectFolder::open(&arguments.folder)?)?;
    if arguments.json {
        return print(&in_json(&status));
    }
    print(&in_words(&status))
}

fn in_words(status: &ProjectStatus) -> String {
    let mut text = String::new();
    let mut line = |cells: [String; 6], name: &str| {
        let cells = cells.map(|cell| format!("{cell:>10}"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}  {name}", cells.concat());
    };
    let titles = ["confirmed", "edited", "drafts", "open", "segments", "words"];
    line(titles.map(str::to_owned), "document");
    let total = DocumentStatus {
        document: "all".to_owned(),
        ..status.total()
    };
    for row in status.documents.iter().chain([&total]) {
        let numbers = [
            row.confirmed,
            row.edited,
            row.draft,
            row.untranslated,
            row.segments(),
            row.words,
        ];
        let problem = row.problem.as_ref();
        let problem = problem.map_or(String::new(), |problem| format!(": {problem}"));
        let name = format!("{}{problem}", row.document);
        line(numbers.map(|number| number.to_string()), &name);
    }
    let _ = writeln!(text, "\n{:>10}{:>10}{:>10}", "", "segments", "words");
    for (band, amount) in Band::ALL.iter().zip(&total.bands) {
        let Amount {
            segments, words, ..
        } = amount;
        let _ = writeln!(text, "{:>10}{segments:>10}{words:>10}", band.label());
    }
    text
}

fn in_json(status: &ProjectStatus) -> String {
    let row = |row: &DocumentStatus| {
        let bands = Band::ALL.iter().zip(&row.bands);
        let bands = bands.map(|(band, amount)| json!({"band": band, "amount": amount}));
        json!({
            "document": row.document,
            "problem": row.problem,
            "segments": row.segments(),
            "untranslated": row.untranslated,
            "draft": row.draft,
            "edited": row.edited,
            "confirmed": row.confirmed,
            "words": row.words,
            "counts": bands.collect::<Vec<Value>>(),
        })
    };
    let mut total = row(&status.total());
    if let Some(total) = total.as_object_mut() {
        total.remove("document");
    }
    let report = json!({
        "project": status.project.head,
        "documents": status.documents.iter().map(row).collect::<Vec<_>>(),
        "total": total,
    });
    format!("{report:#}\n")
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Where to write the translations; without it translated/ in the project
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Write other files instead of the translated documents: a translation memory, XLIFF for others to work on, a page
    /// or a table with both sides
    #[arg(long, value_parser = exports(), value_name = "FORMAT")]
    export: Option<ExportFormat>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

pub(super) fn export(arguments: &ExportArguments) -> Result<()> {
    let project = ProjectFolder::open(&arguments.folder)?;
    let output = arguments
        .output
        .clone()
        .unwrap_or_else(|| project.translated());
    let sources = project.folder.join("sources");
    if canonicalize(&output).is_ok_and(|output| output.starts_with(&sources)) {
        wrong_usage("project export", "translations would be among the sources");
    }
    let files = project.export(&output, arguments.export, arguments.force)?;
    let lines = files.iter().map(|file| format!("{}\n", file.display()));
    print(&lines.collect::<String>())
}
