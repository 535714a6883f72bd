//! A web service of an image gallery over two stores: **errors of the server**, and **images that outlive
//! their account**.
//!
//! Accounts are rows of one store, images are blobs in containers of another, one container for each account.
//! [`AccountController`] and [`GalleryController`] are stateless, and there are several instances of each.
//! No transaction spans both stores, or two calls of one.
//!
//! This is Coyote's sample *Image gallery*. [`Variant`] chooses the bug. With [`Variant::ChecksThenActs`] an
//! account goes between check and update, and the client is told of an error of the server. With
//! [`Variant::ChecksOnce`] it goes between check and upload, and the image stays. Both are the sample's own.
//! With [`Variant::NeverRecovers`] an instance crashes between the deletion of the account and that of its
//! images, and nobody finishes that.
//!
//! ```text
//! cargo cct test -p image-gallery
//! ```

mod account_controller;
mod blob_storage;
mod cosmos;
mod gallery_controller;
mod recovery;
mod response;
mod service;
mod variant;

pub use account_controller::AccountController;
pub use blob_storage::{BlobError, BlobStorage};
pub use cosmos::{Cosmos, ItemError};
pub use gallery_controller::GalleryController;
pub use response::Response;
pub use service::{Instance, Stores};
pub use variant::Variant;
