// y = activation(x W + b), or y += x W + b.
//
// Two ways to the same sums: `few` for few rows, where weights are all that has to be moved, and each is moved for four rows at
// once; `many` for many rows, in tiles of 64 × 64 that share what they read. Groups of the same columns follow one another, so that
// their weights come from memory once.

// Four weights of a row. Where they are kept in 16 bits, these are the lines that are others.
alias Four = vec4<f32>;
fn numbers(four: Four) -> vec4<f32> { return four; }

struct Shape {
    rows: u32,
    inputs: u32,
    // Columns of y, and fours of columns of the weights, the last of which may be padded.
    columns: u32,
    fours: u32,
    // Rows of y before the first.
    first: u32,
    activation: u32,
    // Whether the product is added to what stands there.
    adds: u32,
    has_bias: u32,
    // Rows of x before the first.
    from_row: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [from_row + rows, inputs]
@group(0) @binding(1) var<storage, read> x: array<f32>;
// [inputs, fours]
@group(0) @binding(2) var<storage, read> weights: array<Four>;
// [columns]
@group(0) @binding(3) var<storage, read> bias: array<f32>;
// [first + rows, columns]
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

fn sigmoid(x: f32) -> f32 {
    return 1.0 / (1.0 + exp(-x));
}

// Φ(x), by Abramowitz and Stegun 7.1.26: the error is below 1.5e-7.
fn normal_distribution(x: f32) -> f32 {
    let z = abs(x) * 0.7071067811865476;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let sum = ((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t + 0.254829592;
    let tail = 0.5 * sum * t * exp(-z * z);
    return select(tail, 1.0 - tail, x > 0.0);
}

fn activated(x: f32) -> f32 {
    switch shape.activation {
        case 1u: {
            return max(x, 0.0);
        }
        case 2u: {
            return x * sigmoid(x);
        }
        case 3u: {
            return x * normal_distribution(x);
        }
        case 4u: {
            return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x));
        }
        case 5u: {
            return x * sigmoid(1.702 * x);
        }
        case 6u: {
            return 2.0 * sigmoid(2.0 * x) - 1.0;
        }
        case 7u: {
            return sigmoid(x);
        }
        default: {
            return x;
        }
    }
}

fn put(row: u32, column: u32, sum: f32) {
    var value = sum;
    if shape.has_bias != 0u {
        value += bias[column];
    }
    value = activated(value);
    let place = (shape.first + row) * shape.columns + column;
    if shape.adds != 0u {
        value += y[place];
    }
    y[place] = value;
}

// A group computes four rows of 32 columns; each of its threads a 32nd of the sums of four of them.
var<workgroup> sums: array<f32, 4096>;

@compute @workgroup_size(256)
fn few(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let slice = thread / 8u;
    let four = group.y * 8u + thread % 8u;
    let row = group.x * 4u;
    // Rows beyond the last are read as the last, and not written.
    let last = shape.rows - 1u;
    let r0 = (shape.from_row + row) * shape.inputs;
    let r1 = (shape.from_row + min(row + 1u, last)) * shape.inputs;
    let r2 = (shape.from_row + min(row + 2u, last)) * shape.inputs;
    let r3 = (shape.from_row + min(row + 3u, last)) * shape.inputs;
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    if four < shape.fours {
        var k = slice;
        // Four at once, so that a thread waits for memory a quarter as often.
        for (; k + 96u < shape.inputs; k += 128u) {
            let w = numbers(weights[k * shape.fours + four]);
            let w1 = numbers(weights[(k + 32u) * shape.fours + four]);
            let w2 = numbers(weights[(k + 64u) * shape.fours + four]);
            let w3 = numbers(weights[(k + 96u) * shape.fours + four]);
            s0 = fma(vec4(x[r0 + k]), w, s0);
            s1 = fma(vec4(x[r1 + k]), w, s1);
            s2 = fma(vec4(x[r2 + k]), w, s2);
            s3 = fma(vec4(x[r3 + k]), w, s3);
            s0 = fma(vec4(x[r0 + k + 32u]), w1, s0);
            s1 = fma(vec4(x[r1 + k + 32u]), w1, s1);
            s2 = fma(vec4(x[r2 + k + 32u]), w1, s2);
            s3 = fma(vec4(x[r3 + k + 32u]), w1, s3);
            s0 = fma(vec4(x[r0 + k + 64u]), w2, s0);
            s1 = fma(vec4(x[r1 + k + 64u]), w2, s1);
            s2 = fma(vec4(x[r2 + k + 64u]), w2, s2);
            s3 = fma(vec4(x[r3 + k + 64u]), w2, s3);
            s0 = fma(vec4(x[r0 + k + 96u]), w3, s0);
            s1 = fma(vec4(x[r1 + k + 96u]), w3, s1);
            s2 = fma(vec4(x[r2 + k + 96u]), w3, s2);
            s3 = fma(vec4(x[r3 + k + 96u]), w3, s3);
        }
        for (; k < shape.inputs; k += 32u) {
            let w = numbers(weights[k * shape.fours + four]);
            s0 = fma(vec4(x[r0 + k]), w, s0);
            s1 = fma(vec4(x[r1 + k]), w, s1);
            s2 = fma(vec4(x[r2 + k]), w, s2);
            s3 = fma(vec4(x[r3 + k]), w, s3);
        }
    }
    let place = slice * 32u + (thread % 8u) * 4u;
    for (var i = 0u; i < 4u; i++) {
        sums[place + i] = s0[i];
        sums[1024u + place + i] = s1[i];
        sums[2048u + place + i] = s2[i];
        sums[3072u + place + i] = s3[i];
    }
    workgroupBarrier();
    if thread >= 128u {
        return;
    }
    let part = thread / 32u;
    let column = group.y * 32u + thread % 32u;
    var sum = 0.0;
    for (var i = 0u; i < 32u; i++) {
        sum += sums[part * 1024u + i * 32u + thread % 32u];
    }
    if row + part < shape.rows && column < shape.columns {
        put(row + part, column, sum);
    }
}

// Four inputs of the row of x that begins here, zeros behind the last.
fn fetched_x(begin: u32, input: u32) -> vec4<f32> {
    var values = vec4<f32>();
    for (var i = 0u; i < 4u; i++) {
        if input + i < shape.inputs {
            values[i] = x[begin + input + i];
        }
    }
    return values;
}

// Four columns of an input of the weights, zeros behind the last.
fn fetched_w(input: u32, four: u32) -> vec4<f32> {
    if input < shape.inputs && four < shape.fours {
        return numbers(weights[input * shape.fours + four]);
    }
    return vec4<f32>();
}

// 16 inputs of 64 rows, and of 64 columns.
var<workgroup> tile_x: array<vec4<f32>, 272>;
var<workgroup> tile_w: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn many(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let across = thread % 16u;
    let down = thread / 16u;
    let row = group.x * 64u;
    let four = group.y * 16u + across;
    // What this thread fetches of every tile: four inputs of a row, and four columns of an input.
    let own_row = thread / 4u;
    let own_input = (thread % 4u) * 4u;
    let begin = (shape.from_row + min(row + own_row, shape.rows - 1u)) * shape.inputs;
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    var s2 = vec4<f32>();
    var s3 = vec4<f32>();
    var next_x = fetched_x(begin, own_input);
    var next_w = fetched_w(down, four);
    for (var k = 0u; k < shape.inputs; k += 16u) {
        for (var i = 0u; i < 4u; i++) {
            // Seventeen fours for an input, so that threads write to different banks.
            tile_x[(own_input + i) * 17u + own_row / 4u][own_row % 4u] = next_x[i];
        }
        tile_w[down * 16u + across] = next_w;
        workgroupBarrier();
        // The next tile is on its way while this one is computed.
        next_x = fetched_x(begin, k + 16u + own_input);
        next_w = fetched_w(k + 16u + down, four);
        for (var i = 0u; i < 16u; i++) {
            let a = tile_x[i * 17u + down];
            let b = tile_w[i * 16u + across];
            s0 = fma(vec4(a.x), b, s0);
            s1 = fma(vec4(a.y), b, s1);
            s2 = fma(vec4(a.z), b, s2);
            s3 = fma(vec4(a.w), b, s3);
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        let column = four * 4u + i;
        if column < shape.columns {
            let first = row + down * 4u;
            if first < shape.rows {
                put(first, column, s0[i]);
            }
            if first + 1u < shape.rows {
                put(first + 1u, column, s1[i]);
            }
            if first + 2u < shape.rows {
                put(first + 2u, column, s2[i]);
            }
            if first + 3u < shape.rows {
                put(first + 3u, column, s3[i]);
            }
        }
    }
}
