//! `canopy explain`

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};

use super::inputs::check_output;
use super::memories::MemoryArguments;
use super::options::{ModelArguments, named, pixels, wrong_usage};
use super::terminal::{self, StatusLine};
use super::translate::{remember, translate};
use crate::error::{BaseError, Error, Result};
use crate::library;
use canopy_chart::charts::Theme;
use canopy_document::document::Document;
use canopy_explain::error::Error as ExplainError;
use canopy_explain::trace::{self, Side, TraceSource};
use canopy_explain::{
    ContextEdit, Explanation, Heads, ModelView, Order, Query, Question, ViewKind, head_for_tree,
    query_side,
};
use canopy_project::language;
use canopy_train::{ModelQuestion, explain as explain_with_model, explain_by_language_model};
use canopy_translate::inference::{
    KnownTranslations, LanguageModelTranslator, Languages, SearchOptions, Translation,
    detected_language,
};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  canopy explain page.trace --sentence 4\n  canopy explain page.trace --view tree --sentence \
    4 --word it -o tree.svg\n  canopy explain page.html --view memory --sentence 4\n\nSee docs/guide/explaining.md."
)]
pub(super) struct ExplainArguments {
    /// Trace that `canopy translate --trace` wrote; several are drawn side by side (maps only). For --view difference,
    /// leave-one-out and memory a document, which is translated first
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,
    /// View to show
    #[arg(long, value_enum, default_value = "context")]
    view: Shown,
    /// Number of the sentence to explain, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = ordinal)]
    sentence: usize,
    /// Word to explain: its number in the sentence, from 1, or its text; default: all words
    #[arg(long, value_name = "N|TEXT")]
    word: Option<String>,
    /// Layer, from 1; without it the last one that has such attention
    #[arg(long, value_name = "L", value_parser = ordinal)]
    layer: Option<usize>,
    /// Head, from 1; or mean: all of them averaged, which is attention mass; or each: maps of all of them side by side.
    /// Without it the mean, for the tree of one word head 1; of a language model in no layer by name the heads that find the
    /// antecedent on a probe
    #[arg(long, value_name = "H|mean|each", value_parser = head)]
    head: Option<HeadArgument>,
    /// Side of the queries: source or translation; default: the source if it attends to other sentences
    #[arg(long, value_parser = named(&[("source", Side::Source), ("target", Side::Target)]))]
    side: Option<Side>,
    /// Columns of a map in the order of the document, or those with the most weight first
    #[arg(long, default_value = "document", value_parser = orders())]
    order: Order,
    /// How many context sentences to show with their words
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..))]
    top: u16,
    /// File to write: a figure (.svg, .png) or its numbers (.csv, .json); without it the context is printed as text, of
    /// other views the numbers
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print all numbers as JSON
    #[arg(long, conflicts_with = "output")]
    json: bool,
    /// For --view leave-one-out: another text of sentence N of the context, with which the translation is scored too
    #[arg(long, value_name = "N=TEXT", value_parser = edited)]
    edit: Vec<(usize, String)>,
    /// For --view leave-one-out: another translation of sentence N of the context, for models that read translations
    #[arg(long, value_name = "N=TEXT", value_parser = edited)]
    edit_translation: Vec<(usize, String)>,
    /// Light on dark grey, as on screens; else dark on white, as in papers
    #[arg(long)]
    dark: bool,
    /// Width of the figure
    #[arg(long, value_name = "PIXELS", default_value_t = 1_200, value_parser = pixels())]
    width: u32,
    /// Height of the figure; without it what is easy to read
    #[arg(long, value_name = "PIXELS", value_parser = pixels())]
    height: Option<u32>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    model: ModelArguments,
    /// Language of the document, for a language model; without it that of its file or text
    #[arg(long, value_name = "CODE")]
    from: Option<String>,
    /// Language that a language model translates to
    #[arg(long, value_name = "CODE")]
    to: Option<String>,
    #[command(flatten)]
    memory: MemoryArguments,
    /// Hypotheses kept for each sentence, for --view difference, leave-one-out and memory [default: 4, or fewer where the
    /// model's files say so]
    #[arg(long, value_name = "N", value_parser = super::options::beam_sizes())]
    beam: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shown {
    /// Where in the document the context lies: the content tree, or sections and paragraphs
    Tree,
    /// Words × sentences of the document
    Sentences,
    /// All sentences × sentences of the document
    Document,
    /// Words × words of the context sentences
    Words,
    /// Words of the translation × words of the source sentence
    Cross,
    /// Words of the source sentence × each other, in the encoder
    #[value(name = "self")]
    Itself,
    /// Share of its context that each word let in
    Gates,
    /// The sentences read most, as text with shaded words
    Context,
    /// Share of each word in the encoding of its sentence (source2token), as text with shaded words
    Encoding,
    /// Share of weights that are exactly zero, against length
    Zeros,
    /// Whether the context mattered: the sentence translated without it and with the document shuffled, with the
    /// probability of each word; needs the model
    Difference,
    /// Which sentence mattered: the likelihood of the translation without each one that the model can read, next to the
    /// attention of that sentence; needs the model
    LeaveOneOut,
    /// The pairs of the translation memory that were looked up for the translation, and their share in each word; needs the model
    Memory,
}

