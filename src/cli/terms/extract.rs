//! `canopy terms extract`

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::error::Result;
use crate::inputs::check_output;
use crate::terminal::print;
use canopy_base::file::check_writable;
use canopy_corpus::memory::TranslationMemory;
use canopy_corpus::{Corpus, Split};
use canopy_document::document::Document;
use canopy_qa::terms::{ExtractedTerm, Extraction, Termbase};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy terms extract manual.docx --from en --to de --memory old.tmx -o terms.csv\n  canopy terms \
    extract corpora/help --memory corpora/help --from en --to de -o terms.tbx\n\nReview the file before you use it: the statistics know words, not concepts."
)]
pub(crate) struct ExtractArguments {
    /// Documents, or corpus folders, of which the training part is read
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Language of the documents
    #[arg(long, value_name = "CODE")]
    from: String,
    /// Language of the translations
    #[arg(long, value_name = "CODE")]
    to: String,
    /// Earlier translations, as for `canopy translate --memory`; of a corpus the training part. Without it terms have no
    /// translations, and are only printed
    #[arg(long, value_name = "FILE|DIR")]
    memory: Option<PathBuf>,
    /// Termbase to write; without it terms are printed
    #[arg(short, long, value_name = "OUT", requires = "memory")]
    output: Option<PathBuf>,
    /// Minimum number of occurrences of a term
    #[arg(long, alias = "least", value_name = "N", default_value_t = 3)]
    min_count: usize,
    /// Minimum association of a translation with its term: the share of their occurrences that coincide, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    association: f32,
    /// Maximum number of terms, the most important ones first
    #[arg(long, alias = "most", value_name = "N", default_value_t = 1_000)]
    max_terms: usize,
    /// Print terms with their counts and weights as JSON
    #[arg(long)]
    json: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &ExtractArguments) -> Result<()> {
    if let Some(output) = &arguments.output {
        let inputs = arguments.inputs.iter().chain(&arguments.memory);
        check_output(output, inputs.map(PathBuf::as_path))?;
        check_writable(output, arguments.force)?;
    }
    let mut texts = Vec::new();
    for path in &arguments.inputs {
        if Corpus::is_one(path) {
            for document in Corpus::open(path)?.documents(Split::Train)? {
                let paragraphs = document?.paragraphs.into_iter();
                let units = paragraphs.flat_map(|paragraph| paragraph.units);
                texts.extend(units.map(|unit| unit.visible_source()));
            }
        } else {
            let document = Document::open(path, None)?;
            texts.extend(document.plain_texts());
        }
    }
    let (from, to) = (&arguments.from, &arguments.to);
    let memory = arguments.memory.as_ref().map(|path| {
        if Corpus::is_one(path) {
            TranslationMemory::from_corpus(&Corpus::open(path)?, &[Split::Train])
        } else {
            TranslationMemory::read(path, from, to)
        }
    });
    let memory = memory.transpose()?;
    let pairs: Option<Vec<(&str, &str)>> = memory.as_ref().map(|memory| memory.pairs().collect());
    let extraction = Extraction {
        least_count: arguments.min_count,
        least_association: arguments.association,
        most: arguments.max_terms,
        ..Extraction::between(from, to)
    };
    let found = extraction.run(texts.iter().map(String::as_str), pairs.as_deref());
    if let Some(output) = &arguments.output {
        let mut base = Termbase::empty(from, to);
        base.terms.extend(found.iter().map(ExtractedTerm::term));
        base.save(output, arguments.force)?;
    }
    if arguments.json {
        return print(&format!("{:#}\n", json!(found)));
    }
    if arguments.output.is_some() {
        return print(&format!("{} terms\n", found.len()));
    }
    let line = |term: &ExtractedTerm| {
        format!(
            "{}\t{}\t{}\n",
            term.count,
            term.source,
            term.targets.join(" | ")
        )
    };
    print(&found.iter().map(line).collect::<String>())
}
