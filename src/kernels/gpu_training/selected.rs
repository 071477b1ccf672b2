//! Attention to the words of chosen sentences, with a weight for each word that is read and none for padding: on a tape or without
//! one, since a search encodes documents by it too.

use std::sync::Arc;

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::fusion::custom::TensorSpec;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::{Shape, Tensor};
use burn_cubecl::cubecl::server::Handle;
use burn_cubecl::tensor::CubeTensor;

use super::{Kernel, Number, TrainingKernels, a_group_each, empty, tracked, untracked, word};
use crate::selected::{SelectedAttention, Weighting, WordNormaliser};
use crate::tape::on_tape;

/// Numbers of a head, at most.
const WIDEST: usize = 128;
/// Weights of an attention, at most: as many as WebGPU lets every device bind.
const MOST: usize = 1 << 25;
/// The sentence of a key that is in none.
const NONE: u32 = u32::MAX;

/// The lists of a [`SelectedAttention`] as the kernels read them.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    heads: usize,
    count: usize,
    sentences: usize,
    /// 0: one softmax; 1 and 2: a sparsemax times a softmax or a sparsemax.
    weighting: usize,
    /// Words of all lists.
    words: usize,
    /// Sentences of all lists.
    entries: usize,
    /// The constant of this name in `selected.wgsl` and `selected_key_gradients.wgsl`.
    places: Arc<[u32]>,
    /// Where parts of it begin: entries, sentences, owners of keys, where readers begin, readers.
    parts: [usize; 5],
}

impl Lists {
    /// None if a key is in two sentences, or there are too many weights.
    fn new(spec: &SelectedAttention, key_rows: usize) -> Option<Self> {
        let (heads, lists, sentences) = (spec.num_heads, spec.chosen.len(), spec.sentences.len());
        let entries = spec.chosen.iter().map(Vec::len).sum::<usize>();
        let chosen = spec.chosen.iter().flatten();
        let words = chosen.map(|&sentence| spec.sentences[sentence].len()).sum();
        if words + entries > MOST {
            return None;
        }
        let mut places =
            Vec::with_capacity(lists + 5 * entries + sentences * (heads + 2) + key_rows);
        let mut begin = 0;
        places.push(0);
        for chosen in spec.chosen.iter() {
            begin += chosen.len();
            places.push(word(begin));
        }
        let of_entries = places.len();
        let mut readers = vec![Vec::new(); sentences * heads];
        let (mut entry, mut first) = (0, 0);
        for (list, chosen) in spec.chosen.iter().enumerate() {
            for &sentence in chosen {
                places.extend([sentence, first, list / heads].map(word));
                readers[sentence * heads + list % heads].push(word(entry));
                first += spec.sentences[sentence].len();
                entry += 1;
            }
        }
        let of_sentences = places.len();
        for rows in spec.sentences.iter() {
            places.extend([rows.start, rows.len()].map(word));
        }
        let of_owners = places.len();
        places.resize(of_owners + key_rows, NONE);
        for (sentence, rows) in spec.sentences.iter().enumerate() {
            for owner in &mut places[of_owners + rows.start..of_owners + rows.end] {
                if *owner != NONE {
                    return None;
                }
                *owner = word(sentence);
            }
        }
        let of_begins = places.len();
        let mut begin = 0;
        places.push(0);
        for readers in &readers {
            begin += readers.len();
            places.push(word(begin));
        }
        let of_readers = places.len();
        places.extend(readers.iter().flatten());
        Some(Self {
            heads,
            count: lists,
            sentences,
            weighting: match spec.weighting {
                Weighting::Joint => 0,
                Weighting::Product(WordNormaliser::Softmax) => 1,
                Weighting::Product(WordNormaliser::Sparsemax) => 2,
            },
            words,
            entries,
            places: places.into(),
            parts: [of_entries, of_sentences, of_owners, of_begins, of_readers],
        })
    }

    /// Weights of all words and of all sentences that are read.
    pub(crate) fn weights(&self) -> usize {
        self.words + self.entries
    }

