package org.namdb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.config.ConfigException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/// The options of all commands that read a cluster's configuration.
final class ConfigOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config", "--cluster"},
            paramLabel = "FILE",
            description =
                    "The cluster's configuration (default: that of the cluster which"
                            + " 'nam cluster up' has started, ~/.namdb/local/cluster.yaml).")
    private @Nullable Path chosenFile;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description =
                    "Another value of a setting, as in --set membership.lease=5s; may be repeated."
                            + " Variables of the environment as NAMDB_MEMBERSHIP_LEASE do the same,"
                            + " and this option comes before them.")
    private final Map<String, String> values = new LinkedHashMap<>();

    /// The configuration.
    ClusterConfig config() {
        return settings().config();
    }

    /// The configuration with other values for some settings, unless an option sets them.
    ClusterConfig config(Map<String, String> others) {
        Map<String, String> all = new LinkedHashMap<>(others);
        all.putAll(values);
        return settings(all).config();
    }

    /// The configuration with the origin of each value; wrong usage if it makes no sense.
    ClusterSettings settings() {
        return settings(values);
    }

    private ClusterSettings settings(Map<String, String> chosen) {
        Path file = chosenFile == null ? LocalCluster.standardConfiguration() : chosenFile;
        if (chosenFile == null && !Files.exists(file)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "which cluster? Name its configuration by --cluster FILE; there is no "
                            + file
                            + ", which 'nam cluster up' writes");
        }
        try {
            return ClusterSettings.read(file, System.getenv(), chosen);
        } catch (ConfigException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }
}