impl From<Shown> for ViewKind {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::Tree => Self::Tree,
            Shown::Sentences => Self::Sentences,
            Shown::Document => Self::Document,
            Shown::Words => Self::Words,
            Shown::Cross => Self::Cross,
            Shown::Itself => Self::Itself,
            Shown::Gates => Self::Gates,
            Shown::Context => Self::Context,
            Shown::Encoding => Self::Encoding,
            Shown::Zeros => Self::Zeros,
            Shown::Difference => Self::Difference,
            Shown::LeaveOneOut => Self::LeaveOneOut,
            Shown::Memory => Self::Memory,
        }
    }
}

/// Values of `--order`.
fn orders() -> impl TypedValueParser<Value = Order> {
    named(&[("document", Order::Document), ("weight", Order::Weight)])
}

#[derive(Debug, Clone, Copy)]
enum HeadArgument {
    One(usize),
    Mean,
    Each,
}

impl From<HeadArgument> for Heads {
    fn from(argument: HeadArgument) -> Self {
        match argument {
            HeadArgument::One(head) => Self::One(head),
            HeadArgument::Mean | HeadArgument::Each => Self::Mean,
        }
    }
}

/// People count from 1, traces from 0.
fn ordinal(text: &str) -> std::result::Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if number > 0 => Ok(number - 1),
        _ => Err("a number from 1 on".to_owned()),
    }
}

fn head(text: &str) -> std::result::Result<HeadArgument, String> {
    match text {
        "mean" => Ok(HeadArgument::Mean),
        "each" => Ok(HeadArgument::Each),
        _ => ordinal(text)
            .map(HeadArgument::One)
            .map_err(|allowed| format!("mean, each, or {allowed}")),
    }
}

pub(super) fn run(arguments: &ExplainArguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        let files = arguments.traces.iter().chain(&arguments.model.model);
        let files = files.map(PathBuf::as_path).chain(arguments.memory.paths());
        check_output(path, files)?;
    }
    let edits = arguments.edit.len() + arguments.edit_translation.len();
    if edits > 0 && arguments.view != Shown::LeaveOneOut {
        wrong_usage(
            "explain",
            "--edit and --edit-translation are for --view leave-one-out",
        );
    }
    let explanation = if let Some(view) = ViewKind::from(arguments.view).of_model() {
        from_model(arguments, view)?
    } else {
        let sources = arguments.traces.iter().map(trace::open);
        explain(arguments, &sources.collect::<Result<Vec<_>, _>>()?)?
    };
    let Some(path) = &arguments.output else {
        let text = if arguments.json {
            explanation.json() + "\n"
        } else {
            explanation.text()
        };
        return terminal::print(&text);
    };
    let theme = if arguments.dark {
        Theme::DARK
    } else {
        Theme::LIGHT
    };
    let width = arguments.width;
    let height = arguments
        .height
        .unwrap_or_else(|| explanation.height(width));
    Ok(explanation.write(&theme, path, (width, height), arguments.force)?)
}

