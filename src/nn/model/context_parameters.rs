//! The parameters that read beyond the sentence: those that a trained sentence-level model does not have.

use std::collections::BTreeSet;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::Tensor;

use super::network::Network;
use super::system::Model;

/// How the name of a warm gate's bias ends.
const GATE_BIAS: &str = "gate.own.bias";

impl Model {
    /// Names of the parameters that [`Self::with_sentences_frozen`] leaves to be trained, without those of BERT: empty for a
    /// system that reads sentences alone.
    pub fn context_parameters(&self) -> BTreeSet<String> {
        let mut frozen = self.clone().with_sentences_frozen();
        let Network::Transformer(network) = &mut frozen.network else {
            return BTreeSet::new();
        };
        network.bert = None;
        let mut names = Names::default();
        frozen.visit(&mut names);
        names.found
    }

    /// Whether a gate between own states and context has a bias.
    pub fn has_warm_gate(&self) -> bool {
        let names = self.context_parameters();
        names.iter().any(|name| name.ends_with(GATE_BIAS))
    }

    /// Opens every warm gate further for the context: its bias falls by `by`, whatever else it has learnt.
    #[must_use]
    pub fn with_gates_opened(self, by: f64) -> Self {
        self.map(&mut Opening {
            by,
            stack: Vec::new(),
        })
    }
}

/// Collects the names of parameters that are trained.
#[derive(Default)]
struct Names {
    found: BTreeSet<String>,
    stack: Vec<String>,
}

impl ModuleVisitor for Names {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.stack.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.stack.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if param.val().is_require_grad() {
            self.found.insert(self.stack.join("."));
        }
    }
}

struct Opening {
    by: f64,
    stack: Vec<String>,
}

impl ModuleMapper for Opening {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.stack.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.stack.pop();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if !self.stack.join(".").ends_with(GATE_BIAS) {
            return param;
        }
        let (id, tensor, mapper) = param.consume();
        let opened = Tensor::<D>::from_inner(tensor.inner() - self.by);
        Param::from_mapped_value(id, opened.require_grad(), mapper)
    }
}
