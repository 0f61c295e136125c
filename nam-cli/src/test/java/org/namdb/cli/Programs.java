package org.namdb.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Processes that a test starts, each on a small JVM of its own, with pipes for standard input and
/// output. All are ended with it.
final class Programs implements AutoCloseable {
    private static final String HEAP = "-Xmx256m";

    private final Path directory;
    private final List<Process> started = new ArrayList<>();

    /// @param directory for their standard error
    Programs(Path directory) {
        this.directory = directory;
    }

    /// Starts one.
    ///
    /// @param prefix the command that starts the JVM; empty if there is none
    Process start(List<String> prefix, String name, Class<?> main, String... arguments) {
        return start(prefix, name, main.getName(), arguments);
    }

    /// @param main the name of a class, or the path of a source file
    Process start(List<String> prefix, String name, String main, String... arguments) {
        return start(prefix, name, HEAP, main, arguments);
    }

    /// @param heap the option with the size of its heap
    Process start(List<String> prefix, String name, String heap, String main, String... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> !each.startsWith("-Xm"))
                .forEach(command::add);
        command.addAll(List.of(heap, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectError(errors(name).toFile()).start();
            started.add(process);
            return process;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path errors(String name) {
        return directory.resolve(name + ".err");
    }

    /// What one has said on standard error.
    String errorsOf(String name) {
        try {
            return Files.readString(errors(name));
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Override
    public void close() {
        started.forEach(Process::destroyForcibly);
    }
}
