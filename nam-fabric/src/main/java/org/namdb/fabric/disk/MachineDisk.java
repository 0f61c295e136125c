package org.namdb.fabric.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A directory of this machine.
public final class MachineDisk implements Disk {
    /// The directories that this process has locked.
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private static final Set<OpenOption> READ_AND_WRITE =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Path directory;

    /// @param directory made if it is not there, as are those above it; then their names last, too
    /// @throws DiskException if it can't be made
    public MachineDisk(Path directory) {
        this.directory = directory;
        boolean isThere = Files.exists(directory);
        List<Path> parents = parentsToForce(directory);
        try {
            Files.createDirectories(directory);
            for (Path parent : parents) {
                force(parent);
            }
        } catch (AccessDeniedException e) {
            if (!isThere) { // else its permissions stay as they are
                throw failed("can't make", directory, e);
            }
        } catch (IOException e) {
            throw failed("can't make", directory, e);
        }
    }

    /// The directories that have the name of a directory that may not last yet: it is to be made,
    /// or is empty, so that its maker may have died at once.
    static List<Path> parentsToForce(Path directory) {
        List<Path> parents = new ArrayList<>();
        Path each = directory.toAbsolutePath().normalize();
        for (Path above = each.getParent(); above != null; above = each.getParent()) {
            if (Files.exists(each) && !isEmpty(each)) {
                break;
            }
            parents.add(above);
            each = above;
        }
        return parents;
    }

    private static boolean isEmpty(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.findAny().isEmpty();
        } catch (IOException e) {
            return false; // its use will fail if it is anything else
        }
    }

    private static DiskException failed(String what, Path path, IOException cause) {
        return new DiskException(what + " " + path + ": " + reason(cause), cause);
    }

    /// Some messages of the JDK are no more than a path.
    private static String reason(IOException cause) {
        String told = cause instanceof FileSystemException of ? of.getReason() : null;
        if (told != null) {
            return told;
        }
        return switch (cause) {
            case AccessDeniedException _ -> "permission is denied";
            case FileAlreadyExistsException _ -> "a file is there";
            case NoSuchFileException _ -> "there is no such file or directory";
            default -> String.valueOf(cause.getMessage());
        };
    }

    @Override
    public DiskFile open(String name) {
        Path path = path(name);
        try {
            return new MachineFile(path, FileChannel.open(path, READ_AND_WRITE));
        } catch (IOException e) {
            throw failed("can't open", path, e);
        }
    }

    /// A file system without direct access, as one in memory, or with larger blocks, opens the file
    /// as any other.
    @Override
    public DiskFile openDirect(String name, int unit) {
        Path path = path(name);
        Set<OpenOption> options = new HashSet<>(READ_AND_WRITE);
        try {
            if (options.addAll(direct())
                    && unit % Files.getFileStore(directory).getBlockSize() == 0) {
                return new MachineFile(path, FileChannel.open(path, options));
            }
        } catch (IOException | UnsupportedOperationException e) {
            return open(name);
        }
        return open(name);
    }

    /// The JDK's option of direct access, which its API does not have.
    private static Set<OpenOption> direct() {
        try {
            Class<?> type = Class.forName("com.sun.nio.file.ExtendedOpenOption");
            return Stream.of(type.getEnumConstants())
                    .filter(each -> each.toString().equals("DIRECT"))
                    .map(OpenOption.class::cast)
                    .collect(Collectors.toSet());
        } catch (ClassNotFoundException e) {
            return Set.of();
        }
    }

    private Path path(String name) {
        Disk.requirePlain(name);
        return directory.resolve(name);
    }

    @Override
    public void remove(String name) {
        Disk.requirePlain(name);
        try {
            Files.delete(directory.resolve(name));
        } catch (IOException e) {
            throw failed("can't remove", directory.resolve(name), e);
        }
    }

    @Override
    public List<String> list() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(path -> path.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw failed("can't list", directory, e);
        }
    }

    /// A directory is forced as a file is, where the operating system lets it be opened (Linux).
    @Override
    public void forceNames() {
        try {
            force(directory);
        } catch (IOException e) {
            throw failed("can't force", directory, e);
        }
    }

    private static void force(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /// The lock of a file that is never removed: the operating system releases it when the process
    /// ends, however it does. And when the process closes the file, through whichever channel: so
    /// one that this process has locked is not opened once more.
    @Override
    public Lock lock() {
        Path path = directory.resolve(LOCK_FILE);
        FileChannel locked = null;
        try {
            Path real = directory.toRealPath();
            if (LOCKED.add(real)) {
                try {
                    locked = tryLock(path);
                } finally {
                    if (locked == null) {
                        LOCKED.remove(real);
                    }
                }
            }
            if (locked != null) {
                return new MachineLock(locked, real);
            }
        } catch (IOException e) {
            throw failed("can't lock", path, e);
        }
        throw new DiskException(directory + " is in use: another database has it open", null);
    }

    private static @Nullable FileChannel tryLock(Path path) throws IOException {
        FileChannel channel =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        boolean isLocked = false;
        try {
            isLocked = channel.tryLock() != null;
            return isLocked ? channel : null;
        } finally {
            if (!isLocked) {
                closeQuietly(channel);
            }
        }
    }

    private record MachineLock(FileChannel channel, Path directory) implements Lock {
        @Override
        public void close() {
            if (channel.isOpen()) {
                closeQuietly(channel);
                LOCKED.remove(directory);
            }
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing was written to it.
        }
    }

    private record MachineFile(Path path, FileChannel channel) implements DiskFile {
        @Override
        public long size() {
            try {
                return channel.size();
            } catch (IOException e) {
                throw failed("can't read the size of", path, e);
            }
        }

        @Override
        public int read(long offset, ByteBuffer into) {
            int read = 0;
            try {
                while (into.hasRemaining()) {
                    int more = channel.read(into, offset + read);
                    if (more < 0) {
                        return read;
                    }
                    read += more;
                }
                return read;
            } catch (IOException e) {
                throw failed("can't read", path, e);
            }
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            long at = offset;
            try {
                while (from.hasRemaining()) {
                    at += channel.write(from, at);
                }
            } catch (IOException e) {
                throw failed("can't write", path, e);
            }
        }

        @Override
        public void force() {
            try {
                channel.force(false);
            } catch (IOException e) {
                throw failed("can't force", path, e);
            }
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                throw failed("can't close", path, e);
            }
        }
    }
}
