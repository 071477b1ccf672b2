//! Arguments of `canopy translate`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};

use super::batch_arguments::BatchArguments;
use crate::llm;
use crate::memories::MemoryArguments;
use crate::options::{ModelArguments, SearchArguments, SrxArgument, named, positive};
use crate::terms::TermArguments;
use canopy_document::document::{Column, Format, SubtitleLayout};
use canopy_document::export::ExportFormat;
use canopy_document::pseudo::Pseudo;

#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy translate page.html -o page.de.html\n  canopy translate *.md -o \
    translated/\n  canopy translate manual/ -o manual.de/\n  canopy translate page.html --memory mine.tmx --terms \
    office.tbx -o page.de.html\n  canopy translate page.html --json | jq '.sentences[] | select(.flags != [])'\n\nA folder \
    or a list needs --output, a folder that keeps the paths of the sources. For each document a line of JSON on standard \
    output says what became of it: translated, unchanged (done earlier), failed with its error, or elsewhere (left to \
    another process by --no-wait). The exit code is 1 if one failed. See docs/guide/many-documents.md and \
    docs/reference/output.md."
)]
pub(crate) struct TranslateArguments {
    /// Documents to translate, or folders of them; default, and for -, standard input
    #[arg(value_name = "IN")]
    pub(super) inputs: Vec<PathBuf>,
    /// File, folder or - for standard output, which is also the default; in a folder, files are named like the sources,
    /// followed by .json or the extension of the export with --json or --export
    #[arg(short, long, value_name = "OUT|DIR|-")]
    pub(super) output: Option<PathBuf>,
    #[command(flatten)]
    pub(super) model: ModelArguments,
    /// Language of the source. Default: the one that the file declares, or, without --model, the one detected in its
    /// text. It selects among the installed models; it is an error if --model translates from another language
    #[arg(long, value_name = "CODE")]
    pub(super) from: Option<String>,
    /// Language of the translation. Default: the one that the file declares (XLIFF, PO, Qt). A different language
    /// replaces the translations in the file
    #[arg(long, value_name = "CODE")]
    pub(super) to: Option<String>,
    /// Do not translate through a third language if no installed model covers the pair
    #[arg(long)]
    pub(super) no_pivot: bool,
    /// Hypotheses kept for each sentence, twice as many where a back-translation model re-ranks them; 1 is greedy
    /// search [default: 4, or fewer where the model's files say so]
    #[arg(long, value_name = "N", value_parser = crate::options::beam_sizes())]
    pub(super) beam: Option<usize>,
    #[command(flatten)]
    pub(super) search: SearchArguments,
    /// Format of the source, by default recognised by content or extension; standard input is plain text unless its content
    /// can only be another format
    #[arg(long, value_parser = formats(), value_name = "ENDING")]
    pub(super) format: Option<Format>,
    /// Columns to translate of a table (CSV, TSV), by number or by the name in the first line; en:de puts the
    /// translation of en into de where that is empty
    #[arg(long, value_delimiter = ',', value_name = "COLUMN[:TARGET]")]
    pub(super) columns: Vec<Column>,
    /// Also translate comments of Office and OpenDocument files and notes in InDesign documents
    #[arg(long)]
    pub(super) comments: bool,
    /// Also translate the names of a workbook's sheets; formulas, charts and links follow them
    #[arg(long)]
    pub(super) sheet_names: bool,
    /// Retranslate the drafts in a bilingual file: segments marked as fuzzy, unfinished, or needing translation or review
    #[arg(long, alias = "drafts")]
    pub(super) retranslate_drafts: bool,
    #[command(flatten)]
    pub(super) srx: SrxArgument,
    /// Translate without a model, to test a file: identity returns each sentence unchanged, accents a longer text with
    /// every letter accented, in brackets
    #[arg(long, conflicts_with_all = ["memory", "terms", "adapt", "reranker", "trace"], value_parser = pseudo())]
    pub(super) pseudo: Option<Pseudo>,
    /// Write sentences with scores, confidence, flags and similar memory entries as JSON instead of the translated document.
    /// docs/reference/output.md describes the fields
    #[arg(long)]
    pub(super) json: bool,
    /// With --json, up to N other translations of each sentence: the next best ones of the search, or random samples
    /// from a language model. Sentences taken from the memory or translated in parts have none
    #[arg(long, value_name = "N", requires = "json", value_parser = RangedU64ValueParser::<usize>::new().range(1..=15))]
    pub(super) alternatives: Option<usize>,
    /// Write sentences with their translations in a format other than that of the document: a translation memory,
    /// XLIFF, a page or a table with both side by side, or a page with the translation below each paragraph
    #[arg(long, value_parser = exports(), value_name = "FORMAT", conflicts_with = "json")]
    pub(super) export: Option<ExportFormat>,
    /// Subtitles: maximum number of characters in a line
    #[arg(long, value_name = "N", default_value_t = SubtitleLayout::default().max_chars, value_parser = positive())]
    pub(super) line_chars: usize,
    /// Subtitles: maximum number of lines in a cue
    #[arg(long, value_name = "N", default_value_t = SubtitleLayout::default().max_lines, value_parser = positive())]
    pub(super) cue_lines: usize,
    #[command(flatten)]
    pub(super) memory: MemoryArguments,
    #[command(flatten)]
    pub(super) terms: TermArguments,
    /// Before each document, fine-tune for a few updates on similar sentences of the memory; the model itself does not
    /// change. It takes a few seconds per page
    #[arg(long, requires = "memory")]
    pub(super) adapt: bool,
    /// Back-translation model, of any kind: among the hypotheses for a sentence, it selects the one from which the
    /// source is most probable
    #[arg(long, alias = "channel", value_name = "DIR")]
    pub(super) reranker: Option<PathBuf>,
    /// Tokens of a document that a language model reads and writes at once: instructions, terms, sentences and translations.
    /// More context takes longer; whole sections that exceed it are left out, the least similar ones first
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(256..=1_048_576))]
    pub(super) context_tokens: Option<usize>,
    /// Also write what the model attended to while it translated one document: which words and sentences of the source it
    /// looked at for each word. The extension sets the format: .json for other programs, .trace for large documents
    #[arg(long, value_name = "FILE.json|FILE.trace")]
    pub(super) trace: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) batch: BatchArguments,
    #[command(flatten)]
    pub(super) llm: llm::LlmArguments,
}

/// Values of `--pseudo`.
fn pseudo() -> impl TypedValueParser<Value = Pseudo> {
    named(&[("identity", Pseudo::Identity), ("accents", Pseudo::Accents)])
}

/// Values of `--format`: the endings of all formats.
fn formats() -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| {
        let (usual, others) = (format.extension(), &format.endings()[1..]);
        PossibleValue::new(usual)
            .aliases(others)
            .help(format.label())
    };
    let values: Vec<PossibleValue> = Format::ALL.iter().map(value).collect();
    PossibleValuesParser::new(values)
        .try_map(|name| Format::from_ending(&name).ok_or("no such format"))
}

/// The values of `--export`.
pub(crate) fn exports() -> impl TypedValueParser<Value = ExportFormat> {
    let value = |format: &ExportFormat| PossibleValue::new(format.name()).help(format.label());
    let values: Vec<PossibleValue> = ExportFormat::ALL.iter().map(value).collect();
    PossibleValuesParser::new(values).try_map(|name| {
        let mut all = ExportFormat::ALL.into_iter();
        all.find(|format| format.name() == name)
            .ok_or("no such format")
    })
}
