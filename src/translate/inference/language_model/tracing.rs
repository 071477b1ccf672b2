//! Traces of language models: every prompt is read once more with its translation, and the attention after which each word
//! was written is recorded.
//!
//! A word of the translation attends to the words of its own source sentence (the cross-attention of a trace) and, unless an
//! encoder reads that sentence alone, to those of the sentences before (its decoder context), of which a sentence has the
//! weight of source and translation together. The rest of both is what the instructions, terms, memory entries and the
//! translation so far have. The first token, on which heads rest that look for nothing (Xiao et al., "Efficient Streaming
//! Language Models with Attention Sinks", ICLR 2024), is distinguished, as a gate.

use std::ops::Range;

use crate::error::Result;
use canopy_document::document::Document;
use canopy_explain::trace::{
    AttentionMap, GateValues, MapInfo, MapKind, MapRow, Normaliser, Overview, SentenceWeight, Side,
    Trace, TracedModel, TracedSentence, Units, Visible,
};
use canopy_llm::{Attention, Specials, Tokenizer};
use canopy_qa::llm::{Conversation, Request};

use super::{Chat, DocumentChat, LocalChat};

/// Weights below it are dropped.
const LEAST: f32 = 0.001;

/// The sign of a word's beginning, as pieces of SentencePiece have it.
const BEGINS: &str = "▁";

/// The sentence that a token of a prompt belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// Instructions, terms, memory entries, and what the template adds.
    Prompt,
    /// The source of a sentence before, and the number of the token in it.
    Source { sentence: usize, place: usize },
    /// The translation of a sentence before.
    Target { sentence: usize },
    /// The source that is translated.
    Own { place: usize },
}

impl Owner {
    /// The sentence before that it belongs to.
    pub(crate) fn sentence_before(self) -> Option<usize> {
        match self {
            Self::Source { sentence, .. } | Self::Target { sentence } => Some(sentence),
            Self::Prompt | Self::Own { .. } => None,
        }
    }
}

/// A trace that is made sentence by sentence.
struct Tracer {
    trace: Trace,
    num_heads: usize,
    /// Whether there are maps of the sentences before, behind those of the source of each layer, and gates.
    has_context: bool,
    /// First row of each source sentence so far, then the number of rows.
    starts: Vec<usize>,
}

/// Traces a model over a document and its translations, one for each sentence or none, in the order in which it has
/// translated them.
///
/// # Errors
/// If the model refuses a prompt.
pub(super) fn traced(
    mut chat: DocumentChat<'_, LocalChat>,
    (name, probed_heads): (&str, Vec<(usize, usize)>),
    targets: &[Option<String>],
) -> Result<Trace> {
    let mut tracer = Tracer::new(&mut chat, name);
    tracer.trace.overview.model.probed_heads = probed_heads;
    for (sentence, target) in targets.iter().enumerate() {
        let target = target.as_deref().unwrap_or_default();
        tracer.add(&mut chat, sentence, target)?;
    }
    tracer.trace.fill_gates();
    Ok(tracer.trace)
}

impl Tracer {
    fn new(chat: &mut DocumentChat<'_, LocalChat>, name: &str) -> Self {
        let has_context = !chat.chat.reads_sentences_alone();
        let model = chat.chat.model();
        let (num_layers, num_heads) = (model.network.num_layers(), model.network.num_heads());
        let map = |layer, head, kind| AttentionMap {
            info: MapInfo {
                kind,
                layer,
                head,
                queries: Units::TargetWords,
                keys: Units::SourceWords,
                visible: match kind {
                    MapKind::Cross => Visible::Own,
                    _ => Visible::Earlier,
                },
                windowed: false,
                normaliser: Normaliser::Softmax,
                sentence_normaliser: None,
                threshold: LEAST,
                includes_own: kind != MapKind::Cross,
            },
            rows: Vec::new(),
        };
        let kinds = kinds(has_context);
        let layers = (0..num_layers).flat_map(|layer| {
            let heads = move |kind| (0..num_heads).map(move |head| (layer, head, kind));
            kinds.iter().copied().flat_map(heads)
        });
        let gate = |layer| GateValues {
            name: "attention to the first token, where heads rest (1: all of it)".to_owned(),
            layer,
            side: Side::Target,
            mean: Vec::new(),
            min: Vec::new(),
            max: Vec::new(),
        };
        let overview = Overview {
            model: TracedModel {
                name: name.to_owned(),
                system: "language model".to_owned(),
                num_decoder_layers: num_layers,
                num_heads,
                ..TracedModel::default()
            },
            document: chat.document.name.clone(),
            source_language: chat.languages.source.clone(),
            target_language: chat.languages.target.clone(),
            sections: chat.document.sections.clone(),
            gates: (0..num_layers).filter(|_| has_context).map(gate).collect(),
            ..Overview::default()
        };
        let maps = layers.map(|(layer, head, kind)| map(layer, head, kind));
        Self {
            trace: Trace {
                maps: maps.collect(),
                overview,
            },
            num_heads,
            has_context,
            starts: vec![0],
        }
    }

