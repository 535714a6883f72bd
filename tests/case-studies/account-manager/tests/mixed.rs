//! An actor beside threads, each of which has tasks.

use std::sync::Arc;
use std::thread;

use account_manager::{Account, AccountManager, InMemoryCollection, Variant};
use cct::actor::{Reply, Runtime};

struct Created;
struct Report(Reply<u32>);

/// Counts the accounts that were created.
#[derive(Default)]
struct Audit {
    created: u32,
}

#[cct::actor]
impl Audit {
    #[on]
    fn count(&mut self, _: Created) {
        self.created += 1;
    }

    #[on]
    fn report(&mut self, Report(reply): Report) {
        let _ = reply.send(self.created);
    }
}

#[cct::test]
fn an_account_is_created_once(runtime: &Runtime) {
    let audit = runtime.create(Audit::default());
    let accounts = InMemoryCollection::default();
    let manager = Arc::new(AccountManager::new(Variant::Mended, accounts));
    let clients = [1, 2].map(|version| {
        let (audit, manager) = (audit.clone(), Arc::clone(&manager));
        thread::spawn(move || {
            let tasks = tokio::runtime::Builder::new_current_thread().build();
            let request = manager.create("alice", Account::new("", version));
            if tasks.expect("a runtime can be made").block_on(request) == Ok(true) {
                audit.send(Created);
            }
        })
    });
    for client in clients {
        client.join().expect("no client panics");
    }
    assert_eq!(audit.ask(Report).wait(), Some(1));
}
