package org.namdb.cluster.transport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;

/// What the processes of a cluster must all know.
final class Token {
    private Token() {}

    /// The text of the configuration's file; empty if it names none.
    ///
    /// @throws ConfigException if the file can't be read, or is empty
    static String read(ClusterConfig config) {
        Path file = config.security().tokenFile();
        if (file == null) {
            return "";
        }
        String token;
        try {
            token = Files.readString(file).strip();
        } catch (IOException e) {
            throw new ConfigException(
                    "security.token-file: %s can't be read; make it by 'openssl rand -hex 32 > %s'"
                            .formatted(file, file));
        }
        if (token.isEmpty()) {
            throw new ConfigException("security.token-file: " + file + " is empty");
        }
        return token;
    }
}
