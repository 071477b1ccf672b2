// The gradient of a ReLU and the dropout behind it: it passes where something came out. A group computes 1,024 numbers.

struct Shape {
    numbers: u32,
    // 1 / (1 - p)
    scale: f32,
}

@group(0) @binding(0) var<storage, read_write> gradient: array<f32>;
// What came out.
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
@group(0) @binding(2) var<storage, read_write> of_x: array<f32>;
@group(0) @binding(3) var<storage, read> shape: Shape;

@compute @workgroup_size(256)
fn pass_on(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let first = (group.y * 32768u + group.x) * 1024u + thread;
    for (var four = 0u; four < 4u; four++) {
        let place = first + four * 256u;
        if place < shape.numbers {
            of_x[place] = select(0.0, gradient[place] * shape.scale, output[place] > 0.0);
        }
    }
}
