//! A queue of trainings and the thread that runs them, one after the other.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use crate::error::{BaseError, Error, Result};
use crate::{
    Control, DeviceLock, EndReason, Order, TrainingConfig, TrainingEvent, device_of_run, is_run,
    train, train_remote, with_smaller_batches,
};
use canopy_base::JobId;
use canopy_translate::inference::{ComputeDevice, DeviceChoice};

#[cfg(test)]
mod tests;

/// A run to be trained.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingJob {
    /// Names the run in reports.
    pub job: JobId,
    /// The settings of the run.
    pub config: TrainingConfig,
    /// Run folder.
    pub run: PathBuf,
    /// Go on from the last checkpoint of the folder.
    pub resume: bool,
    /// The device that it trains on.
    pub device: DeviceChoice,
}

/// Work for the training thread.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingRequest {
    /// Trains after all that wait already.
    Start(Box<TrainingJob>),
    /// Steers the run under way; one that waits leaves the queue if it shall end.
    Order {
        /// The run.
        job: JobId,
        /// The order to it.
        order: Order,
    },
}

/// A report of the training thread.
#[derive(Debug)]
pub enum TrainingReport {
    /// An event of a run; it ends with one of the others.
    Event {
        /// The run.
        job: JobId,
        /// The event.
        event: TrainingEvent,
    },
    /// The run has ended without an error.
    Finished {
        /// The run.
        job: JobId,
    },
    /// It was ordered to end while it waited.
    Cancelled {
        /// The run.
        job: JobId,
    },
    /// An error ended the run.
    Failed {
        /// The run.
        job: JobId,
        /// The error.
        error: Error,
    },
}

/// The owner's end of the training thread, which sends reports as events of its own kind.
#[derive(Debug)]
pub struct Trainings<E> {
    queue: Arc<Queue>,
    events: Sender<E>,
    thread: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: Mutex<Jobs>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Jobs {
    waiting: VecDeque<TrainingJob>,
    current: Option<(JobId, Control)>,
    closed: bool,
}

impl<E: From<TrainingReport> + Send + 'static> Trainings<E> {
    /// Starts the thread; `wake` is called after events other than steps, which readers find in the run's folder. It
    /// computes while it holds `device_lock`.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn(
        device_lock: DeviceLock,
        events: Sender<E>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        Self::spawn_with(train_job, device_lock, events, wake)
    }

    /// Starts the queue with another training function.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn spawn_with(
        train: impl Fn(&TrainingJob, &Control, &mut dyn FnMut(&TrainingEvent)) -> Result<EndReason>
        + Send
        + 'static,
        device_lock: DeviceLock,
        events: Sender<E>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self> {
        let queue = Arc::new(Queue::default());
        let (own, sender) = (Arc::clone(&queue), events.clone());
        let thread = std::thread::Builder::new()
            .name("canopy-training".to_owned())
            .spawn(move || {
                let mut emit = |report: TrainingReport| {
                    let is_step =
                        matches!(&report, TrainingReport::Event { event, .. } if event.is_step());
                    // The receiver may already be gone; then the report is not needed.
                    let _ = sender.send(report.into());
                    if !is_step {
                        wake();
                    }
                };
                while let Some((job, control)) = own.next(&device_lock) {
                    let number = job.job;
                    let last = trained(&job, &control, &train, &mut emit);
                    own.jobs().current = None;
                    emit(match last {
                        Ok(()) => TrainingReport::Finished { job: number },
                        Err(error) => TrainingReport::Failed { job: number, error },
                    });
                }
            })
            .map_err(|cause| Error::Base(BaseError::Thread { cause }))?;
        Ok(Self {
            queue,
            events,
            thread,
        })
    }

    /// Takes a request; `false` if the thread has ended.
    pub fn send(&self, request: TrainingRequest) -> bool {
        let mut jobs = self.queue.jobs();
        match request {
            TrainingRequest::Start(job) => jobs.waiting.push_back(*job),
            TrainingRequest::Order { job, order } => {
                if let Some((_, control)) = jobs.current.as_ref().filter(|(own, _)| *own == job) {
                    control.give(order);
                } else if order >= Order::Stop {
                    let before = jobs.waiting.len();
                    jobs.waiting.retain(|waiting| waiting.job != job);
                    if jobs.waiting.len() < before {
                        let _ = self.events.send(TrainingReport::Cancelled { job }.into());
                    }
                }
            }
        }
        drop(jobs);
        self.queue.changed.notify_all();
        !self.is_finished()
    }

    /// The run under way, then those that wait.
    pub fn jobs(&self) -> Vec<JobId> {
        let jobs = self.queue.jobs();
        let current = jobs.current.iter().map(|(job, _)| *job);
        current
            .chain(jobs.waiting.iter().map(|waiting| waiting.job))
            .collect()
    }

    /// Whether the thread has ended, which it does only when it is dropped.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

impl<E> Drop for Trainings<E> {
    /// Nothing that waits begins any more.
    fn drop(&mut self) {
        self.queue.jobs().closed = true;
        self.queue.changed.notify_all();
    }
}

impl Queue {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next run; none if there will be none.
    fn next(&self, device_lock: &DeviceLock) -> Option<(TrainingJob, Control)> {
        let empty = |jobs: &mut Jobs| jobs.waiting.is_empty() && !jobs.closed;
        let jobs = self.changed.wait_while(self.jobs(), empty);
        let mut jobs = jobs.unwrap_or_else(PoisonError::into_inner);
        if jobs.closed {
            return None;
        }
        let job = jobs.waiting.pop_front()?;
        let control = Control::sharing(device_lock.clone());
        jobs.current = Some((job.job, control.clone()));
        Some((job, control))
    }
}

fn train_job(
    job: &TrainingJob,
    control: &Control,
    observe: &mut dyn FnMut(&TrainingEvent),
) -> Result<EndReason> {
    if job.resume && !is_run(&job.run) {
        // It must not begin anew where it lay.
        return Err(Error::NoRun {
            path: job.run.clone(),
        });
    }
    let device = device_of_run(&job.run, job.resume, job.device)?;
    let compute = ComputeDevice::open(device)?;
    if let Some(client) = &compute.remote {
        return train_remote(client, &job.config, &job.run, job.resume, control, observe);
    }
    train(
        &job.config,
        &job.run,
        job.resume,
        &compute.device,
        &compute.name,
        control,
        observe,
    )
}

/// Trains to the end; when the memory is too small, continues from the last checkpoint with smaller batches.
fn trained(
    job: &TrainingJob,
    control: &Control,
    train: impl Fn(&TrainingJob, &Control, &mut dyn FnMut(&TrainingEvent)) -> Result<EndReason>,
    emit: &mut dyn FnMut(TrainingReport),
) -> Result<()> {
    let mut observe = |event: &TrainingEvent| {
        emit(TrainingReport::Event {
            job: job.job,
            event: event.clone(),
        });
    };
    let begun = (job.config.batch_tokens, job.resume);
    let ended = with_smaller_batches(
        &job.run,
        begun,
        &mut observe,
        |batch_tokens, resume, observe| {
            let mut job = job.clone();
            (job.config.batch_tokens, job.resume) = (batch_tokens, resume);
            train(&job, control, observe)
        },
    );
    ended.map(|_| ())
}
