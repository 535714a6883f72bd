//! The store: a model whose operations are atomic, and take their time.

use std::collections::BTreeMap;

use tokio::sync::Mutex;

use crate::{Account, Collection, ETag, IfMatch, RowChange, RowError, VersionsGrow};

/// A store in memory.
#[derive(Debug, Default)]
pub struct InMemoryCollection {
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    by_name: BTreeMap<String, (Account, ETag)>,
    written: u64,
}

impl Rows {
    fn write(&mut self, name: &str, row: Account) {
        self.written += 1;
        cct::notify::<VersionsGrow>(RowChange::Written {
            name: name.to_owned(),
            version: row.version,
        });
        let state = ETag(self.written);
        self.by_name.insert(name.to_owned(), (row, state));
    }
}

impl Collection for InMemoryCollection {
    async fn create(&self, name: &str, row: Account) -> Result<(), RowError> {
        let mut rows = self.rows.lock().await;
        if rows.by_name.contains_key(name) {
            return Err(RowError::AlreadyExists);
        }
        rows.write(name, row);
        Ok(())
    }

    async fn exists(&self, name: &str) -> bool {
        self.rows.lock().await.by_name.contains_key(name)
    }

    async fn get(&self, name: &str) -> Result<(Account, ETag), RowError> {
        let rows = self.rows.lock().await;
        rows.by_name.get(name).cloned().ok_or(RowError::NotFound)
    }

    async fn update(&self, name: &str, row: Account, state: IfMatch) -> Result<(), RowError> {
        let mut rows = self.rows.lock().await;
        let (_, etag) = rows.by_name.get(name).ok_or(RowError::NotFound)?;
        if state != IfMatch::Any && state != IfMatch::ETag(*etag) {
            return Err(RowError::ETagMismatch);
        }
        rows.write(name, row);
        Ok(())
    }

    async fn delete(&self, name: &str) -> Result<(), RowError> {
        let mut rows = self.rows.lock().await;
        rows.by_name.remove(name).ok_or(RowError::NotFound)?;
        let name = name.to_owned();
        cct::notify::<VersionsGrow>(RowChange::Deleted { name });
        Ok(())
    }
}
