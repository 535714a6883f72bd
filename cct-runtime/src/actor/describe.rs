//! Events as text: by `Debug`, if they have it. Named by expansions.

use std::fmt::Debug;

/// A value, and its type's name.
#[derive(Debug)]
pub struct Told<'a, T>(pub &'a T, pub &'static str);

/// Values with `Debug`.
pub trait ByDebug {
    /// The value.
    fn told(&self) -> String;
}

/// All others; this is a reference further away, so that it is found last.
pub trait ByName {
    /// The type's name.
    fn told(&self) -> String;
}

impl<T: Debug> ByDebug for Told<'_, T> {
    fn told(&self) -> String {
        format!("{:?}", self.0)
    }
}

impl<T> ByName for &Told<'_, T> {
    fn told(&self) -> String {
        self.1.to_owned()
    }
}
