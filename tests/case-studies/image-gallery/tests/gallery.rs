//! Requests that come together, to instances with their bugs, and mended.

use image_gallery::{Instance, Response, Stores, Variant};

const ALICE: &str = "alice";
const BEACH: &str = "beach";

fn block_on(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime can be made");
    runtime.block_on(test);
}

/// Two instances, and an account.
async fn start(variant: Variant, stores: &Stores) -> [Instance; 2] {
    let first = Instance::start(variant, stores).await;
    let second = Instance::start(variant, stores).await;
    let created = first.accounts.create(ALICE, "alice@example.org").await;
    assert_eq!(created, Response::Ok);
    [first, second]
}

/// Images are there only as long as their account is.
async fn no_image_is_left(stores: &Stores) {
    if !stores.accounts.exists(ALICE).await {
        let left = stores.images.containers().await;
        assert!(left.is_empty(), "the images of {ALICE} were not deleted");
    }
}

/// One request updates an account, and another one deletes it.
fn updates_and_deletes(variant: Variant) {
    block_on(async {
        let stores = Stores::default();
        let [first, second] = start(variant, &stores).await;
        let update =
            tokio::spawn(async move { first.accounts.update(ALICE, "a@example.org").await });
        let delete = tokio::spawn(async move { second.accounts.delete(ALICE).await });
        let updated = update.await.expect("no request panics");
        assert!(
            matches!(updated, Response::Ok | Response::NotFound),
            "{updated:?}"
        );
        let deleted = delete.await.expect("no request panics");
        assert_eq!(deleted, Response::Ok);
    });
}

/// One request stores an image, another one lists them, and a third one deletes the account.
fn stores_and_deletes(variant: Variant) {
    block_on(async {
        let stores = Stores::default();
        let [first, second] = start(variant, &stores).await;
        let lister = first.clone();
        let store = tokio::spawn(async move { first.gallery.store(ALICE, BEACH, vec![1]).await });
        let list = tokio::spawn(async move { lister.gallery.list(ALICE).await });
        let delete = tokio::spawn(async move { second.accounts.delete(ALICE).await });
        let answer = store.await.expect("no request panics");
        assert_ne!(answer, Response::ServiceUnavailable);
        assert!(list.await.expect("no request panics").len() <= 1);
        let deleted = delete.await.expect("no request panics");
        assert_eq!(deleted, Response::Ok);
        no_image_is_left(&stores).await;
    });
}

/// An instance crashes while it deletes an account with an image, and starts anew.
fn crashes_while_it_deletes(variant: Variant) {
    block_on(async {
        let stores = Stores::default();
        let [first, second] = start(variant, &stores).await;
        let answer = first.gallery.store(ALICE, BEACH, vec![1]).await;
        assert_eq!(answer, Response::Ok);
        let delete = tokio::spawn(async move { second.accounts.delete(ALICE).await });
        // The crash comes at one of the deletion's awaits, or after it.
        for _ in 0..cct::nondet_index(12) {
            tokio::task::yield_now().await;
        }
        delete.abort();
        let _ = delete.await;
        let second = Instance::start(variant, &stores).await;
        no_image_is_left(&stores).await;
        if second.accounts.get(ALICE).await == Response::Ok {
            let image = second.gallery.get(ALICE, BEACH).await;
            assert_eq!(image, Some(vec![1]));
        }
    });
}

#[cct::test]
fn an_update_of_a_deleted_account_is_an_error_of_the_server() {
    updates_and_deletes(Variant::ChecksThenActs);
}

#[cct::test]
fn an_image_outlives_its_account() {
    stores_and_deletes(Variant::ChecksOnce);
}

#[cct::test]
fn a_crash_between_two_writes_leaves_images() {
    crashes_while_it_deletes(Variant::NeverRecovers);
}

#[cct::test]
fn a_deleted_account_is_not_found() {
    updates_and_deletes(Variant::Mended);
}

#[cct::test]
fn an_image_goes_with_its_account() {
    stores_and_deletes(Variant::Mended);
}

#[cct::test]
fn an_instance_finishes_what_a_crashed_one_began() {
    crashes_while_it_deletes(Variant::Mended);
}
