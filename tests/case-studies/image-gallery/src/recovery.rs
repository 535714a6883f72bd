//! The end of what crashed instances have begun.

use crate::Stores;
use crate::gallery_controller::{account_of, container_of};

impl Stores {
    /// Deletes the images of accounts that are gone. No account comes back under its old name.
    pub async fn recover(&self) {
        for container in self.images.containers().await {
            let Some(account) = account_of(&container) else {
                continue;
            };
            if !self.accounts.exists(account).await {
                self.images.delete_container(&container_of(account)).await;
            }
        }
    }
}
