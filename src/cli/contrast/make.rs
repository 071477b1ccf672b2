//! `canopy contrast make`

use std::path::PathBuf;

use clap::Args;
use clap::builder::TypedValueParser;

use crate::error::{BaseError, Error, Result};
use crate::inputs::check_output;
use crate::options::named;
use crate::terminal::{print, warn};
use canopy_corpus::{Corpus, Split};
use canopy_evaluate::contrastive::{Kind, MakeOptions, make};

#[derive(Debug, Args)]
pub(crate) struct MakeArguments {
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Documents to make it of: train, dev or test
    #[arg(long, default_value = "test")]
    split: Split,
    /// Kinds of contrast; without it all that the languages allow
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kinds())]
    kind: Vec<Kind>,
    /// Maximum number of items of each kind
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    limit: Option<usize>,
    /// Seed of the choice of items by --limit
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// File to write (.json)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Values of `--kind`.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    named(&[
        ("pronouns", Kind::Pronouns),
        ("possessives", Kind::Possessives),
        ("terms", Kind::Terms),
        ("address", Kind::Formality),
    ])
}

pub(super) fn run(arguments: &MakeArguments) -> Result<()> {
    let path = &arguments.output;
    check_output(path, [arguments.corpus.as_path()])?;
    if path.exists() && !arguments.force {
        return Err(Error::Base(BaseError::Exists { path: path.clone() }));
    }
    if arguments.split == Split::Train {
        warn(
            "models have learnt from the training documents; their preferences there say nothing about new ones",
        );
    }
    let corpus = Corpus::open(&arguments.corpus)?;
    let options = MakeOptions {
        split: arguments.split,
        kinds: arguments.kind.clone(),
        limit: arguments.limit,
        seed: arguments.seed,
    };
    let made = make(&corpus, &options)?;
    made.set.save(path, arguments.force)?;
    let (items, documents) = (made.set.items.len(), made.set.documents.len());
    let mut lines = vec![format!("{items} items in {documents} documents")];
    lines.extend(made.counts.iter().map(|(kind, found, kept)| {
        let of = if kept < found {
            format!(" of {found}")
        } else {
            String::new()
        };
        format!("  {:<12} {kept}{of}", kind.name())
    }));
    if made.counts.iter().any(|(kind, ..)| *kind == Kind::Terms) {
        lines.push(format!("{} terms have two translations", made.num_terms));
    }
    print(&(lines.join("\n") + "\n"))
}
