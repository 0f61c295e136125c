package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/// What `nam server` refuses before it listens.
class ServerCommandTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private int run(String... arguments) {
        CommandLine nam = Nam.commandLine();
        nam.setOut(new PrintWriter(output, true));
        nam.setErr(new PrintWriter(errors, true));
        return nam.execute(arguments);
    }

    @Test
    void itRequiresAnAuthenticationOption() {
        assertThat(run("server")).isEqualTo(2);
        assertThat(errors.toString()).contains("--users FILE, or --trust");
    }

    @Test
    void withoutPasswordsItListensOnThisMachineAlone() {
        assertThat(run("server", "--trust", "--listen", "0.0.0.0:0")).isEqualTo(2);
        assertThat(errors.toString()).contains("loopback").contains("0.0.0.0");
    }

    @Test
    void theHelpNamesTheUnitsOfTimes() {
        assertThat(run("server", "--help")).isZero();
        assertThat(output.toString().replaceAll("\\s+", " "))
                .contains("The longest time of a statement, in seconds (default: 0, no limit).")
                .contains("How many seconds a client may leave a block idle (default: 300 s; 0 for")
                .contains("Log statements that take so many milliseconds; 0 for all");
    }

    @Test
    void anAddressIsAHostAndAPort() {
        assertThat(run("server", "--trust", "--listen", "127.0.0.1:many")).isEqualTo(2);
        assertThat(run("server", "--trust", "--listen", "127.0.0.1:70000")).isEqualTo(2);
        assertThat(run("server", "--trust", "--metrics", "127.0.0.1:x")).isEqualTo(2);
        assertThat(errors.toString())
                .contains("--listen is HOST:PORT, not '127.0.0.1:many'")
                .contains("--metrics is HOST:PORT, not '127.0.0.1:x'")
                .contains("0 to 65535, not 70000");
    }

    @Test
    void aCertificateAndItsKeyBelongTogether(@TempDir Path directory) {
        String none = directory.resolve("none.pem").toString();
        assertThat(run("server", "--trust", "--tls-certificate", none)).isEqualTo(2);
        assertThat(run("server", "--trust", "--tls-certificate", none, "--tls-key", none))
                .isEqualTo(2);
        assertThat(errors.toString()).contains("give both").contains("none.pem");
    }

    @Test
    void aFileOfUsersMustNameSome(@TempDir Path directory) throws Exception {
        Path users = Files.writeString(directory.resolve("users"), "ada\n");
        assertThat(run("server", "--users", users.toString())).isEqualTo(2);
        assertThat(run("server", "--users", directory.resolve("none").toString())).isEqualTo(2);
        assertThat(errors.toString())
                .contains("line 1: expected user:password")
                .contains("none can't be read: there is no such file");
    }
}
