package org.namdb.simulated;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;

/// Requests of a process that is fenced while they wait, or are being handled.
class SimRequestTest {
    private static final int ZOMBIE = 7;
    private static final long HANDLING_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private int begun;
    private int done;
    private int doneAtFence = -1;
    private final List<FabricException.Kind> failures = new ArrayList<>();

    /// ```
    /// z1, z2, z3  post requests; the first is being handled, the others wait
    /// c           fences z
    /// m           ends the first; c's fence is confirmed; the others are not handled
    /// ```
    @Test
    void noRequestOfTheFencedIsHandledAfterTheFence() {
        run();
        assertThat(begun).isEqualTo(1);
        assertThat(doneAtFence).isEqualTo(1);
        assertThat(failures).hasSize(3).containsOnly(FabricException.Kind.FENCED);
    }

    private void run() {
        try (Simulation simulation =
                        new Simulation(1, ClusterModel.FREE_PROCESSORS, SimTrace.off());
                SimFabric fabric = new SimFabric(simulation, 1 << 15)) {
            SimHost memory = simulation.host("memory");
            MemoryFabric side = fabric.memorySide(memory);
            Region region = side.register(0, 1 << 16);
            side.serve(0, RequestHandler.ofArrays(request -> handle(memory, request)));
            SimHost zombie = simulation.host("zombie");
            ComputeFabric zombies = fabric.computeSide(zombie);
            for (int i = 0; i < 3; i++) {
                zombie.start("caller", () -> call(zombies, region));
            }
            SimHost cleaner = simulation.host("cleaner");
            cleaner.start(
                    "cleaner",
                    () -> {
                        cleaner.sleep(HANDLING_NANOS / 2);
                        fabric.computeSide(cleaner).fence(ZOMBIE);
                        doneAtFence = done;
                    });
            simulation.run(TimeUnit.SECONDS.toNanos(1));
        }
    }

    /// A test of the tests: a fence that does not wait for requests is found.
    @Test
    void aFenceThatDoesNotWaitForRequestsIsFound() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-Dnamdb.planted=" + PlantedFault.FENCE_BEFORE_REQUESTS.label(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                PlantedFence.class.getName())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), UTF_8);
        process.waitFor();
        assertThat(output).contains("found: 3 handled, 0 before the fence");
    }

    /// What runs in a JVM of its own, with the fault.
    static final class PlantedFence {
        private PlantedFence() {}

        public static void main(String[] arguments) {
            SimRequestTest test = new SimRequestTest();
            test.run();
            System.out.printf(
                    "found: %d handled, %d before the fence%n", test.begun, test.doneAtFence);
        }
    }

    private byte[] handle(SimHost memory, byte[] request) {
        begun++;
        memory.sleep(HANDLING_NANOS);
        done++;
        return request;
    }

    private void call(ComputeFabric zombies, Region region) {
        zombies.enroll(ZOMBIE);
        try (QueuePair queuePair = zombies.connect(List.of(region))) {
            byte[] _ = queuePair.call(0, new byte[8], 64);
        } catch (FabricException e) {
            failures.add(e.kind());
        }
    }
}
