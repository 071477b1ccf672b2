//! Kernels that are started together, one after the other.

use std::collections::HashMap;

use wgpu::{Buffer, BufferUsages};

use super::{Card, CardKeys, CardMatrix, Kernel, MOST_GROUPS, SHAPE};
use crate::kernels::ReadTokens;
use crate::kernels::packed::Activation;

/// Rows up to which products move the weights for four rows at a time, and do not share tiles.
const FEW: usize = 256;

/// What kernels were bound to before, and where results are read.
#[derive(Debug)]
pub struct Bound {
    groups: HashMap<(Kernel, Vec<Buffer>), wgpu::BindGroup>,
    /// The numbers that describe the work of each kernel.
    shapes: Buffer,
    read: Buffer,
    /// Bound where a kernel reads nothing.
    nothing: Buffer,
}

/// Bytes from the numbers of one kernel to those of the next: what every card can be asked for.
const APART: usize = 256;

impl Bound {
    pub fn new(card: &Card) -> Self {
        const KERNELS: u64 = 256;
        Self {
            groups: HashMap::new(),
            shapes: card.buffer(
                KERNELS * APART as u64,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            ),
            read: card.buffer(1 << 16, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            nothing: card.room(4),
        }
    }

    /// Forgets buffers, so that those that nobody else holds are given back.
    pub fn forget(&mut self) {
        self.groups.clear();
    }
}

/// What waits for its start.
#[derive(Debug)]
enum Step {
    Kernel {
        kernel: Kernel,
        group: wgpu::BindGroup,
        /// Groups of threads.
        size: [u32; 2],
    },
    Copy {
        from: Buffer,
        to: Buffer,
        bytes: u64,
    },
}

/// Kernels to be started together.
#[derive(Debug)]
pub struct Run<'a> {
    card: &'a Card,
    bound: &'a mut Bound,
    steps: Vec<Step>,
    shapes: Vec<u8>,
    /// Rows up to which products are those of few.
    pub(super) few: usize,
}

/// Which rows of a memory are the keys of queries.
#[derive(Debug, Clone, Copy)]
pub enum Keys {
    /// For each query from `first` on where its rows begin, and how many they are.
    Rows { first: usize },
    /// Where the list of its rows begins among the places, and how long it is.
    Listed { first: usize },
}

/// Queries, and the memory that they read.
#[derive(Debug, Clone, Copy)]
pub struct Attended<'b> {
    /// `[rows, columns]`
    pub queries: &'b Buffer,
    /// `[.., 2 · columns]`
    pub memory: &'b Buffer,
    pub places: &'b Buffer,
    pub keys: Keys,
    pub num_heads: usize,
    pub columns: usize,
}

impl<'a> Run<'a> {
    pub fn new(card: &'a Card, bound: &'a mut Bound) -> Self {
        Self {
            card,
            bound,
            steps: Vec::new(),
            shapes: Vec::new(),
            few: FEW,
        }
    }

