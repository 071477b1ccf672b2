// Weights of a softmax over scores that come 64 at a time, one of each thread of a group: Milakov & Gimelshein, "Online normalizer
// calculation for softmax", 2018. Stands before the kernels that use it.

const THREADS = 64u;

// e^(score − largest) of each thread's score, none of a thread without one.
var<workgroup> weights: array<f32, 64>;
var<workgroup> sums: array<f32, 64>;

struct Softmax {
    // The largest score so far.
    largest: f32,
    // The sum of all weights so far.
    total: f32,
    // Multiplies what was summed with the weights of earlier scores.
    correction: f32,
}

fn no_scores() -> Softmax {
    return Softmax(-3.4e38f, 0.0f, 1.0f);
}

// Called by all threads of a group; one without a score passes -3.4e38.
fn with_scores(earlier: Softmax, score: f32, has_score: bool, thread: u32) -> Softmax {
    sums[thread] = score;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] = max(sums[thread], sums[thread + half]);
        }
        workgroupBarrier();
    }
    let largest = max(earlier.largest, sums[0]);
    workgroupBarrier();
    var weight = 0.0;
    if has_score {
        weight = exp(score - largest);
    }
    weights[thread] = weight;
    sums[thread] = weight;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    let correction = exp(earlier.largest - largest);
    return Softmax(largest, earlier.total * correction + sums[0], correction);
}
