//! Requests about images.

use crate::{BlobError, Response, Stores, Variant};

/// Names of containers begin with this.
const PREFIX: &str = "gallery-";

/// The container of an account's images.
pub(crate) fn container_of(account: &str) -> String {
    format!("{PREFIX}{account}")
}

/// The account of a container.
pub(crate) fn account_of(container: &str) -> Option<&str> {
    container.strip_prefix(PREFIX)
}

/// The side of images.
#[derive(Clone, Debug)]
pub struct GalleryController {
    variant: Variant,
    stores: Stores,
}

impl GalleryController {
    /// A controller over these stores.
    #[must_use]
    pub fn new(variant: Variant, stores: Stores) -> GalleryController {
        GalleryController { variant, stores }
    }

    /// Stores an image.
    pub async fn store(&self, account: &str, image: &str, data: Vec<u8>) -> Response {
        let Stores { accounts, images } = &self.stores;
        if !accounts.exists(account).await {
            return Response::NotFound;
        }
        let container = container_of(account);
        images.create_container(&container).await;
        let stored = images.put(&container, image, data).await;
        if self.variant != Variant::ChecksOnce && !accounts.exists(account).await {
            // The account was deleted meanwhile, and its images perhaps before this one was there.
            images.delete_container(&container).await;
            return Response::NotFound;
        }
        answer(stored)
    }

    /// An image.
    pub async fn get(&self, account: &str, image: &str) -> Option<Vec<u8>> {
        let container = container_of(account);
        self.stores.images.get(&container, image).await.ok()
    }

    /// Deletes an image.
    pub async fn delete(&self, account: &str, image: &str) -> Response {
        let Stores { accounts, images } = &self.stores;
        if !accounts.exists(account).await {
            return Response::NotFound;
        }
        answer(images.delete(&container_of(account), image).await)
    }

    /// The names of an account's images.
    pub async fn list(&self, account: &str) -> Vec<String> {
        let container = container_of(account);
        self.stores.images.list(&container).await
    }
}

fn answer(result: Result<(), BlobError>) -> Response {
    match result {
        Ok(()) => Response::Ok,
        Err(BlobError::NotFound) => Response::NotFound,
    }
}