    /// `activation(x W + b)` of `rows` rows, to the rows of `y` from `first` on.
    ///
    /// # Shapes
    /// - x: `[rows, inputs]`; y: `[first + rows, outputs]`
    pub fn product(
        &mut self,
        matrix: &CardMatrix,
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
    pub fn add_product(&mut self, matrix: &CardMatrix, x: &Buffer, y: &Buffer, rows: usize) {
        self.multiply(matrix, (x, 0), (y, 0), rows, (None, true));
    }

    /// `y = x W + b` of `rows` rows of `x` from `first` on.
    ///
    /// # Shapes
    /// - x: `[first + rows, inputs]`; y: `[rows, outputs]`
    pub fn product_of_part(
        &mut self,
        matrix: &CardMatrix,
        x: (&Buffer, usize),
        y: &Buffer,
        rows: usize,
    ) {
        self.multiply(matrix, x, (y, 0), rows, (None, false));
    }

    fn multiply(
        &mut self,
        matrix: &CardMatrix,
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

    /// What `rows` queries read of their keys and values.
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
        #[expect(clippy::cast_precision_loss, reason = "heads are small")]
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

    /// What is `read` of scores `[rows, vocab]`: for each row the normaliser, the scores of the first ids, the likeliest
    /// ones, their ids. `told` has room for it.
    pub fn likeliest(
        &mut self,
        scores: &Buffer,
        told: &Buffer,
        [rows, vocab]: [usize; 2],
        read: ReadTokens,
    ) {
        check(scores, rows * vocab);
        check(told, rows * read.num_told());
        self.push(
            Kernel::Likeliest,
            &[number(vocab), number(read.first), number(read.likeliest)],
            &[scores, told],
            [rows, 1],
        );
    }

    /// One word of a recurrent unit for so many hypotheses, `before` words after its beginning; its cells come to the rows of
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
    pub fn nearness(&mut self, keys: &CardKeys, states: &Buffer, y: &Buffer, rows: usize) {
        self.product(&keys.nearness, states, (y, 0), rows, None);
    }

    /// The scores of the tokens that followed the `nearest` states of each of `rows` hypotheses, which [`Self::likeliest`]
    /// has told in `near`, of no first ids.
    ///
    /// # Shapes
    /// - scores: `[rows, vocab]`; told: `[rows, nearest]`
    pub fn gather(
        &mut self,
        keys: &CardKeys,
        (scores, near): (&Buffer, &Buffer),
        told: &Buffer,
        [rows, vocab, nearest]: [usize; 3],
    ) {
        let width = 1 + 2 * nearest;
        check(scores, rows * vocab);
        check(near, rows * width);
        check(told, rows * nearest);
        self.push(
            Kernel::Gather,
            &[vocab, nearest, 1 + nearest, width].map(number),
            &[scores, near, &keys.next, told],
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
            Kernel::Labels,
            &[number(vocab)],
            &[scores, labels, log_probs],
            [rows, 1],
        );
    }

    /// Copies the first `count` numbers of a buffer.
    pub fn copy(&mut self, from: &Buffer, to: &Buffer, count: usize) {
        check(from, count);
        check(to, count);
        self.steps.push(Step::Copy {
            from: from.clone(),
            to: to.clone(),
            bytes: (count * size_of::<f32>()) as u64,
        });
    }

    fn push(&mut self, kernel: Kernel, shape: &[u32], buffers: &[&Buffer], size: [usize; 2]) {
        assert!(
            size.iter().all(|&groups| groups <= MOST_GROUPS),
            "out of memory: {size:?} groups of threads at once"
        );
        let place = self.steps.len() * APART;
        self.shapes.resize(place, 0);
        self.shapes.extend_from_slice(bytemuck::cast_slice(shape));
        let key = (kernel, buffers.iter().copied().cloned().collect::<Vec<_>>());
        let (card, shapes) = (self.card, &self.bound.shapes);
        let group = self.bound.groups.entry(key).or_insert_with(|| {
            let shape = wgpu::BufferBinding {
                buffer: shapes,
                offset: 0,
                size: std::num::NonZeroU64::new(SHAPE),
            };
            let mut entries = vec![wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(shape),
            }];
            entries.extend(
                (1..)
                    .zip(buffers)
                    .map(|(binding, buffer)| wgpu::BindGroupEntry {
                        binding,
                        resource: buffer.as_entire_binding(),
                    }),
            );
            let layout = card.pipelines[kernel as usize].get_bind_group_layout(0);
            card.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &entries,
            })
        });
        let group = group.clone();
        self.steps.push(Step::Kernel {
            kernel,
            group,
            size: size.map(number),
        });
    }

    /// Starts all kernels so far.
    pub fn start(&mut self) {
        let encoder = self.encode();
        self.card.queue.submit([encoder.finish()]);
    }

    fn encode(&mut self) -> wgpu::CommandEncoder {
        self.shapes.resize(self.steps.len() * APART, 0);
        let Self { card, bound, .. } = self;
        assert!(
            self.shapes.len() as u64 <= bound.shapes.size(),
            "too many kernels at once"
        );
        card.write(&bound.shapes, &self.shapes);
        self.shapes.clear();
        let mut encoder = card.encoder();
        let mut steps = self.steps.drain(..).enumerate().peekable();
        while let Some((number, step)) = steps.next() {
            let (kernel, group, size) = match step {
                Step::Copy { from, to, bytes } => {
                    encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes);
                    continue;
                }
                Step::Kernel {
                    kernel,
                    group,
                    size,
                } => (kernel, group, size),
            };
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            let mut start = |kernel: Kernel, group: &wgpu::BindGroup, size: [u32; 2], number| {
                let place = u32::try_from(number * APART).expect("few kernels");
                pass.set_pipeline(&card.pipelines[kernel as usize]);
                pass.set_bind_group(0, group, &[place]);
                pass.dispatch_workgroups(size[0], size[1], 1);
            };
            start(kernel, &group, size, number);
            while let Some((
                number,
                Step::Kernel {
                    kernel,
                    group,
                    size,
                },
            )) = steps.next_if(|(_, step)| matches!(step, Step::Kernel { .. }))
            {
                start(kernel, &group, size, number);
            }
        }
        drop(steps);
        encoder
    }

    /// Starts all kernels so far and waits for the first numbers of some buffers, so many of each.
    ///
    /// # Panics
    /// If the device is lost, with a message that says so.
    pub fn read<const N: usize>(mut self, wanted: [(&Buffer, usize); N]) -> [Vec<u32>; N] {
        let bytes = |count: usize| (count * size_of::<u32>()) as u64;
        let total = bytes(wanted.iter().map(|(_, count)| count).sum());
        if self.bound.read.size() < total {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            self.bound.read = self.card.buffer(total.next_power_of_two(), usage);
        }
        let mut encoder = self.encode();
        let (card, read) = (self.card, &self.bound.read);
        let mut begin = 0;
        for (buffer, count) in wanted {
            check(buffer, count);
            encoder.copy_buffer_to_buffer(buffer, 0, read, begin, bytes(count));
            begin += bytes(count);
        }
        let submission = card.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        let slice = read.slice(..total);
        slice.map_async(wgpu::MapMode::Read, move |mapped| {
            sender.send(mapped).ok();
        });
        let polled = card.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        });
        let told = receiver.recv();
        let mapped = slice.get_mapped_range();
        let (true, Ok(Ok(())), Ok(mapped)) = (polled.is_ok(), &told, mapped) else {
            panic!("the device is lost: {polled:?}, {told:?}");
        };
        let mut begin = 0;
        let numbers = wanted.map(|(_, count)| {
            let bytes = &mapped[begin..][..count * size_of::<u32>()];
            begin += bytes.len();
            bytemuck::pod_collect_to_vec(bytes)
        });
        drop(mapped);
        read.unmap();
        numbers
    }
}

/// Kernels read and write without checks.
fn check(buffer: &Buffer, numbers: usize) {
    let bytes = (numbers * size_of::<f32>()) as u64;
    assert!(bytes <= buffer.size(), "{bytes} bytes of {}", buffer.size());
}

fn number(count: usize) -> u32 {
    u32::try_from(count).expect("less than memory has")
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
