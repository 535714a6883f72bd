//! The store of images: a model.

use std::collections::BTreeMap;

use tokio::sync::Mutex;

/// The reason for which the store refuses an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlobError {
    /// There is no such container, or no such blob in it.
    NotFound,
}

/// Containers by name, with blobs by name.
#[derive(Debug, Default)]
pub struct BlobStorage {
    containers: Mutex<BTreeMap<String, BTreeMap<String, Vec<u8>>>>,
}

impl BlobStorage {
    /// Makes a container, unless there is one.
    pub async fn create_container(&self, container: &str) {
        let mut containers = self.containers.lock().await;
        containers.entry(container.to_owned()).or_default();
    }

    /// Removes a container with all that is in it, if there is one.
    pub async fn delete_container(&self, container: &str) {
        self.containers.lock().await.remove(container);
    }

    /// The names of all containers.
    pub async fn containers(&self) -> Vec<String> {
        self.containers.lock().await.keys().cloned().collect()
    }

    /// Stores a blob.
    pub async fn put(&self, container: &str, blob: &str, data: Vec<u8>) -> Result<(), BlobError> {
        let mut containers = self.containers.lock().await;
        let blobs = containers.get_mut(container).ok_or(BlobError::NotFound)?;
        blobs.insert(blob.to_owned(), data);
        Ok(())
    }

    /// The content of a blob.
    pub async fn get(&self, container: &str, blob: &str) -> Result<Vec<u8>, BlobError> {
        let containers = self.containers.lock().await;
        let blobs = containers.get(container).ok_or(BlobError::NotFound)?;
        blobs.get(blob).cloned().ok_or(BlobError::NotFound)
    }

    /// Removes a blob.
    pub async fn delete(&self, container: &str, blob: &str) -> Result<(), BlobError> {
        let mut containers = self.containers.lock().await;
        let blobs = containers.get_mut(container).ok_or(BlobError::NotFound)?;
        blobs.remove(blob).map(drop).ok_or(BlobError::NotFound)
    }

    /// The names of the blobs in a container.
    pub async fn list(&self, container: &str) -> Vec<String> {
        let containers = self.containers.lock().await;
        let blobs = containers.get(container).into_iter();
        blobs.flat_map(BTreeMap::keys).cloned().collect()
    }
}
