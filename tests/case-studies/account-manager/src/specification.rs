//! The specification.

use std::collections::BTreeMap;

use cct::{Monitor, Temperature};

/// Safety: as long as there is an account, its version grows.
#[derive(Debug, Default)]
pub struct VersionsGrow {
    versions: BTreeMap<String, u32>,
}

/// The events of [`VersionsGrow`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowChange {
    /// A row was written.
    Written {
        /// Its name.
        name: String,
        /// The version that it has now.
        version: u32,
    },
    /// A row was deleted.
    Deleted {
        /// Its name.
        name: String,
    },
}

impl Monitor for VersionsGrow {
    type Event = RowChange;

    fn on_event(&mut self, event: RowChange) -> Temperature {
        match event {
            RowChange::Written { name, version } => {
                if let Some(before) = self.versions.get(&name) {
                    assert!(
                        *before < version,
                        "version {before} of `{name}` was overwritten by version {version}"
                    );
                }
                self.versions.insert(name, version);
            }
            RowChange::Deleted { name } => {
                self.versions.remove(&name);
            }
        }
        Temperature::Cold("watching")
    }
}
