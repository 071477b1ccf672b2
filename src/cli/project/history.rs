//! `canopy project history`

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::place::data_folder;
use crate::error::Result;
use crate::options::wrong_usage;
use crate::terminal::print;
use canopy_document::editable::to_editable;
use canopy_project::OpenDocument;
use canopy_project::{DocumentWork, Origin, SavedTarget, Version};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy project history page.html\n  canopy project history page.html --sentence 12 \
    --json\n\nThe origin of a translation is file (it came with the document), machine, memory, hand (typed), \
    confirmed, merged (from another person's file) or cleared (removed). Sentences that are no longer in the document \
    come last."
)]
pub(crate) struct HistoryArguments {
    /// A document that was worked on in the window
    #[arg(value_name = "FILE")]
    document: PathBuf,
    /// Only this sentence, counted from 1
    #[arg(long, value_name = "N")]
    sentence: Option<NonZeroUsize>,
    /// Print the history as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &HistoryArguments) -> Result<()> {
    let work = DocumentWork::read(&data_folder()?, &arguments.document)?;
    let open = OpenDocument::new(
        work.path.clone(),
        work.document.clone(),
        work.project.as_ref(),
    );
    let chosen = arguments.sentence.map(|number| number.get() - 1);
    if let Some(index) = chosen.filter(|&index| index >= open.num_sentences()) {
        let (number, count) = (index + 1, open.num_sentences());
        wrong_usage(
            "project history",
            format!("there is no sentence {number}: the document has {count}"),
        );
    }
    let sentences = (0..open.num_sentences())
        .filter(|&index| chosen.is_none_or(|chosen| chosen == index))
        .filter(|&index| !open.targets.history(index).is_empty());
    let sentences: Vec<usize> = sentences.collect();
    let gone = match (&work.project, chosen) {
        (Some(project), None) => project.unmatched(&project.matched(&work.document)),
        _ => Vec::new(),
    };
    if arguments.json {
        return print(&in_json(&open, &sentences, &gone));
    }
    print(&in_words(&open, &sentences, &gone))
}

fn in_words(open: &OpenDocument, sentences: &[usize], gone: &[SavedTarget]) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    for &index in sentences {
        let source = to_editable(&open.document.sentences[index].text);
        let _ = writeln!(text, "{}  {source}", index + 1);
        text.extend(open.targets.history(index).iter().map(line));
    }
    for target in gone {
        let _ = writeln!(text, "-  a sentence that is gone");
        text.extend(target.history.iter().map(line));
    }
    text
}

fn line(version: &Version) -> String {
    let time = version
        .time
        .map_or("earlier".to_owned(), |time| time.to_string());
    let origin = version.origin.label();
    let origin = match (&version.model, version.origin) {
        (Some(model), Origin::Machine) => format!("{origin} ({model})"),
        _ => origin.to_owned(),
    };
    format!("    {time}  {origin}  {}\n", to_editable(&version.text))
}

fn in_json(open: &OpenDocument, sentences: &[usize], gone: &[SavedTarget]) -> String {
    let versions = |history: &[Version]| -> Vec<Value> {
        let version = |version: &Version| {
            json!({
                "origin": version.origin,
                "text": to_editable(&version.text),
                "model": version.model,
                "time": version.time,
            })
        };
        history.iter().map(version).collect()
    };
    let sentences = sentences.iter().map(|&index| {
        json!({
            "sentence": index + 1,
            "source": to_editable(&open.document.sentences[index].text),
            "history": versions(open.targets.history(index)),
        })
    });
    let gone = gone.iter().map(|target| versions(&target.history));
    let report = json!({
        "document": open.path.display().to_string(),
        "sentences": sentences.collect::<Vec<_>>(),
        "gone": gone.collect::<Vec<_>>(),
    });
    format!("{report:#}\n")
}
