//! Which sentences a word attended to, from what the layers themselves hand out.
//!
//! The weight of a sentence is the sum over heads and layers of the weights of its words, or of its encoding. The decoder
//! is asked in the row where the form is chosen; the encoder in all rows of its sentence, each by the share that this row
//! of the decoder has of it in its cross-attention. The own sentence is left out: it never decides.

use burn::tensor::Tensor;
use canopy::kernels::{DropoutSource, Segment, SelectedWeights};
use canopy::model::{
    Batch, ContextAttention, Documents, Encoded, Encoder, FlatAttention, FlatLevel, GatedContext,
    HanContext, Kept, Memory, Model, Network, Reader, Rows, SENTENCE_BREAK, Transformer,
};

use super::documents::Mention;

/// Weights of all sentences of a batch for each of them, as its mention read them.
pub struct Attended {
    weights: Vec<Vec<f32>>,
    /// How much each word of each sentence counts, by its place.
    shares: Vec<Vec<f32>>,
}

impl Attended {
    pub fn by(model: &Model, batch: &Batch) -> Self {
        let Network::Transformer(network) = &model.network else {
            panic!("a system without context");
        };
        let sentences = batch.source.sentences.len();
        let mut attended = Self {
            weights: vec![vec![0.0; sentences]; sentences],
            shares: cross_attention(model, network, batch),
        };
        let stage_one = model.stage_one.as_ref();
        attended.encoder(network, stage_one, &batch.source);
        if model.is_bilingual() {
            let mut alone = vec![0.0; Mention::PLACE + 1];
            alone[Mention::PLACE] = 1.0;
            attended.shares = vec![alone; sentences];
            attended.decoder(network, stage_one, batch);
        }
        attended
    }

    /// The other sentence that a mention's noun and form read most of.
    pub fn largest(&self, mention: &Mention) -> Option<usize> {
        let weights = &self.weights[mention.sentence];
        let others = (0..weights.len()).filter(|&other| other != mention.sentence);
        others
            .filter(|&other| weights[other] > 0.0)
            .max_by(|&a, &b| weights[a].total_cmp(&weights[b]))
    }

    fn encoder(&mut self, network: &Transformer, stage_one: Option<&Transformer>, source: &Rows) {
        let none = DropoutSource::none();
        if network.concatenated > 0 {
            self.concatenated(network, source);
            return;
        }
        let documents = source.layout();
        let readers = documents.readers();
        if let Some(context) = network.encoder.contexts.first() {
            assert_eq!(network.encoder.contexts.len(), 1, "layers with a context");
            let embedded = network.embedding.forward(source, &none);
            // Additional heads read what the self-attention reads.
            let x = match context.norm {
                Some(_) => network.encoder.sublayers[0].forward(
                    embedded.clone(),
                    &source.own_segments(),
                    &none,
                ),
                None => embedded.clone(),
            };
            if let Some(previous) = &network.encoder.previous {
                let memory = previous.of(&network.embedding, source, &none);
                let size = previous.context_size;
                self.previous(&context.attention, x, &memory, &documents, size);
            } else {
                let words = match context.attention {
                    // Encodings are made of what enters the layer.
                    ContextAttention::Sentences(_) => embedded,
                    _ => x.clone(),
                };
                let memory = Memory::of(words, documents.clone());
                self.attention(&context.attention, x, &readers, &memory);
            }
        }
        if let Some(gated) = &network.encoder.gated {
            let plain = Transformer {
                encoder: Encoder {
                    gated: None,
                    ..network.encoder.clone()
                },
                ..network.clone()
            };
            let states = plain.encode(source, None, &none).states;
            let of_stage_one = |model: &Transformer| model.encode(source, None, &none).states;
            let words = stage_one.map_or_else(|| states.clone(), of_stage_one);
            self.gated(gated, states, &readers, &Memory::of(words, documents));
        }
    }

    fn decoder(&mut self, network: &Transformer, stage_one: Option<&Transformer>, batch: &Batch) {
        let (none, source) = (DropoutSource::none(), &batch.source);
        let of_stage_one = |model: &Transformer| model.encode(source, None, &none);
        let memory = stage_one.map(|model| of_stage_one(model).states);
        let encoded = network.encode(source, memory, &none);
        let translations = match stage_one {
            Some(model) => model.translations(&batch.references, &of_stage_one(model), &none),
            None => network.translations(&batch.references, &encoded, &none),
        };
        let decoded = network.decode(&batch.target, &encoded, &none);
        let gated = network.decoder.gated.as_ref().expect("a bilingual context");
        let queries = match gated {
            GatedContext::Layer(_) => decoded.attended,
            GatedContext::Han(_) => decoded.states,
        };
        let readers: Vec<Reader> = batch
            .target
            .sentences
            .iter()
            .zip(&batch.translated)
            .map(|(rows, &sentence)| Reader {
                rows: rows.clone(),
                sentence,
            })
            .collect();
        self.gated(gated, queries, &readers, &translations);
    }

