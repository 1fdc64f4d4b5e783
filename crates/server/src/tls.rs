//! TLS: the certificate and its key.

use crate::watched::{UnreadableFile, Watched, names};
use rustls::ServerConfig;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::ParsedCertificate;
use std::path::PathBuf;
use std::sync::Arc;

/// The files of a certificate, in PEM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, with those that lead to its root behind it.
    pub certificates: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableFile),
    /// The files hold no certificate with its key.
    #[error(
        "{files}: {reason}; the first file holds the certificate (PEM, with those that lead to \
         its root behind it), the second its private key"
    )]
    Unusable {
        /// The files.
        files: String,
        /// What is wrong.
        reason: String,
    },
}

/// Reads a certificate and its key, which may be replaced while the service runs.
///
/// # Errors
/// Files that cannot be read; a file that is not of its kind; a key of another certificate.
pub(crate) fn read(files: &TlsFiles) -> Result<Watched<ServerConfig, TlsError>, TlsError> {
    let paths = vec![files.certificates.clone(), files.key.clone()];
    let told = names(&paths);
    let parse = move |bytes: &[Vec<u8>]| {
        config(&bytes[0], &bytes[1])
            .map_err(|reason| TlsError::Unusable { files: told.clone(), reason })
    };
    Watched::read(paths, Box::new(parse))
}

fn config(certificates: &[u8], key: &[u8]) -> Result<ServerConfig, String> {
    let certificates = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| format!("the certificate: {}", in_words(error)))?;
    for (number, certificate) in (1..).zip(&certificates) {
        ParsedCertificate::try_from(certificate)
            .map_err(|error| format!("certificate {number} of the chain: {error}"))?;
    }
    let key = PrivateKeyDer::from_pem_slice(key);
    let key = key.map_err(|error| format!("the key: {}", in_words(error)))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| error.to_string())?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// What is wrong with a file.
fn in_words(error: pem::Error) -> String {
    match error {
        pem::Error::MissingSectionEnd { .. } => "the file ends within it".to_owned(),
        pem::Error::NoItemsFound => "there is none in the file".to_owned(),
        other => other.to_string(),
    }
}
