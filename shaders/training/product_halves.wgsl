// y = a b of matrices of 32 bits, either of which may be kept turned, as `product.wgsl` has it, but by numbers of 16 bits: those of
// the two matrices are rounded, the sums have 32. A group computes ROWS × 64 numbers, each of its subgroups of 32 threads 32 × 32 by
// cooperative matrices, which a card's tensor cores multiply (VK_KHR_cooperative_matrix).
//
// Where there are fewer tiles than a card has room for, the inner numbers are taken in parts, and a second kernel adds their sums.
enable f16;
enable wgpu_cooperative_matrix;

// Whether the matrices are kept [inner, rows] and [columns, inner]. Where they are, these are the lines that are others.
const A_TURNED: bool = false;
const B_TURNED: bool = false;

alias Left = coop_mat16x16<f16, A>;
alias Right = coop_mat16x16<f16, B>;
alias Sums = coop_mat16x16<f32, C>;

// Rows of a tile: 64, or 128 with another line here.
const ROWS: u32 = 64u;
const THREADS: u32 = 2u * ROWS;
// Inner numbers of a tile.
const DEPTH: u32 = 32u;
// Fours of numbers from a line of a tile to the next, where that has inner numbers, rows, or columns: two more than there are, for the
// sake of the banks.
const OF_INNER: u32 = DEPTH / 4u + 2u;
const OF_ROWS: u32 = ROWS / 4u + 2u;
const OF_COLUMNS: u32 = 18u;

struct Shape {
    rows: u32,
    inner: u32,
    columns: u32,
    // Inner numbers of a part, a multiple of DEPTH.
    part: u32,
}

@group(0) @binding(0) var<storage, read_write> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<f32>>;
// [parts, rows, columns]
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> shape: Shape;

var<workgroup> a_tile: array<vec4<f16>, OF_INNER * ROWS>;
var<workgroup> b_tile: array<vec4<f16>, OF_INNER * 64u>;
// 16 × 16 sums of each subgroup, where a tile reaches over the edge.
var<workgroup> sums: array<vec4<f32>, 2u * THREADS>;

// Four numbers of `a` for a thread, in the `turn`th of four turns: of one row where these follow one another, else of one inner number.
fn read_a(thread: u32, turn: u32, row: u32, inner: u32, end: u32) -> vec4<f32> {
    if A_TURNED {
        let k = inner + thread / (ROWS / 4u) + turn * 8u;
        let m = row + (thread % (ROWS / 4u)) * 4u;
        if k < end && m < shape.rows {
            return a[(k * shape.rows + m) / 4u];
        }
    } else {
        let m = row + thread / 8u + turn * (THREADS / 8u);
        let k = inner + (thread % 8u) * 4u;
        if k < end && m < shape.rows {
            return a[(m * shape.inner + k) / 4u];
        }
    }
    return vec4<f32>();
}

// Of `b`, in four turns or, where there are as many threads again, in two.
fn read_b(thread: u32, turn: u32, column: u32, inner: u32, end: u32) -> vec4<f32> {
    if B_TURNED {
        let n = column + thread / 8u + turn * (THREADS / 8u);
        let k = inner + (thread % 8u) * 4u;
        if k < end && n < shape.columns {
            return b[(n * shape.inner + k) / 4u];
        }
    } else {
        let k = inner + thread / 16u + turn * (THREADS / 16u);
        let n = column + (thread % 16u) * 4u;
        if k < end && n < shape.columns {
            return b[(k * shape.columns + n) / 4u];
        }
    }
    return vec4<f32>();
}

fn keep_a(thread: u32, turn: u32, four: vec4<f32>) {
    if A_TURNED {
        a_tile[(thread / (ROWS / 4u) + turn * 8u) * OF_ROWS + thread % (ROWS / 4u)] = vec4<f16>(four);
    } else {
        a_tile[(thread / 8u + turn * (THREADS / 8u)) * OF_INNER + thread % 8u] = vec4<f16>(four);
    }
}

fn keep_b(thread: u32, turn: u32, four: vec4<f32>) {
    if B_TURNED {
        b_tile[(thread / 8u + turn * (THREADS / 8u)) * OF_INNER + thread % 8u] = vec4<f16>(four);
    } else {
        b_tile[(thread / 16u + turn * (THREADS / 16u)) * OF_COLUMNS + thread % 16u] = vec4<f16>(four);
    }
}

fn load_a(row: u32, k: u32) -> Left {
    if A_TURNED {
        return coopLoad<Left>(&a_tile[k * OF_ROWS + row / 4u], OF_ROWS);
    }
    return coopLoadT<Left>(&a_tile[row * OF_INNER + k / 4u], OF_INNER);
}

fn load_b(column: u32, k: u32) -> Right {
    if B_TURNED {
        return coopLoad<Right>(&b_tile[column * OF_INNER + k / 4u], OF_INNER);
    }
    return coopLoadT<Right>(&b_tile[k * OF_COLUMNS + column / 4u], OF_COLUMNS);
}

