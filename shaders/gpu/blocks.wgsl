// y = x Wᵀ + b, or y += x Wᵀ + b, for weights in blocks: integers of 4 or 8 bits, each a number `scale · integer + minimum` of
// its group, or floats. A row of weights belongs to a column of y; eight numbers of it are read at a time.
//
// Two ways to the same sums: `one` for few rows, each in groups of its own, where weights are all that has to be moved; `tile` for
// many rows, in tiles of 64 × 64 that share what they read.

struct Shape {
    rows: u32,
    // Eights of numbers of a row of x, and of weights.
    eights: u32,
    columns: u32,
    // Eights of weights with one scale.
    group: u32,
    // Rows of x before the first.
    from_row: u32,
    // Whether the product is added to what stands there.
    adds: u32,
    has_bias: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [from_row + rows, 2 · eights]
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
// [columns, eights], each of one to eight words
@group(0) @binding(2) var<storage, read> quants: array<u32>;
// [columns, eights / group]: scale and minimum
@group(0) @binding(3) var<storage, read> scales: array<vec2<f32>>;
// [columns]
@group(0) @binding(4) var<storage, read> bias: array<f32>;
// [rows, columns]
@group(0) @binding(5) var<storage, read_write> y: array<f32>;

struct Eight {
    low: vec4<f32>,
    high: vec4<f32>,
}

fn of_nibbles(place: u32) -> Eight {
    let word = vec4(quants[place]);
    let scale = scales[place / shape.group];
    let low = vec4<f32>((word >> vec4(0u, 4u, 8u, 12u)) & vec4(15u));
    let high = vec4<f32>((word >> vec4(16u, 20u, 24u, 28u)) & vec4(15u));
    return Eight(low * scale.x + scale.y, high * scale.x + scale.y);
}

fn of_bytes(place: u32) -> Eight {
    let shifts = vec4(0u, 8u, 16u, 24u);
    let scale = scales[place / shape.group];
    let low = vec4<f32>((vec4(quants[2u * place]) >> shifts) & vec4(255u));
    let high = vec4<f32>((vec4(quants[2u * place + 1u]) >> shifts) & vec4(255u));
    return Eight(low * scale.x + scale.y, high * scale.x + scale.y);
}

fn of_halves(place: u32) -> Eight {
    let first = 4u * place;
    return Eight(
        vec4(unpack2x16float(quants[first]), unpack2x16float(quants[first + 1u])),
        vec4(unpack2x16float(quants[first + 2u]), unpack2x16float(quants[first + 3u])),
    );
}

// The upper halves of 32-bit floats: bfloat16.
fn upper(first: u32, second: u32) -> vec4<f32> {
    let words = vec4(first << 16u, first & 0xffff0000u, second << 16u, second & 0xffff0000u);
    return bitcast<vec4<f32>>(words);
}

fn of_upper_halves(place: u32) -> Eight {
    let first = 4u * place;
    return Eight(
        upper(quants[first], quants[first + 1u]),
        upper(quants[first + 2u], quants[first + 3u]),
    );
}

fn of_floats(place: u32) -> Eight {
    let first = 8u * place;
    let low = vec4(quants[first], quants[first + 1u], quants[first + 2u], quants[first + 3u]);
    let high = vec4(quants[first + 4u], quants[first + 5u], quants[first + 6u], quants[first + 7u]);
    return Eight(bitcast<vec4<f32>>(low), bitcast<vec4<f32>>(high));
}

// Where weights are of another form, this line is another.
fn eight(place: u32) -> Eight { return of_nibbles(place); }

fn put(row: u32, column: u32, sum: f32) {
    let place = row * shape.columns + column;
    var value = sum;
    if shape.has_bias != 0u {
        value += bias[column];
    }
    if shape.adds != 0u {
        value += y[place];
    }
    y[place] = value;
}

const THREADS = 64u;
// Columns of a group of `one`.
const COLUMNS = 8u;

var<workgroup> parts: array<f32, 512>;

@compute @workgroup_size(64)
fn one(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.y * COLUMNS;
    let last = shape.columns - 1u;
    let own = (shape.from_row + group.x) * 2u * shape.eights;
    var sums = array<f32, 8>();
    for (var k = thread; k < shape.eights; k += THREADS) {
        let low = x[own + 2u * k];
        let high = x[own + 2u * k + 1u];
        for (var i = 0u; i < COLUMNS; i++) {
            // Columns beyond the last one repeat it.
            let weights = eight(min(first + i, last) * shape.eights + k);
            sums[i] += dot(low, weights.low) + dot(high, weights.high);
        }
    }
    for (var i = 0u; i < COLUMNS; i++) {
        parts[i * THREADS + thread] = sums[i];
    }
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            for (var i = 0u; i < COLUMNS; i++) {
                parts[i * THREADS + thread] += parts[i * THREADS + thread + half];
            }
        }
        workgroupBarrier();
    }
    if thread < COLUMNS && first + thread <= last {
        put(group.x, first + thread, parts[thread * THREADS]);
    }
}

// Rows and columns of a tile, and numbers of a row in one step.
const SIDE = 64u;
const DEPTH = 16u;

// [DEPTH, SIDE]
var<workgroup> tile_weights: array<f32, 1024>;
var<workgroup> tile_x: array<f32, 1024>;

@compute @workgroup_size(256)
fn tile(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first_row = group.x * SIDE;
    let first_column = group.y * SIDE;
    // This thread sums four rows of four columns.
    let own_row = 4u * (thread / 16u);
    let own_column = 4u * (thread % 16u);
    var sums = array<vec4<f32>, 4>();
    // Half of the threads read weights, the others rows of x, eight numbers each.
    let reads_weights = thread < 128u;
    let line = (thread % 128u) / 2u;
    let part = thread % 2u;
    for (var begin = 0u; begin < shape.eights; begin += 2u) {
        let k = begin + part;
        var numbers = Eight(vec4(0.0), vec4(0.0));
        if k < shape.eights {
            if reads_weights {
                numbers = eight(min(first_column + line, shape.columns - 1u) * shape.eights + k);
            } else {
                let row = shape.from_row + min(first_row + line, shape.rows - 1u);
                let place = 2u * (row * shape.eights + k);
                numbers = Eight(x[place], x[place + 1u]);
            }
        }
        let place = 8u * part * SIDE + line;
        if reads_weights {
            for (var i = 0u; i < 4u; i++) {
                tile_weights[place + i * SIDE] = numbers.low[i];
                tile_weights[place + (i + 4u) * SIDE] = numbers.high[i];
            }
        } else {
            for (var i = 0u; i < 4u; i++) {
                tile_x[place + i * SIDE] = numbers.low[i];
                tile_x[place + (i + 4u) * SIDE] = numbers.high[i];
            }
        }
        workgroupBarrier();
        for (var depth = 0u; depth < DEPTH; depth++) {
            let column = depth * SIDE + own_column;
            let weights = vec4(tile_weights[column], tile_weights[column + 1u], tile_weights[column + 2u], tile_weights[column + 3u]);
            let row = depth * SIDE + own_row;
            sums[0] = fma(vec4(tile_x[row]), weights, sums[0]);
            sums[1] = fma(vec4(tile_x[row + 1u]), weights, sums[1]);
            sums[2] = fma(vec4(tile_x[row + 2u]), weights, sums[2]);
            sums[3] = fma(vec4(tile_x[row + 3u]), weights, sums[3]);
        }
        workgroupBarrier();
    }
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let row = first_row + own_row + i;
            let column = first_column + own_column + j;
            if row < shape.rows && column < shape.columns {
                put(row, column, sums[i][j]);
            }
        }
    }
}
