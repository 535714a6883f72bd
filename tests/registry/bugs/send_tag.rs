//! A counted pointer goes to a waiting thread with a notification, and its copy stays here.
//!
//! The listener may be sent whatever it is told: both threads change the count, which is not atomic.

use std::rc::Rc;
use std::thread;

use event_listener::{Event, IntoNotification, Listener, listener};

#[test]
fn test() {
    let event = Event::<Rc<u32>>::with_tag();
    let stays = Rc::new(7);
    listener!(event => listener);
    thread::scope(|scope| {
        scope.spawn(move || drop(listener.wait()));
        let moves = stays.clone();
        event.notify(1.tag_with(move || moves.clone()));
        drop(stays);
    });
}
