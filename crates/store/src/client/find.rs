//! Finding objects.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use object_store::{ObjectMeta, ObjectStoreExt};

use super::connect::{Location, connect, prepare_tls};
use super::explain;
use super::request::{described, look_again as look, part, pause, ranged};
use super::runtime::{start, wait};
use super::transport::of_whole_objects;
use crate::{Address, Found, Object, StoreError};

/// Requests at a time.
const PARALLEL: usize = 16;

/// Objects of a listing, some 300 bytes of memory each.
const MOST_OBJECTS: usize = 20_000_000;

/// The longest time without a further object: longer than any request is repeated.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often a whole object is asked for whose transfer breaks off.
const ATTEMPTS: u32 = 5;

/// The error for work that ended without a result: a bug in a library.
pub(super) fn gone(address: &Address) -> StoreError {
    StoreError::Failed {
        url: address.to_string(),
        action: "finish the request",
        reason: "the thread that made it has died".to_string(),
        remedy: "run again",
    }
}

/// Finds an object. Costs one request.
///
/// # Errors
/// The store cannot be asked, or refuses.
pub fn find(address: &Address) -> Result<Found, StoreError> {
    let location = connect(address)?;
    let work = async move {
        let address = &location.address;
        let found = match address.is_bucket() {
            true => location.store.head(&location.path).await,
            // Many web servers allow no HEAD, and do not say whether they send parts.
            false => ranged(&location, 0..1).await.map(|result| result.meta),
        };
        match found {
            Ok(meta) => Ok(Found::Object(described(address, &meta))),
            Err(object_store::Error::NotFound { .. }) if address.is_bucket() => Ok(Found::Nothing),
            Err(object_store::Error::NotSupported { .. }) if !address.is_bucket() => {
                Ok(Found::OnlyWhole)
            }
            Err(error) => match explain::failed(address, "read it", &error) {
                // No part of an empty object can be sent; others do not say how long it is.
                StoreError::Failed { reason, .. }
                    if !address.is_bucket() && (reason == "416" || reason.contains("ength")) =>
                {
                    Ok(Found::OnlyWhole)
                }
                error => Err(error),
            },
        }
    };
    wait(work).unwrap_or_else(|| Err(gone(address)))
}

/// Lists the objects below a prefix, which is taken as a directory: `a` lists `a/b`, not `ab`.
///
/// # Errors
/// The store cannot be asked, or refuses; a key that cannot be named.
pub fn list(prefix: &Address) -> Result<Vec<Object>, StoreError> {
    let location = connect(prefix)?;
    let work = async move {
        let Location { store, path, address } = location;
        let listed = listing(&address, store.list(Some(&path)), MOST_OBJECTS, PATIENCE).await?;
        let object = |meta: &ObjectMeta| described(&address.with_key(key_of(meta)), meta);
        Ok(listed.iter().map(object).collect())
    };
    wait(work).unwrap_or_else(|| Err(gone(prefix)))
}

fn key_of(meta: &ObjectMeta) -> String {
    meta.location.as_ref().to_string()
}

/// The objects of a listing that ends: a server that sends the same page, or pages without objects,
/// again and again would be asked for ever.
async fn listing(
    address: &Address,
    objects: impl Stream<Item = object_store::Result<ObjectMeta>>,
    most: usize,
    patience: Duration,
) -> Result<Vec<ObjectMeta>, StoreError> {
    let endless = |reason: String, remedy| StoreError::Failed {
        url: address.to_string(),
        action: "list it",
        reason,
        remedy,
    };
    let (mut listed, mut keys) = (Vec::new(), HashSet::new());
    let mut objects = pin!(objects);
    loop {
        let next = tokio::time::timeout(patience, objects.next()).await;
        let Some(object) = next.map_err(|_| {
            let reason = format!("the server names no further object in {patience:?}");
            endless(reason, "check the server, and run again")
        })?
        else {
            return Ok(listed);
        };
        let object = object.map_err(|error| explain::failed(address, "list it", &error))?;
        if !keys.insert(object.location.clone()) {
            let reason = format!("the server names {} twice", object.location);
            return Err(endless(reason, "its listing may have no end; check the server"));
        }
        if listed.len() == most {
            let reason = format!("it has more than {most} objects");
            return Err(endless(reason, "name parts of it, each in a run or a pattern of its own"));
        }
        listed.push(object);
    }
}

/// The first bytes of objects; fewer of an object that is shorter.
#[must_use]
pub fn heads(objects: &[&Object], length: usize) -> Vec<Result<Bytes, StoreError>> {
    each(objects, move |location, object| async move {
        match object.size.min(length as u64) {
            0 => Ok(Bytes::new()),
            wanted => part(location, object, 0..wanted).await,
        }
    })
}

/// Finds objects again: an error for each one that is not the same.
#[must_use]
pub fn look_again(objects: &[&Object]) -> Vec<Result<(), StoreError>> {
    each(objects, look)
}

