//! Operations of language models: products with weights in blocks, norms, rotations, attention to a cache.

use std::sync::Arc;

use wgpu::Buffer;

use super::run::{Run, check, number};
use super::{Gpu, Kernel, LARGEST_HEAD};

/// Weights `[outputs, inputs]`, row by row, eight numbers of a row after the other; `inputs` is a multiple of eight.
#[derive(Debug, Clone)]
pub enum BlockNumbers {
    /// Eight integers of 4 bits a word, the first one lowest.
    Nibbles(Grouped),
    /// Four integers of 8 bits a word.
    Bytes(Grouped),
    /// Two half floats a word.
    Halves(Vec<u32>),
    /// Two of bfloat16.
    UpperHalves(Vec<u32>),
    /// The bits of 32-bit floats.
    Floats(Vec<u32>),
}

/// Integers in groups with a scale and a minimum each: a number is `scale · integer + minimum`.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// The integers.
    pub words: Vec<u32>,
    /// Scale and minimum.
    pub scales: Vec<[f32; 2]>,
    /// Numbers of a group, a multiple of eight.
    pub group: usize,
}

/// The form of weights, in the order of their kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum BlockForm {
    Nibbles,
    Bytes,
    Halves,
    UpperHalves,
    Floats,
}

impl BlockForm {
    pub(super) const ALL: [Self; 5] = [
        Self::Nibbles,
        Self::Bytes,
        Self::Halves,
        Self::UpperHalves,
        Self::Floats,
    ];

    /// The function of `blocks.wgsl` that reads eight numbers.
    pub(super) fn reader(self) -> &'static str {
        match self {
            Self::Nibbles => "of_nibbles",
            Self::Bytes => "of_bytes",
            Self::Halves => "of_halves",
            Self::UpperHalves => "of_upper_halves",
            Self::Floats => "of_floats",
        }
    }
}

/// A linear map `x Wᵀ + b` whose weights stay in blocks on a GPU.
#[derive(Debug, Clone)]
pub struct GpuBlocks {
    inputs: usize,
    outputs: usize,
    form: BlockForm,
    words: Buffer,
    scales: Option<Buffer>,
    /// Eights of numbers of a group.
    group: usize,
    bias: Option<Buffer>,
}

impl GpuBlocks {
    /// Weights `[outputs, inputs]` and a bias `[outputs]` or none.
    ///
    /// # Panics
    /// As [`Gpu::room`]; if `inputs` is no multiple of eight or there are not as many numbers.
    pub fn new(
        gpu: &Arc<Gpu>,
        [inputs, outputs]: [usize; 2],
        numbers: &BlockNumbers,
        bias: Option<&[f32]>,
    ) -> Self {
        assert!(inputs.is_multiple_of(8), "rows of {inputs} numbers");
        let (form, words, grouped, per_word) = match numbers {
            BlockNumbers::Nibbles(it) => (BlockForm::Nibbles, &it.words, Some(it), 8),
            BlockNumbers::Bytes(it) => (BlockForm::Bytes, &it.words, Some(it), 4),
            BlockNumbers::Halves(words) => (BlockForm::Halves, words, None, 2),
            BlockNumbers::UpperHalves(words) => (BlockForm::UpperHalves, words, None, 2),
            BlockNumbers::Floats(words) => (BlockForm::Floats, words, None, 1),
        };
        assert_eq!(words.len() * per_word, inputs * outputs, "numbers");
        assert!(
            bias.is_none_or(|bias| bias.len() == outputs),
            "a bias of another length"
        );
        if let Some(Grouped { scales, group, .. }) = grouped {
            assert_eq!(scales.len() * group, inputs * outputs, "numbers of groups");
        }
        Self {
            inputs,
            outputs,
            form,
            words: gpu.filled(words),
            scales: grouped.map(|it| gpu.filled(&it.scales)),
            group: grouped.map_or(1, |it| it.group / 8),
            bias: bias.map(|bias| gpu.filled(bias)),
        }
    }

    /// Columns of the rows that it multiplies.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Columns of a product.
    pub fn outputs(&self) -> usize {
        self.outputs
    }
}

