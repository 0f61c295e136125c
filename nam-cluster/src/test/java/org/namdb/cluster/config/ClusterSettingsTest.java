package org.namdb.cluster.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.fabric.tls.TlsFiles;

class ClusterSettingsTest {
    private static final String SERVERS =
            """
            memory-servers:
              - address: 10.0.0.1:7400
                memory: 4g
                directory: /dev/shm/nam
              - address: 10.0.0.2:7400
            """;

    @TempDir Path directory;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = directory.resolve("cluster.yaml");
    }

    private ClusterSettings read(String text) {
        return read(text, Map.of(), Map.of());
    }

    private ClusterSettings read(
            String text, Map<String, String> environment, Map<String, String> options) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return ClusterSettings.read(file, environment, options);
    }

    @Test
    void aFileSaysWhatAClusterIsMadeOf() {
        ClusterConfig config =
                read("name: orders\n"
                                + SERVERS
                                + """
                                slots: 64
                                max-transaction-time: 20s
                                security:
                                  token-file: token
                                  tls:
                                    certificate: /etc/namdb/server.pem
                                    key: server.key
                                    authority: /etc/namdb/authority.pem
                                membership:
                                  zookeeper: zk1:2181,zk2:2181
                                  lease: 3s
                                sql:
                                  listen: 0.0.0.0:5432
                                  users: users.txt
                                  allow-procedures: true
                                  tls-certificate: client.pem
                                  tls-key: /etc/namdb/client.key
                                  connections: 500
                                  sessions: 8
                                  statement-timeout: 20s
                                  idle-in-transaction-timeout: 1m
                                  max-message: 1m
                                  log-min-duration-statement: 250ms
                                  metrics-listen: 127.0.0.1:9187
                                """)
                        .config();
        assertThat(config.sql())
                .isEqualTo(
                        new ClusterConfig.Sql(
                                new HostPort("0.0.0.0", 5432),
                                directory.resolve("users.txt"),
                                true,
                                directory.resolve("client.pem"),
                                Path.of("/etc/namdb/client.key"),
                                500,
                                8,
                                Duration.ofSeconds(20),
                                Duration.ofMinutes(1),
                                1 << 20,
                                Duration.ofMillis(250),
                                new HostPort("127.0.0.1", 9187)));
        assertThat(read(SERVERS).config().sql()).isEqualTo(ClusterConfig.Sql.NONE);
        assertThat(config.name()).isEqualTo("orders");
        assertThat(config.memoryServers())
                .containsExactly(
                        new ClusterConfig.Memory(
                                new HostPort("10.0.0.1", 7400),
                                4L << 30,
                                Path.of("/dev/shm/nam"),
                                1),
                        new ClusterConfig.Memory(
                                new HostPort("10.0.0.2", 7400), 1L << 30, null, 1));
        assertThat(config.slots()).isEqualTo(64);
        assertThat(config.maxTransactionTime()).isEqualTo(Duration.ofSeconds(20));
        assertThat(config.security().tokenFile()).isEqualTo(directory.resolve("token"));
        assertThat(config.security().tls())
                .isEqualTo(
                        new TlsFiles(
                                Path.of("/etc/namdb/server.pem"),
                                directory.resolve("server.key"),
                                Path.of("/etc/namdb/authority.pem")));
        assertThat(config.membership())
                .isEqualTo(
                        new ClusterConfig.Membership(
                                List.of(new HostPort("zk1", 2181), new HostPort("zk2", 2181)),
                                Duration.ofSeconds(3)));
    }

    @Test
    void aFileSaysHowRdmaIsDone() {
        assertThat(read(SERVERS + "transport: rdma\n").config().rdma())
                .isEqualTo(RdmaOptions.DEFAULT);
        ClusterConfig config =
                read(SERVERS
                                + """
                                transport: RDMA
                                security: {token-file: token}
                                rdma:
                                  device: mlx5_1
                                  port: 2
                                  gid: 3
                                  landing-buffer: 256k
                                  send-depth: 64
                                  timeout: 5s
                                """)
                        .config();
        assertThat(config.transport()).isEqualTo(Transport.RDMA);
        assertThat(config.rdma())
                .isEqualTo(
                        RdmaOptions.DEFAULT
                                .withDevice("mlx5_1", 2, 3)
                                .withLandingBytes(256 << 10)
                                .withSendDepth(64)
                                .withTimeoutNanos(5_000_000_000L));
    }

    @Test
    void withTlsRequiredRdmaIsRefused() {
        String tls = "security: {tls: {certificate: c, key: k, authority: a}}\n";
        assertThat(read(SERVERS + "transport: tcp\n" + tls).config().security().tls()).isNotNull();
        assertThatThrownBy(() -> read(SERVERS + "transport: rdma\n" + tls))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        file
                                + ": security.tls is for TCP, and transport: rdma encrypts nothing;"
                                + " use security.token-file");
    }

    @Test
    void theCommandLineOverridesTheEnvironmentAndThatTheFile() {
        String text = SERVERS + "slots: 64\n";
        Map<String, String> environment =
                Map.of(
                        "NAMDB_SLOTS", "65",
                        "NAMDB_MEMORY_SERVERS_1_MEMORY", "2g",
                        "NAMDB_PORT", "tcp://10.0.0.9:80",
                        "PATH", "/bin");
        assertThat(read(text).config().slots()).isEqualTo(64);
        ClusterConfig config = read(text, environment, Map.of()).config();
        assertThat(config.slots()).isEqualTo(65);
        assertThat(config.memoryServers().get(1).bytes()).isEqualTo(2L << 30);
        assertThat(read(text, environment, Map.of("slots", "66")).config().slots()).isEqualTo(66);
    }

    @Test
    void thePrintedSettingsHaveOriginsAndCanBeReadAgain() throws IOException {
        ClusterSettings settings =
                read(
                        SERVERS
                                + "security:\n  token-file: token\n  tls: {certificate: /c, key: /k}\n",
                        Map.of(
                                "NAMDB_MEMBERSHIP_LEASE", "4s",
                                "NAMDB_RDMA_GID", "5",
                                "NAMDB_SECURITY_TLS_AUTHORITY", "/a"),
                        Map.of("slots", "66", "security.tls.key", "/key"));
        String text = settings.describe();
        assertThat(text.lines().map(line -> line.replaceAll(" +#", " #")))
                .contains(
                        "name: namdb # default",
                        "  - address: 10.0.0.1:7400 # " + file + ":2",
                        "    memory: 1g # default",
                        "slots: 66 # option --set slots",
                        "rdma:",
                        "  gid: 5 # environment NAMDB_RDMA_GID",
                        "  landing-buffer: 1m # default",
                        "security:",
                        "  token-file: token # " + file + ":7",
                        "  tls:",
                        "    certificate: /c # " + file + ":8",
                        "    key: /key # option --set security.tls.key",
                        "    authority: /a # environment NAMDB_SECURITY_TLS_AUTHORITY",
                        "membership:",
                        "  lease: 4s # environment NAMDB_MEMBERSHIP_LEASE");
        assertThat(read(text).config()).isEqualTo(settings.config());
    }

    /// An address has bits for so many.
    @Test
    void moreThan128MemoryServersAreRefused() {
        String server = "  - address: 10.0.0.1:7400\n";
        String most = "memory-servers:\n" + server.repeat(128);
        assertThat(read(most).config().memoryServers()).hasSize(128);
        assertThatThrownBy(() -> read(most + server))
                .isInstanceOf(ConfigException.class)
                .hasMessage("%s: there are 129 memory-servers: 128 are the most", file);
    }

    @Test
    void aMemoryServerHasWorkers() {
        ClusterSettings settings =
                read(SERVERS, Map.of(), Map.of("memory-servers[1].workers", "3"));
        assertThat(settings.config().memoryServers())
                .extracting(ClusterConfig.Memory::workers)
                .containsExactly(1, 3);
        assertThat(read(settings.describe()).config()).isEqualTo(settings.config());
        assertThatThrownBy(() -> read(SERVERS, Map.of(), Map.of("memory-servers[1].workers", "65")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("it is a whole number from 1 to 64, not '65'");
    }

    @ParameterizedTest
    @CsvSource({
        "memory-servers[0].address, [::1]:7400",
        "memory-servers[0].memory, 8 GiB",
        "memory-servers[0].directory, /dev/shm/a # b",
        "memory-servers[0].directory, /dev/shm/it's: mine",
        "security.token-file, '/- a:'",
        "membership.zookeeper, '[::1]:2181,zoo-1:2181'",
        "rdma.device, '&mlx5_0'"
    })
    void whatYamlInterpretsIsPrintedInQuotes(String name, String value) {
        ClusterSettings settings = read(SERVERS, Map.of(), Map.of(name, value));
        assertThat(read(settings.describe()).config()).isEqualTo(settings.config());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "slots: many   | FILE:6: slots is wrong: it is a whole number from 4 to 16384, not 'many'",
                "membership: {lease: 1ms} | FILE:6: membership.lease is wrong: it is 500 ms or more, not '1ms'",
                "membership: {lease: soon}| FILE:6: membership.lease is wrong: a duration is a whole number and a"
                        + " unit as in 500ms, 20s, 5m or 1h, not 'soon'",
                "membership: {zookeeper: here} | FILE:6: membership.zookeeper is wrong: an address is a host and a"
                        + " port as in 10.0.0.1:7400, not 'here'",
                "'name: A B' | FILE:6: name is wrong: it has 1 to 63 of a to z, 0 to 9 and -, and is not 'A B'",
                "transport: udp | FILE:6: transport is wrong: it is one of auto, shm, tcp, rdma, not 'udp'",
                "rdma: {gid: -1} | FILE:6: rdma.gid is wrong: it is a whole number from 0 to 255, not '-1'",
                "rdma: {port: 0} | FILE:6: rdma.port is wrong: it is a whole number from 1 to 255, not '0'",
                "rdma: {device: ' '} | FILE:6: rdma.device is wrong: it can't be empty",
                "rdma: {landing-buffer: 1g} | FILE:6: rdma.landing-buffer is wrong: it is 64k to 256m, not '1g'",
                "sql: {max-message: 1k} | FILE:6: sql.max-message is wrong: it is 64k to 1g, not '1k'",
                "sql: {tls-key: k} | FILE: sql.tls-certificate and sql.tls-key belong together: give both",
                "slots: [4  | FILE:7: no YAML: expected ',' or ']', but got <stream end>",
            })
    void whatIsWrongIsSaidWithItsLineAndWhatIsAllowed(String line, String message) {
        assertThatThrownBy(() -> read(SERVERS + line + "\n").config())
                .isInstanceOf(ConfigException.class)
                .hasMessage(message.replace("FILE", file.toString()));
    }

    @Test
    void unknownSettingsAreRefusedWhereverTheyStand() {
        assertThatThrownBy(() -> read(SERVERS + "slot: 4\n"))
                .hasMessageStartingWith(file + ":6: there is no setting slot; there are name, ");
        assertThatThrownBy(() -> read("memory-servers: [{adress: a:1}]\n"))
                .hasMessageStartingWith(file + ":1: there is no setting memory-servers[0].adress;");
        assertThatThrownBy(() -> read(SERVERS, Map.of("NAMDB_SLOT", "1"), Map.of()))
                .hasMessageStartingWith("environment NAMDB_SLOT: there is no such setting;");
        assertThatThrownBy(() -> read(SERVERS, Map.of(), Map.of("slot", "1")))
                .hasMessageStartingWith("option --set slot: there is no setting slot;");
    }

    @Test
    void replicatedCommitsNeedTwoMemoryServers() {
        assertThat(read(SERVERS).config().replicatedCommits()).isFalse();
        assertThat(read(SERVERS + "replicated-commits: true\n").config().replicatedCommits())
                .isTrue();
        assertThatThrownBy(() ->
                        read("memory-servers: [{address: a:1}]\nreplicated-commits: true\n")
                                .config())
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        file
                                + ": replicated-commits: true needs two memory-servers at least, as"
                                + " each commit is written to two of them");
    }

    @Test
    void dataDirectoriesBelongToReplicatedCommitsAndToAll() {
        String two =
                """
                replicated-commits: true
                memory-servers:
                  - {address: a:1, data: one}
                  - {address: b:1, data: two}
                """;
        ClusterConfig config = read(two).config();
        assertThat(config.isKept()).isTrue();
        assertThat(config.durability()).isEqualTo(ClusterDurability.SYNC);
        assertThat(config.memoryServers().get(1).data()).isEqualTo(directory.resolve("two"));
        assertThat(read(two + "durability: async\n").config().durability())
                .isEqualTo(ClusterDurability.ASYNC);
        assertThat(read(SERVERS).config().isKept()).isFalse();
        assertThatThrownBy(() -> read(two.replace("true", "false")).config())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("memory-servers[].data needs replicated-commits: true");
        for (String other : List.of("", ", data: one")) {
            assertThatThrownBy(() -> read(two.replace(", data: two", other)).config())
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("give each memory server a directory of its own");
        }
        assertThatThrownBy(() -> read(two + "durability: none\n").config())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("durability is wrong: it is one of sync, async");
    }

    @Test
    void missingSettingsAreNamed() {
        assertThatThrownBy(() -> read(""))
                .hasMessageStartingWith(file + ": memory-servers is empty; ");
        assertThatThrownBy(() -> read("memory-servers: [{memory: 1g}]\n"))
                .hasMessage(file + ": memory-servers[0] has no address, as in 10.0.0.1:7400");
        assertThatThrownBy(() ->
                        read(SERVERS, Map.of("NAMDB_MEMORY_SERVERS_3_ADDRESS", "a:1"), Map.of()))
                .hasMessage(
                        "environment NAMDB_MEMORY_SERVERS_3_ADDRESS: there is no memory server 2"
                                + " before memory-servers[3].address");
        assertThatThrownBy(() -> read(SERVERS + "security: {tls: {key: a, authority: b}}\n"))
                .hasMessage(
                        file
                                + ": security.tls.certificate is missing: TLS needs a certificate,"
                                + " its key and the authority");
        assertThatThrownBy(
                        () -> ClusterSettings.read(file.resolveSibling("no"), Map.of(), Map.of()))
                .hasMessage("there is no file " + file.resolveSibling("no"));
    }

    @Test
    void computeServersListenForEachOtherWhereTheyCanFindAndTrustEachOther() {
        assertThat(read(SERVERS).config().compute().peers()).isNull();
        String alone = SERVERS + "compute: {peers: '%s'}\n";
        assertThatThrownBy(() -> read(alone.formatted("127.0.0.1:0")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("compute.peers needs membership.zookeeper");
        String found = alone + "membership: {zookeeper: 'z:2181'}\n";
        assertThat(read(found.formatted("127.0.0.1:0")).config().compute().peers())
                .isEqualTo(new HostPort("127.0.0.1", 0));
        assertThatThrownBy(() -> read(found.formatted("0.0.0.0:0")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("give the cluster a security.token-file");
        String trusted = found + "security: {token-file: t}\n";
        assertThat(read(trusted.formatted("0.0.0.0:0")).config().compute().peers())
                .isEqualTo(new HostPort("0.0.0.0", 0));
    }

    @Test
    void aSettingHasOneValue() {
        assertThatThrownBy(() -> read(SERVERS + "slots: 5\nslots: 6\n"))
                .hasMessage(file + ":7: slots has a value already, at " + file + ":6");
    }
}
