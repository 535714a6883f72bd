//! A server and a client over a pipe in memory; layers around a service; a cache.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use moka::future::Cache;
use tower::{Service, ServiceBuilder, ServiceExt};

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = request.into_body().collect().await.unwrap().to_bytes();
    Ok(Response::new(Full::new(body)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_request_after_another_is_answered() {
    let (client, server) = tokio::io::duplex(64);
    tokio::spawn(
        hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(server), service_fn(echo)),
    );
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(client))
        .await
        .unwrap();
    tokio::spawn(connection);
    for word in ["one", "two"] {
        sender.ready().await.unwrap();
        let request = Request::new(Full::new(Bytes::from(word)));
        let answer = sender.send_request(request).await.unwrap();
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), word);
    }
}

#[tokio::test]
async fn requests_share_a_connection() {
    let (client, server) = tokio::io::duplex(1024);
    tokio::spawn(
        hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(server), service_fn(echo)),
    );
    let (sender, connection) =
        hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(client))
            .await
            .unwrap();
    tokio::spawn(connection);
    let ask = |word: &'static str| {
        let mut sender = sender.clone();
        async move {
            let request = Request::new(Full::new(Bytes::from(word)));
            let answer = sender.send_request(request).await.unwrap();
            answer.into_body().collect().await.unwrap().to_bytes()
        }
    };
    let (one, two) = tokio::join!(ask("one"), ask("two"));
    assert_eq!((&one[..], &two[..]), (&b"one"[..], &b"two"[..]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limit_lets_in_as_many_as_it_says() {
    let inside = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&inside);
    let service = ServiceBuilder::new()
        .concurrency_limit(1)
        .service_fn(move |n: u32| {
            let inside = Arc::clone(&counted);
            async move {
                assert_eq!(inside.fetch_add(1, Ordering::Relaxed), 0);
                tokio::task::yield_now().await;
                inside.fetch_sub(1, Ordering::Relaxed);
                Ok::<_, Infallible>(n + 1)
            }
        });
    let tasks: Vec<_> = (0..3)
        .map(|n| tokio::spawn(service.clone().oneshot(n)))
        .collect();
    let mut sum = 0;
    for task in tasks {
        sum += task.await.unwrap().unwrap();
    }
    assert_eq!(sum, 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_buffered_service_is_shared() {
    let mut service = ServiceBuilder::new()
        .buffer(1)
        .service_fn(|n: u32| async move { Ok::<_, Infallible>(n * 2) });
    let other = service.clone();
    let task = tokio::spawn(other.oneshot(1));
    assert_eq!(service.ready().await.unwrap().call(2).await.unwrap(), 4);
    assert_eq!(task.await.unwrap().unwrap(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_late_is_given_up() {
    let service = ServiceBuilder::new()
        .timeout(Duration::from_secs(1))
        .service_fn(|()| std::future::pending::<Result<(), Infallible>>());
    assert!(service.oneshot(()).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cached_value_is_made_once() {
    let cache = Cache::new(10);
    let made = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..3)
        .map(|_| {
            let (cache, made) = (cache.clone(), Arc::clone(&made));
            tokio::spawn(async move {
                let value = cache.get_with("key", async {
                    made.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                    42
                });
                assert_eq!(value.await, 42);
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(made.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn cached_values_grow_old() {
    let cache = Cache::builder()
        .time_to_live(Duration::from_millis(100))
        .build();
    cache.insert("key", 1).await;
    tokio::time::sleep(Duration::from_millis(101)).await;
    assert_eq!(cache.get("key").await, None);
}
