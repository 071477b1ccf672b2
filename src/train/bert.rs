//! The BERT of a new model, and the contexts that it reads.

use std::path::Path;
use std::sync::Arc;

use burn::tensor::Device;

use super::config::TrainingConfig;
use crate::error::{BaseError, Error, Result};
use canopy_corpus::error::Error as CorpusError;
use canopy_corpus::{
    ContextTexts, ContextsInfo, Corpus, ParallelDocument, Split, Unit, read_contexts,
};
use canopy_metrics::similarity::Measure;
use canopy_models::weights::{
    ContextSearch, EncoderFolder, EncoderKind, EncoderNetwork, EncoderPlace, EncoderVocabulary,
    ModelFolder, bert_sequence,
};
use canopy_nn::model::{
    Bert, BertReading, BertSequence, Context, ContextSentence, ModelConfig, Pooling, Preset,
};
use canopy_tokenize::WordPieces;
use canopy_translate::inference::imported_files;

/// An imported BERT, to be put into a new model.
pub(super) struct BertBase {
    pub bert: Box<Bert>,
    pub reading: BertReading,
    pub pieces: Arc<WordPieces>,
}

impl BertBase {
    /// None if the preset reads no BERT, or the run continues with a model that has one.
    pub(crate) fn open(
        config: &TrainingConfig,
        preset: &Preset,
        has_one: bool,
        device: &Device,
    ) -> Result<Option<Self>> {
        if !preset.reads_bert() || has_one {
            return Ok(None);
        }
        if config.bert.as_os_str().is_empty() {
            return Err(missing_bert(preset));
        }
        let folder = &config.bert;
        let description = EncoderFolder::open(folder)?;
        let network = description.load(folder, device)?;
        let (
            EncoderKind::Bert {
                max_tokens,
                pooling,
                normalised,
                sizes,
            },
            (EncoderNetwork::Bert(bert), EncoderVocabulary::Words(pieces)),
        ) = (description.encoder, network)
        else {
            let reason = "it is not a BERT; name an imported bert or sbert".to_owned();
            let path = folder.clone();
            return Err(canopy_models::error::Error::Encoder { reason, path }.into());
        };
        let reading = BertReading {
            // Two sentences, where the encoder was meant for one.
            max_tokens: (2 * max_tokens).min(sizes.max_tokens),
            trained: config.train_bert,
            pooling: pooling.unwrap_or(Pooling::Mean),
            normalised,
            sizes,
        };
        reading.validate()?;
        Ok(Some(Self {
            bert,
            reading,
            pieces: Arc::new(pieces),
        }))
    }

    /// `sizes` with this BERT, and contexts as `texts` has them.
    pub(crate) fn under(&self, sizes: ModelConfig, texts: &BertTexts) -> ModelConfig {
        let context = sizes.context.map(|context| match context {
            Context::Bert { fusion, .. } => Context::Bert {
                fusion,
                sentence: texts.sentence,
            },
            other => other,
        });
        ModelConfig {
            context,
            bert: Some(self.reading.clone()),
            ..sizes
        }
    }
}

/// The words that BERT reads of a corpus.
#[derive(Debug, Clone)]
pub struct BertTexts {
    /// BERT's word pieces.
    pub pieces: Arc<WordPieces>,
    /// The longest sequence that BERT reads, special pieces included.
    pub max_tokens: usize,
    /// Which sentence is read as context.
    pub sentence: ContextSentence,
    /// None where the place of a sentence says which one is its context.
    pub contexts: Option<ContextTexts>,
    /// How these were found, for the model's folder; none where none were searched for.
    pub search: Option<ContextSearch>,
    /// The encoder that found them, if that is not the model's BERT.
    pub encoder: Option<EncoderPlace>,
}

