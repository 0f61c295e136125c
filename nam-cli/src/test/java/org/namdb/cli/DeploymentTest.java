package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/// The files in `deploy`: each is valid for the command and the configuration, and they agree with
/// each other.
class DeploymentTest {
    private static final Path DEPLOY = ArchitectureTest.projectRoot().resolve("deploy");

    /// How long a server takes to close at the most ([ServerLife]).
    private static final int CLOSE_SECONDS = 20;

    private static final String NUMBER = "$(NUMBER)";

    @TempDir Path directory;

    private static String text(String file) throws IOException {
        return Files.readString(DEPLOY.resolve(file));
    }

    private static void assertAccepted(List<String> arguments) {
        assertThat(Nam.commandLine().parseArgs(arguments.toArray(String[]::new)).hasSubcommand())
                .as(arguments.toString())
                .isTrue();
    }

    @Test
    void theInstalledCommandStartsJavaAsTheOneThatBuilds() throws IOException {
        Path built = ArchitectureTest.projectRoot().resolve("nam");
        assertThat(javaOptions(text("nam")))
                .isNotEmpty()
                .isEqualTo(javaOptions(Files.readString(built)));
    }

    /// A JVM whose heap begins with more than its limit does not start.
    @ParameterizedTest
    @CsvSource({"'', true", "-Xmx8g, true", "-Xmx256m, false", "-Dx=y -Xmx300M -Da=b, false"})
    void theHeapDoesNotBeginWithMoreThanALimitOfMegabytes(String options, boolean isLarge)
            throws Exception {
        assertThat(javaArguments(options))
                .filteredOn(each -> each.startsWith("-Xms"))
                .isEqualTo(isLarge ? List.of("-Xms1g") : List.of());
    }

    @ParameterizedTest
    @CsvSource({"simulate, true", "history, true", "sql, false", "memory-server, false"})
    void onlySimulationsUseWhatTheJdkDoesNotOpen(String command, boolean isOpened)
            throws Exception {
        assertThat(javaArguments("", command))
                .filteredOn(each -> each.startsWith("--add-opens"))
                .hasSize(isOpened ? 1 : 0);
    }

