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
    EncoderFolder, EncoderKind, EncoderNetwork, EncoderVocabulary, ModelFolder, bert_sequence,
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
    /// None if the preset reads no BERT, or the run goes on with a model that has one.
    pub fn open(
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
            let reason = "it is no BERT; name an imported bert or sbert".to_owned();
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
    pub fn under(&self, sizes: ModelConfig, texts: &BertTexts) -> ModelConfig {
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
    pub pieces: Arc<WordPieces>,
    pub max_tokens: usize,
    pub sentence: ContextSentence,
    /// None where the place of a sentence says which one is its context.
    pub contexts: Option<ContextTexts>,
}

impl BertTexts {
    /// The texts of a run: with the word pieces of the model that it begins with, `known`, or else of `base`. None if no
    /// BERT is read.
    ///
    /// # Errors
    /// If contexts by similarity are missing, or the file of contexts cannot be read or does not fit the corpus.
    pub(super) fn of_run(
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
        let Some((pieces, max_tokens, Some(Context::Bert { sentence, .. }))) = of_known.or(of_base)
        else {
            return Ok(None);
        };
        let sentence = chosen(config, sentence)?;
        let has_file = !config.contexts.as_os_str().is_empty();
        if !has_file && matches!(sentence, ContextSentence::Similar(_)) {
            return Err(missing_contexts());
        }
        let contexts = has_file.then(|| ContextTexts::open(&config.contexts, corpus));
        Ok(Some(Self {
            pieces,
            max_tokens,
            sentence,
            contexts: contexts.transpose()?,
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
    if !config.from.as_os_str().is_empty() && imported_files(&config.from).is_none() {
        let base = ModelFolder::open(&config.from)?;
        has_bert |= base.pieces.is_some();
        context = base.model.context.or(context);
    }
    if !has_bert {
        return Err(missing_bert(preset));
    }
    let Some(Context::Bert { sentence, .. }) = context else {
        return Ok(());
    };
    let sentence = chosen(config, sentence)?;
    if config.contexts.as_os_str().is_empty() && matches!(sentence, ContextSentence::Similar(_)) {
        return Err(missing_contexts());
    }
    Ok(())
}

fn missing_bert(preset: &Preset) -> Error {
    Error::Base(BaseError::Config {
        field: "bert",
        found: "missing".to_owned(),
        allowed: format!(
            "the folder of an imported BERT, which {} reads: canopy model import",
            preset.name
        ),
    })
}

fn missing_contexts() -> Error {
    Error::Base(BaseError::Config {
        field: "contexts",
        found: "missing".to_owned(),
        allowed: "a file of `canopy corpus select-context` for this corpus".to_owned(),
    })
}

/// How contexts are chosen in a run: as the file says, if there is one.
pub(super) fn chosen(config: &TrainingConfig, preset: ContextSentence) -> Result<ContextSentence> {
    if config.contexts.as_os_str().is_empty() {
        return Ok(preset);
    }
    let (info, _) = read_contexts(&config.contexts)?;
    of_file(&info, &config.contexts)
}

fn of_file(info: &ContextsInfo, path: &Path) -> Result<ContextSentence> {
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
