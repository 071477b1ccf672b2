//! Sparsemax and KeepTopT.

use canopy::{kernels, model};

use super::Case;

pub fn sparsemax(case: &Case) {
    let p = kernels::sparsemax(case.input::<2>("z"));
    case.output("p", p.clone());
    case.output("support", p.clone().greater_elem(0.0).float());
    case.differentiate("p", p);
    // The Jacobian is symmetric: a gradient under the tangent is its product with it.
    let z = case.constant::<2>("z").require_grad();
    let gradients = (kernels::sparsemax(z.clone()) * case.constant::<2>("tangent"))
        .sum()
        .backward();
    case.output("jvp", z.grad(&gradients).expect("a gradient"));
}

pub fn keep_top_t(case: &Case) {
    let scores = case.input::<2>("scores");
    let [_, n] = scores.dims();
    case.output("kept_t1", model::keep_top_t(scores.clone(), 1));
    case.output("kept_all", model::keep_top_t(scores.clone(), n));
    let kept = model::keep_top_t(scores, case.size("t"));
    case.output("kept_t", kept.clone());
    case.differentiate("kept_t", kept);
}
