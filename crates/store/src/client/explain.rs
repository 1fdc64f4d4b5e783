//! Messages for failed requests: status, the server's code, and what to do.

use std::error::Error;

use super::credentials;
use crate::address::shown_urls;
use crate::{Address, Scheme, StoreError};

/// The error for a failed request.
pub(super) fn failed(
    address: &Address,
    action: &'static str,
    error: &object_store::Error,
) -> StoreError {
    let url = address.to_string();
    if matches!(error, object_store::Error::NotFound { .. }) && !names_bucket(error) {
        return StoreError::NotFound { url };
    }
    let chain = words(error);
    let status = status_of(&chain);
    let reason = match (status, code_of(&chain)) {
        (Some(status), Some(code)) => format!("{status} ({code})"),
        (Some(status), None) => status.to_string(),
        (None, _) => innermost(error),
    };
    let remedy = remedy(address, status, &chain);
    StoreError::Failed { url, action, reason, remedy }
}

fn names_bucket(error: &object_store::Error) -> bool {
    words(error).contains("NoSuchBucket")
}

/// The messages of an error and its causes.
fn words(error: &(dyn Error + 'static)) -> String {
    let mut all = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        all.push_str(": ");
        all.push_str(&error.to_string());
        cause = error.source();
    }
    all
}

/// The last cause: the words of the operating system, of TLS or of DNS.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    shown_urls(&last.to_string())
}

/// The status in `status code: 403 Forbidden`.
fn status_of(chain: &str) -> Option<u16> {
    let (_, rest) = chain.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

/// The code in the XML of an error response.
fn code_of(chain: &str) -> Option<&str> {
    let (_, rest) = chain.split_once("<Code>")?;
    rest.split_once("</Code>").map(|(code, _)| code)
}

fn remedy(address: &Address, status: Option<u16>, chain: &str) -> &'static str {
    let says = |word: &str| chain.contains(word);
    let region = "is the bucket in another region? Set AWS_REGION to it";
    match status {
        _ if says("AuthorizationHeaderMalformed")
            || says("PermanentRedirect")
            || says("IllegalLocationConstraint")
            || says("configured region") =>
        {
            region
        }
        Some(400) if address.scheme == Scheme::S3 => {
            "is AWS_REGION the region of the bucket? Check it and the credentials"
        }
        Some(301 | 307) if address.scheme == Scheme::S3 => region,
        Some(300..400) if address.is_bucket() => {
            "the store sends to another host, which would see the credentials; if that is right, \
             set the endpoint to that host"
        }
        _ if says("ExpiredToken") => "the credentials have expired; get new ones",
        _ if says("InvalidAccessKeyId") || says("SignatureDoesNotMatch") => {
            "check the credentials in the environment"
        }
        _ if says("RequestTimeTooSkewed") => "set the clock of this machine",
        _ if says("NoSuchBucket") => {
            "check the name of the bucket, its account and AWS_ENDPOINT_URL"
        }
        Some(401) => credentials::remedy(address.scheme),
        Some(403) => match address.scheme {
            Scheme::Http => "access is denied; check the address, and whether it has expired",
            Scheme::S3 => {
                "the credentials do not allow it, or (without permission to list the bucket) there \
                 is no such object; check AWS_ACCESS_KEY_ID and the policy of the bucket, or set \
                 AWS_SKIP_SIGNATURE=true for a public bucket"
            }
            _ => "the credentials do not allow it; check them and the permissions of the bucket",
        },
        Some(404) => "check bucket and key",
        Some(412) => "do not change objects during a run, and run again",
        Some(501) => "the server does not support this request; check the endpoint",
        Some(429 | 500..) => "the store is overloaded or out of order; run again later",
        Some(_) => "check the address",
        None if says("allowed") && says("http") || says("BadScheme") || says("URL scheme") => {
            "set AWS_ALLOW_HTTP=true to use a store without TLS"
        }
        None if says("metadata") || says("credential") || says("Credential") => {
            credentials::remedy(address.scheme)
        }
        None => "check the address, the endpoint and the network, and run again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_and_codes_are_found_in_words() {
        let chain = "Generic S3 error: Server returned non-2xx status code: 403 Forbidden: \
                     <Error><Code>AccessDenied</Code></Error>";
        assert_eq!((status_of(chain), code_of(chain)), (Some(403), Some("AccessDenied")));
        assert_eq!((status_of("connection refused"), code_of("")), (None, None));
    }

    #[test]
    fn words_of_others_are_shown_urls() {
        let words =
            "error sending request for url (https://u:S@h/a?sig=S): \"s3://b/k?token=S\" no";
        let expected = "error sending request for url (https://h/a): \"s3://b/k\" no";
        assert_eq!(shown_urls(words), expected);
        assert_eq!(shown_urls("no such host"), "no such host");
    }

    #[test]
    fn remedies_follow_from_the_response() {
        let address = Address::parse("s3://b/k").unwrap();
        let of = |status, words| remedy(&address, status, words);
        assert!(of(Some(400), "<Code>AuthorizationHeaderMalformed</Code>").contains("AWS_REGION"));
        assert!(
            of(None, "without LOCATION, an incorrectly configured region").contains("AWS_REGION")
        );
        assert!(of(Some(403), "AccessDenied").contains("AWS_SKIP_SIGNATURE"));
        assert!(of(Some(503), "SlowDown").contains("later"));
        assert!(of(None, "connection refused").contains("network"));
    }
}
