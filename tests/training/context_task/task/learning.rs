//! Training on the task, and what a trained system makes of it.

use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;
use canopy::kernels::DropoutSource;
use canopy::model::{Batch, Context, Model};
use canopy::training::Adam;

use super::documents::{Mention, Order, Pairs, Task, Texts};
use super::left_out::left_out;
use super::pointing::Pointing;
use super::systems::System;

/// Documents in a test set and in the development set.
const TEST: usize = 200;
const DEV_DOCUMENTS: usize = 25;
/// Updates in which the learning rate rises.
const WARMUP: usize = 50;
/// Updates between two looks at the development set.
const EVERY: usize = 25;
/// Updates in which the learning rate then falls to zero.
const COOLING: usize = 200;
/// Where T begins.
const MOST_SENTENCES: usize = 8;
/// Once all entities are there: what was learned has to hold for pairs that never occur.
const DROPOUT: f32 = 0.1;
/// Share of right mentions of the development set at which an entity is added.
const MOST: f64 = 0.9;
/// Share of right mentions at which T is lowered, and training ends when it is reached [`LASTING`] times in a row.
const ENOUGH: f64 = 0.99;
const LASTING: usize = 12;

/// Numbers of the texts of a seed that are not an update's.
const DEV: u64 = 1 << 32;
const HELD: u64 = DEV + 1;
const BEYOND: u64 = DEV + 2;

/// The scores that a system reached.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Outcome {
    pub system: &'static str,
    pub seed: u64,
    pub parameters: usize,
    /// Share of right forms of held-out pairs where the decider can be read.
    pub accuracy: f64,
    /// Share of right forms when every sentence is translated alone.
    pub alone: f64,
    /// Share of right forms where the decider is outside the window.
    pub beyond: Option<f64>,
    /// Share of the solved cases in which the deciding sentence has the largest weight among the others.
    pub pointing: Option<f64>,
    /// Share of the solved cases, in some of the documents, in which the deciding sentence is the one without which the
    /// translation loses most.
    pub left_out: Option<f64>,
    /// Updates, all from random weights on.
    pub steps: usize,
    pub seconds: f64,
    pub learning_rate: f64,
    /// Entities in a document or scene, and the update after which their number was reached.
    pub cast: Vec<(usize, usize)>,
    /// T, and the update after which it was lowered to that.
    pub top_t: Vec<(usize, usize)>,
}

/// Trains a system and tests it.
pub fn examine(system: &System, seed: u64) -> Outcome {
    let device = Device::flex().autodiff();
    let begun = Instant::now();
    let model = Model::seeded(&system.config(), seed, &device);
    let mut course = Course::new(system, seed);
    let (model, steps) = train(model.expect("a valid configuration"), &mut course);
    let seconds = begun.elapsed().as_secs_f64();
    let model = model.valid();
    let texts = Texts::draw(system.task, Pairs::HeldOut, TEST, seed, HELD);
    let answers = answers(&model, &texts);
    Outcome {
        system: system.name,
        seed,
        parameters: model.num_params(),
        accuracy: share(&texts.mentions, &answers),
        alone: share(&texts.mentions, &self::answers(&model, &texts.apart())),
        beyond: (system.task.order == Order::Near).then(|| beyond(&model, system, seed)),
        pointing: system
            .context
            .map(|context| pointing(&model, context, &texts, &answers)),
        left_out: system
            .context
            .map(|_| left_out(&model, &system.config(), &texts, &answers)),
        steps,
        seconds,
        learning_rate: system.learning_rate,
        cast: course.cast,
        top_t: course.top_t,
    }
}

/// The course of a system's training: few entities at first, and all sentences in every token's reach.
struct Course<'a> {
    system: &'a System,
    seed: u64,
    dev: Texts,
    /// As in [`Outcome`].
    cast: Vec<(usize, usize)>,
    top_t: Vec<(usize, usize)>,
}

impl<'a> Course<'a> {
    fn new(system: &'a System, seed: u64) -> Self {
        let cast = 1;
        Self {
            system,
            seed,
            dev: dev(system.task, cast, seed),
            cast: vec![(cast, 0)],
            top_t: if system.lowers_t {
                vec![(MOST_SENTENCES, 0)]
            } else {
                Vec::new()
            },
        }
    }

    /// Texts of an update.
    fn texts(&self, step: usize) -> Texts {
        let task = self.system.task;
        let (cast, _) = self.cast[self.cast.len() - 1];
        Texts::draw(
            Task { cast, ..task },
            Pairs::Training,
            self.system.batch,
            self.seed,
            step as u64,
        )
    }

