//! `canopy project settings`

use std::path::PathBuf;

use clap::Args;

use crate::error::{BaseError, Result};
use crate::memories::{self, NamedMemory};
use crate::terminal::print;
use canopy_base::file::canonicalize;
use canopy_project::{ProjectFolder, ProjectSettings};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy project settings handbook\n  canopy project settings handbook --model \
    starter-en-de --memory own.tmx \
    --memory vendor.tmx=10\n\nWithout an option it prints the settings. Memories have priority in the order in which \
    they are named; the percentage after a name is a penalty on its matches, so that none of them is exact. Files are \
    copied into the project."
)]
pub(crate) struct SettingsArguments {
    /// Folder of the project
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Language of the documents
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language of the translations
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Name of an installed model, or a model's folder
    #[arg(long, value_name = "NAME|DIR")]
    model: Option<String>,
    /// Use the installed model between the languages
    #[arg(long, conflicts_with = "model")]
    no_model: bool,
    /// Translation memories in their order, replacing the present ones; each with a penalty or without
    #[arg(long, value_name = "FILE[=PERCENT]")]
    memory: Vec<NamedMemory>,
    /// Use only confirmed sentences of the project as translation memory
    #[arg(long, conflicts_with = "memory")]
    no_memory: bool,
    /// Termbases in their order, replacing the present ones: TBX, tables or glossaries of OmegaT; new terms go to the first
    #[arg(long, value_name = "FILE")]
    terms: Vec<PathBuf>,
    /// Use no termbase
    #[arg(long, conflicts_with = "terms")]
    no_terms: bool,
}

pub(super) fn run(arguments: &SettingsArguments) -> Result<()> {
    let mut project = ProjectFolder::open(&arguments.folder)?;
    let before = ProjectSettings::from_head(&project.head);
    let settings = arguments.changed(before.clone())?;
    if settings == before {
        return print(&in_words(&before));
    }
    Ok(project.configure(&settings)?)
}

impl SettingsArguments {
    /// The settings of a project with those that are named in place of its own.
    fn changed(&self, settings: ProjectSettings) -> Result<ProjectSettings> {
        let mut settings = settings;
        if let Some(from) = &self.from {
            settings.source_language.clone_from(from);
        }
        if let Some(to) = &self.to {
            settings.target_language.clone_from(to);
        }
        if self.model.is_some() || self.no_model {
            settings.model.clone_from(&self.model);
        }
        // Paths are seen from where the program was started, not from the project.
        let placed = |path: &PathBuf| {
            let path = canonicalize(path).map_err(BaseError::read(path))?;
            Ok::<String, BaseError>(path.to_string_lossy().into_owned())
        };
        if self.no_memory {
            settings.memories.clear();
        } else if !self.memory.is_empty() {
            settings.memories = memories::project_memories(&self.memory)?;
        }
        if self.no_terms {
            settings.terms.clear();
        } else if !self.terms.is_empty() {
            let terms = self.terms.iter().map(placed);
            settings.terms = terms.collect::<std::result::Result<_, _>>()?;
        }
        Ok(settings)
    }
}

fn in_words(settings: &ProjectSettings) -> String {
    let or_none = |value: Option<&str>, none: &str| value.unwrap_or(none).to_owned();
    let mut lines = vec![
        format!(
            "languages   {} to {}",
            settings.source_language, settings.target_language
        ),
        format!(
            "model       {}",
            or_none(
                settings.model.as_deref(),
                "an installed one between the languages"
            )
        ),
    ];
    for (number, path) in settings.terms.iter().enumerate() {
        lines.push(format!("termbase {}  {path}", number + 1));
    }
    if settings.terms.is_empty() {
        lines.push("termbase    none".to_owned());
    }
    for (number, memory) in settings.memories.iter().enumerate() {
        let penalty = match memory.penalty {
            0 => String::new(),
            penalty => format!(", penalty {penalty} %"),
        };
        lines.push(format!("memory {}    {}{penalty}", number + 1, memory.path));
    }
    if settings.memories.is_empty() {
        lines.push("memory      none".to_owned());
    }
    lines.join("\n") + "\n"
}
