//! `canopy translate` of folders and lists: many documents, by as many processes as are at hand.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{json, to_value};

use super::arguments::TranslateArguments;
use super::language_model::LanguageModels;
use super::languages::Translators;
use crate::error::{Error, Result};
use crate::inputs::check_output;
use crate::options::wrong_usage;
use crate::terminal::{print, warn};
use canopy_base::digest::digest_of_files;
use canopy_document::document::{Document, Format};
use canopy_document::export::ExportFormat;
use canopy_project::batch::{Batch, BatchDocument, BatchOptions, Outcome, files_below, place_of};
use canopy_translate::inference::Translator;

/// Number of documents from which the language of a batch is detected.
const DETECTED_BY: usize = 5;

impl TranslateArguments {
    /// Whether a folder, a list of documents or a share of them is to be translated.
    pub(crate) fn is_batch(&self) -> bool {
        self.batch.shard.is_some() || self.names_many()
    }

    fn names_many(&self) -> bool {
        self.batch.list.is_some() || self.inputs.iter().any(|input| input.is_dir())
    }

    fn batch_folder(&self) -> &Path {
        if self.trace.is_some() {
            wrong_usage(
                "translate",
                "--trace is for one document; a folder or a list has many",
            );
        }
        match &self.output {
            Some(folder) if folder.as_os_str() != "-" => folder,
            _ => wrong_usage(
                "translate",
                "a folder, a list or a share of documents (--shard) is translated into a folder: name one with --output",
            ),
        }
    }

    /// The documents of all folders and lists, and the files named individually.
    fn batch_documents(&self, folder: &Path) -> Result<Vec<BatchDocument>> {
        let mut documents = Vec::new();
        let mut add = |source: PathBuf, below: PathBuf| {
            if let Some(name) = self.written_name(&source) {
                let output = below.with_file_name(name);
                documents.push(BatchDocument { source, output });
            }
        };
        let mut num_others = 0;
        for input in &self.inputs {
            if input.is_dir() {
                for (source, below) in files_below(input, folder)? {
                    if self.format.or_else(|| Format::from_path(&source)).is_some() {
                        add(source, below);
                    } else {
                        num_others += 1;
                    }
                }
            } else if input.as_os_str() == "-" {
                wrong_usage(
                    "translate",
                    "standard input is one document: --shard has no share of it",
                );
            } else if self.names_many() {
                if let Some(below) = place_of(input) {
                    add(input.clone(), below);
                }
            } else if let Some(name) = input.file_name() {
                // As without --shard.
                add(input.clone(), PathBuf::from(name));
            }
        }
        if let Some(list) = &self.batch.list {
            for source in listed(list)? {
                if let Some(below) = place_of(&source) {
                    add(source, below);
                }
            }
        }
        if num_others > 0 {
            warn(&format!(
                "{num_others} files of unknown formats are left out (--format)"
            ));
        }
        Ok(documents)
    }

    /// The identity of these translations: the program's version, the model by its content, and all options that matter.
    fn settings(&self, models: &[&Path]) -> Result<String> {
        let models = models.iter().map(|path| digest_of_all(path));
        let models = models.collect::<Result<Vec<_>>>()?;
        let memories = self.memory.memory.iter();
        let memories = memories.map(|memory| Ok((digest_of_all(&memory.path)?, memory.penalty)));
        let memories = memories.collect::<Result<Vec<_>>>()?;
        let digest = |path: &Option<PathBuf>| path.as_deref().map(digest_of_all).transpose();
        Ok(json!({
            "version": env!("CARGO_PKG_VERSION"),
            "models": models,
            "memory": memories,
            "terms": digest(&self.terms.terms)?,
            "term_mode": format!("{:?}", self.terms.term_mode),
            "reranker": digest(&self.reranker)?,
            "adapt": self.adapt,
            "from": self.from,
            "to": self.to,
            "beam": self.beam,
            "address": format!("{:?}", self.search.formality()),
            "quantize": format!("{:?}", self.search.quantize),
            "shortlist": if self.search.scores_all_words() {
                Some("none".to_owned())
            } else {
                digest(&self.search.shortlist)?
            },
            "format": self.format.map(Format::extension),
            "reading": format!("{:?}", self.reading_options()),
            "pseudo": format!("{:?}", self.pseudo),
            "json": self.json,
            "alternatives": self.alternatives,
            "export": self.export.map(ExportFormat::name),
            "lines": [self.line_chars, self.cue_lines],
            "llm": self.llm.names(),
            "context_tokens": self.context_tokens,
        })
        .to_string())
    }
}

