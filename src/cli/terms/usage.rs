//! `canopy terms usage`

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::options::LanguageArguments;
use crate::check::paragraph_pairs;
use crate::error::Result;
use crate::options::wrong_usage;
use crate::terminal::print;
use canopy_document::document::Document;
use canopy_document::placeholder;
use canopy_qa::terms::{Stems, TargetWords, TermUsage};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy terms usage office.csv --from en --to de --source page.html --translation \
    page.de.html"
)]
pub(crate) struct UsageArguments {
    /// Termbase
    #[arg(value_name = "TERMS")]
    terms: PathBuf,
    /// Source documents
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    source: Vec<PathBuf>,
    /// Their translations, of the same structure and in the same order
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    translation: Vec<PathBuf>,
    #[command(flatten)]
    languages: LanguageArguments,
    /// Print counts, and the places without their term, as JSON
    #[arg(long)]
    json: bool,
}

/// Counts over all documents.
#[derive(Default)]
struct Counts {
    places: usize,
    used: usize,
    /// Places of terms that a document has several times, and those among them with the name that it has most often.
    repeated: usize,
    consistent: usize,
}

pub(super) fn run(arguments: &UsageArguments) -> Result<()> {
    if arguments.source.len() != arguments.translation.len() {
        wrong_usage("terms usage", "every document needs its translation");
    }
    let base = Arc::new(arguments.languages.read("terms usage", &arguments.terms)?);
    let stems = Stems::for_language(&base.target_language);
    let terms = TermUsage::new(Arc::clone(&base));
    let (mut counts, mut missing) = (Counts::default(), Vec::new());
    for (source, translation) in arguments.source.iter().zip(&arguments.translation) {
        let pairs = paragraph_pairs(
            &Document::open(source, None)?,
            &Document::open(translation, None)?,
        );
        // How often the document has which name of each term; 0 is a name outside the termbase.
        let mut names: HashMap<Vec<usize>, HashMap<usize, usize>> = HashMap::new();
        for (number, pair) in pairs.iter().enumerate() {
            let target = placeholder::stripped(&pair.target);
            let words = TargetWords::new(&target, &stems);
            for (found, is_used) in terms.used(&pair.source, &target) {
                counts.places += 1;
                counts.used += usize::from(is_used);
                let targets = terms.index().terms(&found).flat_map(|term| &term.targets);
                let name = targets.zip(1..).find(|(target, _)| words.has(target));
                let name = name.map_or(0, |(_, number)| number);
                if !is_used {
                    missing.push(json!({
                        "document": source.display().to_string(),
                        "segment": number + 1,
                        "term": &pair.source[found.range.clone()],
                        "target": target,
                    }));
                }
                *names
                    .entry(found.terms)
                    .or_default()
                    .entry(name)
                    .or_default() += 1;
            }
        }
        for names in names.into_values() {
            let all: usize = names.values().sum();
            if all > 1 {
                counts.repeated += all;
                // Other words are not known to be the same.
                let most = names
                    .iter()
                    .filter(|(name, _)| **name > 0)
                    .map(|(_, count)| *count);
                counts.consistent += most.max().unwrap_or(1);
            }
        }
    }
    let Counts {
        places,
        used,
        repeated,
        consistent,
    } = counts;
    if arguments.json {
        let report = json!({
            "places": places,
            "used": used,
            "repeated": repeated,
            "consistent": consistent,
            "missing": missing,
        });
        return print(&format!("{report:#}\n"));
    }
    print(&format!(
        "{used} of {places} terms are used ({})\n{consistent} of {repeated} places of repeated terms have the usual name ({})\n",
        percent(used, places),
        percent(consistent, repeated)
    ))
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}
