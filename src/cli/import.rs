//! `canopy corpus import …`: corpora of what others have translated.

mod reports;

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use self::reports::{folder_text, help_text, iwslt_text, po_text, text_report, tmx_text, tsv_text};
use super::corpus_statistics::print_statistics;
use super::terminal::{StatusLine, print};
use crate::error::Result;
use canopy_corpus::ctxpro::{CtxproFiles, CtxproImport};
use canopy_corpus::document_folders::FolderImport;
use canopy_corpus::gettext::PoImport;
use canopy_corpus::iwslt::IwsltImport;
use canopy_corpus::libreoffice_help::HelpImport;
use canopy_corpus::parallel_text::TextImport;
use canopy_corpus::tmx::TmxImport;
use canopy_corpus::tsv::TsvImport;
use canopy_corpus::{Corpus, Split};

/// Kinds of material that can be imported.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// LibreOffice's help pages, paired by path and paragraph id
    ///
    /// The pages come from the packages libreoffice-help-en-us, libreoffice-help-de and so on. One page in 25 becomes a
    /// test document and one in 50 a development document, chosen by a hash of its path.
    #[command(
        after_help = "Examples:\n  canopy corpus import libreoffice-help --source help/en-US --target help/de --from en \
        --to de -o corpora/help-en-de"
    )]
    LibreofficeHelp {
        /// Folder of the source language, such as help/en-US
        #[arg(long, value_name = "DIR")]
        source: PathBuf,
        /// Folder of the target language, such as help/de
        #[arg(long, value_name = "DIR")]
        target: PathBuf,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Two text files with one sentence a line and `<d>` alone on a line before each document
    #[command(
        after_help = "Examples:\n  canopy corpus import text --source lines.en --target lines.de --from en --to de -o \
        corpora/lines\n\nLines that are empty on one side are left out, and counted."
    )]
    Text {
        /// Sentences of the source language
        #[arg(long, value_name = "FILE")]
        source: PathBuf,
        /// Their translations, line by line
        #[arg(long, value_name = "FILE")]
        target: PathBuf,
        /// Put all documents here: train, dev or test [default: by a hash of the document's number]
        #[arg(long)]
        split: Option<Split>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Two files of an IWSLT talk set, with <doc docid>, <talkid> and <seg id>
    ///
    /// Talks are paired by talkid, or docid without one, segments by id. The training files, whose segments are
    /// lines, are read as well.
    #[command(
        after_help = "Examples:\n  canopy corpus import iwslt --source IWSLT17.TED.dev2010.en-de.en.xml --target \
        IWSLT17.TED.dev2010.en-de.de.xml --split dev --from en --to de -o corpora/ted"
    )]
    Iwslt {
        /// The set in the source language, such as IWSLT17.TED.dev2010.en-de.en.xml
        #[arg(long, value_name = "FILE")]
        source: PathBuf,
        /// The set in the target language
        #[arg(long, value_name = "FILE")]
        target: PathBuf,
        /// Put all talks here: train, dev or test [default: by a hash of the talk's id]
        #[arg(long)]
        split: Option<Split>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Two folders of documents, one per language: web pages, Word, OpenDocument, DocBook, and all other formats that it translates
    ///
    /// Documents are paired by their path: guide/page.html in both folders, page.en.md with page.de.md, page_en.txt
    /// with page_de.txt. Both folders may be the same one if the file names give the language. Paragraphs and sentences
    /// are paired by structure, length, and what reads the same in both languages, such as numbers and links; pairs
    /// that do not look like translations stay as context but are neither learnt from nor scored. One document in 25
    /// becomes a test document and one in 50 a development document, chosen by a hash of its path.
    #[command(
        after_help = "Examples:\n  canopy corpus import folders --source manual/en --target manual/de --from en --to de -o \
        corpora/manual\n\nAll formats of docs/reference/formats.md are read, except bilingual files and files of strings."
    )]
    Folders {
        /// Folder with the documents of the source language
        #[arg(long, value_name = "DIR")]
        source: PathBuf,
        /// Folder with their translations
        #[arg(long, value_name = "DIR")]
        target: PathBuf,
        /// Print the result as JSON, with the names of all documents that have no counterpart
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// A folder of PO or MO files: the strings and texts of programs, games and manuals
    ///
    /// The messages of a source file become a document, in the order of its lines, which the comments of the PO files give;
    /// a message with several places is in each of them. Comments for translators, such as who speaks, become
    /// notes. Fuzzy translations are context only, obsolete ones are left out. The folder may hold files of other languages too.
    /// Each compiled catalogue (/usr/share/locale) becomes one document. One document in 25 becomes a test document and
    /// one in 50 a development document, chosen by a hash of its name, unless --test or --dev name some.
    #[command(
        after_help = "Examples:\n  canopy corpus import po po/ --from en --to de --dev wesnoth-l wesnoth-tb --test \
        wesnoth-did -o corpora/stories\n  canopy corpus import po /usr/share/locale --from en --to de -o \
        corpora/messages\n\nFiles are found by names such as campaign/de.po, de/campaign.po and campaign.de.po. Of plurals \
        the forms for one and for most numbers are taken. Messages may be in the target language: the sides are then \
        exchanged. A compiled catalogue next to its PO file is passed over."
    )]
    Po {
        /// Folder with the catalogues
        folder: PathBuf,
        /// Catalogues (such as wesnoth-did), documents or folders of documents for development; no others are used for it
        #[arg(long, value_name = "NAME", num_args = 1..)]
        dev: Vec<String>,
        /// Catalogues, documents or folders of documents for tests
        #[arg(long, value_name = "NAME", num_args = 1..)]
        test: Vec<String>,
        /// Catalogues, documents or folders of documents to leave out
        #[arg(long, value_name = "NAME", num_args = 1..)]
        leave_out: Vec<String>,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// A translation memory: a TMX file, as translators' tools export it
    ///
    /// Units become documents by the file they say they come from; where they do not say, 50 units in a row count as
    /// one document. Languages match by their beginning: en takes en-US as well. Inline tags become placeholders.
    #[command(
        after_help = "Examples:\n  canopy corpus import tmx memory.tmx --from en --to de -o corpora/memory"
    )]
    Tmx {
        /// The .tmx file, in UTF-8 or UTF-16
        file: PathBuf,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Sets of CTXPRO: subtitles with a word that the sentences before decide
    ///
    /// A set consists of two files, optionally gzipped: the JSON with the items, and the inputs with up to ten sentences before
    /// each. An item becomes a document: its last sentence is learnt, and scored by whether the translation has the
    /// word; those before it are read and have no translation. Without --train, --dev and --test one film in 25 is for
    /// tests and one in 50 for development, chosen by a hash of its name.
    Ctxpro(CtxproArguments),
    /// A table: a sentence, a tab and its translation on each line
    ///
    /// A third column names the document; without one an empty line ends a document, and where there is none 50 pairs in a
    /// row count as one. A first line of two language codes is a heading.
    #[command(
        after_help = "Examples:\n  canopy corpus import tsv pairs.tsv --from en --to de -o corpora/pairs"
    )]
    Tsv {
        /// The table, in UTF-8
        file: PathBuf,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        output: OutputArgs,
    },
}

