package org.namdb.fabric.tcp;

import org.namdb.fabric.tls.TestAuthority;
import org.namdb.fabric.tls.TlsFiles;

/// Connections with TLS that break: all is as without it, whichever record is cut, those of the
/// handshake included.
class TlsRecoveryTest extends TcpRecoveryTest {
    @Override
    TlsFiles tls() {
        return TestAuthority.loopback();
    }

    @Override
    int handshakeBytes() {
        return 3_000;
    }
}
