//! Training on the task, and what a trained system makes of it.

use std::time::Instant;

use burn::module::Module;
use burn::tensor::Device;
use canopy::kernels::DropoutSource;
use canopy::model::{Batch, Model};
use canopy::training::Adam;

use super::documents::{Mention, Order, Pairs, Task, Texts};
use super::pointing::Attended;
use super::systems::System;

/// Documents in an update and in a test set.
const BATCH: usize = 48;
const TEST: usize = 200;
/// Updates in which the learning rate rises.
const WARMUP: usize = 50;
/// Updates between two looks at the development set.
const EVERY: usize = 50;
/// Updates in which the learning rate then falls to zero.
const COOLING: usize = 400;
/// Where T begins.
const MOST_SENTENCES: usize = 8;
/// Training ends when so many of the development set's mentions are right, twice in a row.
const ENOUGH: f64 = 0.99;

/// Numbers of the texts of a seed that are not an update's.
const DEV: u64 = 1 << 32;
const HELD: u64 = DEV + 1;
const BEYOND: u64 = DEV + 2;

/// What a system reached.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Outcome {
    pub system: &'static str,
    pub seed: u64,
    pub parameters: usize,
    /// Share of right forms of held-out pairs where the decider can be read.
    pub accuracy: f64,
    /// Share of right forms where the decider stands beyond the window.
    pub beyond: Option<f64>,
    /// Share of the solved cases in which the deciding sentence has the largest weight among the others.
    pub pointing: Option<f64>,
    /// Updates, all from random weights on.
    pub steps: usize,
    pub seconds: f64,
    pub learning_rate: f64,
    /// T, and the update after which it was lowered to that.
    pub top_t: Vec<(usize, usize)>,
}

/// Trains a system and tests it.
pub fn examine(system: &System, seed: u64) -> Outcome {
    let device = Device::flex().autodiff();
    let begun = Instant::now();
    let model = Model::seeded(&system.config(), seed, &device);
    let (model, steps, top_t) = train(model.expect("a valid configuration"), system, seed);
    let seconds = begun.elapsed().as_secs_f64();
    let model = model.valid();
    let texts = Texts::draw(system.task, Pairs::HeldOut, TEST, seed, HELD);
    let answers = answers(&model, &texts);
    Outcome {
        system: system.name,
        seed,
        parameters: model.num_params(),
        accuracy: share(&texts.mentions, &answers),
        beyond: (system.task.order == Order::Near).then(|| beyond(&model, system, seed)),
        pointing: system.context.map(|_| pointing(&model, &texts, &answers)),
        steps,
        seconds,
        learning_rate: system.learning_rate,
        top_t,
    }
}

/// The trained model, updates, and T with the update after which it came.
fn train(mut model: Model, system: &System, seed: u64) -> (Model, usize, Vec<(usize, usize)>) {
    let dev = Texts::draw(system.task, Pairs::Training, TEST / 8, seed, DEV);
    let (mut adam, mut solved) = (Adam::default(), 0);
    let mut schedule: Vec<(usize, usize)> = Vec::new();
    if system.lowers_t {
        schedule.push((MOST_SENTENCES, 0));
        model.set_top_t(MOST_SENTENCES);
    }
    let (mut last, mut ends) = (system.max_steps, None);
    let mut step = 0;
    while step < last {
        step += 1;
        let texts = Texts::draw(system.task, Pairs::Training, BATCH, seed, (step - 1) as u64);
        let loss = model.loss(&batch(&texts), 0.0, &DropoutSource::none());
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
        let right = share(&dev.mentions, &answers(&model.valid(), &dev));
        let top_t = schedule.last().map(|&(top_t, _)| top_t);
        solved = if right >= ENOUGH { solved + 1 } else { 0 };
        match top_t {
            Some(top_t) if system.top_t().is_some_and(|least| top_t > least) && solved > 0 => {
                schedule.push((top_t - 1, step));
                model.set_top_t(top_t - 1);
                solved = 0;
            }
            _ if solved == 2 => {
                last = step + COOLING;
                ends = Some(step);
            }
            _ => {}
        }
    }
    if let Some(top_t) = system.top_t() {
        model.set_top_t(top_t);
    }
    (model, last, schedule)
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

/// Share of right forms among mentions whose decider stands beyond the window.
fn beyond(model: &Model, system: &System, seed: u64) -> f64 {
    let task = Task {
        order: Order::Far,
        ..system.task
    };
    let texts = Texts::draw(task, Pairs::HeldOut, TEST, seed, BEYOND);
    share(&texts.mentions, &answers(model, &texts))
}

/// Share of the solved mentions whose deciding sentence has the largest weight.
fn pointing(model: &Model, texts: &Texts, answers: &[u32]) -> f64 {
    let attended = Attended::by(model, &batch(texts));
    let solved = texts.mentions.iter().zip(answers);
    let solved = solved.filter(|&(mention, &answer)| answer == mention.form);
    let pointing: Vec<bool> = solved
        .map(|(mention, _)| attended.largest(mention) == Some(mention.decider))
        .collect();
    let right = pointing.iter().filter(|&&right| right).count();
    ratio(right, pointing.len().max(1))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