fn explain(arguments: &ExplainArguments, sources: &[TraceSource]) -> Result<Explanation> {
    let questions = sources.iter().map(|source| {
        let question = Question {
            view: arguments.view.into(),
            query: query(arguments, source)?,
            each_head: matches!(arguments.head, Some(HeadArgument::Each)),
            order: arguments.order,
            limit: arguments.top.into(),
        };
        Ok((source, question))
    });
    Ok(Question::compare(&questions.collect::<Result<Vec<_>>>()?)?)
}

/// Translates the document and lets the model explain one of its sentences.
fn from_model(arguments: &ExplainArguments, view: ModelView) -> Result<Explanation> {
    let [path] = arguments.traces.as_slice() else {
        return Err(Error::Base(BaseError::Config {
            field: "the number of documents",
            found: arguments.traces.len().to_string(),
            allowed: "1 for this view".to_owned(),
        }));
    };
    if is_trace(path) {
        let view = match view {
            ModelView::Difference => "difference",
            ModelView::LeaveOneOut => "leave-one-out",
            ModelView::Memory => "memory",
        };
        let problem = format!("--view {view} needs the document itself, not its trace");
        wrong_usage("explain", problem);
    }
    let document = Document::open(path, None)?;
    let count = document.sentences.len();
    if arguments.sentence >= count {
        return Err(Error::from(ExplainError::NotInTrace {
            requested: format!("sentence {}", arguments.sentence + 1),
            there: format!("the document has {count}"),
        }));
    }
    let edits = edits(arguments, count)?;
    if let Some(model) = arguments.language_model(&document)? {
        return arguments.told_by_language_model(&model, view, &document, edits);
    }
    let mut translator = arguments.model.open()?;
    remember(&mut translator, &arguments.memory)?;
    let options = SearchOptions {
        beam_size: arguments.beam.unwrap_or_default(),
        ..SearchOptions::default()
    };
    let (made, found) = translate(&mut translator, &document, &options, None)?;
    let sentence = arguments.sentence;
    let question = ModelQuestion {
        view,
        document: &document,
        translations: &found.translations,
        sentence,
        edit: None,
        options: &options,
    };
    let mut line = StatusLine::new();
    let mut go_on = |done, num| {
        line.show(&format!("{done} of {num}"));
        ControlFlow::Continue(())
    };
    let made = made.as_ref();
    let explanation = arguments.answered(edits, &question, &mut |question| {
        let answer = explain_with_model(&translator, made, question, &mut None, &mut go_on);
        Ok(answer?)
    });
    line.clear();
    explanation
}

impl ExplainArguments {
    /// The language model that is named, or that is the default of the languages; none if that is no language model. Ends the
    /// program where the languages are not known.
    fn language_model(&self, document: &Document) -> Result<Option<LanguageModelTranslator>> {
        let [declared, _] = document.declared_languages();
        let said = self.from.as_deref().or(declared).map(str::to_owned);
        let from = said.or_else(|| detected_language(document).map(|found| found.code));
        let installed = || library::model_between(from.as_deref()?, self.to.as_deref()?);
        let Some(path) = self.model.model.clone().or_else(installed) else {
            return Ok(None);
        };
        if LanguageModelTranslator::file_of(&path).is_none() {
            return Ok(None);
        }
        let (Some(from), Some(to)) = (&from, &self.to) else {
            wrong_usage(
                "explain",
                "a language model translates between any languages; say them with --from and --to",
            )
        };
        let languages = Languages {
            source_name: language::name(from),
            target_name: language::name(to),
            ..Languages::new(from, to)
        };
        let mut model = LanguageModelTranslator::open(&path, languages)?;
        model.memory = self.memory.read(from, to)?.map(std::sync::Arc::new);
        Ok(Some(model))
    }

