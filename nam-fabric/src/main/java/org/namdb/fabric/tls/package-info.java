/// TLS 1.3 between processes that have certificates of one private authority, over non-blocking
/// sockets. It is independent of what is sent.
///
/// *Authority*: the CA that signs the certificates of a cluster, and no others. *Record*: what TLS
/// encrypts at a time, at most 16 KiB.
@NullMarked
package org.namdb.fabric.tls;

import org.jspecify.annotations.NullMarked;
