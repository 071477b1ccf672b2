//! `canopy translate`

pub(super) mod batch;
mod batch_arguments;
mod languages;
mod one_document;
mod places;
mod report;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::llm;
use super::options::{ModelArguments, SearchArguments, SrxArgument, positive};
use super::terminal::{tell, warn};
use super::terms::TermArguments;
use crate::error::Result;
use crate::inference::{SearchOptions, Translation, Translator};
use crate::memory::TranslationMemory;
use crate::text::document::{Column, Document, Format, Sentence, SubtitleLayout};
use crate::text::export::{ExportFormat, Languages, Provenance};
use crate::text::pseudo::Pseudo;
use crate::trace;
use crate::weights::RerankerFolder;
use batch_arguments::BatchArguments;
use languages::Translators;
pub(super) use one_document::translate;
use one_document::{read_by, warn_if_unlike, warn_of_drafts};
use report::{report, report_without_model};

#[expect(clippy::struct_excessive_bools, reason = "switches of a command")]
#[derive(Debug, Args)]
pub(super) struct TranslateArguments {
    /// Documents to translate, or folders of them; without any, and for -, standard input
    #[arg(value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// File, folder or - for standard output, which is also the default; a folder takes the names of the sources, with
    /// .json, or the ending of an export, behind them if --json or --export is given
    #[arg(short, long, value_name = "OUT|DIR|-")]
    output: Option<PathBuf>,
    #[command(flatten)]
    model: ModelArguments,
    /// Language of the source; without it the one that the file declares, else, without --model, that of its text. It chooses
    /// among the installed models, and is refused if --model translates from another
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language of the translation; without it the one that the file declares (XLIFF, PO, Qt), which stays. Another one
    /// replaces the translations that the file has
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    /// Do not translate through a third language where no installed model knows both
    #[arg(long)]
    no_pivot: bool,
    /// Hypotheses kept for each sentence, twice as many where a model that translates back chooses among them; 1 is greedy
    /// search [default: 4, or fewer where the model's files say so]
    #[arg(long, value_name = "N", value_parser = super::options::beam_sizes())]
    beam: Option<usize>,
    #[command(flatten)]
    search: SearchArguments,
    /// Format of the source; without it the file's content or its ending tells, and standard input is plain text unless it
    /// can only be something else
    #[arg(long, value_parser = formats(), value_name = "ENDING")]
    format: Option<Format>,
    /// Of a table (CSV, TSV), the columns to translate, by number or by the name in the first line; en:de puts the
    /// translation of en into de where that is empty
    #[arg(long, value_delimiter = ',', value_name = "COLUMN[:TARGET]")]
    columns: Vec<Column>,
    /// Also translate comments of Office and OpenDocument files
    #[arg(long)]
    comments: bool,
    /// Also translate the names of a workbook's sheets; formulas, charts and links follow them
    #[arg(long)]
    sheet_names: bool,
    /// Translate anew what a bilingual file has as a draft: fuzzy, unfinished, in need of a translation or review
    #[arg(long)]
    drafts: bool,
    #[command(flatten)]
    srx: SrxArgument,
    /// Translate without a model, to see what becomes of a file: identity gives each sentence back as it is, accents a
    /// longer text with every letter accented, in brackets
    #[arg(long, value_enum, conflicts_with_all = ["memory", "terms", "adapt", "reranker", "trace"])]
    pseudo: Option<PseudoName>,
    /// Write sentences with scores and flags as JSON instead of the translated document. Markup inside a sentence is
    /// ⟨1⟩…⟨/1⟩ for a pair of tags and ⟨2/⟩ for a single one; text that reads so has a \ in front. The flags are length_ratio (far shorter or longer than
    /// usual), repetition, split (translated in parts), cut_off, markup (some stands at the end or has lost its text),
    /// numbers (others than in the source), unwritten (characters left out), empty (not translated), memory (taken over
    /// from it) and terms (one is not used as --terms has it). What is taken over, or copied since there is no word in it, has no tokens, and null as its log_prob
    #[arg(long)]
    json: bool,
    /// Write sentences with their translations as something else than the document: a translation memory, XLIFF, a page or a
    /// table with both side by side, or a page with the translation below each paragraph
    #[arg(long, value_parser = exports(), value_name = "FORMAT", conflicts_with = "json")]
    export: Option<ExportFormat>,
    /// Subtitles: characters in a line
    #[arg(long, value_name = "N", default_value_t = SubtitleLayout::default().max_chars, value_parser = positive())]
    line_chars: usize,
    /// Subtitles: lines in a cue
    #[arg(long, value_name = "N", default_value_t = SubtitleLayout::default().max_lines, value_parser = positive())]
    cue_lines: usize,
    /// Translations of yours: a TMX file, XLIFF with finished targets, a corpus folder, a program's PO file or a folder of
    /// them, or a file with a source, a tab and a translation in each line.
    /// Exact matches are taken over, where the sentence has no markup; for the words of other sentences the
    /// model looks up what similar ones became
    #[arg(long, value_name = "FILE.tmx|FILE.xlf|FILE.tsv|FILE.po|DIR")]
    memory: Option<PathBuf>,
    #[command(flatten)]
    terms: TermArguments,
    /// Before each document, learn for a few updates from what the memory has like its sentences; the model itself does
    /// not change. A few seconds a page
    #[arg(long, requires = "memory")]
    adapt: bool,
    /// Model that translates back, of any kind: of the translations found for a sentence, that one is taken from
    /// which this model tells the source best
    #[arg(long, alias = "channel", value_name = "DIR")]
    reranker: Option<PathBuf>,
    /// Also write what the model attended to while it translated one document: which words and sentences of the source it
    /// looked at for each word. The ending chooses the format: .json for other programs, .trace for large documents
    #[arg(long, value_name = "FILE.json|FILE.trace")]
    trace: Option<PathBuf>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    batch: BatchArguments,
    #[command(flatten)]
    llm: llm::LlmArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PseudoName {
    Identity,
    Accents,
}

impl From<PseudoName> for Pseudo {
    fn from(name: PseudoName) -> Self {
        match name {
            PseudoName::Identity => Self::Identity,
            PseudoName::Accents => Self::Accents,
        }
    }
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
    PossibleValuesParser::new(values).try_map(|name| Format::named(&name).ok_or("no such format"))
}

/// The values of `--export`.
pub(super) fn exports() -> impl TypedValueParser<Value = ExportFormat> {
    let value = |format: &ExportFormat| PossibleValue::new(format.name()).help(format.label());
    let values: Vec<PossibleValue> = ExportFormat::ALL.iter().map(value).collect();
    PossibleValuesParser::new(values).try_map(|name| {
        let mut all = ExportFormat::ALL.into_iter();
        all.find(|format| format.name() == name)
            .ok_or("no such format")
    })
}

/// Gives a translator what lies at `--memory`.
pub(super) fn remember(translator: &mut Translator, path: &Path) -> Result<()> {
    let info = translator.info();
    let memory = TranslationMemory::read(path, &info.source_language, &info.target_language)?;
    translator.remember(memory);
    Ok(())
}

pub(super) fn run(arguments: &TranslateArguments) -> Result<()> {
    let places = arguments.places()?;
    arguments.check_trace(&places)?;
    // What cannot be read is told before anything is translated.
    let sources = arguments.sources().into_iter();
    let documents = sources.map(|source| arguments.read(source));
    let mut documents = documents.collect::<Result<Vec<_>>>()?;
    if let Some(pseudo) = arguments.pseudo {
        for (document, place) in documents.into_iter().zip(places) {
            arguments.put(&arguments.pseudo_bytes(pseudo, &document)?, place)?;
        }
        return Ok(());
    }
    for document in &mut documents {
        arguments.retarget(document);
    }
    let mut translators = Translators::new(arguments, &documents);
    for (document, place) in documents.into_iter().zip(places) {
        let translator = translators.of(arguments, &document)?;
        arguments.put(&arguments.bytes(translator, &document)?, place)?;
    }
    if let Some(translator) = translators.current() {
        tell_traffic(translator);
    }
    Ok(())
}

/// Says what has gone to and fro between this machine and the one that translates.
fn tell_traffic(translator: &Translator) {
    if let Some(traffic) = translator.traffic() {
        let [sent, received] = [traffic.sent, traffic.received].map(|bytes| bytes.div_ceil(1_000));
        tell(&format!(
            "canopy: {}: {} round trips, {sent} kB sent, {received} kB received\n",
            translator.device_name(),
            traffic.round_trips
        ));
    }
}

impl TranslateArguments {
    /// The translator that the options ask for, between these languages where they name no model.
    fn translator(&self, from: Option<&str>, to: Option<&str>) -> Result<Translator> {
        let mut translator = self.model.open_for(from, to, !self.no_pivot)?;
        if translator.second().is_some() {
            let info = translator.info();
            let (source, target) = (&info.source_language, &info.target_language);
            warn(&format!(
                "from {source} to {target} through two models: {}",
                info.name
            ));
        }
        if self.adapt {
            translator.learn_from_memory()?;
        }
        if let Some(path) = &self.memory {
            remember(&mut translator, path)?;
        }
        self.terms.apply(&mut translator)?;
        self.search.apply(&mut translator)?;
        if let Some(reranker) = &self.reranker {
            translator.choose_by(RerankerFolder::new(reranker.clone()))?;
        }
        Ok(translator)
    }

