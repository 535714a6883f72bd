//! A borrowed slice of cells goes to another thread inside a `Cow`, and both threads set one of them.
//!
//! A `Cow` may be sent if the cells may; but it may be a reference to them.

use std::cell::Cell;
use std::thread;

use beef::Cow;

#[test]
fn test() {
    let cells = [Cell::new(0)];
    thread::scope(|scope| {
        let borrowed: Cow<'_, [Cell<u32>]> = Cow::borrowed(&cells);
        scope.spawn(move || borrowed[0].set(1));
        cells[0].set(2);
    });
}