/// Queries, and the cache that they read.
#[derive(Debug, Clone, Copy)]
pub struct CachedAttention<'b> {
    /// `[tokens, heads, width]`
    pub queries: &'b Buffer,
    /// `[positions, kv_heads, width]` each
    pub cache: [&'b Buffer; 2],
    /// Position of the first query.
    pub first: usize,
    /// The number of positions that every query sees; none: each sees those up to its own.
    pub all: Option<usize>,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values, each shared by `heads / kv_heads` of queries.
    pub kv_heads: usize,
    /// Numbers of a head: even, at most [`LARGEST_HEAD`].
    pub width: usize,
    /// Positions that a query sees at most: the last of them.
    pub window: usize,
    /// Factor of scores.
    pub scale: f32,
    /// Scores `s` become `cap · tanh(s / cap)`.
    pub cap: Option<f32>,
    /// Biases of scores by the distance from query to key; none: scores stay as they are.
    pub biases: Option<DistanceBiases<'b>>,
    /// Whether the cache has half floats.
    pub in_halves: bool,
}

/// Biases of scores by the distance from a query to a key.
#[derive(Debug, Clone, Copy)]
pub struct DistanceBiases<'b> {
    /// `[heads, width]`, by the position of the key less that of the query
    pub numbers: &'b Buffer,
    /// Distances that there are biases for.
    pub width: usize,
    /// The place of distance 0 among them.
    pub zero: usize,
}

/// Threads of a group where each has a number of its own.
const THREADS: usize = 64;

/// Rows up to which each is multiplied by itself.
const FEW: usize = 8;

