//! Failures, in words that a user can act on.

use std::path::{Path, PathBuf};

use crate::device_failure::{DeviceFailure, in_short};
use crate::panics::{at, log_note};

pub use crate::panics::{caught, panic_message};

/// The result of everything that can fail for a reason outside the program.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One variant a reason; a wrong tensor shape is our bug and panics instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {path:?}: {cause}")]
    Read {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("cannot write {path:?}: {cause}{}", kept(.path))]
    Write {
        path: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("{field} is {found}; it may be {allowed}")]
    Config {
        field: &'static str,
        found: String,
        allowed: String,
    },
    #[error(
        "not a vocabulary of Canopy: {problem}; make one with `canopy corpus vocabulary`: {path:?}"
    )]
    Vocabulary { problem: String, path: PathBuf },
    #[error("{path:?}, line {line}: {problem}; import the corpus again")]
    Corpus {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "{problem} at line {line}; both files need the same number of lines and `<d>` at the same ones: {path:?}"
    )]
    UnequalSides {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "{path:?} has {found} lines, {like:?} has {expected}: line {line} has no counterpart; every file needs one line for each segment"
    )]
    UnequalLines {
        found: usize,
        expected: usize,
        line: usize,
        like: PathBuf,
        path: PathBuf,
    },
    #[error(
        "{path:?}, line {line}: {problem}; choose the contexts again with `canopy corpus select-context`"
    )]
    Contexts {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?}: {problem}; `msgfmt -c` tells what is wrong with a PO file")]
    Gettext { problem: String, path: PathBuf },
    #[error(
        "{path:?}, line {line}: no source and target with a tab between them; the ending says what a memory is: .tmx, .po, else a table of two columns"
    )]
    Memory { line: usize, path: PathBuf },
    #[error(
        "this memory is of translations from {has}; the model translates from {asked}: {path:?}"
    )]
    MemoryLanguages {
        has: String,
        asked: String,
        path: PathBuf,
    },
    #[error(
        "not a vocabulary shortlist for this model: {reason}; make one with `canopy model shortlist`: {path:?}"
    )]
    Shortlist { reason: String, path: PathBuf },
    #[error("{path:?}, line {line}: {problem}")]
    Termbase {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "sentences are split where both parts hold words, joined within a paragraph, and stay one where the file has them so"
    )]
    OneSegment,
    #[error("{path:?}, line {line}: {problem}")]
    Srx {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?} has no rules for the language {language}, only for: {known}")]
    SrxLanguage {
        language: String,
        known: String,
        path: PathBuf,
    },
    #[error(
        "{name} does not tell its language, which chooses among the rules of {path:?}; name it with --from"
    )]
    SrxOfWhich { name: String, path: PathBuf },
    #[error(
        "the ending says what a termbase is: .tbx, .csv, .tsv, or .txt or .utf8 for a glossary of OmegaT: {path:?}"
    )]
    TermbaseEnding { path: PathBuf },
    #[error(
        "no Hunspell dictionary of {language} lies on this system; install one (hunspell-{language} on Debian), or leave the check out"
    )]
    NoDictionary { language: String },
    #[error("not a Hunspell dictionary: {reason}: {path:?}")]
    Dictionary { reason: String, path: PathBuf },
    #[error("this termbase has terms in {has}, not from {asked}: {path:?}")]
    TermLanguages {
        has: String,
        asked: String,
        path: PathBuf,
    },
    #[error(
        "this corpus is of translations from {has}, the first one from {asked}; combine corpora of the same languages: {path:?}"
    )]
    CorpusLanguages {
        has: String,
        asked: String,
        path: PathBuf,
    },
    #[error(
        "another corpus has a folder of the same name, which its documents would be called by; rename one of them: {path:?}"
    )]
    SameCorpusName { path: PathBuf },
    #[error("{path:?} holds other things than a corpus and is not replaced; name another folder")]
    NoCorpus { path: PathBuf },
    #[error(
        "no page in both languages has paragraphs of the same id; name the folders that hold `text/**/*.html`, or take `canopy corpus import folders` for other pages: {source_folder:?}, {target_folder:?}"
    )]
    NoPages {
        source_folder: PathBuf,
        target_folder: PathBuf,
    },
    #[error(
        "no document with text is there in both languages; name folders with the same HTML, Markdown or text files, such as guide/page.html in both, or page.en.md and page.de.md: {source_folder:?}, {target_folder:?}"
    )]
    NoDocumentPairs {
        source_folder: PathBuf,
        target_folder: PathBuf,
    },
    #[error("{path:?}, line {line}: {problem}; export the translation memory again as TMX 1.4")]
    Tmx {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "no PO or MO file with messages that are translated from {from} to {to} lies there: {path:?}"
    )]
    NoCatalogues {
        from: String,
        to: String,
        path: PathBuf,
    },
    #[error("{path:?}, line {line}: no source and target with a tab between them")]
    NoTab { line: usize, path: PathBuf },
    #[error("the translation memory has no segment (<seg>): {path:?}")]
    NoSegments { path: PathBuf },
    #[error("no line has text on both sides of a tab: {path:?}")]
    NoPairs { path: PathBuf },
    #[error(
        "{path:?}, {place}: {problem}; give the JSON of CTXPRO's release/evalsets and the file of release/inputs that belongs to it"
    )]
    Ctxpro {
        problem: String,
        /// Such as `item 3` or `line 3`.
        place: String,
        path: PathBuf,
    },
    #[error(
        "the translation memory has no pair of {from} and {to}; its languages are {present}: {path:?}"
    )]
    TmxLanguages {
        from: String,
        to: String,
        present: String,
        path: PathBuf,
    },
    #[error(
        "{path:?}, line {line}: {problem}; name a file of an IWSLT talk set as it was published, such as IWSLT17.TED.dev2010.en-de.en.xml"
    )]
    Iwslt {
        problem: String,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "no talk is there in both files with segments of the same ids; name two languages of the same set: {source_file:?}, {target_file:?}"
    )]
    NoTalks {
        source_file: PathBuf,
        target_file: PathBuf,
    },
    #[error(
        "{wanted} devices were asked for, but {found} graphics adapters work here; ask for no more than that, or train on the CPU"
    )]
    TooFewDevices { wanted: usize, found: usize },
    #[error("no graphics adapter was found; choose the CPU")]
    NoGpu,
    #[error("the model folder is not usable: {reason}: {path:?}")]
    Model { reason: String, path: PathBuf },
    #[error(
        "the encoder folder is not usable: {reason}; make it again with `canopy model import`: {path:?}"
    )]
    Encoder { reason: String, path: PathBuf },
    #[error("the weights are not usable: {reason}: {path:?}")]
    Weights { reason: String, path: PathBuf },
    #[error(
        "no training document holds a pair that is new and short enough to learn from; add pages to the corpus: {path:?}"
    )]
    NothingToLearn { path: PathBuf },
    #[error(
        "the device ran out of memory even with {batch_tokens} target tokens in a batch; take a smaller preset or another device"
    )]
    OutOfMemory { batch_tokens: usize },
    #[error(
        "the device was lost: {message}; open the program again and go on with the run from its last checkpoint"
    )]
    DeviceLost { message: String },
    #[error(
        "the device failed at sentence {sentence}: {message}; translate on the CPU, or open the program again"
    )]
    DeviceFailed { sentence: String, message: String },
    #[error(
        "the scores of sentence {sentence} are no probabilities: one is the logarithm {found}; the weights of the model are damaged, or the device computes wrongly: put the model folder there again, or translate on the CPU"
    )]
    InvalidScores { sentence: String, found: f32 },
    #[error("the settings are not usable: {reason}: {path:?}")]
    Settings { reason: String, path: PathBuf },
    #[error("this model translates from {has}, not from {asked}; name another with --model")]
    Languages { asked: String, has: String },
    #[error(
        "two documents have the same name and would both become {path:?}; translate them into different folders"
    )]
    SameName { path: PathBuf },
    #[error(
        "no {kind} can be written; its translation is a file of its text, so name it .{extension}: {path:?}"
    )]
    WrittenOtherwise {
        kind: String,
        extension: &'static str,
        path: PathBuf,
    },
    #[error(
        "the starter model is missing or removed; name a model with --model, or bring it back with `canopy model restore`"
    )]
    NoStarterModel,
    #[error("{path:?} already exists; name another place")]
    Exists { path: PathBuf },
    #[error("{path:?} is read here and would be lost; name another place to write to")]
    OverInput { path: PathBuf },
    #[error(
        "byte {offset} is 0, so this is no text; name a file of text without such bytes: {path:?}"
    )]
    Binary { offset: usize, path: PathBuf },
    #[error("the text is UTF-16; save it as UTF-8 and open it again: {path:?}")]
    Utf16 { path: PathBuf },
    #[error("no known format ({known}); give it such a name: {path:?}")]
    UnknownFormat { known: String, path: PathBuf },
    #[error(
        "byte {offset}, in line {line}, is not UTF-8; save the text as UTF-8 and open it again: {path:?}"
    )]
    NotUtf8 {
        offset: usize,
        line: usize,
        path: PathBuf,
    },
    #[error(
        "line {line} is longer than {limit} bytes; break it into lines and open it again: {path:?}"
    )]
    LongLine {
        line: usize,
        limit: usize,
        path: PathBuf,
    },
    #[error(
        "elements are nested deeper than {limit} in line {line}; is one of them not closed? {path:?}"
    )]
    TooDeep {
        limit: usize,
        line: usize,
        path: PathBuf,
    },
    #[error("{path:?} is damaged: {part}: {reason}")]
    Damaged {
        part: String,
        reason: String,
        path: PathBuf,
    },
    #[error("{path:?} is encrypted; save it without a password and open it again")]
    Encrypted { path: PathBuf },
    #[error("{part} takes more than {limit} bytes once it is unpacked: {path:?}")]
    TooLarge {
        part: String,
        limit: u64,
        path: PathBuf,
    },
    #[error(
        "the text is not the {name} that it says it is; save it as UTF-8 and open it again: {path:?}"
    )]
    Encoding { name: &'static str, path: PathBuf },
    #[error(
        "{name} does not have the character {character:?}; save the source as UTF-8 and translate it again: {path:?}"
    )]
    Unencodable {
        character: char,
        name: &'static str,
        path: PathBuf,
    },
    #[error(
        "a translation holds the character {character:?}, which no document can hold: {path:?}"
    )]
    Unwritable { character: char, path: PathBuf },
    #[error("no column is called {name}; there are {known}: {path:?}")]
    NoColumn {
        name: String,
        known: String,
        path: PathBuf,
    },
    #[error("cannot start a thread: {cause}")]
    Thread {
        #[source]
        cause: std::io::Error,
    },
    #[error("no model is open; choose one in the Model menu")]
    NoModel,
    #[error(
        "internal error: {}{}; nothing else was lost, try it again{}",
        in_short(.message), at(.place.as_ref()), log_note()
    )]
    Panicked {
        message: String,
        /// File and line, if they are known.
        place: Option<String>,
    },
    #[error(
        "this is no trace; open a .json or .trace file that `canopy translate --trace` wrote: {path:?}"
    )]
    NoTrace { path: PathBuf },
    #[error(
        "the trace has format version {found}, this program reads {known}; open it with the Canopy that wrote it, or trace the translation again: {path:?}"
    )]
    TraceVersion {
        found: u64,
        known: u32,
        path: PathBuf,
    },
    #[error(
        "the trace is damaged: {problem}; trace the translation again with `canopy translate --trace`: {path:?}"
    )]
    BrokenTrace { problem: String, path: PathBuf },
    #[error("the judgement is damaged: {problem}: {path:?}")]
    BrokenJudgement { problem: String, path: PathBuf },
    #[error(
        "the trace was not written, its numbers cannot be right: {problem}; is the model damaged? {path:?}"
    )]
    ImpossibleTrace { problem: String, path: PathBuf },
    #[error(
        "{path:?} says no format for the trace; end its name in .json (text) or .trace (binary)"
    )]
    TraceExtension { path: PathBuf },
    #[error("{asked}: {there}")]
    NotInTrace { asked: String, there: String },
    #[error("no sentence of its context can be left out: {problem}")]
    NotLeftOut { problem: &'static str },
    #[error("this trace has {missing}; {advice}")]
    NotTraced {
        missing: &'static str,
        advice: &'static str,
    },
    #[error(
        "{path:?} says no format; end its name in .svg or .png for a figure, in .csv or .json for its numbers"
    )]
    ExplanationExtension { path: PathBuf },
    #[error("{path:?} says no format for the figure; end its name in .svg or .png")]
    FigureExtension { path: PathBuf },
    #[error("the figure cannot be drawn: {problem}: {path:?}")]
    Figure { problem: String, path: PathBuf },
    #[error("no translation model that can be read: {reason}: {path:?}")]
    UnknownModel { reason: String, path: PathBuf },
    #[error("this model of others is not usable: {reason}: {path:?}")]
    Foreign { reason: String, path: PathBuf },
    #[error("this language model is not usable, {field}: {problem}: {path:?}")]
    LanguageModel {
        /// Where in the file: a key, a tensor, a part.
        field: String,
        problem: String,
        path: PathBuf,
    },
    #[error(
        "the embedding of sentence {row} is no vector: number {column} of it is {found}; encode the sentences again"
    )]
    Embedding {
        found: f32,
        /// Counted from 0, as is the column.
        row: usize,
        column: usize,
    },
    #[error("the system has no random numbers: {reason}; choose a key with --key")]
    NoRandomNumbers { reason: String },
    #[error("{reason}: the language model at {address}")]
    Llm { reason: String, address: String },
    #[error(
        "{address:?} is no address of another machine; it looks like remote:workstation or remote:10.0.0.7:8600"
    )]
    RemoteAddress { address: String },
    #[error(
        "{host} lets in only those who have its key: the one that `canopy serve --compute` shows there. Give it in CANOPY_REMOTE_KEY, with --remote-key, or in the device menu"
    )]
    RemoteKey { host: String },
    #[error(
        "{host} cannot be reached ({reason}); see that `canopy serve --compute` runs there, or the tunnel to it, and begin again: what is done stays done"
    )]
    RemoteLost { reason: String, host: String },
    #[error("{host} refuses: {message}")]
    RemoteRefused { message: String, host: String },
    #[error("{what} is done on this machine; choose another device than {host}")]
    OnlyHere { what: &'static str, host: String },
    #[error("{reason}: the catalogue {place}")]
    Catalogue { reason: String, place: String },
    #[error(
        "{address:?} is no catalogue; name one that `canopy model catalogue list` shows, an address of https, a file or a folder"
    )]
    CatalogueAddress { address: String },
    #[error("no catalogue lists {asked}; {advice}")]
    NotListed { asked: String, advice: String },
    #[error("{name} is not installed: {reason}")]
    Download { reason: String, name: String },
    #[error("the language model {model} answers without a translation")]
    LlmSilent { model: String },
    #[error(
        "{address:?} is no address of a language model; it looks like http://localhost:11434/v1, and only http is spoken"
    )]
    LlmAddress { address: String },
}

