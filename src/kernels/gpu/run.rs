//! Kernels that are started together, one after the other.

use std::collections::HashMap;

use wgpu::{Buffer, BufferUsages};

use super::{Gpu, Kernel, MOST_GROUPS, SHAPE};

/// Rows up to which products move the weights for four rows at a time, and do not share tiles.
const FEW: usize = 256;

/// Cached bind groups, and the buffers from which results are read.
#[derive(Debug)]
pub struct Bound {
    groups: HashMap<(Kernel, Vec<Buffer>), wgpu::BindGroup>,
    /// The numbers that describe the work of each kernel.
    shapes: Buffer,
    read: Buffer,
    /// Bound where a kernel reads nothing.
    pub(super) nothing: Buffer,
}

/// Bytes from the numbers of one kernel to those of the next: the alignment that every GPU accepts.
const APART: usize = 256;

impl Bound {
    /// Without any bind group yet, for runs of up to 256 steps.
    pub fn new(gpu: &Gpu) -> Self {
        Self::for_steps(gpu, 256)
    }

    /// Without any bind group yet, for runs of up to `steps` steps.
    pub fn for_steps(gpu: &Gpu, steps: usize) -> Self {
        Self {
            groups: HashMap::new(),
            shapes: gpu.buffer(
                (steps * APART) as u64,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            ),
            read: gpu.buffer(1 << 16, BufferUsages::MAP_READ | BufferUsages::COPY_DST),
            nothing: gpu.room(4),
        }
    }

    /// Forgets buffers, so that those without other owners are freed.
    pub fn forget(&mut self) {
        self.groups.clear();
    }
}

/// Launches that wait for their start.
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
    gpu: &'a Gpu,
    pub(super) bound: &'a mut Bound,
    steps: Vec<Step>,
    shapes: Vec<u8>,
    /// Rows up to which products are those of few.
    pub(super) few: usize,
}

impl<'a> Run<'a> {
    /// A run without launches, which reuses `bound`.
    pub fn new(gpu: &'a Gpu, bound: &'a mut Bound) -> Self {
        Self {
            gpu,
            bound,
            steps: Vec::new(),
            shapes: Vec::new(),
            few: FEW,
        }
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

    /// Adds a kernel with the numbers that describe its work, to be started in a number of groups of threads.
    pub(super) fn push(
        &mut self,
        kernel: Kernel,
        shape: &[u32],
        buffers: &[&Buffer],
        size: [usize; 2],
    ) {
        assert!(
            size.iter().all(|&groups| groups <= MOST_GROUPS),
            "out of memory: {size:?} groups of threads at once"
        );
        let place = self.steps.len() * APART;
        self.shapes.resize(place, 0);
        self.shapes.extend_from_slice(bytemuck::cast_slice(shape));
        let key = (kernel, buffers.iter().copied().cloned().collect::<Vec<_>>());
        let (gpu, shapes) = (self.gpu, &self.bound.shapes);
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
            let layout = gpu.pipeline(kernel).get_bind_group_layout(0);
            gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
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
        self.gpu.queue.submit([encoder.finish()]);
    }

    fn encode(&mut self) -> wgpu::CommandEncoder {
        self.shapes.resize(self.steps.len() * APART, 0);
        let Self { gpu, bound, .. } = self;
        assert!(
            self.shapes.len() as u64 <= bound.shapes.size(),
            "too many kernels at once"
        );
        gpu.write(&bound.shapes, &self.shapes);
        self.shapes.clear();
        let mut encoder = gpu.encoder();
        let mut pass = None;
        for (number, step) in self.steps.drain(..).enumerate() {
            match step {
                Step::Copy { from, to, bytes } => {
                    pass = None;
                    encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes);
                }
                Step::Kernel {
                    kernel,
                    group,
                    size: [across, down],
                } => {
                    let pass = pass.get_or_insert_with(|| {
                        let described = wgpu::ComputePassDescriptor::default();
                        encoder.begin_compute_pass(&described).forget_lifetime()
                    });
                    let place = u32::try_from(number * APART).expect("few kernels");
                    pass.set_pipeline(gpu.pipeline(kernel));
                    pass.set_bind_group(0, &group, &[place]);
                    pass.dispatch_workgroups(across, down, 1);
                }
            }
        }
        drop(pass);
        encoder
    }

    /// Starts all kernels so far and waits for the first numbers of some buffers, a count for each.
    ///
    /// # Panics
    /// If the device is lost, with a message that says so.
    pub fn read<const N: usize>(mut self, wanted: [(&Buffer, usize); N]) -> [Vec<u32>; N] {
        let bytes = |count: usize| (count * size_of::<u32>()) as u64;
        let total = bytes(wanted.iter().map(|(_, count)| count).sum());
        if self.bound.read.size() < total {
            let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
            self.bound.read = self.gpu.buffer(total.next_power_of_two(), usage);
        }
        let mut encoder = self.encode();
        let (gpu, read) = (self.gpu, &self.bound.read);
        let mut begin = 0;
        for (buffer, count) in wanted {
            check(buffer, count);
            encoder.copy_buffer_to_buffer(buffer, 0, read, begin, bytes(count));
            begin += bytes(count);
        }
        let submission = gpu.queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        let slice = read.slice(..total);
        slice.map_async(wgpu::MapMode::Read, move |mapped| {
            sender.send(mapped).ok();
        });
        let polled = gpu.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: None,
        });
        let outcome = receiver.recv();
        let mapped = slice.get_mapped_range();
        let (true, Ok(Ok(())), Ok(mapped)) = (polled.is_ok(), &outcome, mapped) else {
            panic!("the device is lost: {polled:?}, {outcome:?}");
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
pub(super) fn check(buffer: &Buffer, numbers: usize) {
    let bytes = (numbers * size_of::<f32>()) as u64;
    assert!(bytes <= buffer.size(), "{bytes} bytes of {}", buffer.size());
}

pub(super) fn number(count: usize) -> u32 {
    u32::try_from(count).expect("less than memory has")
}
