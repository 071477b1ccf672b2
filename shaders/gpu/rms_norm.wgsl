// y = norm(x), or y += norm(x): Zhang & Sennrich, "Root Mean Square Layer Normalization", 2019, Eq. 4. A group for each row.

struct Shape {
    columns: u32,
    // Whether the norm is added to y.
    adds: u32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, columns]
@group(0) @binding(1) var<storage, read> x: array<f32>;
// [columns]
@group(0) @binding(2) var<storage, read> weights: array<f32>;
// [rows, columns]
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

const THREADS = 128u;

var<workgroup> sums: array<f32, 128>;

@compute @workgroup_size(128)
fn rms_norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * shape.columns;
    var squares = 0.0;
    for (var column = thread; column < shape.columns; column += THREADS) {
        squares = fma(x[first + column], x[first + column], squares);
    }
    sums[thread] = squares;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    let scale = 1.0 / sqrt(sums[0] / f32(shape.columns) + shape.epsilon);
    for (var column = thread; column < shape.columns; column += THREADS) {
        let place = first + column;
        var value = x[place] * scale * weights[column];
        if shape.adds != 0u {
            value += y[place];
        }
        y[place] = value;
    }
}
