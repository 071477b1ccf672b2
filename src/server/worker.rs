//! The thread that owns models and device.

use std::sync::Arc;

use axum::http::StatusCode;

use super::job::Job;
use super::models::{Models, OpenModel};
use super::queue::Queue;
use super::refusal::Refusal;
use super::round::translate_round;
use crate::error::{Error, Result};
use canopy_base::error::caught;
use canopy_translate::error::is_of_device;
use canopy_translate::inference::SearchOptions;

/// Translates what waits in the queue, until it is closed.
pub(super) fn work(queue: &Arc<Queue>, mut models: Models, options: &SearchOptions) {
    while let Some(jobs) = queue.next_round() {
        let unfinished = round(&mut models, jobs, options);
        queue.put_back(unfinished);
    }
}

/// Translates a share of each job; those that are not done yet.
fn round(models: &mut Models, mut jobs: Vec<Job>, options: &SearchOptions) -> Vec<Job> {
    let Some(way) = jobs.first().map(|job| job.way.clone()) else {
        return jobs;
    };
    let opened = caught(|| models.model(&way).map(|_| ()));
    let model = match opened.and_then(|()| models.model(&way)) {
        Ok(model) => model,
        Err(error) => {
            refuse_all(jobs, &error);
            return Vec::new();
        }
    };
    let before = num_left(&jobs);
    let options = &SearchOptions {
        // Alternatives that are returned with the translation have to be in the beam.
        beam_size: match options.beam_size {
            0 => 0,
            beam => beam.max(way.alternatives + 1),
        },
        alternatives: way.alternatives,
        ..*options
    };
    if let Err(error) = with_cpu_behind(model, &mut jobs, options) {
        if jobs.len() == 1 {
            refuse_all(jobs, &error);
            return Vec::new();
        }
        // One of them cannot be translated; the others need not suffer for it.
        jobs = each_alone(model, jobs, options);
    } else if num_left(&jobs) == before && !jobs.iter().all(Job::is_done) {
        jobs.retain(|job| !job.is_abandoned());
        refuse_all(jobs, &Error::NothingTranslated);
        return Vec::new();
    }
    let name = model.name_and_target();
    let mut unfinished = Vec::new();
    for job in jobs {
        if job.is_done() {
            job.finish(name.clone());
        } else if !job.is_abandoned() {
            unfinished.push(job);
        }
    }
    unfinished
}

fn num_left(jobs: &[Job]) -> usize {
    let items = jobs.iter().flat_map(|job| &job.items);
    items.map(|item| item.left.len()).sum()
}

/// A round on the model's device, and on the CPU where that fails.
fn with_cpu_behind(model: &mut OpenModel, jobs: &mut [Job], options: &SearchOptions) -> Result<()> {
    let done = translate_round(model, jobs, options);
    let (Err(error), OpenModel::Translator(translator)) = (&done, &*model) else {
        return done;
    };
    if !is_of_device(error) || translator.loaded().is_on_cpu() {
        return done;
    }
    let Ok(other) = translator.on_cpu() else {
        return done;
    };
    *model = OpenModel::Translator(other);
    translate_round(model, jobs, options)
}

/// Translates jobs one by one; those that could be.
fn each_alone(model: &mut OpenModel, jobs: Vec<Job>, options: &SearchOptions) -> Vec<Job> {
    let mut done = Vec::new();
    for mut job in jobs {
        match with_cpu_behind(model, std::slice::from_mut(&mut job), options) {
            Ok(()) => done.push(job),
            Err(error) => refuse_all(vec![job], &error),
        }
    }
    done
}

fn refuse_all(jobs: Vec<Job>, error: &Error) {
    for job in jobs {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        job.refuse(Refusal::new(status, error.to_string()));
    }
}
