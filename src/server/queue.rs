//! Jobs that wait for the worker, limited in number; those that fit together first.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::job::Job;
use super::refusal::Refusal;

/// Sentences that a round translates, about.
const MOST_SENTENCES: usize = 192;

#[derive(Debug, Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// How many the worker has taken out and not put back.
    at_work: usize,
    is_closed: bool,
}

/// The queue between those who speak with clients and the one who translates.
#[derive(Debug)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    /// Jobs that wait or are at work, at most.
    most: usize,
}

impl Queue {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            most,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job after the others.
    ///
    /// # Errors
    /// 429 if too many wait, 503 if the server is ending.
    pub(crate) fn push(&self, job: Job) -> Result<(), Refusal> {
        let mut waiting = self.lock();
        if waiting.is_closed {
            return Err(Refusal::closing());
        }
        // Those whose clients have left take no place.
        if waiting.jobs.len() + waiting.at_work >= self.most {
            waiting.jobs.retain(|job| !job.is_abandoned());
        }
        if waiting.jobs.len() + waiting.at_work >= self.most {
            return Err(Refusal::busy());
        }
        waiting.jobs.push_back(job);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for jobs, and takes the oldest with all that can be translated together with it; none once the queue is closed.
    pub(crate) fn next_round(&self) -> Option<Vec<Job>> {
        let mut waiting = self.lock();
        loop {
            waiting.jobs.retain(|job| !job.is_abandoned());
            if waiting.is_closed {
                return None;
            }
            if !waiting.jobs.is_empty() {
                break;
            }
            waiting = self
                .changed
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let round = together(&mut waiting.jobs);
        waiting.at_work = round.len();
        Some(round)
    }

    /// Puts back what the last round has left, after those that came meanwhile.
    pub(crate) fn put_back(&self, unfinished: Vec<Job>) {
        let mut waiting = self.lock();
        waiting.at_work = 0;
        waiting.jobs.extend(unfinished);
    }

    /// How many jobs wait or are at work.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        let waiting = self.lock();
        waiting.jobs.len() + waiting.at_work
    }

    /// Rejects new jobs, and notifies those who wait.
    pub(crate) fn close(&self) {
        let mut waiting = self.lock();
        waiting.is_closed = true;
        for job in waiting.jobs.drain(..) {
            job.refuse(Refusal::closing());
        }
        self.changed.notify_all();
    }
}

/// Takes the first job, and those after it that go the same way, as long as there is room.
fn together(jobs: &mut VecDeque<Job>) -> Vec<Job> {
    let Some(first) = jobs.pop_front() else {
        return Vec::new();
    };
    if first.is_private() {
        return vec![first];
    }
    let mut sentences: usize = first.shares().iter().sum();
    let (mut round, mut others) = (vec![first], VecDeque::new());
    for job in jobs.drain(..) {
        let fits = job.way == round[0].way && !job.is_private() && sentences < MOST_SENTENCES;
        if fits {
            sentences += job.shares().iter().sum::<usize>();
            round.push(job);
        } else {
            others.push_back(job);
        }
    }
    *jobs = others;
    round
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;

    use super::super::job::tests::job;
    use super::*;

    #[test]
    fn jobs_of_one_model_go_together_and_the_oldest_decides() {
        let queue = Queue::new(10);
        let jobs = [("a", 3), ("b", 1), ("a", 300), ("a", 1)];
        let answers: Vec<_> = jobs
            .iter()
            .map(|&(model, count)| {
                let (job, answer) = job(model, &[count]);
                queue.push(job).expect("room");
                answer
            })
            .collect();
        let round = queue.next_round().expect("jobs");
        assert_eq!(round.len(), 3);
        assert_eq!(queue.len(), 4);
        let mut unfinished: Vec<Job> = round
            .into_iter()
            .filter(|job| job.shares()[0] == 48)
            .collect();
        unfinished[0].items[0].left.clear();
        queue.put_back(unfinished);
        // What came meanwhile precedes what continues.
        assert_eq!(
            queue.next_round().expect("jobs")[0].way,
            job("b", &[1]).0.way
        );
        queue.put_back(Vec::new());
        assert!(queue.next_round().expect("jobs")[0].is_done());
        drop(answers);
    }

    #[test]
    fn a_full_queue_refuses_until_a_client_leaves() {
        let queue = Queue::new(2);
        let [(first, answer), (second, _kept), (third, _other)] =
            [job("a", &[1]), job("a", &[1]), job("a", &[1])];
        queue.push(first).expect("room");
        queue.push(second).expect("room");
        let refused = queue.push(third).expect_err("no room");
        assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
        drop(answer);
        let (fourth, _answer) = job("a", &[1]);
        queue.push(fourth).expect("the first client has left");
        assert_eq!(queue.len(), 2);
    }

    #[test]
    fn what_one_client_has_confirmed_is_not_translated_with_others() {
        let queue = Queue::new(9);
        let (mut private, _answer) = job("a", &[2]);
        private.items[0].confirmed.insert(0, "Öffnen".to_owned());
        let (other, _other_answer) = job("a", &[1]);
        queue.push(private).expect("room");
        queue.push(other).expect("room");
        assert_eq!(queue.next_round().expect("jobs").len(), 1);
    }

    #[test]
    fn a_closed_queue_notifies_those_who_wait() {
        let queue = Queue::new(2);
        let (waiting, mut answer) = job("a", &[1]);
        queue.push(waiting).expect("room");
        queue.close();
        let refusal = answer
            .try_recv()
            .expect("an answer")
            .expect_err("a refusal");
        assert_eq!(refusal.status, StatusCode::SERVICE_UNAVAILABLE);
        assert!(queue.next_round().is_none());
        assert!(queue.push(job("a", &[1]).0).is_err());
    }
}
