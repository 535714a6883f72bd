//! Two clients want the same name.

use std::sync::Arc;

use web_service::{CONFLICT, CREATED, NOT_FOUND, Request, Response, Service};
use web_service::{sign_up, sign_up_hastily};

async fn two_sign_up(service: Service) -> Vec<Response> {
    let service = Arc::new(service);
    let clients = [0, 1].map(|_| {
        let service = Arc::clone(&service);
        let body = "ada".to_owned();
        let path = "/users";
        tokio::spawn(async move { service.call(Request { path, body }).await })
    });
    let mut responses = Vec::new();
    for client in clients {
        responses.push(client.await.unwrap());
    }
    responses.sort_by_key(|response| response.0);
    responses
}

/// Fails under some schedules: both find the name free.
#[tokio::test]
async fn a_name_is_taken_once_by_hasty_clients() {
    let service = Service::default().route("/users", sign_up_hastily);
    assert_eq!(two_sign_up(service).await, [CREATED, CONFLICT]);
}

#[tokio::test]
async fn a_name_is_taken_once() {
    let service = Service::default().route("/users", sign_up);
    assert_eq!(two_sign_up(service).await, [CREATED, CONFLICT]);
}

#[tokio::test]
async fn an_unknown_path_is_told() {
    let request = Request {
        path: "/",
        body: String::new(),
    };
    assert_eq!(Service::default().call(request).await, NOT_FOUND);
}
