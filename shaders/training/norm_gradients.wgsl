// The gradients of a layer normalisation by its rows, by a branch that was added to them, by γ and by β.

struct Shape {
    rows: u32,
    columns: u32,
    // Rows of a part of the sums for γ and β.
    part: u32,
    // Of the mask, as in dropout.wgsl.
    threshold: u32,
    scale: f32,
    low: u32,
    high: u32,
}

// Of what came out, [rows, columns].
@group(0) @binding(0) var<storage, read_write> gradient: array<f32>;
// Rows before γ and β, and 1 / deviation of each.
@group(0) @binding(1) var<storage, read_write> normal: array<f32>;
@group(0) @binding(2) var<storage, read_write> inverse: array<f32>;
@group(0) @binding(3) var<storage, read_write> gamma: array<f32>;
@group(0) @binding(4) var<storage, read_write> of_x: array<f32>;
// [parts, columns]
@group(0) @binding(5) var<storage, read_write> of_gamma: array<f32>;
@group(0) @binding(6) var<storage, read_write> of_beta: array<f32>;
// [rows, columns]
@group(0) @binding(7) var<storage, read_write> of_branch: array<f32>;
@group(0) @binding(8) var<storage, read> shape: Shape;

// Whether a branch was added.
const ADDS: bool = false;

const THREADS: u32 = 64u;

var<workgroup> sums: array<vec2<f32>, 64>;

fn hash(place: u32) -> u32 {
    var bits = ((place ^ shape.low) * 0x9E3779B1u) ^ shape.high;
    bits = (bits ^ (bits >> 16u)) * 0x7FEB352Du;
    bits = (bits ^ (bits >> 15u)) * 0x846CA68Bu;
    return bits ^ (bits >> 16u);
}

// g = gradient · γ; its mean and that of g · row are what a norm takes away.
fn row_of_x(row: u32, thread: u32) {
    let begin = row * shape.columns;
    var sum = vec2<f32>();
    for (var column = thread; column < shape.columns; column += THREADS) {
        let g = gradient[begin + column] * gamma[column];
        sum += vec2(g, g * normal[begin + column]);
    }
    workgroupBarrier();
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    let means = sums[0] / f32(shape.columns);
    for (var column = thread; column < shape.columns; column += THREADS) {
        let place = begin + column;
        let g = gradient[place] * gamma[column];
        let value = (g - means.x - normal[place] * means.y) * inverse[row];
        of_x[place] = value;
        if ADDS {
            of_branch[place] = select(0.0, value * shape.scale, hash(place) >= shape.threshold);
        }
    }
}

// A group takes the rows of a part one by one.
@compute @workgroup_size(64)
fn gradients(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * shape.part;
    let end = min(first + shape.part, shape.rows);
    for (var row = first; row < end; row++) {
        row_of_x(row, thread);
    }
    for (var column = thread; column < shape.columns; column += THREADS) {
        var sum = vec2<f32>();
        for (var row = first; row < end; row++) {
            let place = row * shape.columns + column;
            sum += vec2(gradient[place] * normal[place], gradient[place]);
        }
        of_gamma[group.x * shape.columns + column] = sum.x;
        of_beta[group.x * shape.columns + column] = sum.y;
    }
}
