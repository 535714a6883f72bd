//! The actor that adapts a stream to changes of the configuration.

use super::Stream;
use crate::config::Push;
use crate::operation::CallError;

/// Adapts a stream while its reader does other things.
#[derive(Debug)]
pub struct Adapter {
    stream: Stream,
}

impl Adapter {
    /// Creates the adapter of a stream.
    #[must_use]
    pub fn new(stream: Stream) -> Adapter {
        Adapter { stream }
    }
}

#[cct::actor]
impl Adapter {
    #[on]
    async fn push(&mut self, push: Push) -> Result<(), CallError> {
        self.stream.apply(push.config).await?;
        (push.done)();
        Ok(())
    }
}
