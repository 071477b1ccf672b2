// The cross-entropy of each row with a smoothed target, and the gradient of their weighted sum. A group computes a row.

struct Shape {
    rows: u32,
    words: u32,
    // Share of the probability that is spread over all words.
    smoothing: f32,
    // Of a row.
    weight: f32,
}

// [rows, words]
@group(0) @binding(0) var<storage, read_write> scores: array<f32>;
@group(0) @binding(1) var<storage, read_write> targets: array<u32>;
@group(0) @binding(2) var<storage, read_write> losses: array<f32>;
// [rows, words]
@group(0) @binding(3) var<storage, read_write> gradients: array<f32>;
@group(0) @binding(4) var<storage, read> shape: Shape;

const THREADS: u32 = 256u;

var<workgroup> found: array<f32, 256>;
var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn entropy(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * 32768u + group.x;
    if row >= shape.rows {
        return;
    }
    let begin = row * shape.words;
    var largest = -3.4e38;
    var all = 0.0;
    for (var word = thread; word < shape.words; word += THREADS) {
        let score = scores[begin + word];
        largest = max(largest, score);
        all += score;
    }
    found[thread] = largest;
    sums[thread] = all;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            found[thread] = max(found[thread], found[thread + half]);
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    largest = found[0];
    all = sums[0];
    workgroupBarrier();
    var total = 0.0;
    for (var word = thread; word < shape.words; word += THREADS) {
        total += exp(scores[begin + word] - largest);
    }
    sums[thread] = total;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    total = sums[0];
    let words = f32(shape.words);
    let scale = shape.weight / total;
    let spread = shape.weight * shape.smoothing / words;
    let known = shape.weight * (1.0 - shape.smoothing);
    let wanted = targets[row];
    for (var word = thread; word < shape.words; word += THREADS) {
        let gradient = exp(scores[begin + word] - largest) * scale - spread;
        gradients[begin + word] = select(gradient, gradient - known, word == wanted);
    }
    if thread == 0u {
        let loss = log(total) + largest - shape.smoothing * all / words;
        losses[row] = shape.weight * loss - known * scores[begin + wanted];
    }
}
