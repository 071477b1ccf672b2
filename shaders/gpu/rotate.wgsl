// Heads are rotated pair by pair, each by the angle of its position: Su et al., "RoFormer", 2021, Eq. 34.

struct Shape {
    // Pairs of all heads and tokens, and of one head.
    all: u32,
    pairs: u32,
    // Numbers of a head, and heads of a token.
    width: u32,
    heads: u32,
    // Whether pairs are neighbours, and not numbers of both halves.
    are_neighbours: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
// [tokens, pairs]: cosine and sine
@group(0) @binding(1) var<storage, read> angles: array<vec2<f32>>;
// [tokens, heads, width]
@group(0) @binding(2) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(64)
fn rotate(@builtin(global_invocation_id) thread: vec3<u32>) {
    if thread.x >= shape.all {
        return;
    }
    let head = thread.x / shape.pairs;
    let pair = thread.x % shape.pairs;
    let angle = angles[head / shape.heads * shape.pairs + pair];
    var one = head * shape.width + pair;
    var other = one + shape.pairs;
    if shape.are_neighbours != 0u {
        one += pair;
        other = one + 1u;
    }
    let a = x[one];
    let b = x[other];
    x[one] = a * angle.x - b * angle.y;
    x[other] = a * angle.y + b * angle.x;
}
