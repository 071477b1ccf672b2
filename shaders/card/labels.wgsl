// The log-probability of one token for each row of scores; a group for each row.

struct Shape {
    vocab: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, vocab]
@group(0) @binding(1) var<storage, read> scores: array<f32>;
// [rows]
@group(0) @binding(2) var<storage, read> labels: array<u32>;
// [rows]
@group(0) @binding(3) var<storage, read_write> log_probs: array<f32>;

const THREADS = 256u;

var<workgroup> values: array<f32, 256>;

@compute @workgroup_size(256)
fn labels_of(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * shape.vocab;
    var largest = -3.4e38;
    for (var id = thread; id < shape.vocab; id += THREADS) {
        largest = max(largest, scores[row + id]);
    }
    values[thread] = largest;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            values[thread] = max(values[thread], values[thread + half]);
        }
        workgroupBarrier();
    }
    largest = values[0];
    workgroupBarrier();
    var sum = 0.0;
    for (var id = thread; id < shape.vocab; id += THREADS) {
        sum += exp(scores[row + id] - largest);
    }
    values[thread] = sum;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            values[thread] += values[thread + half];
        }
        workgroupBarrier();
    }
    if thread == 0u {
        log_probs[group.x] = scores[row + labels[group.x]] - largest - log(values[0]);
    }
}
