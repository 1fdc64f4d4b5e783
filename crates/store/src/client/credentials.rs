//! Whether there are credentials: without any, a client would ask the metadata service of a cloud
//! machine, and elsewhere retry that for a minute.

use std::env::var_os;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use crate::{Address, Scheme};

/// Address of the metadata service on machines of all three clouds.
const METADATA: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::new(169, 254, 169, 254)), 80);

const AWS: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
];

const GOOGLE: &[&str] = &[
    "SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT",
    "GOOGLE_SERVICE_ACCOUNT_PATH",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_BEARER_TOKEN",
    "GOOGLE_SKIP_SIGNATURE",
];

/// Variables of Azure that are no credentials.
const NAMES_ONLY: &[&str] =
    &["AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"];

/// How to give credentials, if there are none.
pub(super) fn missing(address: &Address) -> Option<&'static str> {
    let any = |names: &[&str]| names.iter().any(|name| var_os(name).is_some_and(|v| !v.is_empty()));
    let given = match address.scheme {
        Scheme::Http => true,
        Scheme::S3 => any(AWS),
        Scheme::Gcs => any(GOOGLE) || has_default_credentials(),
        Scheme::Azure => std::env::vars_os().any(|(name, _)| {
            name.to_str()
                .is_some_and(|name| name.starts_with("AZURE_") && !NAMES_ONLY.contains(&name))
        }),
    };
    // A machine of the cloud gives credentials itself.
    let on_cloud = || TcpStream::connect_timeout(&metadata(), Duration::from_secs(1)).is_ok();
    (!given && !on_cloud()).then(|| remedy(address.scheme))
}

/// Address of the metadata service, or of the one that is given in its place.
fn metadata() -> SocketAddr {
    let given = std::env::var("AWS_METADATA_ENDPOINT").ok();
    let host = given.as_deref().and_then(|url| url.strip_prefix("http://"));
    host.and_then(|host| host.trim_end_matches('/').parse().ok()).unwrap_or(METADATA)
}

/// What `gcloud auth application-default login` writes.
fn has_default_credentials() -> bool {
    let home = var_os("HOME").map(PathBuf::from);
    home.is_some_and(|home| {
        home.join(".config/gcloud/application_default_credentials.json").is_file()
    })
}

/// Which variables give credentials, or say that none are needed.
pub(super) fn remedy(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::S3 => {
            "set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if there is one, AWS_SESSION_TOKEN \
             (`aws configure export-credentials --format env` prints those of a profile), or \
             AWS_SKIP_SIGNATURE=true for a public bucket"
        }
        Scheme::Gcs => {
            "set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, or \
             GOOGLE_SKIP_SIGNATURE=true for a public bucket"
        }
        Scheme::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN \
             or AZURE_CLIENT_ID and its companions, or AZURE_SKIP_SIGNATURE=true for a public \
             container"
        }
        Scheme::Http => "check that the address can be read without logging in",
    }
}
