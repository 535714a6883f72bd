//! The test kit: one actor alone.

use cct::actor::{ActorRef, Context, HaltEvent, Mock, Reply, TestKit};

#[derive(Debug)]
struct Open;
struct Close;
struct Ask;
struct Answer(u32);
struct Count(Reply<u32>);

struct Closed;
struct Opened {
    times: u32,
}

struct Door {
    asked: ActorRef<Keeper>,
    answers: Vec<u32>,
}

#[cct::machine(start = Closed, events(Answer))]
#[defer(Closed: Close)]
impl Door {
    #[on]
    fn open(&mut self, _: &mut Closed, _: Open) -> Opened {
        Opened { times: 1 }
    }

    #[on]
    fn open_more(&mut self, opened: &mut Opened, _: Open) {
        opened.times += 1;
    }

    #[on]
    fn close(&mut self, _: &mut Opened, _: Close) -> Closed {
        Closed
    }

    #[on]
    async fn ask(&mut self, _: Ask, cx: &mut Context<Self>) {
        let (reply, _) = cct::actor::reply();
        cx.send(&self.asked, Count(reply));
        let Answer(answer) = cx.receive().await;
        self.answers.push(answer);
    }

    #[on]
    fn halt(&mut self, _: HaltEvent) -> cct::actor::Halt {
        self.answers.clear();
        cct::actor::Halt
    }
}

struct Keeper;

#[cct::actor]
impl Keeper {
    #[on]
    fn count(&mut self, Count(reply): Count) {
        let _ = reply.send(0);
    }
}

fn door() -> (TestKit<Door>, Mock<Keeper>) {
    let mock = Mock::new();
    let asked = mock.actor_ref();
    let kit = TestKit::start(Door {
        asked,
        answers: Vec::new(),
    });
    (kit, mock)
}

#[test]
fn a_test_looks_at_the_state_and_its_data() {
    let (mut kit, _mock) = door();
    assert!(kit.is_in::<Closed>());
    kit.send(Open);
    kit.send(Open);
    assert_eq!(kit.state::<Opened>().map(|opened| opened.times), Some(2));
    assert_eq!(kit.states(), ["Opened"]);
    kit.send(Close);
    assert!(kit.is_in::<Closed>());
}

#[test]
fn deferred_events_are_in_the_inbox() {
    let (mut kit, _mock) = door();
    kit.send(Close);
    assert_eq!(kit.inbox_len(), 1);
    kit.send(Open);
    assert_eq!(kit.inbox_len(), 0);
    assert!(kit.is_in::<Closed>(), "it was opened, and closed again");
}

#[test]
fn a_handler_that_waits_goes_on_with_its_event() {
    let (mut kit, mut mock) = door();
    kit.send(Ask);
    assert!(kit.waits());
    assert!(matches!(mock.take(), Some(KeeperEvent::Count(_))));
    kit.send(Open);
    assert!(kit.waits(), "it waits for another one");
    assert_eq!(kit.inbox_len(), 1);
    kit.send(Answer(3));
    assert_eq!(kit.actor().answers, [3]);
    assert!(kit.is_in::<Opened>());
}

#[test]
fn an_end_is_seen() {
    let (mut kit, _mock) = door();
    kit.halt();
    assert!(kit.has_halted());
    assert!(kit.failure().is_none());
}

#[test]
#[should_panic(expected = "it got the event `Answer`")]
fn a_failure_is_seen() {
    let (mut kit, _mock) = door();
    kit.send(Answer(1));
    assert!(kit.has_halted());
    panic!("{}", kit.failure().expect("nobody handles it"));
}
