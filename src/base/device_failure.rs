//! Failures of a device, by the messages of the panics that burn, cubecl and wgpu report them with.
//!
//! This is the one place that knows these messages. The tests hold them as the versions in `Cargo.lock` write them.

/// A failure of the device in place of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceFailure {
    /// An allocation has no room; a smaller one may.
    OutOfMemory,
    /// Nothing can be computed on it any more in this process.
    Lost,
}

/// In lower case.
const OUT_OF_MEMORY: [&str; 7] = [
    "out of memory",
    "out-of-memory",
    "out of device memory",
    "not enough memory left",
    "can't allocate buffer",
    "outofmemory",
    "buffertoobig",
];

/// In lower case. The last three are all that is left to read where a device goes while kernels or numbers are on their way.
const LOST: [&str; 7] = [
    "device is lost",
    "device lost",
    "devicelost",
    "poisoned",
    "bytes were never written",
    "buffer could not be mapped",
    "buffer's map never completed",
];

impl DeviceFailure {
    /// Recognises the message of a panic; none where it is a fault of the program.
    pub fn from_message(message: &str) -> Option<Self> {
        let message = message.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
        if says(&OUT_OF_MEMORY) {
            Some(Self::OutOfMemory)
        } else if says(&LOST) {
            Some(Self::Lost)
        } else {
            None
        }
    }
}

/// The first line of such a message, without the backtrace below it; a line for users where that one is for programmers.
pub fn in_short(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    if line.contains("try_into_") {
        return "the device returned no result".to_owned();
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::rows;

    #[test]
    fn each_message_of_the_libraries_is_recognised_bare_and_within_a_panic() {
        let table: Vec<(&str, &str)> = rows(include_str!("device_messages.tsv")).collect();
        assert_eq!(table.len(), 15);
        for (failure, cells) in table {
            let failure = match failure {
                "Lost" => DeviceFailure::Lost,
                "OutOfMemory" => DeviceFailure::OutOfMemory,
                other => panic!("{other}"),
            };
            let (origin, message) = cells.split_once('\t').expect("three cells");
            let message = message.replace("\\n", "\n");
            let unwrapped = format!("called `Result::unwrap()` on an `Err` value: {message}");
            let read = format!(
                "Error while reading data: use `try_into_data` instead to catch the error at runtime: {message}"
            );
            for message in [&message, &unwrapped, &read] {
                assert_eq!(
                    DeviceFailure::from_message(message),
                    Some(failure),
                    "{origin}"
                );
            }
        }
    }

    /// An `unwrap` of an error with a derived `Debug` shows the names of its variants.
    #[test]
    fn the_names_of_variants_are_recognised() {
        for (message, failure) in [
            ("DeviceError::OutOfMemory", DeviceFailure::OutOfMemory),
            ("BufferTooBig { size: 7 }", DeviceFailure::OutOfMemory),
            ("RequestDevice(DeviceLost)", DeviceFailure::Lost),
        ] {
            assert_eq!(
                DeviceFailure::from_message(message),
                Some(failure),
                "{message}"
            );
        }
    }

    #[test]
    fn faults_of_the_program_are_none_of_the_device() {
        for message in [
            "index out of bounds: the len is 3 but the index is 7",
            "attempt to multiply with overflow",
            "called `Option::unwrap()` on a `None` value",
            "A validation error caused the compilation to fail",
        ] {
            assert_eq!(DeviceFailure::from_message(message), None, "{message}");
        }
    }

    /// After an upgrade, look up the messages of the new versions and put these numbers right.
    #[test]
    fn the_messages_are_those_of_the_locked_versions() {
        let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
        let lock = std::fs::read_to_string(lock).expect("the lock file");
        for (name, version) in [
            ("burn-std", "0.22.1"),
            ("cubecl-runtime", "0.11.3"),
            ("cubecl-wgpu", "0.11.3"),
            ("wgpu", "30.0.1"),
            ("wgpu-core", "30.0.1"),
            ("wgpu-hal", "30.0.1"),
        ] {
            let package = format!("name = \"{name}\"\nversion = \"{version}\"\n");
            assert!(lock.contains(&package), "{name} is no longer {version}");
        }
    }

    #[test]
    fn a_message_in_short_has_no_backtrace_and_no_advice_for_programmers() {
        let lost = "The device is poisoned\nCaused by:\n  reset\nBacktrace:\n  0: main";
        assert_eq!(in_short(lost), "The device is poisoned");
        let read = "Error while reading data: use `try_into_data` instead to catch the error";
        assert!(in_short(read).starts_with("the device returned no result"));
    }
}
