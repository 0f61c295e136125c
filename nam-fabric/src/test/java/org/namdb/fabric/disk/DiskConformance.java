package org.namdb.fabric.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What every disk does. A provider's test extends it.
public abstract class DiskConformance {
    /// An empty one.
    protected abstract Disk disk();

    protected static ByteBuffer filled(int bytes, int value) {
        byte[] content = new byte[bytes];
        Arrays.fill(content, (byte) value);
        return ByteBuffer.wrap(content);
    }

    protected static byte[] content(DiskFile file) {
        ByteBuffer all = ByteBuffer.allocate((int) file.size());
        assertThat((long) file.read(0, all)).isEqualTo(file.size());
        return all.array();
    }

    @Test
    void whatIsWrittenIsRead() {
        Disk disk = disk();
        try (DiskFile file = disk.open("journal-1")) {
            assertThat(file.size()).isZero();
            file.write(1000, filled(10, 1));
            file.write(0, filled(5, 2));
            file.force();
            assertThat(file.size()).isEqualTo(1010);
            ByteBuffer read = ByteBuffer.allocate(20);
            assertThat(file.read(995, read)).isEqualTo(15);
            assertThat(read.array())
                    .startsWith(0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
                    .endsWith(0, 0, 0, 0, 0);
            assertThat(file.read(1010, ByteBuffer.allocate(1))).isZero();
        }
        try (DiskFile again = disk.open("journal-1")) {
            assertThat(content(again)).startsWith(2, 2, 2, 2, 2, 0).hasSize(1010);
        }
    }

    @Test
    void filesAreListedAndRemoved() {
        Disk disk = disk();
        Stream.of("b", "a", "c").forEach(name -> disk.open(name).close());
        disk.forceNames();
        assertThat(disk.list()).containsExactly("a", "b", "c");
        disk.remove("b");
        assertThat(disk.list()).containsExactly("a", "c");
        assertThatThrownBy(() -> disk.remove("b"))
                .isInstanceOf(DiskException.class)
                .hasMessageContaining("b");
    }

    @Test
    void aNameThatLeadsElsewhereIsRefused() {
        Disk disk = disk();
        for (String name : new String[] {"", ".", "..", "../a", "a/b", "/a", "a\0", "-rf"}) {
            assertThatThrownBy(() -> disk.open(name))
                    .as("'%s'", name)
                    .isInstanceOf(DiskException.class)
                    .hasMessageContaining("plain");
        }
        assertThat(disk.list()).isEmpty();
    }
}
