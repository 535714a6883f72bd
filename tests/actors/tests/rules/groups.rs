//! Groups of states.

use actors::Log;
use cct::actor::{Context, Goto, Runtime};

struct Ping;
struct Pong;
struct Move;
struct Quiet;
struct Hold;

struct Idle;
struct Busy;
struct Lost;

struct Client(Log);

#[cct::machine(start = Idle, groups(Online = Idle | Busy, Any = Online | Lost))]
#[ignore(Online: Quiet)]
#[defer(Any: Hold)]
impl Client {
    #[on(Online)]
    fn ping(&mut self, _: Ping, cx: &mut Context<Self>) {
        self.0
            .add(format!("online ping in {}", cx.state_name().unwrap()));
    }

    #[on]
    fn busy_ping(&mut self, _: &mut Busy, _: Ping) {
        self.0.add("busy ping");
    }

    #[on(Any)]
    fn pong(&mut self, _: Pong) {
        self.0.add("any pong");
    }

    #[on(Online)]
    fn online_pong(&mut self, _: Pong) {
        self.0.add("online pong");
    }

    #[entry(Any)]
    fn enter(&mut self, cx: &mut Context<Self>) {
        self.0.add(format!("+{}", cx.state_name().unwrap()));
    }

    #[entry]
    fn enter_busy(&mut self, _: &mut Busy) {
        self.0.add("+busy itself");
    }

    #[exit(Online)]
    fn leave(&mut self, cx: &mut Context<Self>) {
        self.0.add(format!("-{}", cx.state_name().unwrap()));
    }

    #[on]
    fn go(&mut self, _: &mut Idle, _: Move) -> Goto<Busy> {
        Goto(Busy)
    }

    #[on]
    fn lose(&mut self, _: &mut Busy, _: Move) -> Goto<Lost> {
        Goto(Lost)
    }

    #[on]
    fn hold(&mut self, _: &mut Lost, _: Hold) {
        self.0.add("held");
    }
}

#[test]
fn a_group_gives_its_handlers_to_its_states_and_the_nearest_wins() {
    let log = Log::new();
    let runtime = Runtime::new();
    let client = runtime.create(Client(log.clone()));
    client.send(Ping);
    client.send(Pong);
    client.send(Move);
    client.send(Ping);
    client.send(Move);
    client.send(Pong);
    runtime.wait_until_idle().unwrap();
    let expected =
        "+Idle online ping in Idle online pong -Idle +busy itself busy ping -Busy +Lost any pong";
    assert_eq!(log.text(), expected);
    runtime.stop();
}

#[test]
fn a_group_ignores_and_defers_for_its_states() {
    let log = Log::new();
    let runtime = Runtime::new();
    let client = runtime.create(Client(log.clone()));
    client.send(Hold);
    client.send(Quiet);
    client.send(Move);
    client.send(Quiet);
    client.send(Move);
    runtime.wait_until_idle().unwrap();
    assert_eq!(log.text(), "+Idle -Idle +busy itself -Busy +Lost held");
    runtime.stop();
}
