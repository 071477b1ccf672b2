// y = norm(branch), or y = norm(y + branch): Ba, Kiros & Hinton, "Layer Normalization", 2016, Eq. 4. A group for each row.

struct Shape {
    columns: u32,
    // Whether y itself is added.
    adds: u32,
    epsilon: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [rows, columns]
@group(0) @binding(1) var<storage, read> branch: array<f32>;
// [2, columns]: γ and β
@group(0) @binding(2) var<storage, read> parameters: array<f32>;
// [rows, columns]
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

var<workgroup> sums: array<f32, 128>;

// The sum over all threads.
fn total(thread: u32, own: f32) -> f32 {
    sums[thread] = own;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    let sum = sums[0];
    workgroupBarrier();
    return sum;
}

@compute @workgroup_size(128)
fn norm(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = group.x * shape.columns;
    let count = f32(shape.columns);
    var sum = 0.0;
    for (var column = thread; column < shape.columns; column += 128u) {
        let place = first + column;
        var value = branch[place];
        if shape.adds != 0u {
            value += y[place];
        }
        y[place] = value;
        sum += value;
    }
    let mean = total(thread, sum) / count;
    var squares = 0.0;
    for (var column = thread; column < shape.columns; column += 128u) {
        let apart = y[first + column] - mean;
        squares += apart * apart;
    }
    let scale = 1.0 / sqrt(total(thread, squares) / count + shape.epsilon);
    for (var column = thread; column < shape.columns; column += 128u) {
        let place = first + column;
        y[place] = (y[place] - mean) * scale * parameters[column] + parameters[shape.columns + column];
    }
}
