//! `canopy model describe`

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::library;
use super::terminal::print;
use crate::error::{BaseError, Error, Result};
use canopy_base::error::find;
use canopy_chart::charts::thousands;
use canopy_llm::LanguageModel;
use canopy_models::weights::ModelFolder;
use canopy_nn::model::{ModelConfig, Part, PartGroup, Preset};
use canopy_translate::inference::{
    LanguageModelFiles, LanguageModelTranslator, described_model, foreign_parts, imported_files,
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  canopy model describe selective-small")]
pub(super) struct DescribeArguments {
    /// Name of a preset or of an installed model, a model folder, or a folder or archive of another program's
    #[arg(value_name = "PRESET|NAME|FOLDER")]
    model: String,
    /// Size of the vocabulary of a preset, in tokens
    #[arg(long, value_name = "N", default_value_t = 8_000)]
    vocab_size: usize,
    /// Number of sentences in the document that memory and cost are estimated for
    #[arg(long, value_name = "N", default_value_t = 100)]
    sentences: usize,
    /// Number of tokens in each of its sentences
    #[arg(long, value_name = "N", default_value_t = 25)]
    words: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A configuration and its name.
struct Described {
    name: String,
    lines: Vec<String>,
    config: ModelConfig,
}

pub(super) fn run(arguments: &DescribeArguments) -> Result<()> {
    if let Some(file) = arguments.language_model() {
        return arguments.print_language_model(&file);
    }
    let described = arguments.described()?;
    let text = if arguments.json {
        format!("{:#}\n", arguments.json(&described))
    } else {
        arguments.text(&described)
    };
    print(&text)
}

impl DescribeArguments {
    /// The file or folder of the language model that is named, if it is one.
    fn language_model(&self) -> Option<PathBuf> {
        let path = PathBuf::from(&self.model);
        let path = if path.exists() {
            path
        } else {
            library::folder_of(&self.model).ok()?
        };
        LanguageModelTranslator::file_of(&path)
    }

    fn print_language_model(&self, file: &Path) -> Result<()> {
        let files = LanguageModelFiles::unpack(file)?;
        let model = LanguageModel::open(files.path())?;
        let about = model.about().clone();
        let name = about.title.unwrap_or_else(|| file.display().to_string());
        let (layers, heads) = (model.network.num_layers(), model.network.num_heads());
        let (context, vocab) = (model.network.context(), model.network.vocab());
        if self.json {
            let described = json!({
                "name": name,
                "architecture": about.architecture,
                "parameters": about.num_parameters,
                "layers": layers,
                "heads": heads,
                "context_tokens": context,
                "vocabulary": vocab,
                "chat_template": model.template.is_some(),
                "reads_sentences_alone": model.network.has_encoder(),
                "licence": about.licence,
            });
            return print(&format!("{described:#}\n"));
        }
        let form = match &model.template {
            _ if model.network.has_encoder() => "translates each sentence by itself",
            Some(_) => "converses by its own template",
            None => "continues texts: it has no template of conversations",
        };
        print(&format!(
            "{name}\na language model ({}), between any languages\n{} parameters, {layers} layers of {heads} heads, {} tokens of \
             context, a vocabulary of {}\n{form}\nlicence: {}\n",
            about.architecture,
            thousands(usize::try_from(about.num_parameters).unwrap_or(usize::MAX)),
            thousands(context),
            thousands(vocab),
            about.licence.as_deref().unwrap_or("unknown"),
        ))
    }

    fn described(&self) -> Result<Described> {
        let path = PathBuf::from(&self.model);
        if path.exists() {
            return describe_model(&path);
        }
        let preset = match Preset::named(&self.model) {
            Ok(preset) => preset,
            Err(unknown) => match library::folder_of(&self.model) {
                Ok(folder) => return describe_model(&folder),
                // A name that is written like a path is no preset.
                Err(_) if self.model.contains(['/', '\\', '.']) => {
                    return Err(Error::read(&path)(std::io::ErrorKind::NotFound.into()));
                }
                Err(none) => {
                    let names = |error: &(dyn std::error::Error + 'static)| match find(error) {
                        Some(BaseError::Config { allowed, .. }) => allowed.clone(),
                        _ => error.to_string(),
                    };
                    return Err(Error::Base(BaseError::Config {
                        field: "model",
                        found: self.model.clone(),
                        allowed: format!(
                            "a file or folder, an installed model ({}), or a preset: {}",
                            names(&none),
                            names(&unknown)
                        ),
                    }));
                }
            },
        };
        let config = preset.config(self.vocab_size);
        config.validate()?;
        Ok(Described {
            name: preset.name.to_owned(),
            lines: about(&preset),
            config,
        })
    }

    fn text(&self, described: &Described) -> String {
        let config = &described.config;
        let parts = config.parts();
        let width = |column: fn(&Part) -> &str| {
            let lengths = parts.iter().map(|part| column(part).chars().count());
            lengths.max().unwrap_or(0)
        };
        let (names, reads) = (width(|part| &part.name), width(|part| &part.reads));
        let row = |parameters: &str, name: &str, read: &str, source: &str| {
            format!("{parameters:>12}  {name:names$}  {read:reads$}  {source}")
        };
        let total = config.num_parameters();
        let mut lines = vec![described.name.clone()];
        lines.extend(described.lines.iter().cloned());
        lines.extend([sizes(config), String::new()]);
        lines.push(row("parameters", "part", "a word reads", "source"));
        lines.extend(parts.iter().map(|part| {
            let parameters = thousands(part.parameters);
            row(&parameters, &part.name, &part.reads, part.source)
        }));
        lines.push(format!("{:>12}  in all", thousands(total)));
        lines.push(String::new());
        lines.push(format!(
            "A document of {} sentences of {} tokens, read and scored once: about {:.1} GFLOP, and {} of memory in addition to {} of weights.\n",
            thousands(self.sentences),
            self.words,
            2.0 * self.operations(&parts) / 1e9,
            megabytes(self.bytes(config)),
            megabytes(4 * total as u64),
        ));
        lines.join("\n")
    }

    fn json(&self, described: &Described) -> serde_json::Value {
        let parts = described.config.parts();
        json!({
            "name": described.name,
            "about": described.lines,
            "config": described.config,
            "parts": parts,
            "parameters": described.config.num_parameters(),
            "context_parameters": described.config.parameters_of(PartGroup::Context),
            "document": {
                "sentences": self.sentences,
                "words": self.words,
                "multiply_adds": self.operations(&parts),
                "bytes": self.bytes(&described.config),
            },
        })
    }

    fn operations(&self, parts: &[Part]) -> f64 {
        let costs = parts.iter().map(|part| part.cost);
        costs
            .map(|cost| cost.operations(self.sentences, self.words))
            .sum()
    }

    fn bytes(&self, config: &ModelConfig) -> u64 {
        config.document_bytes(self.sentences, self.words)
    }
}

/// A model folder of ours, or a model of another program.
fn describe_model(path: &Path) -> Result<Described> {
    let model = described_model(path)?;
    if model.format == "Canopy" {
        return describe_folder(&model.folder);
    }
    let files = imported_files(path).unwrap_or_else(|| path.to_owned());
    let (_, config) = foreign_parts(&files)?;
    let mut lines = vec![format!("{}, {}", model.pair(), model.licence_or_unknown())];
    let title = [model.title.as_str(), &model.version_words()].join(" ");
    if !title.trim().is_empty() {
        lines.push(title.trim().to_owned());
    }
    lines.push(model.format);
    Ok(Described {
        name: model.name,
        lines,
        config,
    })
}

fn describe_folder(folder: &Path) -> Result<Described> {
    let description = ModelFolder::open(folder)?;
    let record = &description.training;
    let licence = match description.licence.as_str() {
        "" => String::new(),
        licence => format!(", licence {licence}"),
    };
    let mut lines = vec![format!(
        "{} to {}{licence}",
        description.languages.source, description.languages.target
    )];
    if let Some(reranker) = &description.reranker {
        lines.push(format!(
            "chooses among translations by the model in {}, which translates back (weight {})",
            reranker.folder.display(),
            reranker.weight
        ));
    }
    if let Ok(preset) = Preset::named(&record.preset) {
        lines.extend(about(&preset));
    }
    if record.steps > 0 {
        let dev = record
            .dev_bleu
            .map_or_else(String::new, |bleu| format!(", dev BLEU {bleu:.2}"));
        lines.push(format!(
            "trained on {}: {} updates, {} target tokens, seed {}{dev}",
            record.corpus,
            thousands(record.steps),
            record.target_tokens,
            record.seed
        ));
    }
    Ok(Described {
        name: description.name,
        lines,
        config: description.model,
    })
}

fn about(preset: &Preset) -> Vec<String> {
    vec![
        preset.description.to_owned(),
        format!("{}: {}", preset.paper, preset.equations),
    ]
}

fn sizes(config: &ModelConfig) -> String {
    format!(
        "d_model {}, d_ff {}, {} heads, encoder {}, {} decoder layers, vocabulary {}, at most {} tokens a sentence",
        config.d_model,
        config.d_ff,
        config.num_heads,
        config.encoder,
        config.num_decoder_layers,
        thousands(config.vocab_size),
        config.max_tokens
    )
}

fn megabytes(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    format!("{megabytes:.0} MB")
}