    /// Adds a sentence, which those after it read then.
    fn add(
        &mut self,
        chat: &mut DocumentChat<'_, LocalChat>,
        sentence: usize,
        target: &str,
    ) -> Result<()> {
        let [mut source_side, mut target_side] = located(chat.document, sentence, target);
        let is_read = chat.reads(sentence);
        let source = &chat.document.sentences[sentence];
        let request = chat.request(&source.text, &source.points);
        if is_read && !target.is_empty() && !chat.is_long(&request) {
            chat.make_room(&request, sentence);
            let conversation = chat.conversation.clone();
            let written = chat.as_written(target, &source.points);
            let [read, written] = self.record(&mut chat.chat, &conversation, &request, &written)?;
            source_side.tokens = read;
            target_side.tokens = written;
        }
        if is_read {
            chat.read(sentence, target);
        }
        let end = self.starts[sentence] + source_side.tokens.len();
        self.starts.push(end);
        self.trace.overview.source.push(source_side);
        self.trace.overview.target.push(target_side);
        Ok(())
    }

    /// Records the translation of a request; gives the tokens of both.
    fn record(
        &mut self,
        chat: &mut LocalChat,
        conversation: &Conversation,
        request: &Request,
        target: &str,
    ) -> Result<[Vec<String>; 2]> {
        let (prompt, owners) = owned_prompt(chat, conversation, request)?;
        let answer = answer_ids(chat, target);
        let tokenizer = &chat.session().model().tokenizer;
        let own = owners.iter().zip(&prompt);
        let own = own.filter(|(owner, _)| matches!(owner, Owner::Own { .. }));
        let read = own.map(|(_, id)| piece(tokenizer, *id)).collect();
        let written = answer.iter().map(|id| piece(tokenizer, *id)).collect();
        let mut recorder = |attention: Attention<'_>| self.push(attention, &owners);
        chat.session().record(&prompt, &answer, &mut recorder)?;
        Ok([read, written])
    }

    /// Adds the row of a word in both maps of a head.
    fn push(&mut self, attention: Attention<'_>, owners: &[Owner]) {
        let Attention {
            layer,
            head,
            first,
            weights,
            ..
        } = attention;
        let (mut own, mut words) = (Vec::new(), Vec::new());
        let mut sentences: Vec<SentenceWeight> = Vec::new();
        let mut add = |sentence: usize, weight: f32| match sentences.last_mut() {
            Some(last) if last.sentence as usize == sentence => last.weight += weight,
            _ => sentences.push(SentenceWeight {
                sentence: number(sentence),
                weight,
                ..SentenceWeight::default()
            }),
        };
        let first_own = self.starts.last().copied().unwrap_or_default();
        let seen = owners.get(first..).unwrap_or_default();
        for (owner, &weight) in seen.iter().zip(weights) {
            let is_kept = weight >= LEAST;
            match *owner {
                Owner::Own { place } if is_kept => own.push((number(first_own + place), weight)),
                Owner::Prompt | Owner::Own { .. } => {}
                Owner::Target { sentence } => add(sentence, weight),
                Owner::Source { sentence, place } => {
                    let row = self.starts[sentence] + place;
                    if is_kept && row < self.starts[sentence + 1] {
                        words.push((number(row), weight));
                    }
                    add(sentence, weight);
                }
            }
        }
        let row = |words: Vec<(u32, f32)>| {
            let kept: f32 = words.iter().map(|word| word.1).sum();
            MapRow {
                words,
                rest: (1.0 - kept).max(0.0),
                ..MapRow::default()
            }
        };
        sentences.retain(|sentence| sentence.weight >= LEAST);
        let before = kinds(self.has_context).len() * layer * self.num_heads;
        let maps = &mut self.trace.maps[before..];
        maps[head].rows.push(row(own));
        if !self.has_context {
            return;
        }
        let context = row(words).with_sentences(sentences);
        maps[self.num_heads + head].rows.push(context);
        let sink = if first == 0 { weights[0] } else { 0.0 };
        self.add_sink(layer, head, sink);
    }

