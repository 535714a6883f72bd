//! Nothing: the tests use the dependencies.
