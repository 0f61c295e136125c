package org.namdb.fabric.tls;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.FabricException;

/// Files that are not what they should be, each with its error message.
class TlsIdentityTest {
    private static final TlsFiles GOOD = TestAuthority.loopback();

    @TempDir Path directory;

    private static void assertRefused(TlsFiles files, String why) {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> TlsIdentity.server(files))
                .withMessageContaining(why);
    }

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("file.pem"), text);
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        Path nowhere = directory.resolve("nowhere.pem");
        String why = "there is no file " + nowhere;
        assertRefused(new TlsFiles(nowhere, GOOD.key(), GOOD.authority()), why);
        assertRefused(new TlsFiles(GOOD.certificate(), nowhere, GOOD.authority()), why);
        assertRefused(new TlsFiles(GOOD.certificate(), GOOD.key(), nowhere), why);
        assertRefused(
                new TlsFiles(directory, GOOD.key(), GOOD.authority()),
                directory + " can't be read");
    }

    @Test
    void aFileOfAnotherKindIsNamed() throws IOException {
        assertRefused(
                new TlsFiles(GOOD.key(), GOOD.key(), GOOD.authority()), "holds no certificate");
        assertRefused(
                new TlsFiles(GOOD.certificate(), GOOD.key(), write("")), "holds no certificate");
        Path damaged = write("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
        assertRefused(new TlsFiles(damaged, GOOD.key(), GOOD.authority()), "holds no certificate");
    }

    @Test
    void aKeyInAnotherFormIsRefusedWithTheCommandThatChangesIt() throws IOException {
        for (String form : new String[] {"EC", "RSA", "ENCRYPTED"}) {
            Path key =
                    write(
                            "-----BEGIN %s PRIVATE KEY-----\nAAAA\n-----END %s PRIVATE KEY-----\n"
                                    .formatted(form, form));
            assertRefused(
                    new TlsFiles(GOOD.certificate(), key, GOOD.authority()),
                    "openssl pkcs8 -topk8 -nodes -in " + key);
        }
        Path damaged = write("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
        assertRefused(new TlsFiles(GOOD.certificate(), damaged, GOOD.authority()), "or is damaged");
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() {
        TlsFiles other = TestAuthority.of("usual").files("other-key");
        assertRefused(
                new TlsFiles(GOOD.certificate(), other.key(), GOOD.authority()),
                "does not belong to the certificate");
    }
}
