// Layer normalisation of each row: y = (x - mean) / deviation · γ + β, also of x and a branch of which some are dropped.

struct Shape {
    rows: u32,
    columns: u32,
    epsilon: f32,
    // Of the mask, as in dropout.wgsl.
    threshold: u32,
    scale: f32,
    low: u32,
    high: u32,
}

// [rows, columns]
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> gamma: array<f32>;
@group(0) @binding(2) var<storage, read_write> beta: array<f32>;
// [rows, columns]
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
// Before γ and β.
@group(0) @binding(4) var<storage, read_write> normal: array<f32>;
// 1 / deviation of each row.
@group(0) @binding(5) var<storage, read_write> inverse: array<f32>;
// [rows, columns]
@group(0) @binding(6) var<storage, read_write> branch: array<f32>;
@group(0) @binding(7) var<storage, read> shape: Shape;

// Whether the branch is added.
const ADDS: bool = false;

const THREADS: u32 = 64u;

var<workgroup> sums: array<f32, 64>;

// The sum of a number of each thread.
fn sum_of_all(thread: u32, own: f32) -> f32 {
    workgroupBarrier();
    sums[thread] = own;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    return sums[0];
}

fn hash(place: u32) -> u32 {
    var bits = ((place ^ shape.low) * 0x9E3779B1u) ^ shape.high;
    bits = (bits ^ (bits >> 16u)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15u)) * 0x846CA68Bu;
    return bits ^ (bits >> 16u);
}

@compute @workgroup_size(64)
fn normalise(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.y * 32768u + group.x;
    if row >= shape.rows {
        return;
    }
    let begin = row * shape.columns;
    let columns = f32(shape.columns);
    var sum = 0.0;
    for (var column = thread; column < shape.columns; column += THREADS) {
        let place = begin + column;
        var value = x[place];
        if ADDS {
            value += select(0.0, branch[place] * shape.scale, hash(place) >= shape.threshold);
        }
        normal[place] = value;
        sum += value;
    }
    let mean = sum_of_all(thread, sum) / columns;
    sum = 0.0;
    for (var column = thread; column < shape.columns; column += THREADS) {
        let centred = normal[begin + column] - mean;
        sum += centred * centred;
    }
    let variance = sum_of_all(thread, sum) / columns;
    let one_of_deviation = 1.0 / sqrt(variance + shape.epsilon);
    for (var column = thread; column < shape.columns; column += THREADS) {
        let value = (normal[begin + column] - mean) * one_of_deviation;
        normal[begin + column] = value;
        y[begin + column] = value * gamma[column] + beta[column];
    }
    if thread == 0u {
        inverse[row] = one_of_deviation;
    }
}
