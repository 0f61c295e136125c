package org.namdb.fabric.tcp;

import java.io.IOException;
import org.namdb.fabric.tls.TestAuthority;
import org.namdb.fabric.tls.TlsFiles;

/// A client with a certificate may send malformed frames, too.
class MalformedFrameOverTlsTest extends MalformedFrameTest {
    @Override
    TlsFiles tls() {
        return TestAuthority.loopback();
    }

    @Override
    RawClient raw() throws IOException {
        return RawClient.encrypted(
                memory.address(), TestAuthority.careless(TestAuthority.loopback()));
    }
}
