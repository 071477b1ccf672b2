//! Options that several subcommands share.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::builder::{
    PathBufValueParser, PossibleValuesParser, RangedI64ValueParser, RangedU64ValueParser,
    TypedValueParser,
};
use clap::error::ErrorKind;
use clap::{Args, ValueEnum};

use super::{library, terminal};
use crate::error::{BaseError, Error, Result};
use canopy_corpus::Split;
use canopy_document::document::{Document, ReadingOptions};
use canopy_kernels::packed::Quantization;
use canopy_project::Folders;
use canopy_translate::inference::{
    ComputeDevice, DeviceChoice, FormalityOption, LanguageModelTranslator, Languages, Leg,
    ModelInfo, Translator, read_in_its_language,
};
use canopy_translate::remote::{RemoteHost, keys_file, read_keys, set_key};

/// Which model, and where it computes.
#[derive(Debug, Clone, Args)]
pub(super) struct ModelArguments {
    /// Model: a model folder; a folder, archive or weights file of another program; a language model (a .gguf file or a
    /// Hugging Face folder); or the name of an installed model (`canopy model list`). Default: an installed model for
    /// the languages, or a starter
    #[arg(long, value_name = "DIR|NAME", value_parser = models())]
    pub(super) model: Option<PathBuf>,
    #[command(flatten)]
    pub(super) place: PlaceArguments,
}

/// Where it computes: on a device of this machine, or on another one.
#[derive(Debug, Clone, Args)]
pub(super) struct PlaceArguments {
    /// Device: auto uses a hardware GPU if there is one, otherwise the CPU; remote:HOST or remote:HOST:PORT is another
    /// machine that runs `canopy serve --compute`
    #[arg(long, value_name = "auto|cpu|gpu|remote:HOST", default_value = "auto", value_parser = place)]
    pub(super) device: DeviceChoice,
    /// Key of that machine. Default: the variable CANOPY_REMOTE_KEY, which does not appear in process lists, or else
    /// the key entered in the window
    #[arg(long, value_name = "KEY")]
    pub(super) remote_key: Option<String>,
}

impl From<Device> for PlaceArguments {
    fn from(device: Device) -> Self {
        Self {
            device: device.into(),
            remote_key: None,
        }
    }
}

impl PlaceArguments {
    /// The device; another machine gets its key, and a warning where the way to it is not this machine's own.
    pub(super) fn choice(&self) -> DeviceChoice {
        self.with_key(self.device)
    }

    /// Adds the key of a remote machine to a device choice.
    pub(super) fn with_key(&self, device: DeviceChoice) -> DeviceChoice {
        if let DeviceChoice::Remote(host) = device {
            if let Some(key) = &self.remote_key {
                set_key(host, key);
            }
            if let Some(config) = Folders::for_user().config {
                read_keys(&keys_file(&config));
            }
            if !host.is_loopback() {
                terminal::warn(&format!(
                    "the connection to {host} is not encrypted: anyone on the network path can read its key and your texts; use a tunnel (ssh -L) (docs/guide/remote.md)"
                ));
            }
        }
        device
    }
}

/// A value of `--device`.
fn place(text: &str) -> Result<DeviceChoice, String> {
    if let Some(host) = text.strip_prefix("remote:") {
        let host = host.parse::<RemoteHost>();
        return host
            .map(DeviceChoice::Remote)
            .map_err(|error| error.to_string());
    }
    let device = Device::from_str(text, true);
    device
        .map(DeviceChoice::from)
        .map_err(|_unknown| "it is auto, cpu, gpu or remote:HOST".to_owned())
}

/// Where sentences end in the documents that are read.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct SrxArgument {
    /// SRX file with sentence splitting rules, in place of the built-in ones. The rules for the language of --from
    /// apply, or else for the language that the document declares or that is detected in its text
    #[arg(long, value_name = "FILE.srx")]
    pub(super) srx: Option<PathBuf>,
}

impl SrxArgument {
    /// Reads a document that is in a language, if that is known.
    pub(super) fn open(&self, path: &Path, language: Option<&str>) -> Result<Document> {
        let options = ReadingOptions {
            srx: self.srx.clone(),
            language: language.map(str::to_owned),
            ..ReadingOptions::default()
        };
        Ok(read_in_its_language(&options, |options| {
            Document::open_with(path, None, options)
        })?)
    }
}

