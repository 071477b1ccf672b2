//! Layers written out in loops, number by number: what the real ones are compared with.

use burn::tensor::Tensor;

use super::attention::MultiHeadAttention;
use super::feed_forward::FeedForward;

pub(super) fn values(x: &Tensor<2>) -> Vec<Vec<f32>> {
    let [_, columns] = x.dims();
    let values: Vec<f32> = x.to_data().iter::<f32>().collect();
    values.chunks_exact(columns).map(<[f32]>::to_vec).collect()
}

pub(super) fn times(x: &[f32], weight: &[Vec<f32>]) -> Vec<f32> {
    let column = |j: usize| x.iter().zip(weight).map(|(x, row)| x * row[j]).sum();
    (0..weight[0].len()).map(column).collect()
}

pub(super) fn sum(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

/// One head over `memory`, token by token.
pub(super) fn read(attention: &MultiHeadAttention, x: &[f32], memory: &[Vec<f32>]) -> Vec<f32> {
    let [query, key, value, output] = [
        &attention.query,
        &attention.key,
        &attention.value,
        &attention.output,
    ]
    .map(|linear| values(&linear.weight.val()));
    let projected = times(x, &query);
    let mut weights = Vec::new();
    for word in memory {
        let key = times(word, &key);
        let score: f32 = projected.iter().zip(&key).map(|(a, b)| a * b).sum();
        #[expect(clippy::cast_precision_loss, reason = "a small width")]
        weights.push((score / (projected.len() as f32).sqrt()).exp());
    }
    let total: f32 = weights.iter().sum();
    let mut context = vec![0.0; projected.len()];
    for (word, weight) in memory.iter().zip(&weights) {
        for (to, value) in context.iter_mut().zip(times(word, &value)) {
            *to += weight / total * value;
        }
    }
    times(&context, &output)
}

pub(super) fn fed_forward(layer: &FeedForward, x: &[f32]) -> Vec<f32> {
    let [inner, outer] = [&layer.inner, &layer.outer].map(|linear| {
        let bias = linear.bias.as_ref().expect("a bias").val();
        let bias: Vec<f32> = bias.to_data().iter::<f32>().collect();
        (values(&linear.weight.val()), bias)
    });
    let hidden = sum(&times(x, &inner.0), &inner.1);
    let hidden: Vec<f32> = hidden.into_iter().map(|x| x.max(0.0)).collect();
    sum(&times(&hidden, &outer.0), &outer.1)
}

/// A norm whose γ is 1 and β 0.
pub(super) fn normed(x: &[f32]) -> Vec<f32> {
    #[expect(clippy::cast_precision_loss, reason = "a small width")]
    let mean = |x: &[f32]| x.iter().sum::<f32>() / x.len() as f32;
    let middle = mean(x);
    let squares: Vec<f32> = x.iter().map(|x| (x - middle) * (x - middle)).collect();
    let deviation = (mean(&squares) + 1e-5).sqrt();
    x.iter().map(|x| (x - middle) / deviation).collect()
}
