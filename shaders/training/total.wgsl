// The sum of all numbers, by one group.

struct Shape {
    numbers: u32,
}

@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sum: array<f32>;
@group(0) @binding(2) var<storage, read> shape: Shape;

var<workgroup> sums: array<f32, 256>;

@compute @workgroup_size(256)
fn add(@builtin(local_invocation_index) thread: u32) {
    var own = 0.0;
    for (var place = thread; place < shape.numbers; place += 256u) {
        own += x[place];
    }
    sums[thread] = own;
    workgroupBarrier();
    for (var half = 128u; half > 0u; half /= 2u) {
        if thread < half {
            sums[thread] += sums[thread + half];
        }
        workgroupBarrier();
    }
    if thread == 0u {
        sum[0] = sums[0];
    }
}
