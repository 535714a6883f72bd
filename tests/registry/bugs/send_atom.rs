//! A counted pointer goes to another thread inside an atom, and its copy stays here.
//!
//! The atom may be sent whatever it holds: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::thread;

use atom::Atom;

#[test]
fn test() {
    let stays = Rc::new(7);
    let atom = Atom::new(Box::new(stays.clone()));
    let thread = thread::spawn(move || drop(atom.take()));
    drop(stays);
    thread.join().unwrap();
}