/// Options of sets of CTXPRO.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy corpus import ctxpro --train evalsets/auxiliary.json inputs/auxiliary.txt --test \
    evalsets/other.json inputs/other.txt --from en --to pt --sentences 3 -o corpora/auxiliary\n\nThe sets are those of \
    Wicks & Post 2023 (https://github.com/rewicks/ctxpro)."
)]
pub(crate) struct CtxproArguments {
    /// The items (JSON) and the inputs (a line for each item)
    #[arg(value_names = ["EVALSET", "INPUTS"], num_args = 2, required_unless_present_any = ["train", "dev", "test"])]
    files: Vec<PathBuf>,
    /// Items and inputs of a set for training, of any films; films of --dev and --test are left out
    #[arg(long, value_names = ["EVALSET", "INPUTS"], num_args = 2)]
    train: Vec<PathBuf>,
    /// Items and inputs of a set for development
    #[arg(long, value_names = ["EVALSET", "INPUTS"], num_args = 2)]
    dev: Vec<PathBuf>,
    /// Items and inputs of a set for tests
    #[arg(long, value_names = ["EVALSET", "INPUTS"], num_args = 2)]
    test: Vec<PathBuf>,
    /// Maximum number of sentences kept before each item; 0 for none
    #[arg(long, value_name = "N", default_value_t = 10)]
    sentences: usize,
    /// As a control, give each item the context of another one: what a system still gets right does not come from the context
    #[arg(long)]
    wrong_context: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    output: OutputArgs,
}

/// Options of all imports.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Source language, such as en
    #[arg(long, value_name = "LANGUAGE")]
    from: String,
    /// Target language, such as de
    #[arg(long, value_name = "LANGUAGE")]
    to: String,
    /// Corpus folder to make
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Replace an existing corpus
    #[arg(long)]
    force: bool,
}

/// Makes the corpus and reports its content.
///
/// # Errors
/// If a file cannot be read or written, or holds something else than it should.
pub(super) fn import_texts(import: ImportCommand) -> Result<()> {
    match import {
        ImportCommand::LibreofficeHelp {
            source,
            target,
            output,
        } => import_help(source, target, output),
        ImportCommand::Text {
            source,
            target,
            split,
            output,
        } => {
            let import = TextImport {
                source,
                target,
                source_language: output.from,
                target_language: output.to,
                split,
                output: output.output,
                replace: output.force,
            };
            let (corpus, report) = import.run()?;
            print(&text_report(&report))?;
            print_statistics(&corpus, false)
        }
        ImportCommand::Folders {
            source,
            target,
            json,
            output,
        } => import_folders(source, target, json, output),
        ImportCommand::Iwslt {
            source,
            target,
            split,
            output,
        } => {
            let import = IwsltImport {
                source,
                target,
                source_language: output.from,
                target_language: output.to,
                split,
                output: output.output,
                replace: output.force,
            };
            let (corpus, report) = import.run()?;
            print(&iwslt_text(&report))?;
            print_statistics(&corpus, false)
        }
        ImportCommand::Tmx { file, json, output } => import_tmx(file, json, output),
        ImportCommand::Tsv { file, json, output } => import_tsv(file, json, output),
        ImportCommand::Ctxpro(arguments) => import_ctxpro(arguments),
        ImportCommand::Po {
            folder,
            dev,
            test,
            leave_out,
            json,
            output,
        } => {
            let import = PoImport {
                folder,
                source_language: output.from,
                target_language: output.to,
                dev,
                test,
                left_out: leave_out,
                output: output.output,
                replace: output.force,
            };
            import_po(&import, json)
        }
    }
}

