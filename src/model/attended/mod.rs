//! What a pass through a model attended to, for whoever wants to see it.
//!
//! A pass gets an [`Attended`]; one that is off costs nothing. Weights are computed once more beside the attention itself
//! and only what [`Keep`] says is kept, so that the numbers of the pass are the same whether someone looks or not.

mod context;
mod layers;
mod model;
mod reading;

use std::ops::Range;

use burn::tensor::Tensor;

pub(super) use layers::run;
pub use reading::{Keep, KeptVisits, Reading, Readings, SentenceReading};

/// Which attention of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttendedKind {
    /// Source words to the words of their sentence.
    EncoderSelf,
    /// Sentences to their own words, in the making of their encoding; one head.
    SentenceEncoding,
    /// Target words to the words of their source sentence.
    Cross,
    /// Source words to the document.
    Context,
    /// Target words to the document or to its translation.
    DecoderContext,
}

/// All heads of one attention of one layer; layers are counted by their self-attention, and what stands after the last
/// layer has its number.
#[derive(Debug, Clone)]
pub struct AttendedLayer {
    pub kind: AttendedKind,
    pub layer: usize,
    pub readings: Readings,
}

/// What a gate let through, for each row over its features.
#[derive(Debug, Clone)]
pub struct GateReading {
    /// Context or [`DecoderContext`](AttendedKind::DecoderContext).
    pub kind: AttendedKind,
    pub layer: usize,
    pub mean: Vec<f32>,
    pub min: Vec<f32>,
    pub max: Vec<f32>,
}

/// Collects what is attended to; rows and sentences have the numbers that they have in the batch.
#[derive(Debug, Clone, Default)]
pub struct Attended {
    keep: Option<Keep>,
    /// Where the encoder reads other rows than those of the source.
    pub(super) joined: Option<Joined>,
    pub layers: Vec<AttendedLayer>,
    pub gates: Vec<GateReading>,
    /// Sentences that are leaves of the content tree, if there is one.
    pub leaves: Vec<usize>,
}

/// Concatenated sentences.
#[derive(Debug, Clone)]
pub(super) struct Joined {
    /// Source row of each row that the encoder reads; none for a break.
    pub origin: Vec<Option<u32>>,
    /// Rows that the encoder reads each sentence for.
    pub own: Vec<Range<usize>>,
}

impl Attended {
    /// Nobody looks.
    pub fn off() -> Self {
        Self::default()
    }

    pub fn keeping(keep: Keep) -> Self {
        Self {
            keep: Some(keep),
            ..Self::default()
        }
    }

    /// Whether somebody looks.
    pub(super) fn is_on(&self) -> bool {
        self.keep.is_some()
    }

    /// Adds what `read` says, behind the rows of the same attention that are there; nothing if nobody looks.
    pub(super) fn add(
        &mut self,
        kind: AttendedKind,
        layer: usize,
        read: impl FnOnce(&Keep) -> Readings,
    ) {
        let Some(keep) = &self.keep else { return };
        if layer < keep.first_layer(kind) {
            return;
        }
        let mut readings = read(keep);
        if let Some(Joined { origin, own }) = &self.joined {
            readings.rename(|row| origin[row]);
            if kind == AttendedKind::EncoderSelf {
                readings.select(own);
            }
        }
        let same = |there: &&mut AttendedLayer| (there.kind, there.layer) == (kind, layer);
        match self.layers.iter_mut().find(same) {
            Some(there) => there.readings.rows.append(&mut readings.rows),
            None => self.layers.push(AttendedLayer {
                kind,
                layer,
                readings,
            }),
        }
    }

    /// Gives what the contexts of the encoder read the rows of the source, where their memory has others.
    pub(super) fn rename_context(&mut self, origin: &[usize]) {
        let layers = self.layers.iter_mut();
        for layer in layers.filter(|layer| layer.kind == AttendedKind::Context) {
            layer
                .readings
                .rename(|row| Some(reading::number(origin[row])));
        }
    }

    /// Gives what was read of a window among other sentences the rows of the window, where they are those of words: the
    /// window has these `rows` and `sentences` of what was read. Encodings are told of its own sentences alone.
    pub(super) fn rename_window(
        &mut self,
        rows: &Range<usize>,
        sentences: &Range<usize>,
        are_words: bool,
    ) {
        let own = |row: usize| {
            rows.contains(&row)
                .then(|| reading::number(row - rows.start))
        };
        for AttendedLayer { kind, readings, .. } in &mut self.layers {
            match kind {
                AttendedKind::SentenceEncoding => {
                    readings.select(std::slice::from_ref(sentences));
                    readings.rename(own);
                }
                AttendedKind::Context if are_words => readings.rename(own),
                _ => {}
            }
        }
    }

    /// Forgets the first queries of each kind: as many source and target rows and sentences as are named.
    pub fn forget_first(&mut self, [source, target, sentences]: [usize; 3]) {
        let count = |kind| match kind {
            AttendedKind::EncoderSelf | AttendedKind::Context => source,
            AttendedKind::SentenceEncoding => sentences,
            AttendedKind::Cross | AttendedKind::DecoderContext => target,
        };
        for AttendedLayer { kind, readings, .. } in &mut self.layers {
            readings.rows.drain(..count(*kind) * readings.num_heads);
        }
        for gate in &mut self.gates {
            for values in [&mut gate.mean, &mut gate.min, &mut gate.max] {
                values.drain(..count(gate.kind));
            }
        }
    }

    /// Adds the values of a gate.
    ///
    /// # Shapes
    /// - values: `[rows, d_model]`
    pub(super) fn add_gate(
        &mut self,
        (kind, layer): (AttendedKind, usize),
        values: impl FnOnce() -> Tensor<2>,
    ) {
        if !self.is_on() {
            return;
        }
        let values = values();
        let numbers = |tensor: Tensor<2>| tensor.into_data().iter().collect::<Vec<f32>>();
        let mut gate = GateReading {
            kind,
            layer,
            mean: numbers(values.clone().mean_dim(1)),
            min: numbers(values.clone().min_dim(1)),
            max: numbers(values.max_dim(1)),
        };
        let same = |there: &&mut GateReading| (there.kind, there.layer) == (kind, layer);
        match self.gates.iter_mut().find(same) {
            Some(there) => {
                there.mean.append(&mut gate.mean);
                there.min.append(&mut gate.min);
                there.max.append(&mut gate.max);
            }
            None => self.gates.push(gate),
        }
    }
}
