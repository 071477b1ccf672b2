//! A wish of the state that the next drawing fulfils.

use std::cell::Cell;

/// Holds a value until it is taken once, through a shared reference: drawing does not change the state otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneShot<T: Copy>(Cell<Option<T>>);

impl<T: Copy> Default for OneShot<T> {
    fn default() -> Self {
        Self(Cell::new(None))
    }
}

impl<T: Copy> OneShot<T> {
    /// Replaces the value that waits.
    pub fn set(&self, value: impl Into<Option<T>>) {
        self.0.set(value.into());
    }

    /// The value that waits, which stays.
    pub fn get(&self) -> Option<T> {
        self.0.get()
    }

    /// The value that waits; from now on there is none.
    pub fn take(&self) -> Option<T> {
        self.0.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_fulfilled_once() {
        let wish = OneShot::default();
        wish.set(3);
        wish.set(4);
        assert_eq!(
            (wish.get(), wish.take(), wish.take()),
            (Some(4), Some(4), None)
        );
    }
}
