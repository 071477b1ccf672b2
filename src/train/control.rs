//! Orders of a person to a run under way, from a thread of the program or from another program.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::device_lock::DeviceLock;
use super::run_state::{RunState, run_state};
use crate::error::{Error, Result};
use canopy_base::file::write_atomically;

/// In the run folder: an order from another program, there until the run has read it.
const ORDER_FILE: &str = "control";
/// Between two looks at that file.
const POLL: Duration = Duration::from_secs(1);

/// An order to a run, to be followed after the step under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Order {
    /// Go on.
    #[default]
    Resume,
    /// Save a checkpoint and wait.
    Pause,
    /// Save a checkpoint and end.
    Stop,
    /// End at once: what came after the last checkpoint is lost.
    Abandon,
}

const WORDS: [(Order, &str); 4] = [
    (Order::Resume, "resume"),
    (Order::Pause, "pause"),
    (Order::Stop, "stop"),
    (Order::Abandon, "abandon"),
];

impl fmt::Display for Order {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let word = WORDS.iter().find(|(order, _)| order == self);
        formatter.write_str(word.map_or("", |(_, word)| word))
    }
}

impl FromStr for Order {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let known = WORDS.iter().find(|(_, word)| *word == text.trim());
        known.map(|(order, _)| *order).ok_or(())
    }
}

/// Steers a run; clones steer the same one.
#[derive(Debug, Clone, Default)]
pub struct Control {
    shared: Arc<Shared>,
    device_lock: DeviceLock,
}

#[derive(Debug, Default)]
struct Shared {
    order: Mutex<Order>,
    changed: Condvar,
}

impl Control {
    /// For a run that computes only when it is its turn.
    pub fn sharing(device_lock: DeviceLock) -> Self {
        Self {
            device_lock,
            ..Self::default()
        }
    }

    /// Asks the run to pause after the update under way.
    pub fn pause(&self) {
        self.give(Order::Pause);
    }

    /// Asks a paused run to go on.
    pub fn resume(&self) {
        self.give(Order::Resume);
    }

    /// After a checkpoint.
    pub fn stop(&self) {
        self.give(Order::Stop);
    }

    /// Without a checkpoint: the last one stays.
    pub fn abandon(&self) {
        self.give(Order::Abandon);
    }

    /// Nothing takes back an order to end, but [`Order::Abandon`] overrides [`Order::Stop`].
    pub fn give(&self, order: Order) {
        let mut given = self.order_guard();
        if order > *given || *given == Order::Pause {
            *given = order;
            drop(given);
            self.shared.changed.notify_all();
        }
    }

    /// Returns the order that was given last.
    pub fn order(&self) -> Order {
        *self.order_guard()
    }

    /// Where the run waits until it may compute.
    pub fn device_lock(&self) -> &DeviceLock {
        &self.device_lock
    }

    /// Sleeps while the order is to pause, but no longer than `timeout`.
    fn sleep(&self, timeout: Duration) {
        let paused = |order: &mut Order| *order == Order::Pause;
        let given = self.order_guard();
        drop(
            self.shared
                .changed
                .wait_timeout_while(given, timeout, paused),
        );
    }

    fn order_guard(&self) -> std::sync::MutexGuard<'_, Order> {
        self.shared
            .order
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The run's own end of a [`Control`]: it looks for orders of other programs too.
#[derive(Debug)]
pub(super) struct Orders {
    control: Control,
    file: std::path::PathBuf,
    looked: Instant,
}

impl Orders {
    /// An order without a reader is forgotten.
    pub(crate) fn new(control: Control, run: &Path) -> Self {
        let file = run.join(ORDER_FILE);
        let _ = std::fs::remove_file(&file);
        Self {
            control,
            file,
            looked: Instant::now(),
        }
    }

    pub(crate) fn device_lock(&self) -> &DeviceLock {
        self.control.device_lock()
    }

    /// The order in force.
    pub(crate) fn current(&mut self) -> Order {
        if self.looked.elapsed() >= POLL {
            self.look();
        }
        self.control.order()
    }

    /// Waits until the run may continue or shall end.
    pub(crate) fn wait(&mut self) {
        while self.control.order() == Order::Pause {
            self.control.sleep(POLL);
            self.look();
        }
    }

    fn look(&mut self) {
        self.looked = Instant::now();
        let Ok(text) = std::fs::read_to_string(&self.file) else {
            return;
        };
        let _ = std::fs::remove_file(&self.file);
        if let Ok(order) = text.parse() {
            self.control.give(order);
        }
    }
}

/// Gives an order to the run that another program has under way in the folder `run`; it follows within a second of the
/// end of its step.
///
/// # Errors
/// [`Error::NotRunning`] if there is no reader for it, or if the folder cannot be written.
pub fn give_order(run: &Path, order: Order) -> Result<()> {
    if !matches!(run_state(run)?, RunState::Running | RunState::Paused) {
        return Err(Error::NotRunning {
            path: run.to_owned(),
        });
    }
    Ok(write_atomically(
        run.join(ORDER_FILE),
        order.to_string().as_bytes(),
        true,
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_to_end_stands() {
        let control = Control::default();
        control.pause();
        control.resume();
        assert_eq!(control.order(), Order::Resume);
        control.stop();
        control.pause();
        control.resume();
        assert_eq!(control.order(), Order::Stop);
        control.abandon();
        control.stop();
        assert_eq!(control.order(), Order::Abandon);
    }

    #[test]
    fn an_order_is_one_word_in_a_file() {
        for (order, word) in WORDS {
            assert_eq!(order.to_string(), word);
            assert_eq!(format!("{word}\n").parse(), Ok(order));
        }
        assert_eq!("".parse::<Order>(), Err(()));
    }
}
