//! Turns on a device that a training run and a translation share.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A lock that is granted in the order of requests; clones are the same lock.
#[derive(Debug, Clone, Default)]
pub struct DeviceLock(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    queue: Mutex<Queue>,
    called: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    next_ticket: u64,
    serving: u64,
    /// How long the last turn was.
    last_held: Duration,
}

impl Queue {
    fn others_wait(&self) -> bool {
        self.next_ticket - self.serving > 1
    }
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub struct DeviceGuard<'a> {
    device_lock: &'a DeviceLock,
    since: Instant,
}

impl DeviceLock {
    /// Waits for all earlier requests.
    pub fn take(&self) -> DeviceGuard<'_> {
        self.wait();
        DeviceGuard {
            device_lock: self,
            since: Instant::now(),
        }
    }

    fn wait(&self) {
        let mut queue = self.queue();
        let ticket = queue.next_ticket;
        queue.next_ticket += 1;
        while queue.serving != ticket {
            queue = self
                .0
                .called
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, held: Duration) {
        let mut queue = self.queue();
        queue.last_held = held;
        queue.serving += 1;
        drop(queue);
        self.0.called.notify_all();
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeviceGuard<'_> {
    /// Lets the others go first, if they wait and this turn has been as long as the one before it: small pieces of work
    /// next to large ones get as much time, not as many turns.
    pub fn pass(&mut self) {
        let held = self.since.elapsed();
        let queue = self.device_lock.queue();
        let due = queue.others_wait() && held >= queue.last_held;
        drop(queue);
        if due {
            self.device_lock.end(held);
            self.device_lock.wait();
            self.since = Instant::now();
        }
    }
}

impl Drop for DeviceGuard<'_> {
    fn drop(&mut self) {
        self.device_lock.end(self.since.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn turns_come_in_the_order_of_requests() {
        let device_lock = DeviceLock::default();
        let order = Mutex::new(Vec::new());
        let first = device_lock.take();
        thread::scope(|scope| {
            for number in 0..4 {
                let (device_lock, order) = (&device_lock, &order);
                scope.spawn(move || {
                    let _guard = device_lock.take();
                    order.lock().expect("whole").push(number);
                });
                while device_lock.queue().next_ticket < number + 2 {
                    thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(order.into_inner().expect("whole"), [0, 1, 2, 3]);
    }

    #[test]
    fn a_turn_is_passed_on_once_it_was_as_long_as_the_one_before() {
        let device_lock = DeviceLock::default();
        let other_had_it = AtomicBool::new(false);
        let mut guard = device_lock.take();
        thread::scope(|scope| {
            scope.spawn(|| {
                let _guard = device_lock.take();
                other_had_it.store(true, Ordering::Relaxed);
            });
            while !device_lock.queue().others_wait() {
                thread::yield_now();
            }
            device_lock.queue().last_held = Duration::MAX;
            guard.pass();
            assert!(!other_had_it.load(Ordering::Relaxed));
            device_lock.queue().last_held = Duration::ZERO;
            guard.pass();
            assert!(other_had_it.load(Ordering::Relaxed));
            drop(guard);
        });
    }

    #[test]
    fn a_turn_for_which_nobody_waits_is_kept() {
        let device_lock = DeviceLock::default();
        let mut guard = device_lock.take();
        guard.pass();
        assert_eq!(device_lock.queue().serving, 0);
    }

    #[test]
    fn a_turn_ends_with_a_panic() {
        let device_lock = DeviceLock::default();
        let other = device_lock.clone();
        let panicked = thread::spawn(move || {
            let _guard = other.take();
            panic!("out of luck");
        });
        assert!(panicked.join().is_err());
        drop(device_lock.take());
    }
}
