//! Operations of the kernels.

use wgpu::Buffer;

use super::run::{Run, check, number};
use super::{GpuKeys, GpuMatrix, Kernel};
use crate::TokenSelection;
use crate::packed::Activation;

/// Which rows of a memory are the keys of queries.
#[derive(Debug, Clone, Copy)]
pub enum Keys {
    /// For each query from `first` on where its rows begin, and how many they are.
    Rows {
        /// The first query's place in the list of rows.
        first: usize,
    },
    /// Where the list of its rows begins among the places, and how long it is.
    Listed {
        /// The place of the list's beginning and length.
        first: usize,
    },
}

/// Queries, and the memory that they read.
#[derive(Debug, Clone, Copy)]
pub struct Attended<'b> {
    /// `[rows, columns]`
    pub queries: &'b Buffer,
    /// `[.., 2 · columns]`
    pub memory: &'b Buffer,
    /// The rows of the memory that each query reads.
    pub places: &'b Buffer,
    /// The layout of keys and values in the memory.
    pub keys: Keys,
    /// Heads, side by side in the columns.
    pub num_heads: usize,
    /// Columns of all heads together.
    pub columns: usize,
}

impl Run<'_> {
    /// `activation(x W + b)` of `rows` rows, to the rows of `y` from `first` on.
    ///
    /// # Shapes
    /// - x: `[rows, inputs]`; y: `[first + rows, outputs]`
    pub fn product(
        &mut self,
        matrix: &GpuMatrix,
        x: &Buffer,
        (y, first): (&Buffer, usize),
        rows: usize,
        activation: Option<Activation>,
    ) {
        self.multiply(matrix, (x, 0), (y, first), rows, (activation, false));
    }

    /// `y += x W + b` of `rows` rows.
    ///
    /// # Shapes
    /// - x: `[rows, inputs]`; y: `[rows, outputs]`
    pub fn add_product(&mut self, matrix: &GpuMatrix, x: &Buffer, y: &Buffer, rows: usize) {
        self.multiply(matrix, (x, 0), (y, 0), rows, (None, true));
    }

    /// `y = x W + b` of `rows` rows of `x` from `first` on.
    ///
    /// # Shapes
    /// - x: `[first + rows, inputs]`; y: `[rows, outputs]`
    pub fn product_of_part(
        &mut self,
        matrix: &GpuMatrix,
        x: (&Buffer, usize),
        y: &Buffer,
        rows: usize,
    ) {
        self.multiply(matrix, x, (y, 0), rows, (None, false));
    }

    fn multiply(
        &mut self,
        matrix: &GpuMatrix,
        (x, from_row): (&Buffer, usize),
        (y, first): (&Buffer, usize),
        rows: usize,
        (activation, adds): (Option<Activation>, bool),
    ) {
        let (inputs, outputs) = (matrix.inputs, matrix.outputs);
        check(x, (from_row + rows) * inputs);
        check(y, (first + rows) * outputs);
        let few = rows <= self.few;
        let kernel = match (few, matrix.has_halves) {
            (true, false) => Kernel::Few,
            (false, false) => Kernel::Many,
            (true, true) => Kernel::FewHalves,
            (false, true) => Kernel::ManyHalves,
        };
        let fours = outputs.div_ceil(4);
        let (across, down) = if few { (8, 4) } else { (16, 64) };
        let bias = matrix.bias.as_ref().unwrap_or(&self.bound.nothing).clone();
        self.push(
            kernel,
            &[
                number(rows),
                number(inputs),
                number(outputs),
                number(fours),
                number(first),
                activation.map_or(0, code),
                u32::from(adds),
                u32::from(matrix.bias.is_some()),
                number(from_row),
            ],
            &[x, &matrix.weights, &bias, y],
            [rows.div_ceil(down), fours.div_ceil(across)],
        );
    }

    /// `y = norm(branch)`, or, if it `adds`, `y = norm(y + branch)`.
    ///
    /// # Shapes
    /// - branch, y: `[rows, columns]`; parameters: `[2, columns]`, γ and β
    pub fn norm(
        &mut self,
        (parameters, epsilon): (&Buffer, f32),
        branch: &Buffer,
        (y, adds): (&Buffer, bool),
        [rows, columns]: [usize; 2],
    ) {
        check(branch, rows * columns);
        check(y, rows * columns);
        self.push(
            Kernel::Norm,
            &[number(columns), u32::from(adds), epsilon.to_bits()],
            &[branch, parameters, y],
            [rows, 1],
        );
    }

    /// Attention of `rows` queries to their keys and values.
    ///
    /// # Shapes
    /// - y: `[rows, columns]`
    pub fn attend(&mut self, attended: Attended<'_>, y: &Buffer, rows: usize) {
        let Attended {
            queries,
            memory,
            places,
            keys,
            num_heads,
            columns,
        } = attended;
        check(queries, rows * columns);
        check(y, rows * columns);
        let (first, is_listed) = match keys {
            Keys::Rows { first } => (first, false),
            Keys::Listed { first } => (first, true),
        };
        let width = columns / num_heads;
        let scale = 1.0 / (width as f32).sqrt();
        self.push(
            Kernel::Attend,
            &[
                number(width),
                number(columns),
                number(first),
                u32::from(is_listed),
                scale.to_bits(),
            ],
            &[queries, memory, places, y],
            [rows, num_heads],
        );
    }

    /// Selects scores from `[rows, vocab]` as `read` says: for each row the normaliser, the scores of the first ids, the best
    /// ones, their ids. `selected` has room for it.
    pub fn top_k(
        &mut self,
        scores: &Buffer,
        selected: &Buffer,
        [rows, vocab]: [usize; 2],
        read: TokenSelection,
    ) {
        check(scores, rows * vocab);
        check(selected, rows * read.num_values());
        self.push(
            Kernel::TopK,
            &[number(vocab), number(read.first), number(read.top_k)],
            &[scores, selected],
            [rows, 1],
        );
    }

    /// One word of a recurrent unit for a number of hypotheses, `before` words after its beginning; its cells come to the rows of
    /// `cells` from `first` on, and where those before are `places` say as for [`Keys::Listed`].
    ///
    /// # Shapes
    /// - gates: `[hypotheses, 2 · columns]`; y: `[hypotheses, columns]`; cells: `[rows, 2 · columns]`
    pub fn ssru(
        &mut self,
        gates: &Buffer,
        (cells, first, places): (&Buffer, usize, &Buffer),
        y: &Buffer,
        before: usize,
        [hypotheses, columns]: [usize; 2],
    ) {
        check(gates, hypotheses * 2 * columns);
        check(y, hypotheses * columns);
        check(cells, (first + hypotheses) * 2 * columns);
        self.push(
            Kernel::Ssru,
            &[number(columns), number(first), number(before)],
            &[gates, places, cells, y],
            [hypotheses, columns.div_ceil(64)],
        );
    }

    /// How near states are to all keys of a datastore.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`; y: `[rows, keys]`
    pub fn nearness(&mut self, keys: &GpuKeys, states: &Buffer, y: &Buffer, rows: usize) {
        self.product(&keys.nearness, states, (y, 0), rows, None);
    }

    /// The scores of the tokens that followed the `nearest` states of each of `rows` hypotheses, which [`Self::top_k`]
    /// has selected into `near`, without first ids.
    ///
    /// # Shapes
    /// - scores: `[rows, vocab]`; gathered: `[rows, nearest]`
    pub fn gather(
        &mut self,
        keys: &GpuKeys,
        (scores, near): (&Buffer, &Buffer),
        gathered: &Buffer,
        [rows, vocab, nearest]: [usize; 3],
    ) {
        let width = 1 + 2 * nearest;
        check(scores, rows * vocab);
        check(near, rows * width);
        check(gathered, rows * nearest);
        self.push(
            Kernel::Gather,
            &[vocab, nearest, 1 + nearest, width].map(number),
            &[scores, near, &keys.next, gathered],
            [rows, 1],
        );
    }

    /// The log-probability of one label for each of `rows` rows of scores.
    ///
    /// # Shapes
    /// - scores: `[rows, vocab]`; labels, log_probs: `[rows]`
    pub fn log_probs_of(
        &mut self,
        (scores, labels): (&Buffer, &Buffer),
        log_probs: &Buffer,
        [rows, vocab]: [usize; 2],
    ) {
        check(scores, rows * vocab);
        check(labels, rows);
        check(log_probs, rows);
        self.push(
            Kernel::Label,
            &[number(vocab)],
            &[scores, labels, log_probs],
            [rows, 1],
        );
    }
}

/// As `product.wgsl` calls it.
fn code(activation: Activation) -> u32 {
    match activation {
        Activation::Relu => 1,
        Activation::Swish => 2,
        Activation::Gelu => 3,
        Activation::GeluTanh => 4,
        Activation::GeluSigmoid => 5,
        Activation::Tanh => 6,
        Activation::Sigmoid => 7,
    }
}
