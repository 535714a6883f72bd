//! The orders at the prompt.

/// An order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// Answer with this number: a worker's, or a value.
    Answer(u32),
    /// Answer as the default says.
    Default,
    /// Go on by defaults until then.
    Until(Until),
    /// Back to the n-th choice before this one.
    Back(usize),
    /// Show the candidates again.
    List,
    /// All that has happened.
    Trace,
    /// Keep the schedule.
    Save,
    /// The orders there are.
    Help,
    /// Leave.
    Quit,
}

/// When to stop and ask.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// So many steps later.
    Later(usize),
    /// When this step is next.
    Step(usize),
    /// When this worker waits or has ended.
    Worker(u32),
    /// When a worker is about to do something there.
    Site {
        /// The file, or the end of its path.
        file: String,
        /// The line.
        line: u32,
    },
    /// At the end of the iteration.
    End,
}

/// The words that [`Order::parse`] takes, a line each.
pub(super) const HELP: &str = "  \
  main, w1, 1, …     this worker runs next; for a value, its number
  (empty line)       the line marked `>`
  step [N]           N steps more, by default 1
  until step N       on to step N
  until w1           on until that worker waits or has ended
  until lib.rs:21    on until a worker is about to execute a step there
  until end          on to the end; `run` for short
  back [N]           back to the choice before, or N before, by executing again up to there
  list               the candidates again
  trace              all steps so far
  save               keeps the schedule, up to here as it was and then by defaults, for replay
  quit               leaves; so does the end of the input
";

impl Order {
    /// Reads a line; an error says what is wrong.
    pub(super) fn parse(line: &str) -> Result<Order, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |text: &str| {
            let wrong = |_| format!("`{text}` is no number");
            text.parse::<usize>().map_err(wrong)
        };
        Ok(match words[..] {
            [] => Order::Default,
            ["step" | "s"] => Order::Until(Until::Later(1)),
            ["step" | "s", n] => Order::Until(Until::Later(number(n)?)),
            ["run" | "r"] | ["until" | "u", "end"] => Order::Until(Until::End),
            ["until" | "u", "step", n] => Order::Until(Until::Step(number(n)?)),
            ["until" | "u", place] => Order::Until(until(place)?),
            ["back" | "b"] => Order::Back(1),
            ["back" | "b", n] => Order::Back(number(n)?.max(1)),
            ["list" | "l"] => Order::List,
            ["trace" | "t"] => Order::Trace,
            ["save"] => Order::Save,
            ["help" | "h" | "?"] => Order::Help,
            ["quit" | "q" | "exit"] => Order::Quit,
            [word] => Order::Answer(
                worker(word).ok_or_else(|| format!("`{word}` is no order: see `help`"))?,
            ),
            _ => return Err(format!("`{}` is no order: see `help`", line.trim())),
        })
    }
}

/// The worker that is called so.
fn worker(text: &str) -> Option<u32> {
    if text == "main" {
        return Some(0);
    }
    text.strip_prefix('w').unwrap_or(text).parse().ok()
}

fn until(place: &str) -> Result<Until, String> {
    if let Some((file, line)) = place.rsplit_once(':') {
        let line = line
            .parse()
            .map_err(|_| format!("`{place}` is no place: expected `lib.rs:21`"))?;
        let file = file.to_owned();
        return Ok(Until::Site { file, line });
    }
    let worker = worker(place).map(Until::Worker);
    worker.ok_or_else(|| {
        format!("`{place}` is neither a worker nor a place: expected `w1`, `lib.rs:21` or `end`")
    })
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, proptest};

    use super::*;
    use crate::fuzz;

    #[test]
    fn orders_are_read() {
        let order = |line| Order::parse(line).expect("well-formed");
        assert_eq!(order(""), Order::Default);
        assert_eq!(order(" w2 "), Order::Answer(2));
        assert_eq!(order("main"), Order::Answer(0));
        assert_eq!(order("7"), Order::Answer(7));
        assert_eq!(order("s 3"), Order::Until(Until::Later(3)));
        assert_eq!(order("until step 12"), Order::Until(Until::Step(12)));
        assert_eq!(order("until w1"), Order::Until(Until::Worker(1)));
        let (file, line) = ("src/lib.rs".to_owned(), 21);
        assert_eq!(
            order("u src/lib.rs:21"),
            Order::Until(Until::Site { file, line })
        );
        assert_eq!(order("run"), order("until end"));
        assert_eq!(order("back"), Order::Back(1));
        assert_eq!(order("b 4"), Order::Back(4));
    }

    #[test]
    fn what_is_no_order_is_told() {
        for line in [
            "jump",
            "step far",
            "until",
            "until lib.rs:x",
            "until never",
            "w",
            "1 2",
        ] {
            assert!(Order::parse(line).is_err(), "{line}");
        }
    }

    proptest! {
        #![proptest_config(fuzz::config())]

        #[test]
        fn a_line_in_disorder_is_an_order_or_told(line in fuzz::texts(vec![
            "step ", "s ", "until ", "u end", "back ", "w1", "main", "lib.rs:", "7", ":", "list", "quit",
        ])) {
            if let Err(why) = Order::parse(&line) {
                prop_assert!(why.contains('`'), "{}", why);
            }
        }
    }
}