impl BertTexts {
    /// The texts of a run: with the word pieces of the model that it begins with, `known`, or else of `base`. None if no
    /// BERT is read.
    ///
    /// # Errors
    /// If contexts by similarity are missing, or the file of contexts cannot be read or does not fit the corpus.
    pub(super) fn for_run(
        config: &TrainingConfig,
        preset: &Preset,
        corpus: &Corpus,
        known: Option<&ModelFolder>,
        base: Option<&BertBase>,
    ) -> Result<Option<Self>> {
        let of_known = known.and_then(|known| {
            let max_tokens = known.model.bert.as_ref()?.max_tokens;
            Some((
                Arc::clone(known.pieces.as_ref()?),
                max_tokens,
                known.model.context,
            ))
        });
        let of_base = base.map(|base| {
            let sizes = preset.config(config.vocab_size);
            (
                Arc::clone(&base.pieces),
                base.reading.max_tokens,
                sizes.context,
            )
        });
        let Some((pieces, max_tokens, Some(context))) = of_known.or(of_base) else {
            return Ok(None);
        };
        let Some(sentence) = chosen(config, context)? else {
            return Ok(None);
        };
        let has_file = !config.contexts.as_os_str().is_empty();
        if !has_file && matches!(sentence, ContextSentence::Similar(_)) {
            return Err(missing_contexts());
        }
        let contexts = has_file.then(|| ContextTexts::open(&config.contexts, corpus));
        let contexts = contexts.transpose()?;
        let search = match (&contexts, sentence) {
            (Some(contexts), ContextSentence::Similar(_)) => {
                Some(search_of(config, contexts.info(), known)?)
            }
            _ => None,
        };
        let (search, encoder) = search.unzip();
        Ok(Some(Self {
            pieces,
            max_tokens,
            sentence,
            contexts,
            search,
            encoder: encoder.flatten(),
        }))
    }
}

impl BertTexts {
    /// BERT's sequences of each unit of a document and its context.
    pub(super) fn sequences(&self, split: Split, document: &ParallelDocument) -> Vec<BertSequence> {
        let units = document.paragraphs.iter().flat_map(|it| &it.units);
        let shown: Vec<String> = units.map(Unit::visible_source).collect();
        let contexts = self.contexts.as_ref();
        let contexts = contexts.and_then(|contexts| contexts.get(split, &document.id));
        let context = |row: usize| match (contexts, self.sentence) {
            (Some(contexts), _) => contexts[row].as_deref(),
            (None, ContextSentence::Previous) => Some(shown[row.checked_sub(1)?].as_str()),
            (None, ContextSentence::Same) => Some(shown[row].as_str()),
            (None, ContextSentence::Similar(_)) => None,
        };
        let rows = 0..shown.len();
        let (pieces, max_tokens) = (&self.pieces, self.max_tokens);
        rows.map(|row| bert_sequence(pieces, max_tokens, &shown[row], context(row)))
            .collect()
    }
}

/// Refuses a new run that lacks an encoder or contexts, before it uses up its folder.
///
/// # Errors
/// With the setting that is missing, or if one of the named files cannot be read.
pub(super) fn check(config: &TrainingConfig, preset: &Preset) -> Result<()> {
    if !preset.reads_bert() {
        return Ok(());
    }
    let mut context = preset.config(config.vocab_size).context;
    let mut has_bert = !config.bert.as_os_str().is_empty();
    let mut known = None;
    if !config.from.as_os_str().is_empty() && imported_files(&config.from).is_none() {
        let base = ModelFolder::open(&config.from)?;
        has_bert |= base.pieces.is_some();
        context = base.model.context.or(context);
        known = Some(base);
    }
    if !has_bert {
        return Err(missing_bert(preset));
    }
    let sentence = context.map(|context| chosen(config, context)).transpose()?;
    let Some(sentence) = sentence.flatten() else {
        return Ok(());
    };
    if config.contexts.as_os_str().is_empty() && matches!(sentence, ContextSentence::Similar(_)) {
        return Err(missing_contexts());
    }
    if matches!(sentence, ContextSentence::Similar(_)) {
        let (info, _) = read_contexts(&config.contexts)?;
        search_of(config, &info, known.as_ref())?;
    }
    Ok(())
}

fn missing_bert(preset: &Preset) -> Error {
    Error::Base(BaseError::Config {
        field: "bert",
        found: "missing".to_owned(),
        allowed: format!(
            "the folder of an imported BERT, which {} reads",
            preset.name
        ),
    })
}

fn missing_contexts() -> Error {
    Error::Base(BaseError::Config {
        field: "contexts",
        found: "missing".to_owned(),
        allowed: "a file of contexts for this corpus".to_owned(),
    })
}

