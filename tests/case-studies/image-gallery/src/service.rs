//! The instances of the service.

use std::sync::Arc;

use crate::{AccountController, BlobStorage, Cosmos, GalleryController, Variant};

/// The stores, which all instances have in common.
#[derive(Clone, Debug, Default)]
pub struct Stores {
    /// The accounts.
    pub accounts: Arc<Cosmos>,
    /// The images.
    pub images: Arc<BlobStorage>,
}

/// An instance of the service. It knows nothing that is not in the stores.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The side of accounts.
    pub accounts: AccountController,
    /// The side of images.
    pub gallery: GalleryController,
}

impl Instance {
    /// Starts an instance, which first finishes what a crashed one may have left.
    pub async fn start(variant: Variant, stores: &Stores) -> Instance {
        if variant != Variant::NeverRecovers {
            stores.recover().await;
        }
        Instance {
            accounts: AccountController::new(variant, stores.clone()),
            gallery: GalleryController::new(variant, stores.clone()),
        }
    }
}
