//! The HTTP clients below all requests, and which redirects they follow.
//!
//! Requests to buckets carry credentials in headers of their own (a session token), which no HTTP
//! client leaves out when it is sent elsewhere: these stay on their host. Web addresses may carry
//! them in their query, so no request says where it comes from.

use std::time::Duration;

use object_store::client::{HttpClient, HttpConnector};
use object_store::{ClientConfigKey, ClientOptions};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, ClientBuilder, Proxy};

/// Redirects that are followed, one after the other.
const MOST_REDIRECTS: usize = 10;

/// The longest time for a connection, and without a further byte.
const CONNECTING: Duration = Duration::from_secs(5);
const WAITING: Duration = Duration::from_secs(30);

/// Makes the clients of buckets.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfBuckets;

/// Makes the clients of web servers.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfWeb;

impl HttpConnector for OfBuckets {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        made(with_options(Policy::custom(within_host), options))
    }
}

impl HttpConnector for OfWeb {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        made(with_options(Policy::limited(MOST_REDIRECTS), options))
    }
}

/// A client for whole objects of web servers, whose length need not be known.
pub(super) fn of_whole_objects() -> Result<Client, reqwest::Error> {
    builder(Policy::limited(MOST_REDIRECTS))
        .connect_timeout(CONNECTING)
        .read_timeout(WAITING)
        .build()
}

fn builder(redirects: Policy) -> ClientBuilder {
    Client::builder().redirect(redirects).referer(false)
}

/// Follows a redirect to the same host; the answer is the redirect itself for all others.
fn within_host(attempt: Attempt<'_>) -> Action {
    let origin = attempt.previous().first().map(reqwest::Url::origin);
    match origin == Some(attempt.url().origin()) {
        true if attempt.previous().len() > MOST_REDIRECTS => attempt.error("too many redirects"),
        true => attempt.follow(),
        false => attempt.stop(),
    }
}

/// With the options of the environment, as `AWS_PROXY_URL`.
fn with_options(redirects: Policy, options: &ClientOptions) -> reqwest::Result<Client> {
    let given = |key| options.get_config_value(&key);
    let is_set = |key| given(key).is_some_and(|value| value == "true");
    let time = |key| given(key).and_then(|value| humantime::parse_duration(&value).ok());
    let mut builder = builder(redirects)
        .connect_timeout(time(ClientConfigKey::ConnectTimeout).unwrap_or(CONNECTING))
        .timeout(time(ClientConfigKey::Timeout).unwrap_or(WAITING))
        .https_only(!is_set(ClientConfigKey::AllowHttp))
        .danger_accept_invalid_certs(is_set(ClientConfigKey::AllowInvalidCertificates))
        .http1_only();
    if let Some(url) = given(ClientConfigKey::ProxyUrl) {
        builder = builder.proxy(Proxy::all(url)?);
    }
    builder.build()
}

fn made(client: reqwest::Result<Client>) -> object_store::Result<HttpClient> {
    client.map(HttpClient::new).map_err(|error| object_store::Error::Generic {
        store: "HTTP client",
        source: Box::new(error),
    })
}
