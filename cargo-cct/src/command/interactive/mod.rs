//! An execution that a person leads: `replay --interactive` and `test --strategy interactive`.
//!
//! The test process asks, and does as it is told; to go back it is started anew and given the same
//! answers up to there. The terminal is ours alone: what the test prints is shown between its steps.

mod guide;
mod order;
mod session;
mod subject;
mod terminal;

use self::order::Order;
use self::session::{Next, Session};
pub(super) use self::subject::Subject;
use self::terminal::tell;
use crate::exit::Exit;
use crate::run::{Led, Repeated};

/// Leads a test until the person has had enough.
pub(super) fn lead(subject: &Subject<'_>) -> anyhow::Result<Exit> {
    let mut session = Session::new(subject)?;
    session.greet();
    loop {
        let led = session.run(subject)?;
        if subject.stop.is_set() {
            return Ok(Exit::Interrupted);
        }
        match &led.end {
            Repeated::Refused(reason) => anyhow::bail!("the test cannot be led: {reason}"),
            Repeated::Stopped => match session.next {
                Next::Again => {}
                Next::Save => {
                    let whole = session.complete(subject)?;
                    tell(&subject.save(&whole)?);
                }
                Next::Leave => return Ok(Exit::Success),
            },
            Repeated::Ended { .. } | Repeated::Died { .. } => {
                session.tell_end(&led);
                if !after_the_end(&mut session, subject, &led)? {
                    let failed = led.end.bug().is_some();
                    return Ok(if failed { Exit::Failed } else { Exit::Success });
                }
            }
        }
    }
}

/// The iteration is over, and its process gone; true to go back.
fn after_the_end(session: &mut Session, subject: &Subject<'_>, led: &Led) -> anyhow::Result<bool> {
    while let Some(order) = session.order() {
        match order {
            Order::Back(n) if session.go_back(n) => return Ok(true),
            Order::Save => tell(&subject.save(led)?),
            Order::Quit => break,
            Order::Back(_) | Order::Trace | Order::Help => {
                session.inform(&order);
            }
            Order::Answer(_) | Order::Default | Order::Until(_) | Order::List => {
                tell("  the test has ended: `back`, `trace`, `save` or `quit`\n");
            }
        }
    }
    Ok(false)
}
