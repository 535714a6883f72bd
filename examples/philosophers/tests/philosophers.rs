//! Three philosophers eat together.

use std::thread;

use philosophers::{Manners, Table};

fn dine(manners: Manners) {
    let table = Table::new(3, manners);
    thread::scope(|scope| {
        for seat in 0..3 {
            let table = &table;
            scope.spawn(move || table.eat(seat));
        }
    });
    assert_eq!(table.meals(), 3);
}

/// Deadlocks under some schedules: each holds the left fork and waits for the right one.
#[test]
fn all_eat_who_take_the_left_fork_first() {
    dine(Manners::LeftFirst);
}

#[test]
fn all_eat_who_take_the_lowest_fork_first() {
    dine(Manners::LowestFirst);
}