    fn gated(
        &mut self,
        gated: &GatedContext,
        queries: Tensor<2>,
        readers: &[Reader],
        memory: &Memory,
    ) {
        match gated {
            GatedContext::Layer(layer) => {
                self.attention(&layer.attention, queries, readers, memory);
            }
            GatedContext::Han(han) => self.han(han, queries, readers, memory),
        }
    }

    fn attention(
        &mut self,
        attention: &ContextAttention,
        queries: Tensor<2>,
        readers: &[Reader],
        Memory {
            keys,
            values,
            documents,
            encodings: _,
        }: &Memory,
    ) {
        let (keys, values) = (keys.clone(), values.clone());
        match attention {
            ContextAttention::Sentences(attention) => {
                let (encodings, numbers, segments) =
                    attention.encodings(values, readers, documents);
                let weights = attention.attention.weights(queries, encodings, &segments);
                self.add_keys(&weights, readers, &segments, |key| Some(numbers[key]));
            }
            ContextAttention::Conditional(attention) => {
                let encodings = attention
                    .source2token
                    .forward(values.clone(), &documents.sentences);
                let projected = attention.heads.project(queries, values, encodings);
                let choice = attention.heads.choose(&projected, readers, documents);
                let weights = attention
                    .heads
                    .weights(&projected, &documents.sentences, &choice);
                self.add_choice(&choice, &weights, attention.heads.num_heads, readers);
            }
            ContextAttention::Tree(attention) => {
                let encodings = attention
                    .source2token
                    .forward(values.clone(), &documents.sentences);
                let found = attention
                    .tree
                    .choose(queries, readers, values, encodings, documents);
                let heads = &attention.tree.heads;
                let weights = heads.weights(&found.projected, &documents.sentences, &found.choice);
                self.add_choice(&found.choice, &weights, heads.num_heads, readers);
            }
            ContextAttention::Selective(attention) => {
                let projected = attention.project(queries, keys, values, documents);
                let choice = attention.choose(&projected, readers, documents);
                let weights = attention.weights(&projected, &documents.sentences, &choice);
                self.add_choice(&choice, &weights, attention.num_heads, readers);
            }
            ContextAttention::Flat(attention) => {
                self.flat(attention, queries, readers, keys, documents);
            }
            ContextAttention::Previous(_) => unreachable!("has a memory of its own"),
        }
    }

    fn flat(
        &mut self,
        attention: &FlatAttention,
        queries: Tensor<2>,
        readers: &[Reader],
        keys: Tensor<2>,
        documents: &Documents,
    ) {
        let (weights, numbers, segments) = attention.weights(queries, readers, keys, documents);
        self.add_keys(&weights, readers, &segments, |key| match attention.level {
            FlatLevel::Sentence => Some(numbers[key]),
            FlatLevel::Word => documents
                .sentences
                .iter()
                .position(|words| words.contains(&numbers[key])),
        });
    }

    fn han(&mut self, han: &HanContext, queries: Tensor<2>, readers: &[Reader], memory: &Memory) {
        let documents = &memory.documents;
        let summaries = han.summaries(queries.clone(), readers, memory.values.clone(), documents);
        let weights = han.sentence_weights(queries, summaries, readers, documents);
        let [_, heads, _, slots] = weights.dims();
        let weights: Vec<f32> = weights.into_data().iter().collect();
        let rows = weights.chunks_exact(heads * slots);
        let of_rows = readers
            .iter()
            .flat_map(|reader| reader.rows.clone().map(move |row| (reader, row)));
        for ((reader, row), weights) in of_rows.zip(rows) {
            let share = self.share(reader, row);
            let document = documents
                .documents
                .iter()
                .find(|range| range.contains(&reader.sentence));
            let first = document
                .expect("its document")
                .start
                .max(reader.sentence.saturating_sub(slots));
            for weights in weights.chunks_exact(slots) {
                for (other, weight) in (first..reader.sentence).zip(weights) {
                    self.weights[reader.sentence][other] += share * weight;
                }
            }
        }
    }

    /// Attention to the words of the previous sentences, one after the other.
    fn previous(
        &mut self,
        attention: &ContextAttention,
        x: Tensor<2>,
        memory: &Memory,
        documents: &Documents,
        previous: usize,
    ) {
        let ContextAttention::Previous(attention) = attention else {
            unreachable!("a memory of previous sentences");
        };
        let readers = documents.readers();
        let segments: std::sync::Arc<[Segment]> = readers
            .iter()
            .map(|reader| Segment {
                queries: reader.rows.clone(),
                keys: memory.documents.sentences[reader.sentence].clone(),
            })
            .collect();
        let weights = attention.weights(x, memory.values.clone(), &segments);
        let of_key = |key: usize| {
            let reader = memory
                .documents
                .sentences
                .iter()
                .position(|keys| keys.contains(&key))?;
            let mut start = memory.documents.sentences[reader].start;
            before(documents, reader, previous).find(|&other| {
                start += documents.sentences[other].len();
                key < start
            })
        };
        self.add_keys(&weights, &readers, &segments, of_key);
    }

