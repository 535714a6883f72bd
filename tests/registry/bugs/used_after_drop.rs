//! The last handle of an interned value goes while another thread interns the same value.
//!
//! The value is freed although the other has it.

use std::thread;

use internment::ArcIntern;

#[test]
fn test() {
    let threads = [(); 2].map(|()| {
        thread::spawn(|| {
            let word = ArcIntern::new("word".to_owned());
            assert_eq!(*word, "word");
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
}
