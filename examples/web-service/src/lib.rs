//! A small web service with its store in memory: a name that is **checked, then taken**.
//!
//! Handlers are boxed futures behind a router, as in the large frameworks. [`sign_up_hastily`] asks the store
//! whether a name is taken, and enters it afterwards. Each is one locked step; two requests with one name
//! may both find it free.
//!
//! [`sign_up`] does both under one lock.
//!
//! ```text
//! cargo cct test -p web-service
//! ```

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::RwLock;

/// What a client sends: a path, and what it says.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which handler it is for.
    pub path: &'static str,
    /// A user's name.
    pub body: String,
}

/// What a client gets: a status code of HTTP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Response(pub u16);

/// The user was entered.
pub const CREATED: Response = Response(201);
/// There is no such path.
pub const NOT_FOUND: Response = Response(404);
/// There is such a user already.
pub const CONFLICT: Response = Response(409);

/// Users by name, with their numbers.
#[derive(Debug, Default)]
pub struct Store {
    users: RwLock<BTreeMap<String, u32>>,
}

impl Store {
    async fn has(&self, name: &str) -> bool {
        self.users.read().await.contains_key(name)
    }

    async fn enter(&self, name: String) {
        let mut users = self.users.write().await;
        let number = users.len() as u32;
        users.insert(name, number);
    }
}

/// Enters a user.
///
/// The bug: another request may enter the same name between the look and the entry.
pub async fn sign_up_hastily(store: Arc<Store>, request: Request) -> Response {
    if store.has(&request.body).await {
        return CONFLICT;
    }
    store.enter(request.body).await;
    CREATED
}

/// Enters a user, or says that there is one of that name.
pub async fn sign_up(store: Arc<Store>, request: Request) -> Response {
    let mut users = store.users.write().await;
    let number = users.len() as u32;
    match users.entry(request.body) {
        std::collections::btree_map::Entry::Occupied(_) => CONFLICT,
        std::collections::btree_map::Entry::Vacant(place) => {
            place.insert(number);
            CREATED
        }
    }
}

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;
type Handler = Box<dyn Fn(Arc<Store>, Request) -> Answer + Send + Sync>;

/// Handlers by path, and the store that they share.
#[derive(Default)]
pub struct Service {
    store: Arc<Store>,
    routes: BTreeMap<&'static str, Handler>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.routes.keys()).finish()
    }
}

impl Service {
    /// Adds a handler for a path.
    #[must_use]
    pub fn route<F>(
        mut self,
        path: &'static str,
        handler: impl Fn(Arc<Store>, Request) -> F + Send + Sync + 'static,
    ) -> Service
    where
        F: Future<Output = Response> + Send + 'static,
    {
        let handler: Handler = Box::new(move |store, request| Box::pin(handler(store, request)));
        self.routes.insert(path, handler);
        self
    }

    /// Answers a request.
    pub async fn call(&self, request: Request) -> Response {
        match self.routes.get(request.path) {
            Some(handler) => handler(Arc::clone(&self.store), request).await,
            None => NOT_FOUND,
        }
    }
}
