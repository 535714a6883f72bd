//! The settings of a test, and the order in which their sources count.
//!
//! Command line > environment > attribute > config file > default. The first two reach the test process
//! merged, as [`crate::wire::ENV_OVERRIDES`]; the config file as [`crate::wire::ENV_DEFAULTS`].
//!
//! A setting is a row of [`TABLE`]. From it follow the fields here, their merging and their text, the keys of
//! `#[cct::test(…)]` and of manifests, the options of the command line with their help, and the table in
//! `docs/settings.md`.

mod settings;
mod table;
mod value;
mod words;

pub use settings::{Resolved, Settings};
pub use table::{Kind, Reach, Setting, TABLE};
pub use value::SettingsError;
pub use words::{Counts, Granularity, Isolation, Memory, Timeouts};
