//! Target tokens a second of a training step on random ids, by batch shape.

use std::time::Instant;

use burn::tensor::Device;
use canopy::kernels::DropoutSource;
use canopy::model::{Preset, Rows, Transformer};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let device = Device::flex().autodiff();
    let config = Preset::named("x-transformer-small").expect("a preset").config(8_000);
    let model = Transformer::new(&config, &device).expect("a model");
    for (sentences, len) in [(48, 85), (128, 32)] {
        let sentence = |n: usize| -> Vec<u32> { (0..len).map(|i| ((n * 31 + i * 7) % 7_000 + 40) as u32).collect() };
        let texts: Vec<Vec<u32>> = (0..sentences).map(sentence).collect();
        let rows = Rows::new(texts.iter().map(Vec::as_slice));
        for round in 0..4 {
            let begun = Instant::now();
            let drop = DropoutSource::new(0.1, round);
            let loss = model.loss(&rows, &rows, &rows.ids, 0.1, &drop);
            let forward = begun.elapsed().as_secs_f64();
            let gradients = loss.backward();
            let secs = begun.elapsed().as_secs_f64();
            println!(
                "{sentences} × {len}: loss {:.3}, forward {forward:.2} s, whole {secs:.2} s, {:.0} target tokens/s",
                loss.into_scalar::<f32>(),
                (sentences * len) as f64 / secs,
            );
            drop_gradients(gradients);
        }
    }
}

fn drop_gradients(gradients: burn::tensor::Gradients) {
    drop(gradients);
}