// Writes 16 × 16 sums as far as they are within the matrix.
fn write_within(matrix: Sums, thread: u32, part: u32, first: vec2<u32>) {
    let own = thread / 32u * 64u;
    workgroupBarrier();
    coopStoreT(matrix, &sums[own], 4u);
    workgroupBarrier();
    for (var four = thread % 32u; four < 64u; four += 32u) {
        let m = first.x + four / 4u;
        let n = first.y + four % 4u * 4u;
        if m < shape.rows && n < shape.columns {
            y[((part * shape.rows + m) * shape.columns + n) / 4u] = sums[own + four];
        }
    }
}

@compute @workgroup_size(THREADS)
fn multiply(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let row = group.x * ROWS;
    let column = group.y * 64u;
    let begin = group.z * shape.part;
    let end = min(begin + shape.part, shape.inner);
    // The rows and columns of a subgroup.
    let down = thread / 64u * 32u;
    let across = thread / 32u % 2u * 32u;
    var c00 = Sums();
    var c01 = Sums();
    var c10 = Sums();
    var c11 = Sums();
    // The next tile is on its way while this one is multiplied.
    var a0 = read_a(thread, 0u, row, begin, end);
    var a1 = read_a(thread, 1u, row, begin, end);
    var a2 = read_a(thread, 2u, row, begin, end);
    var a3 = read_a(thread, 3u, row, begin, end);
    var b0 = read_b(thread, 0u, column, begin, end);
    var b1 = read_b(thread, 1u, column, begin, end);
    var b2 = vec4<f32>();
    var b3 = vec4<f32>();
    if ROWS == 64u {
        b2 = read_b(thread, 2u, column, begin, end);
        b3 = read_b(thread, 3u, column, begin, end);
    }
    for (var inner = begin; inner < end; inner += DEPTH) {
        keep_a(thread, 0u, a0);
        keep_a(thread, 1u, a1);
        keep_a(thread, 2u, a2);
        keep_a(thread, 3u, a3);
        keep_b(thread, 0u, b0);
        keep_b(thread, 1u, b1);
        if ROWS == 64u {
            keep_b(thread, 2u, b2);
            keep_b(thread, 3u, b3);
        }
        workgroupBarrier();
        let next = inner + DEPTH;
        if next < end {
            a0 = read_a(thread, 0u, row, next, end);
            a1 = read_a(thread, 1u, row, next, end);
            a2 = read_a(thread, 2u, row, next, end);
            a3 = read_a(thread, 3u, row, next, end);
            b0 = read_b(thread, 0u, column, next, end);
            b1 = read_b(thread, 1u, column, next, end);
            if ROWS == 64u {
                b2 = read_b(thread, 2u, column, next, end);
                b3 = read_b(thread, 3u, column, next, end);
            }
        }
        // Both halves of the inner numbers: written out, products of which neither matrix is turned are a tenth faster.
        let x00 = load_a(down, 0u);
        let x10 = load_a(down + 16u, 0u);
        let w00 = load_b(across, 0u);
        let w01 = load_b(across + 16u, 0u);
        c00 = coopMultiplyAdd(x00, w00, c00);
        c01 = coopMultiplyAdd(x00, w01, c01);
        c10 = coopMultiplyAdd(x10, w00, c10);
        c11 = coopMultiplyAdd(x10, w01, c11);
        let x01 = load_a(down, 16u);
        let x11 = load_a(down + 16u, 16u);
        let w10 = load_b(across, 16u);
        let w11 = load_b(across + 16u, 16u);
        c00 = coopMultiplyAdd(x01, w10, c00);
        c01 = coopMultiplyAdd(x01, w11, c01);
        c10 = coopMultiplyAdd(x11, w10, c10);
        c11 = coopMultiplyAdd(x11, w11, c11);
        workgroupBarrier();
    }
    let first = vec2(row + down, column + across);
    if row + ROWS <= shape.rows && column + 64u <= shape.columns {
        let fours = shape.columns / 4u;
        // Each place has a name: naga 30 does not know what it finds in an address of coopStore alone.
        let place = (group.z * shape.rows + first.x) * fours + first.y / 4u;
        let right = place + 4u;
        let below = place + 16u * fours;
        let below_right = below + 4u;
        coopStoreT(c00, &y[place], fours);
        coopStoreT(c01, &y[right], fours);
        coopStoreT(c10, &y[below], fours);
        coopStoreT(c11, &y[below_right], fours);
    } else {
        write_within(c00, thread, group.z, first);
        write_within(c01, thread, group.z, first + vec2(0u, 16u));
        write_within(c10, thread, group.z, first + vec2(16u, 0u));
        write_within(c11, thread, group.z, first + vec2(16u, 16u));
    }
}