    /// Translates the document up to the selected sentence, and explains it.
    fn told_by_language_model(
        &self,
        model: &LanguageModelTranslator,
        view: ModelView,
        document: &Document,
        edits: Vec<ContextEdit>,
    ) -> Result<Explanation> {
        let mut line = StatusLine::new();
        let mut known = KnownTranslations::fixed(document.finished());
        let sentences: Vec<usize> = (0..=self.sentence)
            .filter(|index| !known.fixed_targets().contains_key(index))
            .collect();
        let mut translations: Vec<Option<Translation>> = vec![None; document.sentences.len()];
        for (index, text) in known.fixed_targets() {
            translations[*index] = Some(Translation::written(text.clone()));
        }
        model.translate(document, &sentences, &mut known, &mut |_, found| {
            if let Some((index, translation)) = found {
                translations[index] = Some(translation);
                line.show(&format!("sentence {} of {}", index + 1, self.sentence + 1));
            }
            ControlFlow::Continue(())
        })?;
        let question = ModelQuestion {
            view,
            document,
            translations: &translations,
            sentence: self.sentence,
            edit: None,
            options: &SearchOptions::default(),
        };
        let mut go_on = |done, num| {
            line.show(&format!("{done} of {num}"));
            ControlFlow::Continue(())
        };
        let explanation = self.answered(edits, &question, &mut |question| {
            Ok(explain_by_language_model(model, question, &mut go_on)?)
        });
        line.clear();
        explanation
    }

