//! The words of `--help`.

pub(crate) const TEXT: &str = "\
Measures the actors of cct beside actix and ractor, and beside threads and Shuttle.

Usage: actors-bench production [--rounds N] [ROW …]
       actors-bench instructions [ROW …]
       actors-bench schedules
       actors-bench slice PEER ROW THREADS OPERATIONS

production    Nanoseconds for each operation, on one thread and on two. The libraries take turns: each
              round runs all of them, and the table has the median of the rounds with the least and
              the most. The last column is how often the time of the faster of the others is taken
              (below 1: faster than both).
instructions  The same in instructions, which no other process disturbs: each slice runs twice under
              valgrind's callgrind, with different numbers of operations, and the difference is shared
              out. One thread.
schedules     Schedules a second of one protocol, as actors and as threads with channels under
              `cargo cct test`, and as threads under Shuttle: 20,000 in each of 5 rounds, by random
              choice, optimised, in one process each.
slice         One workload of one library (cct, actix, ractor), once: for a profiler.

Rows:
  create          an actor is created, and handles one event
  send            one actor sends to another, in batches of 1,000
  send-many       16 actors send to 16, in batches of 8
  ping-pong       two actors send one event to and fro; an operation is one event
  ping-pong-many  16 such pairs
  goto            as send; each event takes the receiver from one state to another
  ask             an actor awaits the answer to one request after the other
  ask-by-thread   a thread outside waits for the answers

Without rows: all.
";
