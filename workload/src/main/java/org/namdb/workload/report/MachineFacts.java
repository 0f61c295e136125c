package org.namdb.workload.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.namdb.workload.RunOptions;

/// Where a run took place, so that its numbers can be compared.
///
/// @param processor the model
/// @param processors how many of them the process may use
/// @param memoryBytes the memory that the process may use
/// @param operatingSystem name, version and architecture
/// @param java the Java machine and its version
/// @param version NamDB's own
/// @param time when it was, in UTC
public record MachineFacts(
        String processor,
        int processors,
        long memoryBytes,
        String operatingSystem,
        String java,
        String version,
        String time) {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

    /// The facts of this machine.
    ///
    /// @param time when the run is, in UTC
    public static MachineFacts read(String time) {
        String version = RunOptions.class.getPackage().getImplementationVersion();
        return new MachineFacts(
                processorModel(),
                Runtime.getRuntime().availableProcessors(),
                machineBytes(),
                property("os.name") + " " + property("os.version") + " " + property("os.arch"),
                property("java.vm.name") + " " + Runtime.version(),
                version == null ? "development" : version,
                time);
    }

    /// The memory that the process may use: the machine's or the container's.
    public static long machineBytes() {
        var system =
                ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class);
        return system.getTotalMemorySize();
    }

    private static String processorModel() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown"; // no Linux: the run doesn't depend on it
        }
    }

    private static String property(String name) {
        return System.getProperty(name, "unknown");
    }
}
