package org.namdb.cluster.transport;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;

/// The secret that all processes of a cluster share.
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
        } catch (NoSuchFileException e) {
            throw new ConfigException(
                    "security.token-file: there is no %s; make it by '(umask 077; openssl rand -hex 32 > %s)'"
                            .formatted(file, file));
        } catch (IOException e) {
            String reason = e instanceof AccessDeniedException ? "permission denied" : e.toString();
            throw new ConfigException(
                    "security.token-file: %s can't be read: %s".formatted(file, reason));
        }
        if (token.isEmpty()) {
            throw new ConfigException("security.token-file: " + file + " is empty");
        }
        return token;
    }
}