    /// The shapes of the gradients by word keys, values and sentence keys.
    pub(crate) fn keys(
        &self,
        gradient: &TensorSpec,
        word_queries: &TensorSpec,
    ) -> (TensorSpec, TensorSpec, TensorSpec) {
        let [_, _, owners, begins, _] = self.parts;
        let spec = |rows, like: &TensorSpec| {
            TensorSpec::new(Shape::new([rows, like.shape[1]]), like.dtype)
        };
        (
            spec(begins - owners, word_queries),
            spec(begins - owners, gradient),
            spec(self.sentences, word_queries),
        )
    }

    /// Parameters of the kernels with a group for each list.
    fn shape(&self, key_columns: usize, value_columns: usize) -> [Number; 9] {
        let [entries, sentences, ..] = self.parts;
        let head = key_columns / self.heads;
        let scale = 1.0 / (head as f32).sqrt();
        [
            Number::Whole(self.count),
            Number::Whole(self.heads),
            Number::Whole(head / 4),
            Number::Whole(value_columns / self.heads / 4),
            Number::Float(scale),
            Number::Whole(self.weighting),
            Number::Whole(self.words),
            Number::Whole(entries),
            Number::Whole(sentences),
        ]
    }

    fn upload(&self, like: &CubeTensor) -> Handle {
        like.client
            .create_from_slice(bytemuck::cast_slice(&self.places))
    }
}

/// Attention over contiguous word queries, word keys, values, sentence queries and sentence keys: the output, and the weights.
pub(super) fn launch(inputs: [&CubeTensor; 5], lists: &Lists) -> (CubeTensor, CubeTensor) {
    let [
        word_queries,
        word_keys,
        values,
        sentence_queries,
        sentence_keys,
    ] = inputs;
    let [rows, key_columns] = [0, 1].map(|axis| word_queries.shape()[axis]);
    let columns = values.shape()[1];
    let (output, weights) = (
        empty(values, [rows, columns]),
        empty(values, [lists.weights()]),
    );
    Kernel::Selected.launch(
        a_group_each(lists.count),
        [
            &word_queries.handle,
            &word_keys.handle,
            &values.handle,
            &sentence_queries.handle,
            &sentence_keys.handle,
            &lists.upload(values),
            &weights.handle,
            &output.handle,
        ],
        lists.shape(key_columns, columns),
        values,
    );
    (output, weights)
}

/// By the scores of words and sentences, word queries and sentence queries.
pub(super) fn launch_query_gradients(
    gradient: &CubeTensor,
    [word_keys, values, sentence_keys]: [&CubeTensor; 3],
    weights: &CubeTensor,
    lists: &Lists,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let [rows, columns] = [0, 1].map(|axis| gradient.shape()[axis]);
    let key_columns = word_keys.shape()[1];
    let scores = empty(values, [lists.weights()]);
    let [of_words, of_sentences] = [(); 2].map(|()| empty(values, [rows, key_columns]));
    Kernel::SelectedGradients.launch(
        a_group_each(lists.count),
        [
            &gradient.handle,
            &word_keys.handle,
            &values.handle,
            &sentence_keys.handle,
            &lists.upload(values),
            &weights.handle,
            &scores.handle,
            &of_words.handle,
            &of_sentences.handle,
        ],
        lists.shape(key_columns, columns),
        values,
    );
    (scores, of_words, of_sentences)
}

/// By word keys, values and sentence keys.
pub(super) fn launch_key_gradients(
    gradient: &CubeTensor,
    [word_queries, sentence_queries]: [&CubeTensor; 2],
    [weights, scores]: [&CubeTensor; 2],
    lists: &Lists,
) -> (CubeTensor, CubeTensor, CubeTensor) {
    let (columns, key_columns) = (gradient.shape()[1], word_queries.shape()[1]);
    let [entries, sentences, owners, begins, readers] = lists.parts;
    let key_rows = begins - owners;
    let of_words = empty(gradient, [key_rows, key_columns]);
    let of_values = empty(gradient, [key_rows, columns]);
    let of_sentences = empty(gradient, [lists.sentences, key_columns]);
    let [head, value_head] = [key_columns, columns].map(|columns| columns / lists.heads);
    Kernel::SelectedKeyGradients.launch(
        a_group_each((key_rows + lists.sentences) * lists.heads),
        [
            &gradient.handle,
            &word_queries.handle,
            &sentence_queries.handle,
            &lists.upload(gradient),
            &weights.handle,
            &scores.handle,
            &of_words.handle,
            &of_values.handle,
            &of_sentences.handle,
        ],
        [
            lists.heads,
            head / 4,
            value_head / 4,
            key_rows,
            lists.sentences,
            lists.words,
            entries,
            sentences,
            owners,
            begins,
            readers,
        ]
        .map(Number::Whole),
        gradient,
    );
    (of_words, of_values, of_sentences)
}

