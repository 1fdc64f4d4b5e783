//! Clients of stores, one for each bucket, made from the environment.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};

use super::transport::{OfBuckets, OfWeb};
use super::{credentials, explain};
use crate::{Address, Scheme, StoreError};

/// A client, and the path of an object for it.
#[derive(Debug, Clone)]
pub(super) struct Location {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) path: Path,
    pub(super) address: Address,
}

/// Clients by bucket and by the environment they were made from.
type Clients = HashMap<(String, u64), Arc<dyn ObjectStore>>;

static CLIENTS: LazyLock<Mutex<Clients>> = LazyLock::new(Mutex::default);

/// Requests are repeated for a minute at most.
fn retries() -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            max_backoff: Duration::from_secs(10),
            base: 2.0,
        },
        max_retries: 7,
        retry_timeout: Duration::from_secs(60),
    }
}

/// The client for an address.
///
/// # Errors
/// No credentials, settings of the environment that are invalid, a key that cannot be named.
pub(super) fn connect(address: &Address) -> Result<Location, StoreError> {
    // A web address that is encoded or has a query is asked for as it is.
    let is_literal = address.is_bucket() || !address.key.contains(['%', '?', '#']);
    let (root, key) = match is_literal {
        true => (address.root.clone(), address.key.as_str()),
        false => (address.url(), ""),
    };
    let path = Path::parse(key).map_err(|_| StoreError::Url {
        url: address.to_string(),
        reason: "the key has an empty part, or one that is . or ..; copy the object to another key",
    })?;
    let key = (root, environment());
    let known = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    let store = match known {
        Some(store) => store,
        None => {
            let store = build(address, &key.0)?;
            let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
            clients.insert(key, Arc::clone(&store));
            store
        }
    };
    Ok(Location { store, path, address: address.clone() })
}

/// Digest of the variables that clients are made from.
fn environment() -> u64 {
    let ours = |name: &str| ["AWS_", "GOOGLE_", "AZURE_"].iter().any(|p| name.starts_with(p));
    let mut variables: Vec<_> =
        std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(ours)).collect();
    variables.sort();
    let mut hasher = DefaultHasher::new();
    variables.hash(&mut hasher);
    hasher.finish()
}

/// Chooses the cryptography of TLS.
pub(super) fn prepare_tls() {
    // Another part of the process may have chosen already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

fn build(address: &Address, root: &str) -> Result<Arc<dyn ObjectStore>, StoreError> {
    if let Some(remedy) = credentials::missing(address) {
        let reason = "there are no credentials".to_string();
        return Err(StoreError::Failed {
            url: address.to_string(),
            action: "read it",
            reason,
            remedy,
        });
    }
    prepare_tls();
    let store: Result<Arc<dyn ObjectStore>, object_store::Error> = match address.scheme {
        Scheme::S3 => {
            let mut builder = AmazonS3Builder::from_env()
                .with_url(root)
                .with_retry(retries())
                .with_http_connector(OfBuckets);
            if has_plain_endpoint(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"]) {
                builder = builder.with_allow_http(true);
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
        Scheme::Gcs => {
            let mut builder = GoogleCloudStorageBuilder::from_env()
                .with_url(root)
                .with_retry(retries())
                .with_http_connector(OfBuckets);
            if has_plain_endpoint(&["GOOGLE_BASE_URL"]) {
                builder = builder.with_client_options(ClientOptions::new().with_allow_http(true));
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
        Scheme::Azure => {
            let mut builder = MicrosoftAzureBuilder::from_env()
                .with_url(root)
                .with_retry(retries())
                .with_http_connector(OfBuckets);
            if has_plain_endpoint(&["AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"]) {
                builder = builder.with_allow_http(true);
            }
            builder.build().map(|store| Arc::new(store) as _)
        }
        Scheme::Http => HttpBuilder::new()
            .with_url(root)
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_retry(retries())
            .with_http_connector(OfWeb)
            .build()
            .map(|store| Arc::new(store) as _),
    };
    store.map_err(|error| explain::failed(address, "prepare requests to it", &error))
}

/// Whether an endpoint is given that has no TLS: giving it allows it.
fn has_plain_endpoint(names: &[&str]) -> bool {
    names.iter().any(|name| std::env::var(name).is_ok_and(|url| url.starts_with("http://")))
}

/// A bucket in memory, for tests.
#[cfg(test)]
pub(super) fn in_memory(root: &str) -> Arc<object_store::memory::InMemory> {
    let store = Arc::new(object_store::memory::InMemory::new());
    let mut clients = CLIENTS.lock().unwrap_or_else(PoisonError::into_inner);
    clients.insert((root.to_string(), environment()), Arc::clone(&store) as _);
    store
}
