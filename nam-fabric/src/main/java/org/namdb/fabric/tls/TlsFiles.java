package org.namdb.fabric.tls;

import java.nio.file.Path;

/// What a process proves itself with, and whom it trusts; PEM files.
///
/// @param certificate of this process, with what lies between it and the authority, if anything
/// @param key of the certificate, in PKCS#8 and not encrypted
/// @param authority whose certificates alone are trusted
public record TlsFiles(Path certificate, Path key, Path authority) {}