/// The search that found the contexts of a file, and its encoder, if that is not the BERT of the new model: one that learns is
/// another afterwards. `known` is the model that the run begins or continues with.
///
/// # Errors
/// If that encoder is in none of the folders that may have it.
fn search_of(
    config: &TrainingConfig,
    info: &ContextsInfo,
    known: Option<&ModelFolder>,
) -> Result<(ContextSearch, Option<EncoderPlace>)> {
    let name = info.encoder.clone().unwrap_or_default();
    let range = info.range.as_deref().unwrap_or("each");
    let range = range.parse().map_err(|problem| CorpusError::Contexts {
        problem,
        line: 1,
        path: config.contexts.clone(),
    })?;
    let search = |own_encoder, max_tokens| ContextSearch {
        range,
        encoder: name.clone(),
        own_encoder,
        max_tokens,
        index: info.index.clone(),
    };
    if let Some(known) = known
        && let Some(contexts) = &known.contexts
        && contexts.encoder == name
        && (known.context_encoder.is_some() || !config.train_bert)
    {
        let search = search(contexts.own_encoder, contexts.max_tokens);
        return Ok((search, known.context_encoder.clone()));
    }
    let is_it = |folder: &Path| -> Result<bool> {
        let place = EncoderPlace::folder(folder);
        if folder.as_os_str().is_empty() || !place.exists() {
            return Ok(false);
        }
        match &info.encoder_digest {
            Some(digest) => Ok(*digest == place.digest()?),
            // An older file of contexts.
            None => Ok(EncoderFolder::open(folder)?.name == name),
        }
    };
    let learns = config.train_bert || known.is_some_and(|known| known.pieces.is_some());
    if !learns && is_it(&config.bert)? {
        let EncoderKind::Bert { max_tokens, .. } = EncoderFolder::open(&config.bert)?.encoder
        else {
            return Err(missing_encoder(config, &name));
        };
        return Ok((search(true, Some(max_tokens)), None));
    }
    let named = info.encoder_folder.as_deref();
    let places = [Some(config.context_encoder.as_path()), named];
    let places = places
        .into_iter()
        .chain([Some(config.bert.as_path())])
        .flatten();
    for folder in places {
        if is_it(folder)? {
            return Ok((search(false, None), Some(EncoderPlace::folder(folder))));
        }
    }
    // A model of an older program, of which nothing more is known.
    if known.is_some_and(|known| known.pieces.is_some() && known.contexts.is_none()) {
        return Ok((search(true, None), None));
    }
    Err(missing_encoder(config, &name))
}

fn missing_encoder(config: &TrainingConfig, name: &str) -> Error {
    let found = match config.context_encoder.to_string_lossy() {
        folder if folder.is_empty() => "missing".to_owned(),
        folder => folder.into_owned(),
    };
    Error::Base(BaseError::Config {
        field: "context_encoder",
        found,
        allowed: format!(
            "the folder of {name}, which chose the contexts, as it was then: the model chooses with it when it translates"
        ),
    })
}

/// How contexts are chosen in a run: as the file says, if there is one; none where no BERT is read.
///
/// # Errors
/// If the file cannot be read, or has other contexts than those that the system's encoder reads itself.
fn chosen(config: &TrainingConfig, context: Context) -> Result<Option<ContextSentence>> {
    let Some((_, own)) = context.bert() else {
        return Ok(None);
    };
    if config.contexts.as_os_str().is_empty() {
        return Ok(Some(own));
    }
    let (info, _) = read_contexts(&config.contexts)?;
    let found = context_from_file(&info, &config.contexts)?;
    if found != own && !matches!(context, Context::Bert { .. }) {
        return Err(Error::Base(BaseError::Config {
            field: "contexts",
            found: info.choice(),
            allowed:
                "none, or the sentences before: BERT reads the sentence before, as the encoder does"
                    .to_owned(),
        }));
    }
    Ok(Some(found))
}

fn context_from_file(info: &ContextsInfo, path: &Path) -> Result<ContextSentence> {
    let measure = info.measure.as_deref();
    let measure = Measure::ALL
        .into_iter()
        .find(|it| Some(it.name()) == measure);
    match (info.context.as_str(), measure) {
        ("similarity", Some(measure)) => Ok(ContextSentence::Similar(measure)),
        ("previous", _) => Ok(ContextSentence::Previous),
        ("same", _) => Ok(ContextSentence::Same),
        (other, _) => Err(CorpusError::Contexts {
            problem: format!(
                "contexts by {other} with the measure {:?} are unknown",
                info.measure
            ),
            line: 1,
            path: path.to_owned(),
        }
        .into()),
    }
}