    /// Adds what a head gives to the first token.
    fn add_sink(&mut self, layer: usize, head: usize, sink: f32) {
        let gate = &mut self.trace.overview.gates[layer];
        let share = sink / self.num_heads as f32;
        match (
            gate.mean.last_mut(),
            gate.min.last_mut(),
            gate.max.last_mut(),
        ) {
            (Some(mean), Some(min), Some(max)) if head > 0 => {
                *mean += share;
                *min = min.min(sink);
                *max = max.max(sink);
            }
            _ => {
                gate.mean.push(share);
                gate.min.push(sink);
                gate.max.push(sink);
            }
        }
    }
}

/// The maps of a head.
pub(super) fn kinds(has_context: bool) -> &'static [MapKind] {
    let all: &[MapKind] = &[MapKind::Cross, MapKind::DecoderContext];
    if has_context { all } else { &all[..1] }
}

/// The tokens of a prompt, and the owner of each.
///
/// # Errors
/// If the model refuses the conversation.
pub(super) fn owned_prompt(
    chat: &mut LocalChat,
    conversation: &Conversation,
    request: &Request,
) -> Result<(Vec<u32>, Vec<Owner>)> {
    let (text, prompt) = chat.prompt(conversation, request, &[])?;
    let places = chat.model().tokenizer.places(&text, &prompt);
    let owners = owners(chat, (&text, &places), conversation, request);
    Ok((prompt, owners))
}

/// The tokens of a translation behind a prompt.
pub(super) fn answer_ids(chat: &mut LocalChat, target: &str) -> Vec<u32> {
    let (before, begins) = chat.before_answers();
    let tokenizer = &chat.model().tokenizer;
    let target = format!("{before}{}", tokenizer.defused(target));
    tokenizer.encode(&target, Specials::AsText, begins)
}

/// The owner of each token of a prompt.
fn owners(
    chat: &LocalChat,
    (text, places): (&str, &[Range<usize>]),
    conversation: &Conversation,
    request: &Request,
) -> Vec<Owner> {
    let tokenizer = &chat.model().tokenizer;
    let mut owners = vec![Owner::Prompt; places.len()];
    let mut end = 0;
    // The tokens of `part`, which ends what is found next.
    let mut next = |wanted: &str, part: &str| {
        let (wanted, part) = (tokenizer.defused(wanted), tokenizer.defused(part));
        let Some(start) = text[end..].find(&wanted) else {
            return 0..0;
        };
        end += start + wanted.len();
        let bytes = end - part.len()..end;
        let first = places.partition_point(|place| place.end <= bytes.start);
        first..places.partition_point(|place| place.start < bytes.end)
    };
    for turn in conversation.turns() {
        let sentence = turn.sentence;
        let message = chat.request_text(conversation, &turn.request);
        let tokens = next(&message, &turn.request.source);
        for (place, owner) in owners[tokens].iter_mut().enumerate() {
            *owner = Owner::Source { sentence, place };
        }
        let tokens = next(&turn.translation, &turn.translation);
        owners[tokens].fill(Owner::Target { sentence });
    }
    let message = chat.request_text(conversation, request);
    let tokens = next(&message, &request.source);
    for (place, owner) in owners[tokens].iter_mut().enumerate() {
        *owner = Owner::Own { place };
    }
    owners
}

/// Both sides of a sentence, without tokens.
fn located(document: &Document, sentence: usize, target: &str) -> [TracedSentence; 2] {
    let position = document.position(sentence);
    let source = &document.sentences[sentence];
    [source.text.as_str(), target].map(|text| TracedSentence {
        tokens: Vec::new(),
        text: text.to_owned(),
        points: source.points.clone(),
        section: position.section,
        paragraph: position.paragraph,
        sentence_in_paragraph: position.sentence_in_paragraph,
    })
}

/// A token for people.
pub(super) fn piece(tokenizer: &Tokenizer, id: u32) -> String {
    let text = tokenizer.decode(&[id]);
    match text.strip_prefix(' ') {
        Some(rest) => format!("{BEGINS}{rest}"),
        None => text,
    }
}

fn number(number: usize) -> u32 {
    u32::try_from(number).expect("words and sentences fit 32 bits")
}
