//! `canopy detect`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::terminal::print;
use crate::error::Result;
use canopy_document::document::Document;
use canopy_translate::inference::detected_language;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy detect page.html --json")]
pub(super) struct DetectArguments {
    /// Documents to detect
    #[arg(required = true, value_name = "FILE")]
    documents: Vec<PathBuf>,
    /// Print code, confidence and whether it is reliable as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &DetectArguments) -> Result<()> {
    let mut found = Vec::new();
    for path in &arguments.documents {
        let document = Document::open(path, None)?;
        found.push((path, detected_language(&document)));
    }
    if arguments.json {
        let entries: Vec<_> = found
            .iter()
            .map(|(path, found)| json!({ "document": path.display().to_string(), "language": found }))
            .collect();
        return print(&format!("{:#}\n", json!(entries)));
    }
    let lines = found.iter().map(|(path, found)| {
        let language = found
            .as_ref()
            .map_or("unknown", |found| found.code.as_str());
        let doubt = match found {
            Some(found) if !found.is_reliable => "\tnot certain",
            _ => "",
        };
        format!("{}\t{language}{doubt}\n", path.display())
    });
    print(&lines.collect::<String>())
}