/// The lines of a list that are not empty.
fn listed(list: &Path) -> Result<Vec<PathBuf>> {
    let reader: Box<dyn Read> = if list.as_os_str() == "-" {
        Box::new(std::io::stdin())
    } else {
        Box::new(std::fs::File::open(list).map_err(Error::read(list))?)
    };
    let mut paths = Vec::new();
    for line in BufReader::new(reader).lines() {
        let line = line.map_err(Error::read(list))?;
        if !line.trim().is_empty() {
            paths.push(PathBuf::from(line));
        }
    }
    Ok(paths)
}

/// SHA-256 of a file, or of the files of a folder.
fn digest_of_all(path: &Path) -> Result<String> {
    if !path.is_dir() {
        return Ok(digest_of_files([path])?);
    }
    let files = files_below(path, Path::new(""))?;
    Ok(digest_of_files(files.into_iter().map(|(file, _)| file))?)
}

pub(crate) fn run(arguments: &TranslateArguments) -> Result<()> {
    let folder = arguments.batch_folder();
    let mut batch = Batch::new(arguments.batch_documents(folder)?, folder.to_owned())?;
    let inputs = arguments.read_paths();
    for document in batch.documents() {
        let files = inputs.iter().copied().filter(|input| !input.is_dir());
        check_output(&folder.join(&document.output), files)?;
    }
    if let Some(shard) = arguments.batch.shard {
        batch.keep(shard);
    }
    let first = first_documents(arguments, &batch);
    let mut translators = Translators::new(arguments, &first);
    let mut language_model = LanguageModels::from_arguments(arguments, &first);
    let is_without = arguments.pseudo.is_some() || language_model.is_some();
    let translator = match first.first().filter(|_| !is_without) {
        Some(document) => match translators.for_document(arguments, document) {
            // It fails by itself; others may have models.
            Err(Error::DeclaredTarget { .. }) => None,
            opened => Some(&*opened?),
        },
        _ => None,
    };
    let legs = [translator, translator.and_then(Translator::second)];
    let folders = legs.iter().flatten().map(|leg| leg.info().folder.as_path());
    let folders = folders.chain(language_model.as_ref().map(LanguageModels::path));
    let options = BatchOptions {
        settings: arguments.settings(&folders.collect::<Vec<_>>())?,
        lease: Duration::from_secs(arguments.batch.lease_secs as u64),
        waits: !arguments.batch.no_wait,
        force: arguments.force,
    };
    let mut num_failed = 0;
    let mut translate = |document: &BatchDocument| {
        let mut document = arguments.read(Some(&document.source))?;
        if let Some(pseudo) = arguments.pseudo {
            return arguments.pseudo_bytes(pseudo, &document);
        }
        arguments.retarget(&mut document);
        if let Some(model) = &mut language_model {
            return model.bytes(arguments, &document);
        }
        let translator = translators.for_document(arguments, &document)?;
        arguments.bytes(translator, &document)
    };
    let mut report = |document: &BatchDocument, outcome: Outcome| {
        num_failed += usize::from(matches!(outcome, Outcome::Failed { .. }));
        let mut line = to_value(&outcome).unwrap_or_default();
        line["document"] = json!(document.output.to_string_lossy());
        print(&format!("{line}\n"))
    };
    batch.run(&options, &mut translate, &mut report)?;
    if num_failed == 0 {
        return Ok(());
    }
    Err(Error::Batch {
        failed: num_failed,
        num: batch.documents().len(),
    })
}

/// Documents from which the language of a batch is detected.
fn first_documents(arguments: &TranslateArguments, batch: &Batch) -> Vec<Document> {
    let sources = batch.documents().iter().map(|it| it.source.as_path());
    let readable = sources.filter_map(|source| arguments.read(Some(source)).ok());
    let mut documents: Vec<Document> = readable.take(DETECTED_BY).collect();
    for document in &mut documents {
        arguments.retarget(document);
    }
    documents
}