impl Error {
    /// For `map_err`: an input/output error while reading `path`.
    pub fn read(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| Self::Read {
            path: path.as_ref().to_owned(),
            cause,
        }
    }

    /// For `map_err`: an input/output error while writing `path`.
    pub fn write(path: impl AsRef<Path>) -> impl FnOnce(std::io::Error) -> Self {
        move |cause| Self::Write {
            path: path.as_ref().to_owned(),
            cause,
        }
    }
}

impl Error {
    /// Whether another device may do what failed here.
    pub fn is_of_device(&self) -> bool {
        match self {
            Self::DeviceLost { .. }
            | Self::DeviceFailed { .. }
            | Self::OutOfMemory { .. }
            | Self::InvalidScores { .. } => true,
            Self::Panicked { message, .. } => DeviceFailure::of(message).is_some(),
            _ => false,
        }
    }
}

/// A note on the file that stood where nothing could be written.
fn kept(path: &Path) -> &'static str {
    if path.is_file() {
        "; the existing file was left as it was"
    } else {
        ""
    }
}

/// Finds the error of a kind in an error of a crate that wraps those of the crates below it.
///
/// ```
/// use canopy_base::error::{Error, find};
///
/// #[derive(Debug, thiserror::Error)]
/// enum Above {
///     #[error("{0}")]
///     Base(#[from] Error),
/// }
///
/// let error = Above::from(Error::NoGpu);
/// assert!(matches!(find(&error), Some(Error::NoGpu)));
/// ```
pub fn find<'e, E: std::error::Error + 'static>(
    error: &'e (dyn std::error::Error + 'static),
) -> Option<&'e E> {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    causes.find_map(|error| error.downcast_ref())
}

/// Whether another device may do what failed so.
pub fn is_of_device(error: &(dyn std::error::Error + 'static)) -> bool {
    find::<Error>(error).is_some_and(Error::is_of_device)
}

/// Gives the error of a crate, which wraps [`Error`] as `Base`, the constructors [`Error::read`] and [`Error::write`].
#[macro_export]
macro_rules! reads_and_writes {
    ($error:ty) => {
        impl $error {
            /// For `map_err`: an input/output error while reading `path`.
            #[allow(dead_code, reason = "not every crate does both")]
            pub fn read(path: impl AsRef<std::path::Path>) -> impl FnOnce(std::io::Error) -> Self {
                let read = $crate::error::Error::read(path);
                move |cause| Self::Base(read(cause))
            }

            /// For `map_err`: an input/output error while writing `path`.
            #[allow(dead_code, reason = "not every crate does both")]
            pub fn write(path: impl AsRef<std::path::Path>) -> impl FnOnce(std::io::Error) -> Self {
                let write = $crate::error::Error::write(path);
                move |cause| Self::Base(write(cause))
            }
        }
    };
}