    /// What the installed command starts Java with.
    private List<String> javaArguments(String options, String... arguments) throws Exception {
        Path java = Files.createDirectories(directory.resolve("bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("sh", DEPLOY.resolve("nam").toString());
        builder.command().addAll(List.of(arguments));
        builder.environment().put("JAVA_HOME", directory.toString());
        builder.environment().put("NAM_JAVA_OPTS", options);
        Process process = builder.redirectErrorStream(true).start();
        try (BufferedReader lines = process.inputReader()) {
            List<String> all = lines.lines().toList();
            assertThat(process.waitFor()).isZero();
            return all;
        }
    }

    /// Each ends with the directory of its own jars.
    @Test
    void theInstalledCommandLooksForLibrariesWhereTheOneThatBuildsDoes() throws IOException {
        Path built = ArchitectureTest.projectRoot().resolve("nam");
        assertThat(libraries(text("nam")))
                .endsWith(":/usr/lib")
                .isEqualTo(libraries(Files.readString(built)));
    }

    private static String libraries(String script) {
        String line =
                script.lines()
                        .filter(each -> each.startsWith("libraries="))
                        .findFirst()
                        .orElseThrow();
        return line.substring(0, line.lastIndexOf(':'));
    }

    private static List<String> javaOptions(String script) {
        return script.lines()
                .filter(line -> line.contains("java_options=") || line.contains("heap="))
                .toList();
    }

    @Test
    void unitsStartWhatTheCommandUnderstands() throws IOException {
        try (Stream<Path> units = Files.list(DEPLOY.resolve("systemd"))) {
            List<Path> all = units.toList();
            assertThat(all).hasSize(2);
            for (Path unit : all) {
                List<String> lines = Files.readAllLines(unit);
                String start = value(lines, "ExecStart");
                assertThat(start).startsWith("/opt/namdb/bin/nam ");
                List<String> words = List.of(start.replace("%i", "0").split(" "));
                assertAccepted(words.subList(1, words.size()));
                assertThat(Integer.parseInt(value(lines, "TimeoutStopSec")))
                        .isGreaterThan(CLOSE_SECONDS);
            }
        }
    }

    private static String value(List<String> unit, String name) {
        return unit.stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void composeStartsWhatTheConfigurationNames() throws IOException {
        Map<?, ?> services = map(documents("docker/compose.yaml").getFirst(), "services");
        ClusterConfig config = config(text("docker/cluster.yaml"));
        for (int number = 0; number < config.memoryServers().size(); number++) {
            String host = config.memoryServers().get(number).address().host();
            assertThat(command(map(services, host)))
                    .containsSubsequence("memory-server", "--number", Integer.toString(number));
        }
        assertThat(services.containsKey(config.membership().zookeeper().getFirst().host()))
                .isTrue();
        int started = 0;
        for (Object name : services.keySet()) {
            Map<?, ?> service = merged(map(services, name.toString()));
            assertThat(seconds(service.get("stop_grace_period"))).isGreaterThan(CLOSE_SECONDS);
            if ("namdb".equals(service.get("image"))) {
                assertAccepted(command(service));
                started++;
            }
        }
        assertThat(started).isEqualTo(config.memoryServers().size() + 3);
    }

    private static int seconds(Object time) {
        return Integer.parseInt(time.toString().replace("s", ""));
    }

    @Test
    void kubernetesStartsWhatItsConfigurationNames() throws IOException {
        Map<String, Map<?, ?>> objects = new HashMap<>();
        for (Map<?, ?> each : documents("kubernetes/namdb.yaml")) {
            objects.put(each.get("kind") + " " + map(each, "metadata").get("name"), each);
        }
        ClusterConfig config =
                config(map(objects.get("ConfigMap namdb"), "data").get("cluster.yaml").toString());
        Map<?, ?> memory = map(objects.get("StatefulSet nam-memory"), "spec");
        Map<?, ?> service = map(objects.get("Service nam-memory"), "spec");
        assertThat(memory.get("replicas")).isEqualTo(config.memoryServers().size());
        Map<?, ?> container = container(memory);
        int port = (Integer) first(container, "ports").get("containerPort");
        assertThat(first(service, "ports").get("port")).isEqualTo(port);
        for (int number = 0; number < config.memoryServers().size(); number++) {
            assertThat(config.memoryServers().get(number).address().toString())
                    .isEqualTo("nam-memory-%d.%s:%d", number, memory.get("serviceName"), port);
        }
        assertThat(first(container, "env").get("name")).isEqualTo("NUMBER");
        assertAccepted(
                strings(container, "args").stream()
                        .map(each -> each.equals(NUMBER) ? "0" : each)
                        .toList());
        assertFindsItsPods(memory);
        assertSelects(memory, map(service, "selector"));
        Map<?, ?> compute = map(objects.get("Deployment nam-compute"), "spec");
        assertAccepted(strings(container(compute), "args"));
        assertFindsItsPods(compute);
        for (String name : List.of("nam-memory", "nam-compute")) {
            Map<?, ?> budget = map(objects.get("PodDisruptionBudget " + name), "spec");
            Map<?, ?> of = name.equals("nam-memory") ? memory : compute;
            assertSelects(of, map(map(budget, "selector"), "matchLabels"));
        }
    }

    private static void assertFindsItsPods(Map<?, ?> spec) {
        assertSelects(spec, map(map(spec, "selector"), "matchLabels"));
        Map<?, ?> pod = map(map(spec, "template"), "spec");
        assertThat((Integer) pod.get("terminationGracePeriodSeconds")).isGreaterThan(CLOSE_SECONDS);
        List<String> volumes = names(pod, "volumes");
        assertThat(names(container(spec), "volumeMounts")).isSubsetOf(volumes);
    }

    private static void assertSelects(Map<?, ?> spec, Map<?, ?> labels) {
        Map<?, ?> metadata = map(map(spec, "template"), "metadata");
        assertThat(map(metadata, "labels").entrySet().containsAll(labels.entrySet())).isTrue();
    }

    private static Map<?, ?> container(Map<?, ?> spec) {
        return first(map(map(spec, "template"), "spec"), "containers");
    }

    private ClusterConfig config(String yaml) throws IOException {
        Path file = Files.writeString(directory.resolve("cluster.yaml"), yaml);
        return ClusterSettings.read(file, Map.of(), Map.of()).config();
    }

    private static List<Map<?, ?>> documents(String file) throws IOException {
        Load load = new Load(LoadSettings.builder().setLabel(file).build());
        return StreamSupport.stream(load.loadAllFromString(text(file)).spliterator(), false)
                .<Map<?, ?>>map(document -> (Map<?, ?>) document)
                .toList();
    }

    /// With what it takes over by `<<`, which its own keys override.
    private static Map<?, ?> merged(Map<?, ?> map) {
        Map<Object, Object> all = new HashMap<>();
        if (map.get("<<") instanceof Map<?, ?> other) {
            all.putAll(merged(other));
        }
        all.putAll(map);
        return all;
    }

    private static Map<?, ?> map(Map<?, ?> map, String key) {
        assertThat(map.get(key)).as(key).isInstanceOf(Map.class);
        return (Map<?, ?>) map.get(key);
    }

    private static List<?> list(Map<?, ?> map, String key) {
        assertThat(map.get(key)).as(key).isInstanceOf(List.class);
        return (List<?>) map.get(key);
    }

    private static Map<?, ?> first(Map<?, ?> map, String key) {
        return (Map<?, ?>) list(map, key).getFirst();
    }

    private static List<String> names(Map<?, ?> map, String key) {
        List<String> names = new ArrayList<>();
        for (Object each : list(map, key)) {
            names.add(((Map<?, ?>) each).get("name").toString());
        }
        return names;
    }

    private static List<String> strings(Map<?, ?> map, String key) {
        return list(map, key).stream().map(Object::toString).toList();
    }

    private static List<String> command(Map<?, ?> service) {
        return strings(merged(service), "command");
    }
}
