package org.namdb.fabric.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.slf4j.LoggerFactory;
import org.slf4j.event.SubstituteLoggingEvent;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.SubstituteLoggerFactory;

/// A process of [MappedProcessTest]'s; it ends when its standard input does, so that none outlives
/// the test.
final class MappedProcess {
    static final int REGION_BYTES = 1 << 16;

    /// What the adder adds to.
    static final long WORD = RemoteAddress.of(0, 64);

    private MappedProcess() {}

    /// `serve DIRECTORY`: memory server 0, which answers each request with itself; prints its port,
    /// and then what it logs.
    /// `add PORT PROCESS`: maps its region as this process of the cluster, prints whether that
    /// succeeded, and adds to a word until it is ended.
    public static void main(String[] arguments) throws IOException {
        if (arguments[0].equals("serve")) {
            serve(Path.of(arguments[1]));
        } else {
            add(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        }
    }

    private static void serve(Path directory) throws IOException {
        try (TcpMemoryFabric memory =
                new TcpMemoryFabric(TcpServerOptions.LOOPBACK.withDirectory(directory))) {
            memory.register(0, REGION_BYTES);
            memory.serve(0, RequestHandler.ofArrays(request -> request));
            System.out.println(memory.address().getPort());
            Thread _ = Thread.ofPlatform().daemon().start(MappedProcess::printLog);
            while (System.in.read() >= 0) {
                // nothing is said to it
            }
        }
    }

    /// What was logged until now, and what comes.
    private static void printLog() {
        var log = ((SubstituteLoggerFactory) LoggerFactory.getILoggerFactory()).getEventQueue();
        try {
            while (true) {
                SubstituteLoggingEvent event = log.take();
                System.out.println(
                        event.getLevel()
                                + " "
                                + MessageFormatter.basicArrayFormat(
                                        event.getMessage(), event.getArgumentArray()));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void add(int port, int process) throws IOException {
        try (TcpComputeFabric fabric = connect(port)) {
            fabric.enroll(process);
            try (QueuePair queuePair = fabric.connect(fabric.regions())) {
                System.out.println(fabric.isMapped(0));
                while (System.in.available() == 0) {
                    queuePair.fetchAndAdd(WORD, 1);
                    queuePair.await();
                }
            }
        }
    }

    static TcpComputeFabric connect(int port) {
        return TcpComputeFabric.connect(
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)),
                TcpClientOptions.DEFAULT.withMappedRegions(true));
    }
}
