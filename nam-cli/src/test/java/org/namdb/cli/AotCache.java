package org.namdb.cli;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/// Halves what the start of a JVM costs, of which these tests start hundreds: makes the AOT cache
/// that `-XX:AOTCache` names, an option that a process hands on to those it starts. The JVM refuses
/// a cache if the class path has directories, so the processes get jars of them:
/// ```
/// this JVM        -cp /target/classes:a.jar
/// AotTraining     -cp /target/aot/target/classes/all.jar:a.jar   writes the cache
/// other processes -cp /target/aot/target/classes/all.jar:a.jar   read it
/// ```
/// The first of the JVMs that share the tests makes it; the others don't wait. A JVM ignores a
/// cache that is missing or does not fit, so the tests run without one, too, only longer.
public final class AotCache implements LauncherSessionListener {
    private static final String OPTION = "-XX:AOTCache=";
    private static final long TRAINING_SECONDS = 300;

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        for (String each : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (each.startsWith(OPTION)) {
                prepare(Path.of(each.substring(OPTION.length())).toAbsolutePath());
            }
        }
    }

    private static void prepare(Path cache) {
        Path directory = cache.resolveSibling("aot");
        try {
            Files.createDirectories(directory);
            List<Path> jars;
            try (FileChannel channel = open(directory.resolve("jars.lock"));
                    FileLock _ = channel.lock()) {
                jars = jars(directory);
            }
            String classPath =
                    String.join(File.pathSeparator, jars.stream().map(Path::toString).toList());
            System.setProperty("java.class.path", classPath);
            // A few selected tests (-Dtest=..) cost less than the cache.
            if (System.getProperty("test") == null) {
                try (FileChannel channel = open(directory.resolve("cache.lock"));
                        FileLock lock = channel.tryLock()) {
                    if (lock != null && isStale(cache, jars)) {
                        make(cache, directory, classPath);
                    }
                }
            }
        } catch (IOException e) {
            System.err.println("The processes of tests start without an AOT cache: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /// The class path, with jars instead of directories. A jar's path has its directory's in it:
    /// ArchUnit tells test classes by `/target/test-classes/`.
    private static List<Path> jars(Path directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(each).toAbsolutePath();
            if (Files.isDirectory(path)) {
                Path jar = directory.resolve("." + path).resolve("all.jar").normalize();
                pack(path, jar);
                jars.add(jar);
            } else if (Files.exists(path)) {
                jars.add(path);
            }
        }
        return jars;
    }

    /// Packs a directory, unless the jar is as new as all of it.
    private static void pack(Path directory, Path jar) throws IOException {
        List<Path> all;
        try (Stream<Path> found = Files.walk(directory)) {
            all = found.sorted().toList();
        }
        FileTime made = Files.exists(jar) ? Files.getLastModifiedTime(jar) : FileTime.fromMillis(0);
        boolean isFresh = true;
        for (Path each : all) {
            isFresh &= Files.getLastModifiedTime(each).compareTo(made) < 0;
        }
        if (isFresh) {
            return;
        }
        Files.createDirectories(jar.resolveSibling("."));
        Path written = jar.resolveSibling("new.jar");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(written))) {
            zip.setLevel(0);
            for (Path each : all) {
                String name = directory.relativize(each).toString();
                if (Files.isRegularFile(each)) {
                    zip.putNextEntry(new ZipEntry(name));
                    Files.copy(each, zip);
                } else if (!name.isEmpty()) {
                    zip.putNextEntry(new ZipEntry(name + "/"));
                }
            }
        }
        Files.move(written, jar, StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean isStale(Path cache, List<Path> jars) throws IOException {
        if (!Files.exists(cache)) {
            return true;
        }
        FileTime made = Files.getLastModifiedTime(cache);
        for (Path each : jars) {
            if (Files.getLastModifiedTime(each).compareTo(made) > 0) {
                return true;
            }
        }
        return false;
    }

    private static void make(Path cache, Path directory, String classPath)
            throws IOException, InterruptedException {
        Path cluster = directory.resolve("cluster");
        Path written = directory.resolve("new.aot");
        Files.deleteIfExists(written);
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElseThrow());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> !each.startsWith("-Xm") && !each.startsWith(OPTION))
                .forEach(command::add);
        command.addAll(List.of("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-XX:AOTCacheOutput=" + written, "-cp", classPath));
        command.addAll(List.of(AotTraining.class.getName(), cluster.toString()));
        Path log = directory.resolve("training.log");
        try {
            Process training =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            if (!training.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS)) {
                training.descendants().forEach(ProcessHandle::destroyForcibly);
                boolean _ = training.destroyForcibly().waitFor(1, TimeUnit.MINUTES);
            }
            if (training.exitValue() != 0 || !Files.exists(written)) {
                throw new IOException("the training run has failed, see " + log);
            }
        } finally {
            int _ = new LocalCluster(cluster).end(); // its memory
        }
        Files.move(written, cache, StandardCopyOption.ATOMIC_MOVE);
    }
}
