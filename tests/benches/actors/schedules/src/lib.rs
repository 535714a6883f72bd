//! A replicated value: a client writes values, a server keeps each on three nodes, and answers once all
//! of them have it. As threads with channels, of whichever crate; `tests/replication.rs` has it as
//! actors.

/// How many values the client writes.
pub const VALUES: u32 = 2;
/// How many nodes keep them.
pub const NODES: usize = 3;

/// Defines `replicate`, with this crate's `sync::mpsc` and `thread`.
#[macro_export]
macro_rules! replicated_by {
    ($krate:ident) => {
        pub fn replicate() {
            use $krate::sync::mpsc::{self, Receiver, Sender};
            use $krate::thread;

            enum ToServer {
                Write(u32, Sender<u32>),
                Stored(u32),
                End,
            }

            fn serve(inbox: Receiver<ToServer>, nodes: Vec<Sender<u32>>) {
                let mut open = None;
                let mut copies = 0;
                loop {
                    match inbox.recv().unwrap() {
                        ToServer::Write(value, reply) => {
                            open = Some(reply);
                            copies = 0;
                            for node in &nodes {
                                node.send(value).unwrap();
                            }
                        }
                        ToServer::Stored(value) => {
                            copies += 1;
                            if copies == $crate::NODES {
                                open.take().unwrap().send(value).unwrap();
                            }
                        }
                        ToServer::End => return,
                    }
                }
            }

            let (server, inbox) = mpsc::channel();
            let mut threads = Vec::new();
            let mut nodes = Vec::new();
            for _ in 0..$crate::NODES {
                let (node, values) = mpsc::channel::<u32>();
                let server = server.clone();
                nodes.push(node);
                threads.push(thread::spawn(move || {
                    while let Ok(value) = values.recv() {
                        server.send(ToServer::Stored(value)).unwrap();
                    }
                }));
            }
            threads.push(thread::spawn(move || serve(inbox, nodes)));
            for value in 0..$crate::VALUES {
                let (reply, answer) = mpsc::channel();
                server.send(ToServer::Write(value, reply)).unwrap();
                assert_eq!(answer.recv(), Ok(value));
            }
            server.send(ToServer::End).unwrap();
            for thread in threads {
                thread.join().unwrap();
            }
        }
    };
}