    /// Translates a document, writes its trace if one is asked for, and gives what is to be written of it.
    fn bytes(&self, translator: &mut Translator, document: &Document) -> Result<Vec<u8>> {
        warn_of_drafts(document);
        let (adapted, mut translations) = translate(translator, document, &self.options())?;
        if adapted.is_some() && translator.traffic().is_some() {
            warn(
                "a model that is made for a document is made and searched on this machine, not on the other one",
            );
        }
        let translator = adapted.as_ref().unwrap_or(translator);
        warn_if_unlike(translator, document, &translations);
        let mut suggestions = self.llm.suggestions(translator, document, &translations)?;
        if let Some(path) = &self.trace {
            let trace = translator.trace(document, &read_by(document, &translations))?;
            trace::save(&trace, path, self.force)?;
        }
        if self.json {
            let mut report = report(translator, document, &translations);
            if let Some(suggestions) = &mut suggestions {
                suggestions.rank(translator, document, &translations)?;
                suggestions.add_to(&mut report);
            }
            return Ok(format!("{report:#}\n").into_bytes());
        }
        if let Some(suggestions) = suggestions {
            suggestions.take_over(&mut translations);
        }
        let info = translator.info();
        // What a memory has no model has written.
        let by_model = |t: &Option<Translation>| t.as_ref().is_some_and(|t| t.num_tokens > 0);
        let provenances = translations.iter().map(|translation| Provenance {
            model: by_model(translation).then(|| info.name.clone()),
            time: None,
        });
        let provenances: Vec<Provenance> = provenances.collect();
        let texts: Vec<Option<String>> = translations
            .into_iter()
            .map(|translation| translation.map(|it| it.text))
            .collect();
        match self.export {
            Some(format) => {
                let languages = Languages {
                    source: info.source_language.clone(),
                    target: info.target_language.clone(),
                };
                document.exported_by(&texts, &provenances, format, &languages)
            }
            None => document.written(&texts, Some(&info.target_language)),
        }
    }

    /// The same without a model.
    fn pseudo_bytes(&self, name: PseudoName, document: &Document) -> Result<Vec<u8>> {
        let pseudo = Pseudo::from(name);
        let translated = |sentence: &Sentence| {
            let is_open = sentence.known.is_none();
            is_open.then(|| pseudo.of(document, sentence))
        };
        let texts: Vec<Option<String>> = document.sentences.iter().map(translated).collect();
        if self.json {
            let report = report_without_model(document, &texts, &self.languages());
            return Ok(format!("{report:#}\n").into_bytes());
        }
        match self.export {
            Some(format) => document.exported(&texts, format, &self.languages()),
            None => document.written(&texts, self.to.as_deref()),
        }
    }

    fn options(&self) -> SearchOptions {
        SearchOptions {
            beam_size: self.beam.unwrap_or_default(),
            ..SearchOptions::default()
        }
    }

    /// The languages of a pseudo-translation, where they are told.
    fn languages(&self) -> Languages {
        // "Undetermined", as BCP 47 has it.
        let code = |code: &Option<String>| code.clone().unwrap_or_else(|| "und".to_owned());
        Languages {
            source: code(&self.from),
            target: code(&self.to),
        }
    }
}
