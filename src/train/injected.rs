//! Gradients that a test spoils.

use std::cell::RefCell;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Gradients, Tensor};

use canopy_models::weights::Place;
use canopy_nn::model::Model;

/// The gradient of one parameter in one update of a run on this thread.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub step: usize,
    pub parameter: &'static str,
    pub value: f32,
    /// How many times it comes up.
    pub times: usize,
}

thread_local! {
    static FAULTS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
}

/// Lets the runs on this thread meet these faults.
pub(super) fn inject(faults: Vec<Fault>) {
    FAULTS.with_borrow_mut(|all| *all = faults);
}

pub(super) fn spoil(step: usize, model: &Model, gradients: &mut Gradients) {
    FAULTS.with_borrow_mut(|faults| {
        let due = faults
            .iter_mut()
            .filter(|it| it.step == step && it.times > 0);
        for fault in due {
            fault.times -= 1;
            model.visit(&mut Spoiling {
                fault,
                gradients,
                place: Place::default(),
            });
        }
    });
}

struct Spoiling<'a> {
    fault: &'a Fault,
    gradients: &'a mut Gradients,
    place: Place,
}

impl ModuleVisitor for Spoiling<'_> {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.place.enter(name, container);
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.place.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if self.place.name() == self.fault.parameter
            && let Some(gradient) = param.val().grad(self.gradients)
        {
            let spoilt = gradient.full_like(self.fault.value);
            param.val().grad_replace(self.gradients, spoilt);
        }
    }
}