/// Makes a request for each object, several at a time.
fn each<T, F>(
    objects: &[&Object],
    request: impl Fn(Location, Object) -> F + Clone + Send + 'static,
) -> Vec<Result<T, StoreError>>
where
    T: Send + 'static,
    F: Future<Output = Result<T, StoreError>> + Send + 'static,
{
    let work: Vec<_> = objects.iter().map(|o| (connect(&o.address), (*o).clone())).collect();
    let results = start(async move {
        let requests = stream::iter(work).map(move |(location, object)| {
            let request = request.clone();
            async move { request(location?, object).await }
        });
        requests.buffered(PARALLEL).collect::<Vec<_>>().await
    });
    let died = || objects.iter().map(|object| Err(gone(&object.address))).collect();
    results.recv().unwrap_or_else(|_| died())
}

/// The content of a small object.
///
/// # Errors
/// There is none, or it cannot be read.
pub fn read(address: &Address) -> Result<Bytes, StoreError> {
    let location = connect(address)?;
    let work = async move {
        let failed = |error| explain::failed(&location.address, "read it", &error);
        let result = location.store.get(&location.path).await.map_err(failed)?;
        result.bytes().await.map_err(failed)
    };
    wait(work).unwrap_or_else(|| Err(gone(address)))
}

/// Copies an object of a web server to a file, from its beginning.
///
/// # Errors
/// It cannot be read to its end, also after retries, or the file cannot be written.
pub fn download(address: &Address, file: &mut File) -> Result<(), StoreError> {
    let mut attempt = 1;
    loop {
        let error = match download_once(address, file) {
            Ok(()) => return Ok(()),
            Err((error, again)) if !again || attempt == ATTEMPTS => return Err(error),
            Err((error, _)) => error,
        };
        let (waited, rewound) = (wait(pause(attempt)), rewind(file));
        if waited.is_none() || rewound.is_err() {
            return Err(error);
        }
        attempt += 1;
    }
}

fn rewind(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0)).map(|_| ())
}

/// Fails with the error, and whether another attempt may help.
fn download_once(address: &Address, file: &mut File) -> Result<(), (StoreError, bool)> {
    let (sender, receiver) = std::sync::mpsc::sync_channel(4);
    let asked = address.clone();
    let done = start(async move {
        let failed = |reason: String, again| {
            let remedy = "check the address and the network, and run again";
            (
                StoreError::Failed { url: asked.to_string(), action: "read it", reason, remedy },
                again,
            )
        };
        let words = |error: &reqwest::Error| explain::innermost(error);
        prepare_tls();
        let client = of_whole_objects().map_err(|error| failed(words(&error), false))?;
        let response = client.get(asked.url()).send().await;
        let mut response = response.map_err(|error| failed(words(&error), true))?;
        match response.status().as_u16() {
            200..=299 => {}
            404 => return Err((StoreError::NotFound { url: asked.to_string() }, false)),
            status => return Err(failed(status.to_string(), status == 429 || status >= 500)),
        }
        while let Some(bytes) =
            response.chunk().await.map_err(|error| failed(words(&error), true))?
        {
            // The receiver is gone if the file cannot be written. Blocks one of two threads, as
            // long as the disk is slower than the network.
            if sender.send(bytes).is_err() {
                break;
            }
        }
        Ok(())
    });
    for bytes in receiver {
        file.write_all(&bytes).map_err(|error| {
            let error = StoreError::Failed {
                url: address.to_string(),
                action: "keep a copy of it",
                reason: error.to_string(),
                remedy: "name a directory with more free space with the setting scratch",
            };
            (error, false)
        })?;
    }
    done.recv().unwrap_or_else(|_| Err((gone(address), false)))
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn objects(names: &[&str]) -> Vec<object_store::Result<ObjectMeta>> {
        let named = |name: &&str| ObjectMeta {
            location: (*name).into(),
            last_modified: SystemTime::UNIX_EPOCH.into(),
            size: 1,
            e_tag: None,
            version: None,
        };
        names.iter().map(named).map(Ok).collect()
    }

    fn listed(
        names: &[&str],
        more: impl Stream<Item = object_store::Result<ObjectMeta>> + Send + 'static,
    ) -> Result<usize, String> {
        let all = stream::iter(objects(names)).chain(more);
        let address = Address::parse("s3://b/k").unwrap();
        let work = async move { listing(&address, all, 3, Duration::from_millis(20)).await };
        wait(work).unwrap().map(|listed| listed.len()).map_err(|error| error.to_string())
    }

    #[test]
    fn listings_end() {
        assert_eq!(listed(&["a", "b", "c"], stream::empty()), Ok(3));
        for (names, why) in [
            (&["a", "b", "a"][..], "names a twice"),
            (&["a", "b", "c", "d"], "more than 3 objects"),
        ] {
            assert!(listed(names, stream::empty()).unwrap_err().contains(why), "{names:?}");
        }
        let pages_without_objects = listed(&["a"], stream::pending());
        assert!(pages_without_objects.unwrap_err().contains("no further object"));
    }
}
