package org.namdb.fabric.shm;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Zeroed memory of any size, mapped: anonymous, or a named file that other processes can map too
/// (put it on a memory file system such as `/dev/shm`). It uses huge pages where the kernel grants
/// them, which halve the cost of a random access. Pages take memory when they are first touched.
final class Mapping implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Mapping.class);

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final long REFUSED = -1;
    private static final int MADV_HUGEPAGE = 14;
    private static final long HUGE_PAGE_BYTES = 2L << 20;

    private static final Set<StandardOpenOption> EXISTING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> NEW =
            Set.of(
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);

    /// A process that can open a region's file can read and change the whole database.
    private static final FileAttribute<Set<PosixFilePermission>> OWNERS =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle MMAP =
            function(
                    "mmap",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG));
    private static final MethodHandle MUNMAP =
            function(
                    "munmap",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private static final MethodHandle MADVISE =
            function(
                    "madvise",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT));

    private final long mapped;
    private final long mappedBytes;
    private final long address;
    private final long bytes;
    private final @Nullable Arena arena;
    private final @Nullable Path file;

    private Mapping(
            long mapped,
            long mappedBytes,
            long address,
            long bytes,
            @Nullable Arena arena,
            @Nullable Path file) {
        this.mapped = mapped;
        this.mappedBytes = mappedBytes;
        this.address = address;
        this.bytes = bytes;
        this.arena = arena;
        this.file = file;
    }

    /// Zeroed pages of this process alone, until the arena is closed. Unlike what an arena
    /// allocates, they are not written before they are used.
    ///
    /// @throws OutOfMemoryError if there are none, as an arena does
    static MemorySegment pages(long bytes, Arena arena) {
        long mapped = map(bytes);
        if (mapped == REFUSED) {
            throw new OutOfMemoryError("no " + bytes + " bytes of pages");
        }
        return MemorySegment.ofAddress(mapped)
                .reinterpret(bytes, arena, _ -> call(MUNMAP, mapped, bytes));
    }

    private static long map(long bytes) {
        return call(MMAP, 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
    }

    /// Maps memory of this process alone.
    static Mapping anonymous(long bytes) {
        long mappedBytes = bytes + HUGE_PAGE_BYTES;
        long mapped = map(mappedBytes);
        if (mapped == REFUSED) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "the operating system refuses to map "
                            + (bytes >> 20)
                            + " MiB: ask for less memory");
        }
        long address = (mapped + HUGE_PAGE_BYTES - 1) & -HUGE_PAGE_BYTES;
        call(MADVISE, address, bytes, MADV_HUGEPAGE);
        return new Mapping(mapped, mappedBytes, address, bytes, null, null);
    }

    /// Maps a new file, which is deleted when the mapping is closed. One that is left from an
    /// earlier run is replaced, and not cut to size under a process that may still have it mapped.
    static Mapping file(Path path, long bytes) {
        Arena arena = Arena.ofShared();
        try {
            Files.deleteIfExists(path);
            requireSpace(path, bytes);
            return map(path, bytes, arena, NEW);
        } catch (IOException e) {
            arena.close();
            delete(path);
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "can't map " + path + ": " + e.getMessage(), e);
        }
    }

    /// Pages are allocated when they are first touched; if that fails, the process that touches one
    /// is killed. Others may still take the space, but a region that can't fit is refused.
    private static void requireSpace(Path path, long bytes) throws IOException {
        Path directory = path.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new IOException("there is no directory " + directory);
        }
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < bytes) {
            throw new IOException(
                    "%d MiB are free there, of %d MiB that are needed"
                            .formatted(free >> 20, bytes >> 20));
        }
    }

    /// Maps a file that is left from an earlier run, with what is in it. It is deleted when the
    /// mapping is closed.
    static Mapping existing(Path path, long bytes) {
        Arena arena = Arena.ofShared();
        try {
            if (Files.size(path) != bytes) {
                throw new IOException("it has " + Files.size(path) + " bytes, not " + bytes);
            }
            return map(path, bytes, arena, EXISTING);
        } catch (IOException e) {
            arena.close();
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "can't map " + path + ": " + e.getMessage(), e);
        }
    }

    /// Maps a file that another process has made, and deletes.
    static Mapping ofOther(Path path, long bytes) {
        Arena arena = Arena.ofShared();
        try {
            long size = Files.size(path);
            if (size != bytes) { // a mapping beyond its end would stop the process when touched
                throw new IOException("it has " + size + " bytes, not " + bytes);
            }
            Mapping own = map(path, bytes, arena, EXISTING);
            return new Mapping(0, 0, own.address, bytes, arena, null);
        } catch (IOException e) {
            arena.close();
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "can't map " + path + ": " + e.getMessage(), e);
        }
    }

    private static Mapping map(Path path, long bytes, Arena arena, Set<StandardOpenOption> how)
            throws IOException {
        boolean isPosix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes =
                isPosix ? new FileAttribute<?>[] {OWNERS} : new FileAttribute<?>[0];
        try (FileChannel channel = FileChannel.open(path, how, attributes)) {
            MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, arena);
            call(MADVISE, segment.address(), bytes, MADV_HUGEPAGE);
            return new Mapping(0, 0, segment.address(), bytes, arena, path);
        }
    }

    /// The native address of the first byte.
    long address() {
        return address;
    }

    long bytes() {
        return bytes;
    }

    @Override
    public void close() {
        if (arena != null) {
            arena.close();
        } else {
            call(MUNMAP, mapped, mappedBytes);
        }
        if (file != null) {
            delete(file);
        }
    }

    /// A file that stays is a nuisance, and no reason to fail: the memory is unmapped already.
    private static void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("can't delete {}: {}", file, e.getMessage());
        }
    }

    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor);
    }

    private static long call(MethodHandle function, Object... arguments) {
        try {
            return ((Number) function.invokeWithArguments(arguments)).longValue();
        } catch (Throwable e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "a system call can't be made: " + e.getMessage(),
                    e);
        }
    }
}
