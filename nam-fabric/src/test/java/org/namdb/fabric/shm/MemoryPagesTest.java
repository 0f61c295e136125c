package org.namdb.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

class MemoryPagesTest {
    private static final List<String> MAPPINGS =
            List.of(
                    "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 ",
                    "Size:               4096 kB",
                    "KernelPageSize:        4 kB",
                    "AnonHugePages:      2048 kB",
                    "VmFlags: rd wr mr mw me ac hg ",
                    "7f0000400000-7f0000800000 rw-s 00000000 00:1b 42    /dev/shm/a: b-c",
                    "KernelPageSize:        4 kB",
                    "ShmemPmdMapped:        0 kB",
                    "7f0000800000-7f0000c00000 rw-s 00000000 00:1b 43    /dev/shm/region",
                    "KernelPageSize:        4 kB",
                    "ShmemPmdMapped:     2048 kB",
                    "7f0000c00000-7f0001000000 rw-s 00000000 00:1c 44    /dev/hugepages/region",
                    "KernelPageSize:     2048 kB",
                    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0    [vsyscall]",
                    "KernelPageSize:        4 kB");

    @Test
    void hugePagesAreThoseOfTheMappingAroundTheAddress() {
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x7f0000000000L)).isEqualTo(2 << 20);
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x7f00003fffffL)).isEqualTo(2 << 20);
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x7f0000400000L)).isEqualTo(4 << 10);
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x7f0000800000L)).isEqualTo(2 << 20);
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x7f0000c00000L)).isEqualTo(2 << 20);
        assertThat(MemoryPages.bytesAt(MAPPINGS, 0x10L)).isEqualTo(4 << 10);
    }

    @Test
    void memoryOfTheProcessAloneIsInHugePagesWhereTheKernelAllowsThem() throws IOException {
        Path setting = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        assumeTrue(Files.exists(setting), "no transparent huge pages");
        try (Mapping mapping = Mapping.anonymous(8 << 20)) {
            LocalMemory.putLong(mapping.address(), 1);
            boolean isAllowed = !Files.readString(setting).contains("[never]");
            // Where memory is in pieces, the kernel may have none to give.
            assertThat(MemoryPages.bytesAt(mapping.address()))
                    .isIn(isAllowed ? List.of(2L << 20, 4L << 10) : List.of(4L << 10));
        }
    }

    /// Those of a session that reads little take little.
    @Test
    void landingBuffersTakeMemoryAsTheyAreUsed() throws IOException {
        Path status = Path.of("/proc/self/statm");
        assumeTrue(Files.exists(status), "no /proc");
        ShmFabric.Options options = new ShmFabric.Options(true, 64 << 20, null);
        try (ShmFabric fabric = new ShmFabric(options)) {
            long before = residentPages(status);
            try (QueuePair queuePair = fabric.connect(List.of())) {
                LocalMemory.putLong(queuePair.localMemory(64 << 20), 1);
                assertThat(residentPages(status) - before).isLessThan((32L << 20) / 4096);
            }
        }
    }

    private static long residentPages(Path status) throws IOException {
        return Long.parseLong(Files.readString(status).split(" ", -1)[1]);
    }
}
