//! The store of accounts: a model.

use std::collections::BTreeMap;

use tokio::sync::Mutex;

/// The reason for which the store refuses an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ItemError {
    /// There is an item of this name.
    AlreadyExists,
    /// There is none.
    NotFound,
}

/// Items by name, with an email address each.
#[derive(Debug, Default)]
pub struct Cosmos {
    items: Mutex<BTreeMap<String, String>>,
}

impl Cosmos {
    /// True if there is an item of this name.
    pub async fn exists(&self, name: &str) -> bool {
        self.items.lock().await.contains_key(name)
    }

    /// The item of this name.
    pub async fn read(&self, name: &str) -> Result<String, ItemError> {
        let items = self.items.lock().await;
        items.get(name).cloned().ok_or(ItemError::NotFound)
    }

    /// Adds an item.
    pub async fn create(&self, name: &str, email: &str) -> Result<(), ItemError> {
        let mut items = self.items.lock().await;
        if items.contains_key(name) {
            return Err(ItemError::AlreadyExists);
        }
        items.insert(name.to_owned(), email.to_owned());
        Ok(())
    }

    /// Writes over an item.
    pub async fn replace(&self, name: &str, email: &str) -> Result<(), ItemError> {
        let mut items = self.items.lock().await;
        let item = items.get_mut(name).ok_or(ItemError::NotFound)?;
        email.clone_into(item);
        Ok(())
    }

    /// Removes an item.
    pub async fn delete(&self, name: &str) -> Result<(), ItemError> {
        let removed = self.items.lock().await.remove(name);
        removed.map(drop).ok_or(ItemError::NotFound)
    }
}
