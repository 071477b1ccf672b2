// The sum of each column over the rows of a part. A group takes 64 columns of a part, each of its threads every fourth row.

struct Shape {
    rows: u32,
    columns: u32,
    // Rows of a part.
    part: u32,
}

// [rows, columns]
@group(0) @binding(0) var<storage, read_write> x: array<f32>;
// [parts, columns]
@group(0) @binding(1) var<storage, read_write> parts: array<f32>;
@group(0) @binding(2) var<storage, read> shape: Shape;

var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let column = group.x * 64u + thread % 64u;
    let end = min((group.y + 1u) * shape.part, shape.rows);
    var sum = 0.0;
    if column < shape.columns {
        for (var row = group.y * shape.part + thread / 64u; row < end; row += 4u) {
            sum += x[row * shape.columns + column];
        }
    }
    sums[thread] = sum;
    workgroupBarrier();
    if thread < 64u && column < shape.columns {
        parts[group.y * shape.columns + column] =
            (sums[thread] + sums[thread + 64u]) + (sums[thread + 128u] + sums[thread + 192u]);
    }
}
