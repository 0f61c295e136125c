package org.namdb.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.Transport;
import org.namdb.cluster.membership.Member;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.cluster.ClusterPicture;
import org.namdb.compute.cluster.MemoryServerState;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.compute.journal.JournalClient;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.ServerUsage;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.TimestampVectorState;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `nam status`: what a cluster's servers do, sampled for a second.
@Command(
        name = "status",
        mixinStandardHelpOptions = true,
        description = "Shows a cluster's servers, regions, slots and snapshots, and their rates.")
final class StatusCommand implements Callable<Integer> {
    /// A status request does not wait for missing servers.
    private static final Map<String, String> SHORT_WAIT = Map.of("compute.attach-wait", "5s");

    /// And it has nothing to map memory for.
    private static final Map<String, String> BY_TCP =
            Map.of("compute.attach-wait", "5s", "transport", Transport.TCP.toString());

    @Spec private CommandSpec spec;

    @Mixin private ConfigOptions options;

    @Override
    public Integer call() {
        ClusterConfig config = options.config(SHORT_WAIT);
        if (config.transport() != Transport.RDMA) {
            config = options.config(BY_TCP);
        }
        List<MemoryServerState> states;
        try {
            states = MemoryServerState.readAll(config);
        } catch (FabricException e) {
            spec.commandLine().getErr().printf("nam status: %s%n", e.getMessage());
            return 1;
        }
        boolean areThere = states.stream().allMatch(each -> each.failure() == null);
        return areThere ? show(config) : showEach(config, states);
    }

    /// A memory server is away, and no compute server can use the database.
    private int showEach(ClusterConfig config, List<MemoryServerState> states) {
        PrintWriter out = spec.commandLine().getOut();
        List<String> away = new ArrayList<>();
        for (MemoryServerState each : states) {
            ServerUsage usage = each.usage();
            String what;
            if (each.failure() != null) {
                what = "can't be reached: " + each.failure();
                away.add("memory server %d at %s".formatted(each.number(), each.address()));
            } else if (usage == null) {
                what = "runs, and has no memory yet";
            } else {
                what =
                        "runs, %s of %s used"
                                .formatted(
                                        ByteSize.describe(usage.usedBytes()),
                                        ByteSize.describe(usage.regionBytes()));
            }
            out.printf("memory server %d  %s, at %s%n", each.number(), what, each.address());
        }
        showMembers(out, config);
        out.flush();
        spec.commandLine()
                .getErr()
                .printf(
                        "nam status: %s can't be reached, and the database can't be used without:"
                                + " %s%n",
                        String.join(", ", away),
                        config.isKept()
                                ? "start it again with its data directory ('nam cluster start', for"
                                        + " a cluster on this machine)"
                                : "if it has died, what it held is lost; restart all ('nam cluster"
                                        + " down' and 'up', for a cluster on this machine)");
        return 1;
    }

    private static void showMembers(PrintWriter out, ClusterConfig config) {
        try {
            List<Member> members = ClusterPicture.members(config);
            members.forEach(out::println);
            if (members.isEmpty()) {
                out.println("compute servers  none is joined: they join again by themselves");
            }
        } catch (MembershipException e) {
            out.println("compute servers  unknown: " + e.getMessage());
        }
    }

    private int show(ClusterConfig config) {
        PrintWriter out = spec.commandLine().getOut();
        try (ClusterPicture picture =
                ClusterPicture.of(
                        MemoryServers.await(
                                config,
                                () -> ComputeTransport.connect(config),
                                false,
                                Host.MACHINE,
                                _ -> {}),
                        config)) {
            picture.sample(Host.MACHINE);
            for (ClusterPicture.Server server : picture.servers()) {
                out.printf(
                        "memory server %d  %s of %s used, %s, %,d records with old versions%n",
                        server.number(),
                        ByteSize.describe(server.usage().usedBytes()),
                        ByteSize.describe(server.usage().regionBytes()),
                        verbs(server),
                        server.versioned());
            }
            showCommits(out, picture);
            List<Member> members = picture.members();
            TimestampVectorState state = picture.state();
            members.forEach(member -> out.println(member));
            out.printf(
                    "slots            %d of %d in use, on %d of the memory servers%n",
                    state.slotsInUse(), state.slots(), picture.vectorServers());
            out.printf(
                    "snapshots        member %,d, %,d new per second; versions are kept for member"
                            + " %,d and later (%s old)%n",
                    state.newest(),
                    picture.newPerSecond(),
                    state.watermark(),
                    age(picture.watermarkAgeNanos()));
            out.flush();
            return 0;
        } catch (ConfigException
                | FabricException
                | MembershipException
                | IllegalStateException e) {
            spec.commandLine().getErr().println("nam status: " + e.getMessage());
            return 1;
        }
    }

    private static void showCommits(PrintWriter out, ClusterPicture picture) {
        QueuePair queuePair = picture.connection();
        if (DatabaseLayout.imageRingBytes(queuePair) == 0) {
            return;
        }
        long kept = DatabaseLayout.kept(queuePair);
        out.printf(
                "commits          are on two memory servers%s%n",
                kept == 0
                        ? ""
                        : kept == RegionLayout.KEPT_SYNC
                                ? ", and acknowledged when they are on the disks of all"
                                : ", and shortly afterwards on the disks of all");
        for (ClusterPicture.Server server : picture.servers()) {
            if (kept != 0) {
                JournalClient.Status status =
                        new JournalClient(queuePair, server.number()).status();
                out.printf(
                        "data of server %d %s, %s since its start, last cut %s%n",
                        server.number(),
                        status.place(),
                        ByteSize.describe(Math.max(0, status.bytes())),
                        status.cutNanos() < 0
                                ? "never"
                                : "%,d ms ago".formatted(status.cutNanos() / 1_000_000));
            }
        }
    }

    private static String age(long nanos) {
        long millis = nanos / 1_000_000;
        return millis >= ClusterPicture.SAMPLE_MILLIS
                ? "at least %d s".formatted(millis / 1_000)
                : millis + " ms";
    }

    private static String verbs(ClusterPicture.Server server) {
        return server.verbsPerSecond().isPresent()
                ? "%,d verbs/s".formatted(server.verbsPerSecond().getAsLong())
                : "verbs by RDMA";
    }
}
