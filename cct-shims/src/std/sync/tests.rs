//! The faces outside an engine: they exclude, wake and print as std does.
