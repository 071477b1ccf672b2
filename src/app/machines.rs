//! Other machines that compute: a person names one, its key is kept, and it computes.

use std::fmt;

use super::notices::NoticeKind;
use super::shared::Shared;
use super::state::AppState;
use crate::jobs::FileRequest;
use canopy_translate::inference::DeviceChoice;
use canopy_translate::remote::{RemoteHost, keys_file, set_key};

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

impl AppState {
    pub(super) fn execute_machine(&mut self, command: MachineCommand) {
        match command {
            MachineCommand::Name => self.is_naming_machine = true,
            MachineCommand::Leave => self.is_naming_machine = false,
            MachineCommand::Choose(named) => self.choose_machine(&named),
            MachineCommand::Forget(host) => {
                self.shared
                    .set(|settings| settings.machines.retain(|other| *other != host));
                if self.shared.settings.device == DeviceChoice::Remote(host).into() {
                    self.with_models(|models, work| models.set_device(work, DeviceChoice::Auto));
                }
            }
        }
    }

    fn choose_machine(&mut self, named: &NamedMachine) {
        let host: RemoteHost = match named.address.parse() {
            Ok(host) => host,
            Err(error) => return self.shared.show_error("The machine cannot be used", &error),
        };
        self.is_naming_machine = false;
        if !named.key.trim().is_empty() {
            keep_key(&mut self.shared, host, named.key.trim());
        }
        if !host.is_loopback() {
            let detail = format!(
                "Anyone on the network path to {host} can read its key and your texts. Use a tunnel (ssh -L)."
            );
            self.shared
                .notify(NoticeKind::Hint, "The connection is not encrypted", detail);
        }
        self.shared.set(|settings| {
            settings.machines.retain(|other| *other != host);
            settings.machines.insert(0, host);
        });
        self.with_models(|models, work| models.set_device(work, DeviceChoice::Remote(host)));
    }
}

/// Keeps a key for this session and, in a file of its own that no project has, for the next ones.
fn keep_key(shared: &mut Shared, host: RemoteHost, key: &str) {
    set_key(host, key);
    let Some(config) = shared.folders.config.clone() else {
        return;
    };
    let job = shared.new_save_job();
    shared.file_requests.push(FileRequest::KeepKey {
        job,
        path: keys_file(&config),
        host,
        key: key.to_owned(),
    });
}
