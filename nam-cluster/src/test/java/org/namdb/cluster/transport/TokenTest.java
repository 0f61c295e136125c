package org.namdb.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.config.ConfigException;

class TokenTest {
    @TempDir Path directory;

    private ClusterConfig config(String security) throws IOException {
        Path file = directory.resolve("cluster.yaml");
        Files.writeString(file, "memory-servers:\n  - address: 10.0.0.1:7400\n" + security);
        return ClusterSettings.read(file, Map.of(), Map.of()).config();
    }

    private ClusterConfig configWithToken() throws IOException {
        return config("security: {token-file: token}\n");
    }

    @Test
    void theTokenIsTheTextOfTheFileBesideTheConfiguration() throws IOException {
        Files.writeString(directory.resolve("token"), " 0123abcd\n");
        assertThat(Token.read(configWithToken())).isEqualTo("0123abcd");
        assertThat(Token.read(config(""))).isEmpty();
    }

    @Test
    void withoutATokenTheErrorShowsHowToMakeOne() throws IOException {
        ClusterConfig config = configWithToken();
        Path token = directory.resolve("token");
        assertThatThrownBy(() -> Token.read(config))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "security.token-file: there is no %s; make it by '(umask 077; openssl rand -hex 32 > %s)'",
                        token, token);
        Files.writeString(token, "\n");
        assertThatThrownBy(() -> Token.read(config))
                .isInstanceOf(ConfigException.class)
                .hasMessage("security.token-file: %s is empty", token);
    }

    /// An existing one must not be replaced: others use it.
    @Test
    void withAnUnreadableTokenTheErrorDoesNotSuggestAnother() throws IOException {
        ClusterConfig config = configWithToken();
        Path token = Files.createDirectory(directory.resolve("token"));
        assertThatThrownBy(() -> Token.read(config))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("security.token-file: " + token + " can't be read: ")
                .hasMessageNotContaining("openssl");
    }
}
