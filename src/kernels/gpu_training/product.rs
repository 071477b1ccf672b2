//! Products of matrices.

use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, TensorMetadata, Wgpu};
use burn::tensor::{Shape, Tensor};
use burn_cubecl::tensor::CubeTensor;

use super::{
    Kernel, Number, PRODUCT, PRODUCT_BY_HALVES, TrainingKernels, empty, sum_of, tracked, with, word,
};
use crate::gpu::Gpu;
use crate::tape::on_tape;

/// Columns that a group of threads computes.
const COLUMNS: usize = 64;
/// Groups of 64 rows that keep a GPU busy.
const GROUPS: usize = 528;
/// Inner numbers that are worth a part.
const PART: usize = 128;
/// Parts that are worth adding.
const FEWEST: usize = 4;

/// Which of two matrices is kept turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Turned {
    /// `a [rows, inner]`, `b [inner, columns]`
    Neither,
    /// `a [inner, rows]`, `b [inner, columns]`
    First,
    /// `a [rows, inner]`, `b [columns, inner]`
    Second,
}

impl Turned {
    /// Rows, inner numbers and columns.
    fn sizes(self, a: &Shape, b: &Shape) -> [usize; 3] {
        match self {
            Self::Neither => [a[0], a[1], b[1]],
            Self::First => [a[1], a[0], b[1]],
            Self::Second => [a[0], a[1], b[0]],
        }
    }

    pub(super) fn output(self, a: &Shape, b: &Shape) -> Shape {
        let [rows, _, columns] = self.sizes(a, b);
        Shape::new([rows, columns])
    }

    /// The text of the kernel that reads them so.
    fn source(self, text: &str) -> String {
        match self {
            Self::Neither => text.to_owned(),
            Self::First => with(text, "A_TURNED"),
            Self::Second => with(text, "B_TURNED"),
        }
    }
}

/// How two matrices are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Way {
    pub turned: Turned,
    /// Whether their numbers are rounded to 16 bits, for cooperative matrices; sums have 32.
    pub by_halves: bool,
}

impl Way {
    /// Text of the kernel, entry and threads of a group.
    pub(super) fn parts(self) -> (&'static str, &'static str, u32) {
        let text = if self.by_halves {
            PRODUCT_BY_HALVES
        } else {
            PRODUCT
        };
        (text, "multiply", word(2 * self.rows()))
    }

    /// Rows that a group of threads computes: what was fastest on an H100.
    fn rows(self) -> usize {
        match (self.by_halves, self.turned) {
            (false, _) | (true, Turned::Neither) => 64,
            (true, _) => 128,
        }
    }

    /// Inner numbers of a tile.
    fn depth(self) -> usize {
        if self.by_halves { 32 } else { 16 }
    }

    pub(super) fn source(self, text: &str) -> String {
        let rows = |rows: usize| format!("const ROWS: u32 = {rows}u;");
        self.turned
            .source(&text.replace(&rows(64), &rows(self.rows())))
    }
}

/// Product of contiguous matrices.
pub(super) fn launch(a: CubeTensor, b: CubeTensor, way: Way) -> CubeTensor {
    let [rows, inner, columns] = way.turned.sizes(&a.shape(), &b.shape());
    let tiles = rows.div_ceil(way.rows()) * columns.div_ceil(COLUMNS);
    let parts = (GROUPS * 64 / way.rows() / tiles).min(inner / PART);
    let parts = if parts < FEWEST { 1 } else { parts };
    let part = inner.div_ceil(parts).next_multiple_of(way.depth());
    let parts = inner.div_ceil(part);
    let products = empty(&a, [parts * rows, columns]);
    Kernel::Product(way).launch(
        [rows.div_ceil(way.rows()), columns.div_ceil(COLUMNS), parts],
        [&a.handle, &b.handle, &products.handle],
        [rows, inner, columns, part].map(Number::Whole),
        &a,
    );
    if parts == 1 {
        return products;
    }
    sum_of(&products, parts, [rows, columns])
}

/// `a b` for [`Turned::Neither`], `a bᵀ` for [`Turned::Second`].
#[derive(Debug)]
struct Step(Way);

impl Backward<Wgpu, 2> for Step {
    /// Both matrices: the gradient of each needs the other.
    type State = [FloatTensor<Wgpu>; 2];

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, _: &mut Checkpointer) {
        let gradient = gradients.consume::<Wgpu>(&ops.node);
        let [a, b] = ops.state;
        let [of_a, of_b] = ops.parents;
        let multiply = |a, b, turned| Wgpu::turned_product(a, b, Way { turned, ..self.0 });
        if let Some(parent) = of_a {
            let turned = match self.0.turned {
                Turned::Second => Turned::Neither,
                _ => Turned::Second,
            };
            let gradient = multiply(gradient.clone(), b, turned);
            gradients.register::<Wgpu>(parent.id, gradient);
        }
        if let Some(parent) = of_b {
            let [first, second] = match self.0.turned {
                Turned::Second => [gradient, a],
                _ => [a, gradient],
            };
            let gradient = multiply(first, second, Turned::First);
            gradients.register::<Wgpu>(parent.id, gradient);
        }
    }
}

/// `a b`, or `a bᵀ` where the second is kept turned, with sums of 32 bits. None where it is for others to compute, or where lines
/// are no whole fours of numbers.
///
/// # Shapes
/// - a: `[rows, inner]`; b: `[inner, columns]`, or turned `[columns, inner]`; output: `[rows, columns]`
pub(crate) fn product(a: &Tensor<2>, b: &Tensor<2>, way: Way) -> Option<Tensor<2>> {
    let [inner, sizes] = [a.dims()[1], b.dims().iter().product()];
    let columns: usize = sizes / inner.max(1);
    if !inner.is_multiple_of(4) || !columns.is_multiple_of(4) {
        return None;
    }
    let matrices = [tracked(a)?, tracked(b)?];
    let has_halves =
        || Gpu::from_device(&a.device().inner()).is_some_and(|gpu| gpu.multiplies_halves());
    if way.by_halves && !has_halves() {
        return None;
    }
    let output = on_tape(Step(way), matrices, |[a, b]| {
        let output = Wgpu::turned_product(a.clone(), b.clone(), way);
        (output, [a, b])
    });
    Some(Tensor::from_primitive::<Autodiff<Wgpu>>(output))
}

#[cfg(test)]
mod tests {
    use wgpu::naga::front::wgsl::parse_str;
    use wgpu::naga::valid::{Capabilities, ValidationFlags, Validator};

    use super::*;

    /// Lavapipe cannot compile those by halves.
    #[test]
    fn the_text_of_every_way_is_valid() {
        for by_halves in [false, true] {
            for turned in [Turned::Neither, Turned::First, Turned::Second] {
                let way = Way { turned, by_halves };
                let (text, entry, threads) = way.parts();
                let text = way.source(text);
                let module = parse_str(&text).map_err(|error| error.emit_to_string(&text));
                let module = module.expect("parsed");
                let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
                validator.validate(&module).expect("valid");
                let found = &module.entry_points[0];
                assert_eq!(found.name, entry);
                assert_eq!(found.workgroup_size, [threads, 1, 1], "{way:?}");
                let turns = ["A_TURNED", "B_TURNED"]
                    .map(|name| text.contains(&format!("const {name}: bool = true;")));
                assert_eq!(turns, [turned == Turned::First, turned == Turned::Second]);
            }
        }
    }
}
