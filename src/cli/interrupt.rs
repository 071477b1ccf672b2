//! Orders to end that come from outside: Ctrl+C, or a system that shuts down.

use async_signal::{Signal, Signals};

/// Those of them that the system has. Windows has Ctrl+C alone.
const ORDERS: &[Signal] = if cfg!(unix) {
    &[Signal::Int, Signal::Term]
} else {
    &[Signal::Int]
};

/// Takes them in place of the system, which would end the program at once.
///
/// # Errors
/// If the system refuses.
pub(super) fn orders_to_end() -> std::io::Result<Signals> {
    Signals::new(ORDERS)
}
