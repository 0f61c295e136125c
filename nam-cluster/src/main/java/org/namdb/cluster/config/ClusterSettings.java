package org.namdb.cluster.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;

/// The settings of a cluster, and the origin of each: a file, over it the environment, over that
/// the command line.
public final class ClusterSettings {
    private static final Pattern POSITION = Pattern.compile("\\[[0-9]+]");

    /// What needs no quotes in YAML.
    private static final Pattern PLAIN = Pattern.compile("[\\w/.]([\\w/.:,-]*[\\w/.])?");

    /// What Kubernetes sets for a service that happens to be called namdb.
    private static final Predicate<String> KUBERNETES =
            Pattern.compile(".*_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_[0-9].*)?)")
                    .asMatchPredicate();

    /// A value, as it was written.
    record Chosen(String text, Origin origin) {}

    private final Path file;
    private final Map<String, Chosen> chosen;
    private final ClusterConfig config;

    private ClusterSettings(Path file, Map<String, Chosen> chosen) {
        this.file = file;
        this.chosen = chosen;
        chosen.forEach(this::checkName);
        this.config = new ConfigReading(this).config();
    }

    /// Reads them.
    ///
    /// @param environment its variables; those that begin with `NAMDB_` are settings
    /// @param options settings of the command line, by name: the options `--set name=value`
    /// @throws ConfigException if anything is invalid
    public static ClusterSettings read(
            Path file, Map<String, String> environment, Map<String, String> options) {
        Map<String, Chosen> chosen = new LinkedHashMap<>(YamlSettings.read(file));
        putEnvironment(chosen, environment);
        options.forEach((name, text) ->
                chosen.put(name, new Chosen(text, new Origin.Flag("--set " + name))));
        return new ClusterSettings(file, chosen);
    }

    /// The settings by the variables of the environment that choose them.
    private static Map<String, String> variables() {
        Map<String, String> names = new LinkedHashMap<>();
        for (Setting<?> setting : ClusterKeys.ALL) {
            int positions = setting.isOfList() ? RemoteAddress.MAX_SERVERS : 1;
            for (int position = 0; position < positions; position++) {
                String name = setting.nameAt(position);
                names.put(Setting.variable(name), name);
            }
        }
        return names;
    }

    private static void putEnvironment(
            Map<String, Chosen> chosen, Map<String, String> environment) {
        Map<String, String> names = variables();
        environment.forEach((variable, text) -> {
            if (!variable.startsWith("NAMDB_") || KUBERNETES.test(variable)) {
                return;
            }
            String name = names.get(variable);
            if (name == null) {
                throw new ConfigException(
                        "environment %s: there is no such setting; the variables are %s"
                                .formatted(
                                        variable,
                                        ClusterKeys.ALL.stream()
                                                .map(each -> each.nameAt(0))
                                                .map(Setting::variable)
                                                .collect(Collectors.joining(", "))));
            }
            chosen.put(name, new Chosen(text, new Origin.Environment(variable)));
        });
    }

    private void checkName(String name, Chosen value) {
        String general = POSITION.matcher(name).replaceAll("[]");
        if (ClusterKeys.ALL.stream().noneMatch(each -> each.name().equals(general))) {
            throw new ConfigException(
                    "%s: there is no setting %s; there are %s"
                            .formatted(
                                    value.origin(),
                                    name,
                                    ClusterKeys.ALL.stream()
                                            .map(Setting::name)
                                            .collect(Collectors.joining(", "))));
        }
    }

    /// The values, read.
    public ClusterConfig config() {
        return config;
    }

    Path file() {
        return file;
    }

    /// How many memory servers have any setting.
    int servers() {
        int servers = 0;
        while (hasServer(servers)) {
            servers++;
        }
        for (Map.Entry<String, Chosen> entry : chosen.entrySet()) {
            if (isOfServerFrom(servers, entry.getKey())) {
                throw new ConfigException(
                        "%s: there is no memory server %d before %s"
                                .formatted(entry.getValue().origin(), servers, entry.getKey()));
            }
        }
        return servers;
    }

