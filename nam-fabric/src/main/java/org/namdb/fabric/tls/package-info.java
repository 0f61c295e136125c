/// TLS 1.3 between processes that know each other by certificates of one private authority, over
/// sockets that don't block. It knows nothing of what is sent.
///
/// *Authority*: whoever signs the certificates of a cluster, and no others. *Record*: what TLS
/// encrypts at a time, at most 16 KiB.
@NullMarked
package org.namdb.fabric.tls;

import org.jspecify.annotations.NullMarked;