fn import_help(source: PathBuf, target: PathBuf, output: OutputArgs) -> Result<()> {
    let import = HelpImport {
        source,
        target,
        source_language: output.from,
        target_language: output.to,
        output: output.output,
        replace: output.force,
    };
    let mut line = StatusLine::new();
    let (corpus, report) =
        import.run(|done, all| line.show(&format!("reading page {done} of {all}")))?;
    line.clear();
    print(&help_text(&report))?;
    print_statistics(&corpus, false)
}

fn import_folders(source: PathBuf, target: PathBuf, json: bool, output: OutputArgs) -> Result<()> {
    let import = FolderImport {
        source,
        target,
        source_language: output.from,
        target_language: output.to,
        output: output.output,
        replace: output.force,
        filter: None,
    };
    let shown = |done, all| format!("reading document {done} of {all}");
    import_and_report(
        |progress| Ok(import.run(progress)?),
        shown,
        json,
        folder_text,
    )
}

fn import_tmx(file: PathBuf, json: bool, output: OutputArgs) -> Result<()> {
    let import = TmxImport {
        file,
        source_language: output.from,
        target_language: output.to,
        output: output.output,
        replace: output.force,
        filter: None,
    };
    let shown = |done: u64, all: u64| format!("read {} % of the file", 100 * done / all.max(1));
    import_and_report(|progress| Ok(import.run(progress)?), shown, json, tmx_text)
}

fn import_tsv(file: PathBuf, json: bool, output: OutputArgs) -> Result<()> {
    let import = TsvImport {
        file,
        source_language: output.from,
        target_language: output.to,
        output: output.output,
        replace: output.force,
        filter: None,
    };
    let shown = |done, all| format!("read line {done} of {all}");
    import_and_report(|progress| Ok(import.run(progress)?), shown, json, tsv_text)
}

fn import_ctxpro(arguments: CtxproArguments) -> Result<()> {
    let given = [
        (arguments.files, None),
        (arguments.train, Some(Split::Train)),
        (arguments.dev, Some(Split::Dev)),
        (arguments.test, Some(Split::Test)),
    ];
    let sets = given.into_iter().filter_map(|(files, split)| {
        let [items, inputs] = <[PathBuf; 2]>::try_from(files).ok()?;
        Some((CtxproFiles { items, inputs }, split))
    });
    let import = CtxproImport {
        sets: sets.collect(),
        source_language: arguments.output.from,
        target_language: arguments.output.to,
        sentences: arguments.sentences,
        wrong_context: arguments.wrong_context,
        output: arguments.output.output,
        replace: arguments.output.force,
    };
    let (corpus, report) = import.run()?;
    if arguments.json {
        let json = serde_json::json!({"report": report, "statistics": corpus.statistics()});
        return print(&format!("{json:#}\n"));
    }
    print(&format!(
        "{} items of {} films, {} sentences before them\n\
         left out: {} duplicates, {} of held-out films\n",
        report.items, report.films, report.context, report.doubles, report.held_out
    ))?;
    print_statistics(&corpus, false)
}

fn import_po(import: &PoImport, json: bool) -> Result<()> {
    let shown = |done, all| format!("reading catalogue {done} of {all}");
    import_and_report(|progress| Ok(import.run(progress)?), shown, json, po_text)
}

/// Runs an import, shows its progress, and reports what it found.
fn import_and_report<N, R: serde::Serialize>(
    run: impl FnOnce(&mut dyn FnMut(N, N) -> ControlFlow<()>) -> Result<Option<(Corpus, R)>>,
    shown: impl Fn(N, N) -> String,
    json: bool,
    text: fn(&R) -> String,
) -> Result<()> {
    let mut line = StatusLine::new();
    let done = run(&mut |done, all| {
        line.show(&shown(done, all));
        ControlFlow::Continue(())
    })?;
    line.clear();
    let Some((corpus, report)) = done else {
        return Ok(());
    };
    if json {
        let json = serde_json::json!({"report": report, "statistics": corpus.statistics()});
        return print(&format!("{json:#}\n"));
    }
    print(&text(&report))?;
    print_statistics(&corpus, false)
}
