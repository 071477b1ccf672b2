// The sum of what an attention gave times its gradient, of each row and head: Dao et al., "FlashAttention", NeurIPS 2022, Eq. 4.

struct Shape {
    // Rows times heads.
    lines: u32,
    // Fours of numbers of a head.
    fours: u32,
}

// [lines, fours]
@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> deltas: array<f32>;
@group(0) @binding(3) var<storage, read> shape: Shape;

@compute @workgroup_size(64)
fn delta(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= shape.lines {
        return;
    }
    var sum = 0.0;
    for (var i = 0u; i < shape.fours; i++) {
        sum += dot(y[id.x * shape.fours + i], gradient[id.x * shape.fours + i]);
    }
    deltas[id.x] = sum;
}
