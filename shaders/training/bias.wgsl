// y = x + b for each row. A group computes 1,024 numbers.

struct Shape {
    numbers: u32,
    columns: u32,
}

// [rows, columns]
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
// [columns]
@group(0) @binding(1) var<storage, read_write> bias: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(3) var<storage, read> shape: Shape;

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.y * 32768u + group.x) * 1024u + thread;
    for (var four = 0u; four < 4u; four++) {
        let place = first + four * 256u;
        if place < shape.numbers {
            y[place] = x[place] + bias[place % shape.columns];
        }
    }
}