    /// The explanation for a question, with those of the edits, and with the selected word.
    fn answered(
        &self,
        edits: Vec<ContextEdit>,
        question: &ModelQuestion<'_>,
        explain_one: &mut dyn FnMut(&ModelQuestion<'_>) -> Result<Explanation>,
    ) -> Result<Explanation> {
        let mut explanation = explain_one(question)?;
        if let Explanation::LeaveOneOut(view) = &mut explanation {
            for edit in edits {
                let edited = explain_one(&ModelQuestion {
                    edit: Some(&edit),
                    ..*question
                })?;
                if let Explanation::LeaveOneOut(edited) = &edited {
                    view.add_edits(edited);
                }
            }
        }
        if let Some(word) = &self.word {
            let place = canonical_path(word, &explanation.subwords(), self.sentence)?;
            explanation.select(Some(place));
        }
        Ok(explanation)
    }
}

/// Whether a file is a trace, be it damaged or of another version.
fn is_trace(path: &Path) -> bool {
    let opened = trace::open(path);
    !matches!(
        opened,
        Err(ExplainError::Base(BaseError::Read { .. }) | ExplainError::NoTrace { .. })
    )
}

/// Sentences of the context as the arguments have them, one each.
fn edits(arguments: &ExplainArguments, count: usize) -> Result<Vec<ContextEdit>> {
    let mut edits: BTreeMap<usize, ContextEdit> = BTreeMap::new();
    let sources = arguments.edit.iter().map(|(it, text)| (*it, text, true));
    let targets = arguments.edit_translation.iter();
    let targets = targets.map(|(it, text)| (*it, text, false));
    for (sentence, text, is_source) in sources.chain(targets) {
        if sentence >= count {
            return Err(Error::from(ExplainError::NotInTrace {
                requested: format!("sentence {}", sentence + 1),
                there: format!("the document has {count}"),
            }));
        }
        let edit = edits.entry(sentence).or_insert(ContextEdit {
            sentence,
            source: None,
            target: None,
        });
        let place = if is_source {
            &mut edit.source
        } else {
            &mut edit.target
        };
        *place = Some(text.clone());
    }
    Ok(edits.into_values().collect())
}

/// A sentence, from 1, and its text.
fn edited(text: &str) -> std::result::Result<(usize, String), String> {
    let (number, text) = text
        .split_once('=')
        .ok_or("the number of a sentence, =, and its text")?;
    Ok((ordinal(number.trim())?, text.trim().to_owned()))
}

fn query(arguments: &ExplainArguments, source: &TraceSource) -> Result<Query> {
    let side = arguments.side.unwrap_or_else(|| query_side(source));
    let view = ViewKind::from(arguments.view);
    let side = view.side(side);
    let mut query = Query {
        layer: arguments.layer,
        heads: arguments.head.map_or(Heads::Usual, Heads::from),
        ..Query::sentence(side, arguments.sentence)
    };
    query.check(source.overview())?;
    if let Some(word) = &arguments.word {
        let tokens = &source.overview().sentences(query.side)[query.sentence].tokens;
        query.word = Some(canonical_path(word, tokens, query.sentence)?);
        query.check(source.overview())?;
    }
    if view == ViewKind::Tree && arguments.head.is_none() {
        query = head_for_tree(query, source);
    }
    Ok(query)
}

/// Place of the first whole word that equals `word`, in lower case.
fn place_of_word(word: &str, tokens: &[String]) -> Option<usize> {
    let goes_on = |token: &&String| token.starts_with(char::is_alphanumeric);
    let is_word = |&start: &usize| {
        let (first, rest) = (&tokens[start], &tokens[start + 1..]);
        let pieces = std::iter::once(first).chain(rest.iter().take_while(goes_on));
        let pieces = pieces.map(|piece| piece.trim_start_matches('▁').to_lowercase());
        pieces.collect::<String>() == word
    };
    let mut starts =
        (0..tokens.len()).filter(|&place| place == 0 || tokens[place].starts_with('▁'));
    let start = starts.find(is_word).filter(|_| !word.is_empty())?;
    // A word may begin with a space alone.
    Some(start + usize::from(tokens[start] == "▁"))
}

/// Place of a word in its sentence: its number, or the first subword of the first word with this text.
fn canonical_path(word: &str, tokens: &[String], sentence: usize) -> Result<usize> {
    if let Ok(place) = ordinal(word) {
        return Ok(place);
    }
    let bare = |token: &String| token.trim_start_matches('▁').to_lowercase();
    let lower = word.to_lowercase();
    let found = place_of_word(&lower, tokens);
    let whole = |start: usize| {
        let mut joined = String::new();
        for (place, token) in tokens.iter().enumerate().skip(start) {
            if place > start && (token.starts_with('▁') || joined.len() >= lower.len()) {
                break;
            }
            joined += &bare(token);
        }
        joined == lower
    };
    // What is no word of its own: a piece of one, or one after punctuation.
    let found = found.or_else(|| tokens.iter().position(|token| bare(token) == lower));
    let found = found.or_else(|| (0..tokens.len()).find(|&start| whole(start)));
    found.ok_or_else(|| {
        Error::from(ExplainError::NotInTrace {
            requested: format!("word {word:?}"),
            there: format!(
                "sentence {} has {}",
                sentence + 1,
                tokens
                    .iter()
                    .map(|token| token.trim_start_matches('▁'))
                    .collect::<Vec<_>>()
                    .join(" ")
            ),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_not_a_piece_of_another_one() {
        let place = |word: &str, tokens: &str| {
            let tokens: Vec<String> = tokens.split(' ').map(str::to_owned).collect();
            canonical_path(word, &tokens, 0).ok()
        };
        let tokens = "▁Open ing ▁spl it s ▁it . ▁open ▁( file ) ▁ Ö ffnen";
        assert_eq!(place("it", tokens), Some(5));
        assert_eq!(place("Open", tokens), Some(7));
        assert_eq!(place("opening", tokens), Some(0));
        assert_eq!(place("splits", tokens), Some(2));
        assert_eq!(place("öffnen", tokens), Some(12));
        // No words of their own.
        assert_eq!(place("file", tokens), Some(9));
        assert_eq!(place("ing", tokens), Some(1));
        assert_eq!(place("3", tokens), Some(2));
        assert_eq!(place("no", tokens), None);
    }
}