impl Run<'_> {
    /// `y = x Wᵀ + b`, or `y += x Wᵀ + b`, of `rows` rows of `x` from `from_row` on.
    ///
    /// # Shapes
    /// - x: `[from_row + rows, inputs]`; y: `[rows, outputs]`
    pub fn multiply_blocks(
        &mut self,
        matrix: &GpuBlocks,
        (x, from_row): (&Buffer, usize),
        (y, adds): (&Buffer, bool),
        rows: usize,
    ) {
        let (inputs, outputs) = (matrix.inputs, matrix.outputs);
        check(x, (from_row + rows) * inputs);
        check(y, rows * outputs);
        let (kernel, size) = if rows <= FEW {
            (
                Kernel::RowsOfBlocks(matrix.form),
                [rows, outputs.div_ceil(8)],
            )
        } else {
            let size = [rows.div_ceil(64), outputs.div_ceil(64)];
            (Kernel::TilesOfBlocks(matrix.form), size)
        };
        let nothing = self.bound.nothing.clone();
        let scales = matrix.scales.as_ref().unwrap_or(&nothing);
        let bias = matrix.bias.as_ref().unwrap_or(&nothing);
        self.push(
            kernel,
            &[
                number(rows),
                number(inputs / 8),
                number(outputs),
                number(matrix.group),
                number(from_row),
                u32::from(adds),
                u32::from(matrix.bias.is_some()),
            ],
            &[x, &matrix.words, scales, bias, y],
            size,
        );
    }

    /// `y = norm(x)`, or `y += norm(x)`, by the root of the mean square.
    ///
    /// # Shapes
    /// - x, y: `[rows, columns]`; weights: `[columns]`
    pub fn rms_norm(
        &mut self,
        (weights, epsilon): (&Buffer, f32),
        x: &Buffer,
        (y, adds): (&Buffer, bool),
        [rows, columns]: [usize; 2],
    ) {
        check(weights, columns);
        check(x, rows * columns);
        check(y, rows * columns);
        self.push(
            Kernel::RmsNorm,
            &[number(columns), u32::from(adds), epsilon.to_bits()],
            &[x, weights, y],
            [rows, 1],
        );
    }

    /// Rotates the first numbers of heads in place: of each pair, neighbours or numbers of both halves, by the angle of its
    /// token.
    ///
    /// # Shapes
    /// - angles: `[tokens, pairs, 2]`, cosine and sine; x: `[tokens, heads, width]`
    pub fn rotate(
        &mut self,
        (angles, pairs, are_neighbours): (&Buffer, usize, bool),
        x: &Buffer,
        [tokens, heads, width]: [usize; 3],
    ) {
        assert!(2 * pairs <= width, "{pairs} pairs of {width} numbers");
        check(angles, tokens * pairs * 2);
        check(x, tokens * heads * width);
        let all = tokens * heads * pairs;
        self.push(
            Kernel::Rotate,
            &[
                number(all),
                number(pairs),
                number(width),
                number(heads),
                u32::from(are_neighbours),
            ],
            &[angles, x],
            [all.div_ceil(THREADS), 1],
        );
    }

    /// Writes `count` numbers to a cache, behind `before` ones.
    ///
    /// # Shapes
    /// - x: `[count]`; cache: `[before + count]`, of 16 bits where it is `in_halves`
    pub fn store(
        &mut self,
        x: &Buffer,
        (cache, before, in_halves): (&Buffer, usize, bool),
        count: usize,
    ) {
        let each = if in_halves { 2 } else { 1 };
        assert!(count.is_multiple_of(each) && before.is_multiple_of(each));
        check(x, count);
        check(cache, (before + count).div_ceil(each));
        let words = count / each;
        self.push(
            Kernel::Store,
            &[number(words), number(before / each), u32::from(in_halves)],
            &[x, cache],
            [words.div_ceil(THREADS), 1],
        );
    }

    /// Attention of the queries of `tokens` tokens to a cache, which has the keys and values of what they see. Their weights go
    /// to `recorded`, if it is given: a buffer and the numbers of a query and head, of which the first ones are used.
    ///
    /// # Shapes
    /// - y: `[tokens, heads, width]`
    ///
    /// # Panics
    /// If a head is wider than [`LARGEST_HEAD`], its width is odd, or there is no bias for a distance.
    pub fn attend_cached(
        &mut self,
        attended: &CachedAttention<'_>,
        y: &Buffer,
        recorded: Option<(&Buffer, usize)>,
        tokens: usize,
    ) {
        let CachedAttention {
            queries,
            cache: [keys, values],
            first,
            heads,
            kv_heads,
            width,
            ..
        } = *attended;
        assert!(
            width <= LARGEST_HEAD && width.is_multiple_of(2) && heads.is_multiple_of(kv_heads),
            "{heads} heads of {width}, {kv_heads} of keys"
        );
        let each = if attended.in_halves { 2 } else { 1 };
        let end = attended.all.unwrap_or(first + tokens);
        assert!(end > 0, "nothing to attend to");
        for cache in [keys, values] {
            check(cache, end * kv_heads * width / each);
        }
        check(queries, tokens * heads * width);
        check(y, tokens * heads * width);
        let nothing = self.bound.nothing.clone();
        let (record, stride) = recorded.unwrap_or((&nothing, 0));
        check(record, tokens * heads * stride);
        let window = attended.window.min(end);
        assert!(
            recorded.is_none() || window <= stride,
            "room for {stride} weights"
        );
        let (biases, bias_width, zero) = match attended.biases {
            // Something that is read already: `nothing` is written where no weights are recorded.
            None => (queries, 0, 0),
            Some(it) => {
                check(it.numbers, heads * it.width);
                let reaches = first + tokens <= it.zero + 1 && it.zero + end <= it.width + first;
                assert!(reaches, "{} biases around {}", it.width, it.zero);
                (it.numbers, it.width, it.zero)
            }
        };
        self.push(
            Kernel::AttendCached,
            &[
                number(width),
                number(heads),
                number(kv_heads),
                number(first),
                number(window),
                attended.scale.to_bits(),
                attended.cap.unwrap_or_default().to_bits(),
                u32::from(attended.in_halves),
                number(stride),
                number(attended.all.unwrap_or_default()),
                number(bias_width),
                number(zero),
            ],
            &[queries, keys, values, biases, y, record],
            [tokens, heads],
        );
    }

    /// Multiplies `count` gates, put through SiLU or GELU (by its tanh form), with values, in place.
    pub fn gate(&mut self, is_gelu: bool, gates: &Buffer, values: &Buffer, count: usize) {
        check(values, count);
        self.activate(u32::from(is_gelu), gates, values, count);
    }

    /// Puts `count` numbers through ReLU, in place.
    pub fn relu(&mut self, numbers: &Buffer, count: usize) {
        let nothing = self.bound.nothing.clone();
        self.activate(2, numbers, &nothing, count);
    }

    fn activate(&mut self, function: u32, gates: &Buffer, values: &Buffer, count: usize) {
        check(gates, count);
        self.push(
            Kernel::Gate,
            &[number(count), function],
            &[values, gates],
            [count.div_ceil(THREADS), 1],
        );
    }
}