#[derive(Debug)]
struct Step;

#[derive(Debug, Clone)]
struct Saved {
    inputs: [FloatTensor<Wgpu>; 5],
    weights: FloatTensor<Wgpu>,
    lists: Lists,
}

impl Backward<Wgpu, 5> for Step {
    type State = Saved;

    fn backward(self, ops: Ops<Saved, 5>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let Saved {
            inputs:
                [
                    word_queries,
                    word_keys,
                    values,
                    sentence_queries,
                    sentence_keys,
                ],
            weights,
            lists,
        } = ops.state;
        let (scores, of_word_queries, of_sentence_queries) = Wgpu::selected_query_gradients(
            gradient.clone(),
            word_keys.clone(),
            values,
            sentence_keys,
            weights.clone(),
            lists.clone(),
        );
        let (of_word_keys, of_values, of_sentence_keys) = Wgpu::selected_key_gradients(
            gradient,
            word_queries,
            sentence_queries,
            weights,
            scores,
            lists,
        );
        let found = [
            of_word_queries,
            of_word_keys,
            of_values,
            of_sentence_queries,
            of_sentence_keys,
        ];
        for (parent, gradient) in ops.parents.into_iter().zip(found) {
            if let Some(parent) = parent {
                gradients.register::<Wgpu>(parent.id, gradient);
            }
        }
    }
}

/// [`crate::selected_attention`] to word queries, word keys, values, sentence queries and sentence keys. None where it is
/// for others to compute: on another kind of device, where a key is in two sentences, where heads are wider than 128
/// numbers or no whole fours of them, where nothing is read, and where there are too many weights to keep.
pub(crate) fn selected_attention(
    inputs: [&Tensor<2>; 5],
    spec: &SelectedAttention,
) -> Option<Tensor<2>> {
    let [key_rows, value_columns] = inputs[2].dims();
    let heads = [inputs[0].dims()[1], value_columns].map(|columns| columns / spec.num_heads);
    if heads
        .iter()
        .any(|head| *head > WIDEST || *head == 0 || !head.is_multiple_of(4))
    {
        return None;
    }
    let listed = || Lists::new(spec, key_rows).filter(|lists| lists.words > 0);
    if inputs[0].device().is_autodiff() {
        let (inputs, lists) = (all(inputs.map(tracked))?, listed()?);
        let output = on_tape(Step, inputs, |inputs| {
            let (output, weights) = computed(inputs.clone(), lists.clone());
            let saved = Saved {
                inputs,
                weights,
                lists,
            };
            (output, saved)
        });
        return Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output));
    }
    let (output, _) = computed(all(inputs.map(untracked))?, listed()?);
    Some(Tensor::from_primitive::<Wgpu>(output))
}

fn computed(
    [
        word_queries,
        word_keys,
        values,
        sentence_queries,
        sentence_keys,
    ]: [FloatTensor<Wgpu>; 5],
    lists: Lists,
) -> (FloatTensor<Wgpu>, FloatTensor<Wgpu>) {
    Wgpu::selected(
        word_queries,
        word_keys,
        values,
        sentence_queries,
        sentence_keys,
        lists,
    )
}

/// All of them, if none is missing.
fn all<T>(found: [Option<T>; 5]) -> Option<[T; 5]> {
    let found: Option<Vec<T>> = found.into_iter().collect();
    found?.try_into().ok()
}
