package org.namdb.fabric.peer.tcp;

import org.namdb.fabric.tls.TestAuthority;

/// The same with TLS.
class TlsPeersTest extends TcpPeersTest {
    @Override
    TcpPeerOptions options() {
        return TcpPeerOptions.LOOPBACK.withTls(TestAuthority.loopback());
    }
}
