//! Requests for parts of an object, checked against the object as it was found.

use std::ops::Range;
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStoreExt};

use super::connect::Location;
use super::explain;
use crate::{Address, Object, StoreError};

/// How often a part is asked for whose transfer breaks off.
const ATTEMPTS: u32 = 5;

/// What a store says about an object.
pub(super) fn described(address: &Address, meta: &ObjectMeta) -> Object {
    let known = meta.last_modified.timestamp_millis() != 0;
    Object {
        address: address.clone(),
        size: meta.size,
        tag: meta.e_tag.clone().or_else(|| meta.version.clone()),
        modified: known.then(|| SystemTime::from(meta.last_modified)),
    }
}

/// Whether an object is the one that was found. Listings of some stores have times of another
/// precision, so times count only where there are no tags.
pub(super) fn same(one: &Object, other: &Object) -> bool {
    one.size == other.size
        && match (&one.tag, &other.tag) {
            (Some(one), Some(other)) => one.trim_matches('"') == other.trim_matches('"'),
            _ => seconds(one) == seconds(other),
        }
}

fn seconds(object: &Object) -> Option<u64> {
    let since = object.modified?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(since.as_secs())
}

/// Finds the object again.
pub(super) async fn look_again(location: Location, known: Object) -> Result<(), StoreError> {
    let changed = || StoreError::Changed { url: known.address.to_string() };
    let meta = match known.address.is_bucket() {
        true => location.store.head(&location.path).await,
        // Some web servers, and signed addresses, allow no HEAD.
        false => {
            let last = known.size.saturating_sub(1);
            ranged(&location, last..known.size).await.map(|result| result.meta)
        }
    };
    match meta {
        Ok(meta) if same(&described(&known.address, &meta), &known) => Ok(()),
        Ok(_) => Err(changed()),
        Err(object_store::Error::NotFound { .. }) => Err(changed()),
        Err(error) => Err(explain::failed(&location.address, "look at it again", &error)),
    }
}

/// A request for a range.
pub(super) async fn ranged(
    location: &Location,
    range: Range<u64>,
) -> Result<object_store::GetResult, object_store::Error> {
    let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
    location.store.get_opts(&location.path, options).await
}

/// The bytes of a range that is within the object.
pub(super) async fn part(
    location: Location,
    known: Object,
    range: Range<u64>,
) -> Result<Bytes, StoreError> {
    let failed = |error: &object_store::Error| explain::failed(&location.address, "read it", error);
    let mut attempt = 1;
    loop {
        // Failures before the first byte were retried already.
        let result = match ranged(&location, range.clone()).await {
            Ok(result) => result,
            Err(
                object_store::Error::NotFound { .. } | object_store::Error::Precondition { .. },
            ) => {
                return Err(StoreError::Changed { url: known.address.to_string() });
            }
            Err(error) => return Err(failed(&error)),
        };
        if !same(&described(&known.address, &result.meta), &known) {
            return Err(StoreError::Changed { url: known.address.to_string() });
        }
        let failure = match body(result, range.end - range.start).await {
            Ok(Some(bytes)) => return Ok(bytes),
            Ok(None) => StoreError::Failed {
                url: known.address.to_string(),
                action: "read it",
                reason: "the server sent another number of bytes than it announced".to_string(),
                remedy: "run again, and report it to whoever runs the server",
            },
            Err(error) => failed(&error),
        };
        if attempt == ATTEMPTS {
            return Err(failure);
        }
        pause(attempt).await;
        attempt += 1;
    }
}

/// Waits before the next attempt, each time longer.
pub(super) async fn pause(attempt: u32) {
    tokio::time::sleep(Duration::from_millis(100 << attempt)).await;
}

/// The bytes of a response; `None` if they are more or fewer than `length`.
async fn body(
    result: object_store::GetResult,
    length: u64,
) -> Result<Option<Bytes>, object_store::Error> {
    let length = length as usize;
    let mut bytes = BytesMut::with_capacity(length);
    let mut stream = result.into_stream();
    while let Some(more) = stream.next().await {
        let more = more?;
        if bytes.len() + more.len() > length {
            return Ok(None);
        }
        bytes.extend_from_slice(&more);
    }
    Ok((bytes.len() == length).then(|| bytes.freeze()))
}
