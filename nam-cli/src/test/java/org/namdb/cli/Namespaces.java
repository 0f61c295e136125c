package org.namdb.cli;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Hosts with cables that a test can pull: each is a network namespace of this machine, and its
/// cable, a pair of virtual Ethernet devices, leads to a router, which is another one. This process
/// has a cable there, too. Nothing of it is left when it is closed.
/// ```
/// host 0  eth0 --- to0 ┐
/// host 1  eth0 --- to1 ├ router, test --- this process
///                  ...
/// ```
/// The router drops what it has no route for silently, as after a cable that was cut somewhere:
/// there is no error.
final class Namespaces implements AutoCloseable {
    /// Of the networks that are set aside for tests of equipment.
    private static final int FIRST_BYTE = 198;

    private static final int SECOND_BYTE = 18;

    private static final int FIRST_HOST = 10;
    private static final long MAX_SECONDS = 20;

    private final String name = "nam" + ProcessHandle.current().pid();
    private final String network;
    private final int hosts;
    private final Thread atExit = new Thread(this::delete);

    private Namespaces(int hosts) {
        this.hosts = hosts;
        long pid = ProcessHandle.current().pid();
        this.network = "%d.%d.%d.".formatted(FIRST_BYTE, SECOND_BYTE + (pid >> 8 & 1), pid & 255);
    }

    /// Makes them; the test is skipped, with the reason, where that is not allowed.
    static Namespaces make(int hosts) {
        Namespaces namespaces = new Namespaces(hosts);
        Runtime.getRuntime().addShutdownHook(namespaces.atExit);
        boolean isMade = false;
        try {
            namespaces.tryRouter();
            namespaces.connectThisProcess();
            for (int host = 0; host < hosts; host++) {
                namespaces.connect(host);
            }
            isMade = true;
            return namespaces;
        } finally {
            if (!isMade) {
                namespaces.close();
            }
        }
    }

    /// The router, by all that needs rights.
    private void tryRouter() {
        try {
            ip("netns add " + router());
            ip("link add %s type veth peer name test netns %s".formatted(name, router()));
            run(inRouter("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"));
        } catch (IllegalStateException | UncheckedIOException e) {
            abort("needs root, iproute2, and leave to make network namespaces: " + e.getMessage());
        }
    }

    private void connectThisProcess() {
        routerIp("route add blackhole %s0/24".formatted(network));
        routerIp("addr add %s1 peer %s2 dev test".formatted(network, network));
        routerIp("link set test up");
        ip("addr add %s2 peer %s1 dev %s".formatted(network, network, name));
        ip("link set %s up".formatted(name));
        ip("route add %s0/24 via %s1".formatted(network, network));
    }

    private void connect(int host) {
        String there = "-n " + name(host) + " ";
        ip("netns add " + name(host));
        routerIp("link add to%d type veth peer name eth0 netns %s".formatted(host, name(host)));
        routerIp("addr add %s1 peer %s dev to%d".formatted(network, address(host), host));
        routerIp("link set to%d up".formatted(host));
        ip(there + "link set lo up");
        ip(there + "addr add %s peer %s1 dev eth0".formatted(address(host), network));
        ip(there + "link set eth0 up");
        ip(there + "route add default via %s1".formatted(network));
    }

    private String router() {
        return name + "-router";
    }

    private String name(int host) {
        return name + "-" + host;
    }

    /// Its address.
    String address(int host) {
        return network + (FIRST_HOST + host);
    }

    /// What precedes a command that shall run there.
    List<String> prefix(int host) {
        return List.of("ip", "netns", "exec", name(host));
    }

    /// How a cable can fail.
    enum Cut {
        /// Nothing goes through it, and the host notices that its device has no cable.
        BOTH_WAYS,
        /// What the host sends is lost, and it hears the others.
        SENDS_NOTHING,
        /// What is sent to the host is lost, and the others hear it.
        HEARS_NOTHING
    }

    /// Cuts a host's cable.
    void cut(int host, Cut how) {
        switch (how) {
            case BOTH_WAYS -> routerIp("link set to%d down".formatted(host));
            case SENDS_NOTHING -> routerIp("rule add from %s blackhole".formatted(address(host)));
            case HEARS_NOTHING -> routerIp("rule add to %s blackhole".formatted(address(host)));
        }
    }

    /// Makes it whole again.
    void mend(int host, Cut how) {
        switch (how) {
            case BOTH_WAYS -> routerIp("link set to%d up".formatted(host));
            case SENDS_NOTHING -> routerIp("rule del from %s blackhole".formatted(address(host)));
            case HEARS_NOTHING -> routerIp("rule del to %s blackhole".formatted(address(host)));
        }
    }

    private void routerIp(String arguments) {
        ip("-n " + router() + " " + arguments);
    }

    private List<String> inRouter(String... command) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", router()));
        all.addAll(List.of(command));
        return all;
    }

    private static void ip(String arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments.split(" ")));
        run(command);
    }

    private static void run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// Also of what was made in part. A namespace takes the devices in it along.
    private void delete() {
        for (int host = 0; host < hosts; host++) {
            attempt("netns del " + name(host));
        }
        attempt("netns del " + router());
        attempt("link del " + name);
    }

    private static void attempt(String arguments) {
        try {
            ip(arguments);
        } catch (IllegalStateException | UncheckedIOException e) {
            // It is not there.
        }
    }

    @Override
    public void close() {
        delete();
        boolean _ = Runtime.getRuntime().removeShutdownHook(atExit);
    }
}
