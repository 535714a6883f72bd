//! The bugs of the server.

/// The server's behaviour: mended, or with one of its two bugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// It has no bug.
    Mended,
    /// It counts reports instead of nodes, so that three reports of one node are enough.
    CountsReports,
    /// It does not forget its replicas when the next value comes, so that the third one is never found again.
    KeepsReplicas,
}
