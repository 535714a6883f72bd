//! A server that answers in turn: each question is open for a while, and none for ever.

use std::sync::mpsc;
use std::thread;

use cct::{Monitor, Temperature};

#[derive(Default)]
struct Open(Vec<u32>);

enum Talk {
    Asks(u32),
    Answers(u32),
}

impl Monitor for Open {
    type Event = Talk;

    fn on_event(&mut self, talk: Talk) -> Temperature {
        match talk {
            Talk::Asks(client) => self.0.push(client),
            Talk::Answers(client) => {
                assert!(self.0.contains(&client), "{client} has not asked");
                self.0.retain(|&other| other != client);
            }
        }
        match self.0.len() {
            0 => Temperature::Cold("nothing is open"),
            1 => Temperature::Warm("one is open"),
            _ => Temperature::Hot("several are open"),
        }
    }
}

#[test]
fn each_question_is_answered() {
    cct::register(Open::default());
    let (ask, questions) = mpsc::channel();
    let server = thread::spawn(move || {
        for client in questions {
            cct::notify::<Open>(Talk::Answers(client));
        }
    });
    let clients = [1, 2].map(|client| {
        let ask = ask.clone();
        thread::spawn(move || {
            cct::notify::<Open>(Talk::Asks(client));
            ask.send(client).unwrap();
        })
    });
    drop(ask);
    for client in clients {
        client.join().unwrap();
    }
    server.join().unwrap();
}
