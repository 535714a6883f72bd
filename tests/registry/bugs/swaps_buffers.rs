//! One thread writes values to a triple buffer, the other reads the newest one.
//!
//! A buffer comes back to the writer by a swap that is no acquire, after one of the reader's that is no
//! release: nothing orders a read before the write that follows.

use std::thread;

use triple_buffer::TripleBuffer;

#[test]
fn test() {
    let (mut input, mut output) = TripleBuffer::new(0_u32).split();
    let writes = thread::spawn(move || (1..5).for_each(|value| input.write(value)));
    for _ in 0..4 {
        assert!(*output.read() < 5);
    }
    writes.join().unwrap();
}
