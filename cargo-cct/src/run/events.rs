//! Reads a test process's events off its pipe.

use std::io::{self, PipeReader, Read as _};
use std::iter;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use cct::codec::Wire as _;
use cct::wire::Event;

use super::threads;

/// No event is longer; what claims to be is noise.
const LONGEST: u32 = 1 << 30;
/// How long a process may take for its last words, or these for their way.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long is waited for an event at a time.
const LOOK: Duration = Duration::from_millis(100);

/// Reads on a thread of its own, so that the watchdog can wait with a time limit. The channel closes
/// when the process does, or when it writes what is no event.
pub(crate) fn receive(mut pipe: PipeReader) -> io::Result<Receiver<Event>> {
    let (sender, receiver) = channel();
    threads::start(move || {
        while let Ok(Some(event)) = next(&mut pipe) {
            if sender.send(event).is_err() {
                break;
            }
        }
    })?;
    Ok(receiver)
}

/// The events that are still under way after the end of their process: the pipe's end may take a moment to
/// come on a busy machine, and does not come while a child of the test keeps the pipe open. None is left if
/// nothing comes for so long, and in more than one look: a machine may stand still.
pub(crate) fn rest(events: &Receiver<Event>, patience: Duration) -> impl Iterator<Item = Event> {
    let count = patience.as_millis() / LOOK.as_millis();
    iter::from_fn(move || {
        let mut looks = (0..count).map(|_| events.recv_timeout(LOOK));
        let told = looks.find(|event| !matches!(event, Err(RecvTimeoutError::Timeout)));
        told?.ok()
    })
}

fn next(pipe: &mut impl io::Read) -> io::Result<Option<Event>> {
    let mut length = [0; 4];
    pipe.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > LONGEST {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    pipe.take(u64::from(length)).read_to_end(&mut bytes)?;
    Ok(Event::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::any;
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn frames_are_read_one_by_one() {
        let events = [
            Event::Uncontrolled("epoll".to_owned()),
            Event::Refused("no".to_owned()),
        ];
        let frames = events.iter().flat_map(|event| {
            let bytes = event.to_bytes();
            let length = u32::try_from(bytes.len()).expect("short").to_le_bytes();
            length.into_iter().chain(bytes).collect::<Vec<_>>()
        });
        let bytes: Vec<u8> = frames.collect();
        let mut pipe = bytes.as_slice();
        for event in events {
            assert_eq!(next(&mut pipe).expect("a whole frame"), Some(event));
        }
        assert!(next(&mut pipe).is_err());
    }

    #[test]
    fn what_is_under_way_is_read_also_where_the_pipe_stays_open() {
        let (sender, events) = channel();
        let send = |count| {
            (0..count).for_each(|_| sender.send(Event::Refused(String::new())).expect("open"));
        };
        send(3);
        assert_eq!(rest(&events, 2 * LOOK).count(), 3);
        send(2);
        drop(sender);
        assert_eq!(rest(&events, LAST_WORDS).count(), 2);
    }

    #[test]
    fn a_cut_frame_is_no_event() {
        let mut pipe: &[u8] = &[9, 0, 0, 0, 3];
        assert_eq!(next(&mut pipe).expect("read to the end"), None);
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn frames_of_any_bytes_come_to_an_end(length in any::<u32>(), bytes in vec(any::<u8>(), 0..200)) {
            let noise = [&length.to_le_bytes()[..], &bytes].concat();
            for bytes in [&noise, &bytes] {
                let mut pipe = bytes.as_slice();
                let mut read = 0;
                while let Ok(Some(event)) = next(&mut pipe) {
                    read += event.to_bytes().len() + 4;
                    prop_assert!(read <= bytes.len());
                }
            }
        }
    }
}
