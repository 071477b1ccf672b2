//! The devices that share every batch: each computes the gradients of its part, which are then added up on the first one.
//!
//! burn's own collective operations exist for CUDA and remote devices alone: see docs/research/precision.md.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::thread::ScopedJoinHandle;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Gradients, Tensor};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{BaseError, Error, Result};
use canopy_nn::model::{Batch, Model};
use canopy_translate::inference::other_adapters;

/// Where the parts of a batch are computed.
pub(super) struct Workers {
    /// Device of the model and the optimiser.
    first: Device,
    /// The first device among them; none if it computes alone.
    workers: Vec<Worker>,
}

struct Worker {
    device: Device,
    /// Threads of its own: those of the program in equal parts.
    threads: ThreadPool,
}

/// The loss of a batch.
#[expect(clippy::large_enum_variant, reason = "one for each update")]
pub(super) enum Loss {
    Known(f32),
    /// `[1]`, which may still be computed.
    Tensor(Tensor<1>),
}

impl Loss {
    /// Waits for it.
    pub(crate) fn number(self) -> f32 {
        match self {
            Self::Known(loss) => loss,
            Self::Tensor(loss) => loss.into_scalar(),
        }
    }
}

/// The results of one device for its part.
struct Part {
    /// Its share of the loss of the batch.
    loss: f32,
    gradients: Gradients,
    /// Whose gradients they are.
    model: Model,
}

impl Workers {
    /// `count` of them, the first on `device`.
    ///
    /// # Errors
    /// If there are fewer graphics adapters, or a thread cannot be started.
    pub(crate) fn new(device: &Device, count: usize) -> Result<Self> {
        let first = device.clone().autodiff();
        if count == 1 {
            return Ok(Self {
                first,
                workers: Vec::new(),
            });
        }
        let plain = device.clone().inner();
        let devices = if plain == Device::flex() {
            vec![plain; count]
        } else {
            other_adapters(&plain, count)?
        };
        let threads = (rayon::current_num_threads() / count).max(1);
        let worker = |(number, device): (usize, Device)| {
            let threads = ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |thread| format!("trainer {number}.{thread}"))
                .build();
            let threads = threads.map_err(|cause| {
                Error::Base(BaseError::Thread {
                    cause: std::io::Error::other(cause),
                })
            })?;
            let device = device.autodiff();
            Ok(Worker { device, threads })
        };
        Ok(Self {
            first,
            workers: devices
                .into_iter()
                .enumerate()
                .map(worker)
                .collect::<Result<_>>()?,
        })
    }

    /// The first device, with gradients.
    pub(crate) fn device(&self) -> &Device {
        &self.first
    }

    pub(crate) fn count(&self) -> usize {
        self.workers.len().max(1)
    }

    /// The loss of a batch of which `shards` are the parts, a mean over all its tokens, and its gradients by `model`.
    /// `loss` gives that of one part, by the device of its number.
    pub(crate) fn gradients(
        &self,
        model: &Model,
        shards: &[Batch],
        loss: impl Fn(&Model, &Batch, usize) -> Tensor<1> + Sync,
    ) -> (Loss, Gradients) {
        if let ([whole], true) = (shards, self.workers.is_empty()) {
            let loss = loss(model, whole, 0);
            let gradients = loss.backward();
            return (Loss::Tensor(loss), gradients);
        }
        let all: usize = shards.iter().map(|shard| shard.labels.len()).sum();
        let mut parts = self.parts(model, shards, all, &loss).into_iter();
        let mut first = parts.next().expect("a batch has a part");
        for part in parts {
            first.loss += part.loss;
            let mut adding = Adding {
                collected: part.collected(),
                gradients: &mut first.gradients,
                device: &self.first,
            };
            model.visit(&mut adding);
        }
        (Loss::Known(first.loss), first.gradients)
    }

    /// Computes the part of each device, all at once.
    fn parts(
        &self,
        model: &Model,
        shards: &[Batch],
        all: usize,
        loss: &(impl Fn(&Model, &Batch, usize) -> Tensor<1> + Sync),
    ) -> Vec<Part> {
        let work = self.workers.iter().zip(shards).enumerate();
        let work = work.map(|(number, (worker, shard))| {
            // A model of its own, so that no two threads walk one graph.
            let model = match number {
                0 => model.clone(),
                _ => model.clone().fork(&worker.device),
            };
            (number, worker, shard, model)
        });
        let work: Vec<_> = work.collect();
        std::thread::scope(|scope| {
            let threads = work.into_iter().map(|(number, worker, shard, model)| {
                let own = move || {
                    #[expect(clippy::cast_precision_loss, reason = "tokens of a batch")]
                    let share = shard.labels.len() as f32 / all as f32;
                    let loss = loss(&model, shard, number) * share;
                    let gradients = loss.backward();
                    Part {
                        loss: loss.into_scalar::<f32>(),
                        gradients,
                        model,
                    }
                };
                scope.spawn(move || worker.threads.install(own))
            });
            let threads: Vec<_> = threads.collect();
            let parts = threads.into_iter().map(ScopedJoinHandle::join);
            parts
                .map(|part| part.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        })
    }
}

impl Part {
    /// A gradient for each parameter in order, flat; none for one that was not used.
    fn collected(&self) -> VecDeque<Option<Tensor<1>>> {
        let mut collecting = Collecting {
            gradients: &self.gradients,
            collected: VecDeque::new(),
        };
        self.model.visit(&mut collecting);
        collecting.collected
    }
}

struct Collecting<'a> {
    gradients: &'a Gradients,
    collected: VecDeque<Option<Tensor<1>>>,
}

impl ModuleVisitor for Collecting<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let gradient = param.val().grad(self.gradients);
        let gradient = gradient.map(|gradient| gradient.flatten(0, D - 1));
        self.collected.push_back(gradient);
    }
}

/// Adds the gradients of another device to those of the first.
struct Adding<'a> {
    collected: VecDeque<Option<Tensor<1>>>,
    gradients: &'a mut Gradients,
    device: &'a Device,
}

impl ModuleVisitor for Adding<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(other) = self.collected.pop_front().flatten() else {
            return;
        };
        let tensor = param.val();
        let other = other.to_device(&self.device.clone().inner());
        let other = other.reshape(tensor.shape());
        let sum = match tensor.grad(self.gradients) {
            Some(own) => own + other,
            None => other,
        };
        tensor.grad_replace(self.gradients, sum);
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::distributed::{ReduceOperation, all_reduce};
    use burn::tensor::{Device, Tensor};

    use crate::error::Error;
    use canopy_base::error::caught;

    /// Once this fails, burn's own operation may take the place of the sums here.
    #[test]
    fn burn_reduces_nothing_on_the_cpu() {
        let device = Device::flex();
        let refused = caught(|| {
            let one = Tensor::<1>::from_floats([1.0], &device);
            let devices = vec![device.clone(), device.clone()];
            Ok(all_reduce(one, ReduceOperation::Sum, devices).resolve())
        });
        let refused: Error = refused.expect_err("not supported");
        let message = refused.to_string();
        assert!(message.contains("not supported"), "{message}");
    }
}
