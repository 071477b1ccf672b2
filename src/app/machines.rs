//! Other machines that compute, as a person has named them.

use std::fmt;

use canopy_translate::remote::RemoteHost;

/// Something a person does with other machines.
#[derive(Debug, Clone, PartialEq)]
pub enum MachineCommand {
    /// Shows where one is named.
    Name,
    /// Computes on one from now on.
    Choose(Box<NamedMachine>),
    /// Stops computing on other machines, and forgets this one.
    Forget(RemoteHost),
    /// Leaves it as it is.
    Leave,
}

/// A machine as a person names it.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct NamedMachine {
    /// Host, and port if it is another than the usual one.
    pub address: String,
    /// Empty for the one that is known already.
    pub key: String,
}

impl fmt::Debug for NamedMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NamedMachine({})", self.address)
    }
}
