//! Requests that come together, to the manager with its bugs, and mended.

use std::sync::Arc;

use account_manager::{
    Account, AccountManager, InMemoryCollection, RowError, Variant, VersionsGrow,
};
use tokio::task::JoinHandle;

type Manager = Arc<AccountManager<InMemoryCollection>>;

const NAME: &str = "alice";

fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime can be made");
    runtime.block_on(test);
}

fn manager(variant: Variant) -> Manager {
    cct::register(VersionsGrow::default());
    let accounts = InMemoryCollection::default();
    Arc::new(AccountManager::new(variant, accounts))
}

/// The account is there, at version 1.
async fn with_account(variant: Variant) -> Manager {
    let manager = manager(variant);
    let created = manager.create(NAME, Account::new("first", 1)).await;
    assert_eq!(created, Ok(true));
    manager
}

fn create(manager: &Manager, payload: &'static str) -> JoinHandle<Result<bool, RowError>> {
    let manager = Arc::clone(manager);
    tokio::spawn(async move { manager.create(NAME, Account::new(payload, 1)).await })
}

fn update(manager: &Manager, version: u32) -> JoinHandle<Result<bool, RowError>> {
    let manager = Arc::clone(manager);
    tokio::spawn(async move { manager.update(NAME, Account::new("later", version)).await })
}

fn delete(manager: &Manager) -> JoinHandle<Result<bool, RowError>> {
    let manager = Arc::clone(manager);
    tokio::spawn(async move { manager.delete(NAME).await })
}

/// The answers to two requests, which are no errors.
async fn answers(requests: [JoinHandle<Result<bool, RowError>>; 2]) -> [bool; 2] {
    let [first, second] = requests;
    let answer = |request: Result<_, _>| {
        let answered: Result<bool, RowError> = request.expect("no request panics");
        answered.unwrap_or_else(|error| panic!("a request failed: {error}"))
    };
    [answer(first.await), answer(second.await)]
}

fn one_of_two_creates(variant: Variant) {
    block_on(async {
        let manager = manager(variant);
        let [first, second] = answers([create(&manager, "a"), create(&manager, "b")]).await;
        assert!(first != second, "one of them creates the account");
    });
}

fn one_of_two_deletes(variant: Variant) {
    block_on(async {
        let manager = with_account(variant).await;
        let [first, second] = answers([delete(&manager), delete(&manager)]).await;
        assert!(first != second, "one of them deletes the account");
    });
}

fn one_of_two_updates(variant: Variant) {
    block_on(async {
        let manager = with_account(variant).await;
        let [first, second] = answers([update(&manager, 2), update(&manager, 2)]).await;
        assert!(first != second, "one of them updates the account");
    });
}

fn the_latest_version_stays(variant: Variant) {
    block_on(async {
        let manager = with_account(variant).await;
        answers([update(&manager, 2), update(&manager, 3)]).await;
        let account = manager.get(NAME).await.expect("the store answers");
        assert_eq!(account.expect("it is there").version, 3);
    });
}

/// Each client makes three requests of kinds and versions that are choices.
fn clients_do_as_they_like(variant: Variant) {
    block_on(async {
        let manager = with_account(variant).await;
        let clients: Vec<_> = (0..3)
            .map(|client| {
                let manager = Arc::clone(&manager);
                tokio::spawn(async move { requests(&manager, client).await })
            })
            .collect();
        for client in clients {
            client.await.expect("no request panics");
        }
    });
}

async fn requests(manager: &Manager, client: u32) {
    for request in 0..3 {
        let version = 2 + 3 * request + client;
        let answered = match cct::nondet_index(4) {
            0 => manager.create(NAME, Account::new("new", version)).await,
            1 => manager.delete(NAME).await,
            2 => manager.get(NAME).await.map(|account| account.is_some()),
            _ => manager.update(NAME, Account::new("later", version)).await,
        };
        answered.unwrap_or_else(|error| panic!("a request failed: {error}"));
    }
}

#[cct::test]
fn two_that_check_both_create_an_account() {
    one_of_two_creates(Variant::ChecksThenActs);
}

#[cct::test]
fn two_that_check_both_delete_an_account() {
    one_of_two_deletes(Variant::ChecksThenActs);
}

#[cct::test]
fn two_updates_of_one_version_both_succeed_without_etags() {
    one_of_two_updates(Variant::IgnoresETags);
}

#[cct::test]
fn an_older_version_overwrites_a_later_one_without_etags() {
    the_latest_version_stays(Variant::IgnoresETags);
}

#[cct::test]
fn clients_that_check_get_in_each_others_way() {
    clients_do_as_they_like(Variant::ChecksThenActs);
}

#[cct::test]
fn clients_without_etags_undo_what_others_did() {
    clients_do_as_they_like(Variant::IgnoresETags);
}

#[cct::test]
fn one_of_two_creates_an_account() {
    one_of_two_creates(Variant::Mended);
}

#[cct::test]
fn one_of_two_deletes_an_account() {
    one_of_two_deletes(Variant::Mended);
}

#[cct::test]
fn one_of_two_updates_to_a_version() {
    one_of_two_updates(Variant::Mended);
}

#[cct::test]
fn with_etags_the_latest_version_stays() {
    the_latest_version_stays(Variant::Mended);
}

#[cct::test]
fn clients_do_as_they_like_with_etags() {
    clients_do_as_they_like(Variant::Mended);
}
