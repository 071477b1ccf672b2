// y = the sum of parts. A group adds sixteen fours of numbers, each of its threads a sixteenth of the parts of one of them.

struct Shape {
    parts: u32,
    // Fours of numbers of a part.
    fours: u32,
}

// [parts, fours]
@group(0) @binding(0) var<storage, read_write> parts: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> shape: Shape;

var<workgroup> sums: array<vec4<f32>, 256>;

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let four = (group.y * 32768u + group.x) * 16u + thread % 16u;
    var sum = vec4<f32>();
    if four < shape.fours {
        for (var part = thread / 16u; part < shape.parts; part += 16u) {
            sum += parts[part * shape.fours + four];
        }
    }
    sums[thread] = sum;
    workgroupBarrier();
    for (var half = 128u; half >= 16u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    if thread < 16u && four < shape.fours {
        y[four] = sums[thread];
    }
}