    /// Self-attention over the previous sentences and a sentence's own words.
    fn concatenated(&mut self, network: &Transformer, source: &Rows) {
        let none = DropoutSource::none();
        let (joined, own) = source.concatenated(network.concatenated, SENTENCE_BREAK);
        let (documents, segments) = (source.layout(), joined.own_segments());
        let readers: Vec<Reader> = own
            .iter()
            .enumerate()
            .map(|(sentence, rows)| Reader {
                rows: rows.clone(),
                sentence,
            })
            .collect();
        let of_key = |key: usize| {
            let reader = joined
                .sentences
                .iter()
                .position(|rows| rows.contains(&key))?;
            let mut start = joined.sentences[reader].start;
            let mut others = before(&documents, reader, network.concatenated);
            let found = others.find(|&other| {
                start += documents.sentences[other].len() + 1;
                key < start
            });
            Some(found.unwrap_or(reader))
        };
        let mut x = network.embedding.forward(&joined, &none);
        for sublayer in &network.encoder.sublayers {
            if let Some(attention) = &sublayer.attention {
                let weights = attention.weights(x.clone(), x.clone(), &segments);
                self.add_keys(&weights, &readers, &segments, of_key);
            }
            x = sublayer.forward(x, &segments, &none);
        }
    }

    /// Adds weights `[segments, heads, tgt, src]` of keys that belong to sentences; segments without queries are missing.
    fn add_keys(
        &mut self,
        weights: &Tensor<4>,
        readers: &[Reader],
        segments: &[Segment],
        sentence_of: impl Fn(usize) -> Option<usize>,
    ) {
        let [_, heads, tgt, src] = weights.dims();
        let numbers: Vec<f32> = weights.to_data().iter().collect();
        for (reader, (segment, index)) in readers.iter().zip(segments.iter().zip(0..)) {
            for row in reader.rows.clone() {
                let (word, share) = (row - segment.queries.start, self.share(reader, row));
                for head in 0..heads {
                    let start = ((index * heads + head) * tgt + word) * src;
                    let row = &numbers[start..start + segment.keys.len()];
                    for (key, weight) in segment.keys.clone().zip(row) {
                        if let Some(sentence) = sentence_of(key) {
                            self.weights[reader.sentence][sentence] += share * weight;
                        }
                    }
                }
            }
        }
    }

    fn add_choice(
        &mut self,
        choice: &[Kept],
        weights: &[SelectedWeights],
        num_heads: usize,
        readers: &[Reader],
    ) {
        for reader in readers {
            for index in reader.rows.start * num_heads..reader.rows.end * num_heads {
                let share = self.share(reader, index / num_heads);
                let chosen = choice[index]
                    .sentences
                    .iter()
                    .zip(&weights[index].sentences);
                for (&sentence, weight) in chosen {
                    self.weights[reader.sentence][sentence] += share * weight;
                }
            }
        }
    }

    fn share(&self, reader: &Reader, row: usize) -> f32 {
        let shares = &self.shares[reader.sentence];
        shares.get(row - reader.rows.start).copied().unwrap_or(0.0)
    }
}

/// What the row that chooses the form reads of the words of its source sentence, summed over heads.
fn cross_attention(model: &Model, network: &Transformer, batch: &Batch) -> Vec<Vec<f32>> {
    let none = DropoutSource::none();
    let Encoded::Transformer(encoded) = model.encode(&batch.source, &none) else {
        unreachable!("a Transformer's states");
    };
    let [layer] = &network.decoder.layers[..] else {
        panic!("a decoder of one layer");
    };
    let rows = &batch.target;
    let y = network.embedding.forward(rows, &none);
    let own = layer
        .self_attention
        .forward(y.clone(), y.clone(), &rows.own_segments());
    let y = layer.norm_self.add(y, own, None);
    let segments = rows.segments_over(&encoded.sentences);
    let weights = layer.cross_attention.weights(y, encoded.states, &segments);
    let [sentences, _, tgt, src] = weights.dims();
    let summed: Vec<f32> = weights.sum_dim(1).into_data().iter().collect();
    let row = |sentence| (sentence * tgt + Mention::PLACE) * src;
    (0..sentences)
        .map(|sentence| summed[row(sentence)..row(sentence) + src].to_vec())
        .collect()
}

/// The sentences that stand at most `previous` before one.
fn before(documents: &Documents, sentence: usize, previous: usize) -> std::ops::Range<usize> {
    let document = documents
        .documents
        .iter()
        .find(|range| range.contains(&sentence));
    let start = document.expect("its document").start;
    start.max(sentence.saturating_sub(previous))..sentence
}
