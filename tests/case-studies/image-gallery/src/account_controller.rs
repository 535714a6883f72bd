//! Requests about accounts.

use crate::gallery_controller::container_of;
use crate::{ItemError, Response, Stores, Variant};

/// The side of accounts.
#[derive(Clone, Debug)]
pub struct AccountController {
    variant: Variant,
    stores: Stores,
}

impl AccountController {
    /// A controller over these stores.
    #[must_use]
    pub fn new(variant: Variant, stores: Stores) -> AccountController {
        AccountController { variant, stores }
    }

    /// Creates an account.
    pub async fn create(&self, name: &str, email: &str) -> Response {
        if self.stores.accounts.exists(name).await {
            return Response::Conflict;
        }
        let created = self.stores.accounts.create(name, email).await;
        self.answer(created)
    }

    /// Changes an account.
    pub async fn update(&self, name: &str, email: &str) -> Response {
        if !self.stores.accounts.exists(name).await {
            return Response::NotFound;
        }
        let updated = self.stores.accounts.replace(name, email).await;
        self.answer(updated)
    }

    /// Whether there is such an account.
    pub async fn get(&self, name: &str) -> Response {
        if !self.stores.accounts.exists(name).await {
            return Response::NotFound;
        }
        let found = self.stores.accounts.read(name).await;
        self.answer(found.map(drop))
    }

    /// Deletes an account, and then its images.
    pub async fn delete(&self, name: &str) -> Response {
        if !self.stores.accounts.exists(name).await {
            return Response::NotFound;
        }
        let deleted = self.stores.accounts.delete(name).await;
        if deleted.is_ok() {
            let container = container_of(name);
            self.stores.images.delete_container(&container).await;
        }
        self.answer(deleted)
    }

    /// The check before has told otherwise: another request came between.
    fn answer(&self, result: Result<(), ItemError>) -> Response {
        match result {
            Ok(()) => Response::Ok,
            Err(_) if self.variant == Variant::ChecksThenActs => Response::ServiceUnavailable,
            Err(ItemError::NotFound) => Response::NotFound,
            Err(ItemError::AlreadyExists) => Response::Conflict,
        }
    }
}
