package org.namdb.memory.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.MemoryClient;

/// A memory server that ends, and another one over the same memory.
class RestartTest {
    private static final long REGION_BYTES = 4 << 20;

    @TempDir Path directory;

    private ShmFabric overFiles() {
        return new ShmFabric(new ShmFabric.Options(true, 1 << 20, directory));
    }

    @Test
    void anotherProcessGoesOnWhereTheFirstOneStopped() {
        long a;
        long b;
        long used;
        ShmFabric first = overFiles();
        try (ShmFabric second = overFiles()) {
            MemoryServer server = new MemoryServer(first, 0, REGION_BYTES, 8192);
            try (QueuePair queuePair = first.connect(List.of(server.region()))) {
                MemoryClient client = new MemoryClient(queuePair, 1);
                a = client.allocate(0, 1000);
                long freed = client.allocate(0, 4096);
                b = client.allocate(0, 100_000);
                client.free(0, freed, 4096);
                queuePair.writeWord(b, 77);
                queuePair.await();
                assertThat(client.putCatalogEntry("table:a", new byte[] {1, 2, 3})).isTrue();
                assertThat(client.putCatalogEntry("table:b", new byte[500])).isTrue();
                assertThat(client.replaceCatalogEntry("table:a", new byte[] {4, 5})).isTrue();
                assertThat(client.removeCatalogEntry("table:b")).isTrue();
                used = client.usage(0).usedBytes();
            }
            server.close();
            MemoryServer resumed = MemoryServer.resume(second, 0, REGION_BYTES);
            first.close();
            try (QueuePair queuePair = second.connect(List.of(resumed.region()))) {
                MemoryClient client = new MemoryClient(queuePair, 1);
                assertThat(client.usage(0).usedBytes()).isEqualTo(used);
                assertThat(client.catalogNames()).containsExactly("table:a");
                assertThat(client.catalogEntry("table:a")).containsExactly(4, 5);
                long view = queuePair.read(b, 8);
                queuePair.await();
                assertThat(LocalMemory.longAt(view)).isEqualTo(77);
                long c = client.allocate(0, 4096);
                assertThat(c + 4096 <= b || c >= b + 100_000).isTrue();
                assertThat(c).isGreaterThanOrEqualTo(a + 1024);
                long d = client.allocate(0, 200_000);
                assertThat(d).isGreaterThanOrEqualTo(b + 100_000);
                client.free(0, a, 1000);
                client.free(0, b, 100_000);
                client.free(0, c, 4096);
                client.free(0, d, 200_000);
                assertThatThrownBy(() -> client.free(0, b, 100_000))
                        .isInstanceOf(FabricException.class);
                assertThat(client.removeCatalogEntry("table:a")).isTrue();
                assertThat(client.usage(0).usedBytes()).isZero();
            }
            resumed.close();
        }
    }

    @Test
    void reusedMemoryIsZeroedOnRequest() {
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT)) {
            MemoryServer server = new MemoryServer(fabric, 0, REGION_BYTES, 0);
            try (QueuePair queuePair = fabric.connect(List.of(server.region()))) {
                MemoryClient client = new MemoryClient(queuePair, 1);
                long a = client.allocate(0, 64);
                queuePair.writeWord(a, -1);
                queuePair.await();
                client.free(0, a, 64);
                server.close();
                MemoryServer.resume(fabric, 0, REGION_BYTES);
                assertThat(client.allocateZeroed(0, 64)).isEqualTo(a);
                long view = queuePair.read(a, 8);
                queuePair.await();
                assertThat(LocalMemory.longAt(view)).isZero();
            }
        }
    }

    @Test
    void aForeignRegionIsRefused() throws IOException {
        try (ShmFabric fabric = overFiles()) {
            int withPageOfTheKey = (1 << 20) + 4096;
            Files.write(directory.resolve("memory-server-0.region"), new byte[withPageOfTheKey]);
            assertThatThrownBy(() -> MemoryServer.resume(fabric, 0, 1 << 20))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not a region of 1048576 bytes");
            assertThatThrownBy(() -> MemoryServer.resume(fabric, 0, 2 << 20))
                    .isInstanceOf(FabricException.class);
            assertThatThrownBy(() -> MemoryServer.resume(fabric, 1, 1 << 20))
                    .isInstanceOf(FabricException.class);
        }
    }

    @Test
    void aDamagedCatalogIsRefused() {
        try (ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT)) {
            MemoryServer server = new MemoryServer(fabric, 0, REGION_BYTES, 0);
            try (QueuePair queuePair = fabric.connect(List.of(server.region()))) {
                MemoryClient client = new MemoryClient(queuePair, 1);
                client.putCatalogEntry("table:a", new byte[100]);
                long view = queuePair.read(RemoteAddress.of(0, RegionLayout.CATALOG_OFFSET), 8);
                queuePair.await();
                queuePair.writeWord(RemoteAddress.of(0, LocalMemory.longAt(view) + 64), 5);
                queuePair.await();
            }
            server.close();
            assertThatThrownBy(() -> MemoryServer.resume(fabric, 0, REGION_BYTES))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("its catalog is damaged at offset");
        }
    }
}
