//! A server that throws away what arrives while it is busy: one question stays open, and all end well.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

use cct::{Monitor, Temperature};

/// All questions are answered.
#[derive(Default)]
struct Open(u32);

enum Talk {
    Asks,
    Answers,
}

impl Monitor for Open {
    type Event = Talk;

    fn on_event(&mut self, talk: Talk) -> Temperature {
        match talk {
            Talk::Asks => self.0 += 1,
            Talk::Answers => self.0 -= 1,
        }
        match self.0 {
            0 => Temperature::Cold("nothing is open"),
            _ => Temperature::Hot("a question is open"),
        }
    }
}

#[test]
fn each_question_is_answered() {
    cct::register(Open::default());
    let busy = Arc::new(AtomicBool::new(false));
    let clients = [1, 2].map(|_| {
        let busy = Arc::clone(&busy);
        thread::spawn(move || {
            cct::notify::<Open>(Talk::Asks);
            if !busy.swap(true, SeqCst) {
                cct::notify::<Open>(Talk::Answers);
                busy.store(false, SeqCst);
            }
        })
    });
    for client in clients {
        client.join().unwrap();
    }
}
