//! The answers of the service.

/// A status of HTTP.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Response {
    /// 200
    Ok,
    /// 404
    NotFound,
    /// 409
    Conflict,
    /// 503: an error that nobody has thought of.
    ServiceUnavailable,
}
