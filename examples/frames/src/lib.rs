//! Frames of two bytes, read in a `select!`: **cancellation** that loses a message.
//!
//! [`hasty_frame`] keeps the first byte in a local variable while it waits for the second. In a `select!`
//! the branch that comes second is dropped, and the byte with it.
//!
//! [`Reader::frame`] keeps what it has in the reader, and can be dropped at any time.
//!
//! ```text
//! cargo cct test -p frames
//! ```

use tokio::sync::mpsc::Receiver;

/// Reads a frame; nothing when the sender is gone.
///
/// The bug: it must not be dropped half way, and nothing says so.
pub async fn hasty_frame(bytes: &mut Receiver<u8>) -> Option<[u8; 2]> {
    let first = bytes.recv().await?;
    let second = bytes.recv().await?;
    Some([first, second])
}

/// A reader of frames that may be cancelled.
#[derive(Debug)]
pub struct Reader {
    bytes: Receiver<u8>,
    first: Option<u8>,
}

impl Reader {
    /// A reader of these bytes.
    pub fn new(bytes: Receiver<u8>) -> Reader {
        Reader { bytes, first: None }
    }

    /// Reads a frame; nothing when the sender is gone.
    pub async fn frame(&mut self) -> Option<[u8; 2]> {
        if self.first.is_none() {
            self.first = Some(self.bytes.recv().await?);
        }
        let second = self.bytes.recv().await?;
        let first = self.first.take()?;
        Some([first, second])
    }
}