/// Precision of weights in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Quantize {
    /// On the CPU 8-bit integers for a model whose file has them, except CTranslate2's; otherwise 32-bit numbers
    #[default]
    Auto,
    /// 32-bit numbers
    None,
    /// 8-bit integers: a quarter of the memory, faster, nearly the same translations
    Int8,
    /// On a GPU, 16-bit numbers: half the memory
    Float16,
}

impl Quantize {
    /// Has the searches of a translator keep their weights so.
    pub(crate) fn apply(self, translator: &mut Translator) {
        self.check(translator.loaded().is_on_cpu());
        if let Some(quantization) = self.chosen() {
            translator.loaded_mut().quantize(quantization);
        }
    }

    /// None for what the model has by itself.
    pub(crate) fn chosen(self) -> Option<Quantization> {
        match self {
            Self::Auto => None,
            Self::None => Some(Quantization::None),
            Self::Int8 => Some(Quantization::Int8),
            Self::Float16 => Some(Quantization::Float16),
        }
    }

    /// Warns where it changes nothing.
    pub(crate) fn check(self, on_cpu: bool) {
        if self == Self::Float16 && on_cpu {
            terminal::warn(
                "--quantize float16 is for a graphics card of this machine; weights keep 32 bits",
            );
        }
    }
}

/// Options of a search.
#[derive(Debug, Clone, Args)]
pub(super) struct SearchArguments {
    /// Precision of weights in a search
    #[arg(long, value_enum, default_value = "auto")]
    pub quantize: Quantize,
    /// Vocabulary shortlist: only the target words that it lists for the words of a sentence are scored, which is
    /// faster on the CPU, especially with a large vocabulary, but changes some translations. A file from `canopy model
    /// shortlist`, a binary shortlist of Marian or Firefox, or a lexical table (lex.s2t). Default: the shortlist that
    /// comes with the model, if any; `none` scores all words
    #[arg(long, value_name = "FILE|none")]
    pub shortlist: Option<PathBuf>,
    /// From English to German: form of address of sentences with "you", until one is edited or confirmed in the document
    #[arg(long, alias = "address", value_enum, value_name = "FORM")]
    pub formality: Option<FormalityName>,
}

/// Forms of address in German.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormalityName {
    /// du: one person, familiar
    Du,
    /// Sie: formal
    Sie,
    /// ihr: several persons
    Ihr,
    /// Ihr, Euch: one person, in tales and historical settings
    PoliteIhr,
    /// The most frequent form in the document, for all sentences
    #[value(alias = "commonest")]
    Majority,
}

impl From<FormalityName> for FormalityOption {
    fn from(name: FormalityName) -> Self {
        match name {
            FormalityName::Du => Self::Du,
            FormalityName::Sie => Self::Sie,
            FormalityName::Ihr => Self::Ihr,
            FormalityName::PoliteIhr => Self::PoliteIhr,
            FormalityName::Majority => Self::Commonest,
        }
    }
}

impl SearchArguments {
    /// Whether the shortlist of the model is not to be used.
    pub(crate) fn scores_all_words(&self) -> bool {
        let named = self.shortlist.as_deref();
        named.is_some_and(|path| path.as_os_str() == "none" && !path.exists())
    }

    /// The form of address that translations have; none leaves it to the model.
    pub(crate) fn formality(&self) -> Option<FormalityOption> {
        self.formality.map(FormalityOption::from)
    }