    private boolean hasServer(int server) {
        String start = "memory-servers[" + server + "]";
        return chosen.keySet().stream().anyMatch(name -> name.startsWith(start));
    }

    private static boolean isOfServerFrom(int servers, String name) {
        int open = name.indexOf('[');
        return open >= 0
                && Integer.parseInt(name.substring(open + 1, name.indexOf(']'))) >= servers;
    }

    /// The value of a setting; null if it is not set and has no default.
    <T> @Nullable T find(Setting<T> setting, int position) {
        Chosen value = valueOf(setting, position);
        if (value == null) {
            return null;
        }
        try {
            return setting.parser().apply(value.text());
        } catch (IllegalArgumentException e) {
            throw new ConfigException(
                    "%s: %s is wrong: %s"
                            .formatted(value.origin(), setting.nameAt(position), e.getMessage()));
        }
    }

    /// The value of a setting that has a default.
    <T> T value(Setting<T> setting) {
        return Objects.requireNonNull(find(setting, 0));
    }

    /// The origin of a setting's value.
    Origin origin(Setting<?> setting, int position) {
        Chosen value = valueOf(setting, position);
        return value == null ? new Origin.Default() : value.origin();
    }

    private @Nullable Chosen valueOf(Setting<?> setting, int position) {
        Chosen value = chosen.get(setting.nameAt(position));
        String standard = setting.defaultText();
        return value == null && standard != null
                ? new Chosen(standard, new Origin.Default())
                : value;
    }

    /// All values as an equivalent file, with their origins as comments.
    public String describe() {
        List<String[]> lines = new ArrayList<>();
        String group = "";
        for (Setting<?> setting : ClusterKeys.ALL) {
            if (setting.equals(ClusterKeys.ADDRESS)) {
                describeServers(lines);
                continue;
            }
            Chosen value = valueOf(setting, 0);
            if (!setting.isOfList() && value != null) {
                int last = setting.name().lastIndexOf('.');
                String own = last < 0 ? "" : setting.name().substring(0, last);
                openGroups(lines, group, own);
                group = own;
                lines.add(line(indent(own) + setting.name().substring(last + 1), value));
            }
        }
        int width = lines.stream().mapToInt(line -> line[0].length()).max().orElse(0);
        StringBuilder text = new StringBuilder();
        for (String[] line : lines) {
            text.append(
                    line[1].isEmpty()
                            ? line[0]
                            : line[0] + " ".repeat(width - line[0].length()) + "  # " + line[1]);
            text.append('\n');
        }
        return text.toString();
    }

    private void describeServers(List<String[]> lines) {
        lines.add(new String[] {"memory-servers:", ""});
        for (int server = 0; server < config.memoryServers().size(); server++) {
            String start = "  - ";
            for (Setting<?> setting :
                    List.of(
                            ClusterKeys.ADDRESS,
                            ClusterKeys.MEMORY,
                            ClusterKeys.DIRECTORY,
                            ClusterKeys.WORKERS,
                            ClusterKeys.DATA)) {
                Chosen value = valueOf(setting, server);
                if (value != null) {
                    String word = setting.name().substring(setting.name().indexOf('.') + 1);
                    lines.add(line(start + word, value));
                    start = "    ";
                }
            }
        }
    }

    private static void openGroups(List<String[]> lines, String before, String group) {
        String open = "";
        for (String word : group.isEmpty() ? new String[0] : group.split("\\.")) {
            open = open.isEmpty() ? word : open + "." + word;
            if (!(before + ".").startsWith(open + ".")) {
                String start = indent(open).substring(2);
                lines.add(new String[] {start + word + ":", ""});
            }
        }
    }

    private static String indent(String group) {
        return group.isEmpty() ? "" : "  ".repeat(group.split("\\.").length);
    }

    private static String[] line(String start, Chosen value) {
        return new String[] {start + ": " + yaml(value.text()), value.origin().toString()};
    }

    /// A value as YAML reads it back: in quotes where it could mean something else, as
    /// `[::1]:7400`.
    private static String yaml(String text) {
        return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "''") + "'";
    }
}
