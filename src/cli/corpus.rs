//! `canopy corpus …`: makes corpora and describes their content.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::combine::CombineArguments;
use super::corpus_statistics::print_statistics;
use super::divide::DivideArguments;
use super::import::{ImportCommand, import_texts};
use super::select_context::SelectContextArguments;
use super::similarity::SimilarityArguments;
use super::terminal::print;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::{Corpus, train_vocabulary};
use canopy_tokenize::vocabulary;

/// Make a corpus of parallel documents, and look at it
#[derive(Debug, Subcommand)]
pub(super) enum CorpusCommand {
    /// Make a corpus of texts in two languages
    #[command(subcommand)]
    Import(ImportCommand),
    /// Combine several corpora into one: a share of each, without held-out texts
    ///
    /// Development and test documents stay as they are. A training pair is left out if its source, or a text with 70 % of
    /// its character 5-grams, is in one of these documents or in a corpus of --without. Pairs that read the same on both
    /// sides, differ greatly in length, or are in the script of another language stay as context. The numbers of all these
    /// are printed.
    Combine(CombineArguments),
    /// Cut long training sentences in two, so that the second half needs the first as its context
    ///
    /// Lupo et al., "Divide and Rule", ACL 2022: a corpus of sentences becomes one of documents in which context matters.
    /// Both sides are cut after the mark nearest to the middle if they have equally many marks, else in the middle.
    Divide(DivideArguments),
    /// Learn the subwords of a corpus from the new pairs of its training documents
    ///
    /// Writes vocabulary.json into the corpus folder. `canopy train` does the same when it is missing.
    Vocabulary(VocabularyArgs),
    /// Choose a context for each sentence: the most similar one, the previous one, or itself
    ///
    /// A sentence is never its own context unless an option allows it; of equally similar ones the nearest is chosen.
    SelectContext(SelectContextArguments),
    /// Show which sentences of a document are similar, and which context each would get
    Similarity(SimilarityArguments),
    /// Count documents, paragraphs, units and words
    Statistics {
        /// Corpus folder
        corpus: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Options of the subwords to learn.
#[derive(Debug, Args)]
pub(crate) struct VocabularyArgs {
    /// Corpus folder
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Number of ids, special ones included
    #[arg(long, default_value_t = vocabulary::DEFAULT_SIZE)]
    size: usize,
    /// Replace an existing vocabulary; models trained with it keep their own copy
    #[arg(long)]
    force: bool,
}

/// Runs a command; what it has to say goes to standard output.
///
/// # Errors
/// If a file cannot be read or written, or holds something else than it should.
pub(super) fn run(command: CorpusCommand) -> Result<()> {
    match command {
        CorpusCommand::Import(import) => import_texts(import),
        CorpusCommand::Combine(arguments) => super::combine::run(arguments),
        CorpusCommand::Divide(arguments) => super::divide::run(arguments),
        CorpusCommand::Vocabulary(arguments) => make_vocabulary(&arguments),
        CorpusCommand::SelectContext(arguments) => super::select_context::run(&arguments),
        CorpusCommand::Similarity(arguments) => super::similarity::run(&arguments),
        CorpusCommand::Statistics { corpus, json } => {
            print_statistics(&Corpus::open(corpus)?, json)
        }
    }
}

fn make_vocabulary(arguments: &VocabularyArgs) -> Result<()> {
    let corpus = Corpus::open(&arguments.corpus)?;
    let path = corpus.vocabulary_path();
    if path.exists() && !arguments.force {
        return Err(Error::Base(BaseError::Exists { path }));
    }
    let vocabulary = train_vocabulary(&corpus, arguments.size)?;
    vocabulary.save(&path)?;
    print(&format!(
        "{} subwords: {}\n",
        vocabulary.len(),
        path.display()
    ))
}