    /// Has the searches of a translator compute so.
    ///
    /// # Errors
    /// If it has no choice of the form of address, or the shortlist is not for it.
    pub(crate) fn apply(&self, translator: &mut Translator) -> Result<()> {
        self.quantize.apply(translator);
        if let Some(name) = self.formality
            && !translator.has_formality_option()
        {
            let ModelInfo {
                source_language,
                target_language,
                ..
            } = translator.info();
            return Err(Error::Base(BaseError::Config {
                field: "--formality",
                found: name
                    .to_possible_value()
                    .map_or_else(String::new, |it| it.get_name().to_owned()),
                allowed: format!(
                    "given for English to German only: the model translates {source_language} to {target_language}"
                ),
            }));
        }
        if self.scores_all_words() {
            translator.loaded_mut().score_all_words();
            return Ok(());
        }
        let Some(path) = &self.shortlist else {
            return Ok(());
        };
        if !translator.loaded().is_on_cpu() {
            terminal::warn("--shortlist is for the CPU of this machine; all words are scored");
        }
        Ok(translator.loaded_mut().open_shortlist(path)?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    Auto,
    Cpu,
    Gpu,
}

impl From<Device> for DeviceChoice {
    fn from(device: Device) -> Self {
        match device {
            Device::Auto => Self::Auto,
            Device::Cpu => Self::Cpu,
            Device::Gpu => Self::Gpu,
        }
    }
}

/// Warns of a GPU that is a program.
pub(super) fn warn_of_software(device: &ComputeDevice) {
    if device.software {
        terminal::warn("this GPU is emulated on the CPU; --device cpu is several times faster");
    }
}

/// Warns of terms and a memory that a language model which reads each sentence by itself is not given.
pub(super) fn warn_of_unread(model: &LanguageModelTranslator) {
    let unread = match (model.terms.is_some(), model.memory.is_some()) {
        _ if !model.reads_sentences_alone() => return,
        (true, true) => "terms and similar entries of the memory",
        (true, false) => "terms",
        (false, true) => "similar entries of the memory",
        (false, false) => return,
    };
    let name = &model.info().name;
    terminal::warn(&format!(
        "{name} reads each sentence by itself, without {unread}"
    ));
}

impl ModelArguments {
    /// Loads the model; a software GPU gets a warning.
    pub(super) fn open(&self) -> Result<Translator> {
        self.open_for(None, None, false)
    }

    /// Opens the named model; without one, the installed model between these languages, or two in a row if `pivots`.
    pub(super) fn open_for(
        &self,
        source: Option<&str>,
        target: Option<&str>,
        pivots: bool,
    ) -> Result<Translator> {
        let legs = match &self.model {
            Some(folder) => vec![Leg {
                folder: folder.clone(),
                source: source.map(str::to_owned),
                target: target.map(str::to_owned),
            }],
            None => library::legs_between(source, target, pivots)?,
        };
        let translator = Translator::open_legs(&legs, self.place.choice())?;
        warn_of_software(translator.loaded().device());
        Ok(translator)
    }

    /// Opens a language model; a software GPU gets a warning.
    pub(super) fn open_language_model(
        &self,
        path: &Path,
        languages: Languages,
    ) -> Result<LanguageModelTranslator> {
        let model = LanguageModelTranslator::open(path, languages, self.place.choice())?;
        warn_of_software(model.device());
        Ok(model)
    }
}

/// Values of `--model`: the path of one, or, where no such path exists, the name of an installed one.
pub(super) fn models() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|path| {
        let name = path.to_str().filter(|_| !path.exists());
        let folder = name.and_then(|name| library::folder_of(name).ok());
        folder.unwrap_or(path)
    })
}

/// Values that have names.
pub(super) fn named<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(values.iter().map(|(name, _)| *name)).map(|name| {
        let mut values = values.iter();
        let found = values.find(|(known, _)| *known == name);
        found.expect("the parser takes no other name").1
    })
}

/// Held-out documents of a corpus.
pub(super) fn held_out() -> impl TypedValueParser<Value = Split> {
    named(&[("dev", Split::Dev), ("test", Split::Test)])
}

/// Values of `--beam`; more hypotheses make translations worse and only fill the memory.
pub(super) fn beam_sizes() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=100)
}

/// Values of `--width` and `--height`, as figures accept them.
pub(super) fn pixels() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(100..=4_000)
}

/// Values of options that count something.
pub(super) fn positive() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u16).range(1..).map(usize::from)
}

/// Ends the program as clap does for wrong usage of `command`.
pub(super) fn wrong_usage(command: &str, problem: impl Display) -> ! {
    clap::Error::raw(
        ErrorKind::ValueValidation,
        format!("{problem}\n\nFor more information, try 'canopy {command} --help'.\n"),
    )
    .exit()
}
