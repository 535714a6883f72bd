//! A task sends frames byte by byte, another one commands that interrupt the reader.

use frames::{Reader, hasty_frame};
use tokio::sync::mpsc::{Receiver, Sender, channel};

async fn send(bytes: Sender<u8>) {
    for byte in [1, 2, 3, 4] {
        bytes.send(byte).await.unwrap();
    }
}

async fn command(commands: Sender<&'static str>) {
    commands.send("status").await.unwrap();
}

fn sources() -> (Receiver<u8>, Receiver<&'static str>) {
    let (to_bytes, bytes) = channel(4);
    let (to_commands, commands) = channel(1);
    tokio::spawn(send(to_bytes));
    tokio::spawn(command(to_commands));
    (bytes, commands)
}

/// Fails under some schedules: the command comes when half a frame has been read.
#[tokio::test]
async fn hasty_frames_arrive() {
    let (mut bytes, mut commands) = sources();
    let mut frames = Vec::new();
    loop {
        tokio::select! {
            frame = hasty_frame(&mut bytes) => match frame {
                Some(frame) => frames.push(frame),
                None => break,
            },
            Some(_command) = commands.recv() => {}
        }
    }
    assert_eq!(frames, [[1, 2], [3, 4]]);
}

#[tokio::test]
async fn frames_arrive() {
    let (bytes, mut commands) = sources();
    let mut reader = Reader::new(bytes);
    let mut frames = Vec::new();
    loop {
        tokio::select! {
            frame = reader.frame() => match frame {
                Some(frame) => frames.push(frame),
                None => break,
            },
            Some(_command) = commands.recv() => {}
        }
    }
    assert_eq!(frames, [[1, 2], [3, 4]]);
}
