//! The counts of a corpus, as a table or as JSON.

use super::terminal::print;
use crate::error::Result;
use canopy_corpus::{Corpus, Split};

pub(super) fn print_statistics(corpus: &Corpus, json: bool) -> Result<()> {
    if json {
        return print(&format!("{:#}\n", serde_json::json!(corpus.statistics())));
    }
    let info = corpus.info();
    let (folder, from, to) = (
        corpus.folder().display(),
        &info.source_language,
        &info.target_language,
    );
    let mut text = format!("{folder}: {from} to {to}, {}\n", info.origin);
    let heads = [
        "documents",
        "paragraphs",
        "segments",
        "units",
        "new",
        "repeated",
        "identical",
        "doubtful",
        "context",
        "source words",
        "target words",
    ];
    text += &row("", heads);
    for split in Split::ALL {
        let found = corpus.statistics().get(split);
        let counts = [
            found.documents,
            found.paragraphs,
            found.segments,
            found.units,
            found.new_units(),
            found.repeated,
            found.identical,
            found.doubtful,
            found.context,
            found.source_words,
            found.target_words,
        ];
        text += &row(split.name(), counts);
    }
    print(&text)
}

/// A line of a table with right-aligned columns.
fn row(name: &str, cells: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let cells: Vec<String> = cells
        .into_iter()
        .map(|cell| format!(" {cell:>12}"))
        .collect();
    format!("{name:5}{}\n", cells.concat())
}
