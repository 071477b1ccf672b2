//! Translations that are given: their states, and the probabilities of their tokens.

use super::GpuTransformer;
use super::decoder::{Reads, Wanted};
use super::state::{GpuSource, OwnKeys, Widths, Work, small};
use crate::datastore::Datastore;
use crate::model::batch::Batch;
use canopy_kernels::gpu::{Bound, Keys, Run};
use canopy_kernels::packed::Scratch;

impl GpuTransformer {
    /// Whether whole translations of sentences can be decoded.
    pub fn decodes_whole(&self) -> bool {
        self.encodes() && self.decoder.decodes_whole()
    }

    /// The input of the last feed-forward sublayer for each of `batch.labels`, `[labels, d_model]`; none without
    /// [`Self::decodes_whole`].
    ///
    /// # Panics
    /// If the GPU has too little memory, or is lost, with a message that says so.
    pub fn label_states(&self, batch: &Batch) -> Option<Vec<f32>> {
        let (mut bound, work) = self.decoded(batch)?;
        let rows = batch.target.ids.len();
        let run = Run::new(&self.gpu, &mut bound);
        let [fed] = run.read([(&work.fed, rows * self.logits.inputs())]);
        Some(fed.into_iter().map(f32::from_bits).collect())
    }

    /// Log-probability of each of `batch.labels` after the words before it, as
    /// [`Model::label_log_probs`](crate::model::Model::label_log_probs); none as for [`Self::label_states`].
    ///
    /// # Panics
    /// As [`Self::label_states`].
    pub fn label_log_probs(
        &self,
        batch: &Batch,
        datastore: Option<&Datastore>,
    ) -> Option<Vec<f32>> {
        /// Number of rows whose scores are held at once.
        const ROWS: usize = 512;
        let (mut bound, work) = self.decoded(batch)?;
        let (rows, vocab) = (batch.labels.len(), self.vocab_size());
        let scores = self.gpu.room(rows.min(ROWS) * vocab);
        let output = self.gpu.room(rows.min(ROWS));
        let mut log_probs = Vec::with_capacity(rows);
        for (part, labels) in batch.labels.chunks(ROWS).enumerate() {
            let ids = self.gpu.filled(labels);
            let mut run = Run::new(&self.gpu, &mut bound);
            let states = (&work.states, part * ROWS);
            run.product_of_part(&self.logits, states, &scores, labels.len());
            run.log_probs_of((&scores, &ids), &output, [labels.len(), vocab]);
            let [found] = run.read([(&output, labels.len())]);
            log_probs.extend(found.into_iter().map(f32::from_bits));
        }
        let Some(datastore) = datastore else {
            return Some(log_probs);
        };
        let run = Run::new(&self.gpu, &mut bound);
        let [fed] = run.read([(&work.fed, rows * self.logits.inputs())]);
        let fed: Vec<f32> = fed.into_iter().map(f32::from_bits).collect();
        let near = datastore.near_rows(&fed, None, &mut Scratch::on_cores(true));
        let words = log_probs.into_iter().zip(&batch.labels).zip(near);
        let mixed =
            words.map(|((alone, &label), near)| datastore.mixed(alone.exp(), label, &near).ln());
        Some(mixed.collect())
    }

    /// Decodes whole translations.
    fn decoded(&self, batch: &Batch) -> Option<(Bound, Decoded)> {
        let encoder = self.encoder.as_ref();
        let encoder = encoder.filter(|_| self.decodes_whole())?;
        let mut bound = Bound::new(&self.gpu);
        let x = self
            .source
            .rows_on_cores(&batch.source, &batch.source.positions);
        let states = encoder.forward(&self.gpu, &mut bound, &x, &batch.source.sentences);
        let source_rows = batch.source.ids.len();
        let source = GpuSource {
            layers: self
                .decoder
                .memory(&self.gpu, &mut bound, &states, source_rows),
            sentences: batch.source.sentences.clone(),
            positions: batch.source.positions.clone(),
        };
        let places = { batch.translated.iter() }.map(|&number| source.positions[number]);
        let y = self
            .target
            .rows_on_cores(&batch.target, &places.collect::<Vec<_>>());
        let rows = batch.target.ids.len();
        let widths = Widths {
            d_model: self.logits.inputs(),
            d_ff: self.decoder.widest(),
            vocab: 0,
            states: 0,
            nearest: 0,
        };
        let mut work = Work::new(&self.gpu, widths, rows);
        self.gpu.write(&work.y, &y);
        let sentences = batch.target.sentences.iter().zip(&batch.translated);
        // Each word reads those before it and itself.
        let own = { sentences.clone() }
            .flat_map(|(own, _)| (1..=own.len()).map(|count| [own.start, count].map(small)));
        let of_source = sentences.flat_map(|(own, &number)| {
            let rows = &source.sentences[number];
            std::iter::repeat_n([rows.start, rows.len()].map(small), own.len())
        });
        work.places = self.gpu.filled(&own.chain(of_source).collect::<Vec<_>>());
        let keys = self.gpu.room(rows * 2 * widths.d_model);
        // Each layer is done with them before the next one writes there.
        let own = OwnKeys {
            layers: vec![keys; self.decoder.num_layers()],
            capacity: rows,
        };
        let reads = Reads {
            own: Keys::Rows { first: 0 },
            source: Keys::Rows { first: 2 * rows },
            first: 0,
            before: 0,
            count: rows,
        };
        let mut run = Run::new(&self.gpu, &mut bound);
        let read = (&source, &own);
        let wanted = Wanted {
            fed: true,
            by_layer: true,
        };
        let states = self.decoder.forward(&mut run, &work, read, reads, wanted);
        run.start();
        let decoded = Decoded {
            states: states.clone(),
            fed: work.fed.clone(),
        };
        Some((bound, decoded))
    }
}

/// Rows of translations on the GPU, each `[rows, d_model]`.
struct Decoded {
    states: wgpu::Buffer,
    /// The input of the last feed-forward sublayer.
    fed: wgpu::Buffer,
}
