//! The service that finds people in pictures: a model.

use cct::actor::{Context, Recipient};

use crate::{ClientIsFound, Request};

/// Asks for somebody to be served.
#[derive(Debug)]
pub struct FindClient {
    /// The request, with the picture.
    pub request: Request,
    /// The one who asks.
    pub from: Recipient<ClientIsFound>,
}

/// A service that finds anybody in the picture.
#[derive(Debug)]
pub struct CognitiveService;

#[cct::actor]
impl CognitiveService {
    #[on]
    fn find(&mut self, find: FindClient, cx: &mut Context<Self>) {
        let found = ClientIsFound {
            order: find.request.order,
            client: *cct::choose(&find.request.picture.people),
        };
        cx.send(&find.from, found);
    }
}
