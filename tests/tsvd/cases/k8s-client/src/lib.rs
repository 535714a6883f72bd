//! The Kubernetes client, pull request 212: a demultiplexer has a buffer for each channel of a web socket,
//! made by whoever asks for it first, while a loop in the background writes to those that are there.

use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, JoinHandle};

use dictionary::Dictionary;

pub type Buffer = Arc<Mutex<Vec<u8>>>;

#[derive(Debug, Default)]
pub struct StreamDemuxer {
    buffers: Dictionary<u8, Buffer>,
}

impl StreamDemuxer {
    /// Reads messages, which begin with their channel, until the socket is closed.
    pub fn start(self: &Arc<Self>, socket: mpsc::Receiver<Vec<u8>>) -> JoinHandle<()> {
        let demuxer = self.clone();
        thread::spawn(move || {
            for message in socket {
                let (channel, text) = (message[0], &message[1..]);
                if demuxer.buffers.contains_key(&channel) {
                    let buffer = demuxer.buffers.get(&channel);
                    buffer.lock().unwrap().extend_from_slice(text);
                }
            }
            for buffer in demuxer.buffers.values() {
                buffer.lock().unwrap().push(0);
            }
        })
    }

    /// The buffer of a channel.
    pub fn get_stream(&self, channel: u8) -> Buffer {
        if !self.buffers.contains_key(&channel) {
            self.buffers.add(channel, Buffer::default());
        }
        self.buffers.get(&channel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_ask_for_a_channel_while_messages_come() {
        let demuxer = Arc::new(StreamDemuxer::default());
        let (sender, socket) = mpsc::channel();
        let reads = demuxer.start(socket);
        let asks = [(), ()].map(|()| {
            let demuxer = demuxer.clone();
            thread::spawn(move || demuxer.get_stream(12))
        });
        for text in [b"\x0ca", b"\x0cb"] {
            sender.send(text.to_vec()).unwrap();
        }
        drop(sender);
        for ask in asks {
            ask.join().unwrap();
        }
        reads.join().unwrap();
    }
}