    /// Whether all entities are there.
    fn is_whole(&self) -> bool {
        let (cast, _) = self.cast[self.cast.len() - 1];
        cast == self.system.task.cast
    }

    /// One entity more after this update, or if they are all there a lower T; whether there is anything harder.
    fn goes_on(&mut self, step: usize) -> bool {
        let (cast, _) = self.cast[self.cast.len() - 1];
        if !self.is_whole() {
            self.cast.push((cast + 1, step));
            self.dev = dev(self.system.task, cast + 1, self.seed);
            return true;
        }
        match (self.top_t.last(), self.system.top_t()) {
            (Some(&(top_t, _)), Some(least)) if top_t > least => {
                self.top_t.push((top_t - 1, step));
                true
            }
            _ => false,
        }
    }
}

fn dev(task: Task, cast: usize, seed: u64) -> Texts {
    Texts::draw(
        Task { cast, ..task },
        Pairs::Training,
        DEV_DOCUMENTS,
        seed,
        DEV,
    )
}

/// The trained model and the number of updates.
fn train(mut model: Model, course: &mut Course) -> (Model, usize) {
    let system = course.system;
    let (mut adam, mut solved, mut ends) = (Adam::default(), 0, None);
    let (mut step, mut last) = (0, system.max_steps);
    while step < last {
        if let Some(&(top_t, _)) = course.top_t.last() {
            model.network.set_top_t(top_t);
        }
        step += 1;
        let drop = if course.is_whole() {
            DropoutSource::new(DROPOUT, (course.seed << 32) + step as u64)
        } else {
            DropoutSource::none()
        };
        let loss = model.loss(&batch(&course.texts(step)), 0.0, &drop);
        let rising = ratio(step, WARMUP).min(1.0);
        let falling = match ends {
            Some(_) => ratio(last + 1 - step, COOLING),
            None => 1.0,
        };
        let rate = system.learning_rate * rising * falling;
        (model, _) = adam.update(model, &mut loss.backward(), rate, Some(1.0));
        if step % EVERY != 0 || ends.is_some() {
            continue;
        }
        let right = share(&course.dev.mentions, &answers(&model.valid(), &course.dev));
        let enough = if course.is_whole() { ENOUGH } else { MOST };
        if right < enough {
            solved = 0;
        } else if !course.goes_on(step) {
            solved += 1;
        }
        if solved == LASTING {
            last = step + COOLING;
            ends = Some(step);
        }
    }
    if let Some(top_t) = system.top_t() {
        model.network.set_top_t(top_t);
    }
    (model, last)
}

fn batch(texts: &Texts) -> Batch {
    texts.set.batch(&texts.set.documents)
}

/// The most probable word in the place of each mention's form, after the words before it in the reference.
fn answers(model: &Model, texts: &Texts) -> Vec<u32> {
    let batch = batch(texts);
    let best = model.scores(&batch, &DropoutSource::none()).argmax(1);
    let best: Vec<i32> = best.into_data().iter::<i32>().collect();
    let of_mention = |mention: &Mention| {
        let index = batch
            .translated
            .binary_search(&mention.sentence)
            .expect("counts");
        let row = batch.target.sentences[index].start + Mention::PLACE;
        u32::try_from(best[row]).expect("ids are not negative")
    };
    texts.mentions.iter().map(of_mention).collect()
}

fn share(mentions: &[Mention], answers: &[u32]) -> f64 {
    let both = mentions.iter().zip(answers);
    let right = both
        .filter(|(mention, answer)| mention.form == **answer)
        .count();
    ratio(right, mentions.len())
}

/// Share of right forms among mentions whose decider is outside the window.
fn beyond(model: &Model, system: &System, seed: u64) -> f64 {
    let task = Task {
        order: Order::Far,
        ..system.task
    };
    let texts = Texts::draw(task, Pairs::HeldOut, TEST, seed, BEYOND);
    share(&texts.mentions, &answers(model, &texts))
}

/// Share of the solved mentions whose deciding sentence has the largest weight.
fn pointing(model: &Model, context: Context, texts: &Texts, answers: &[u32]) -> f64 {
    let batch = batch(texts);
    let pointing = Pointing::record(model, context, &batch);
    let both = texts.mentions.iter().zip(answers);
    let solved = both.filter(|(mention, answer)| mention.form == **answer);
    let points: Vec<bool> = solved
        .map(|(mention, _)| pointing.largest(mention) == Some(mention.decider))
        .collect();
    let right = points.iter().filter(|&&right| right).count();
    ratio(right, points.len().max(1))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
