package org.namdb.fabric.rdma;

import java.io.IOException;
import org.namdb.fabric.RequestHandler;

/// A process with memory server 0, which answers each request with itself. Prints its port, and
/// ends when its standard input does, so that none outlives the test.
final class MemoryServerProcess {
    private static final int REGION_BYTES = 1 << 16;

    private MemoryServerProcess() {}

    public static void main(String[] arguments) throws IOException {
        try (RdmaMemoryFabric memory = Devices.memory(RdmaOptions.DEFAULT)) {
            memory.register(0, REGION_BYTES);
            memory.serve(0, RequestHandler.ofArrays(request -> request));
            System.out.println(memory.address().getPort());
            while (System.in.read() >= 0) {
                // nothing is said to it
            }
        }
    }
}
