package org.namdb.fabric.peer.tcp;

/// A process that answers requests; one of a single byte it keeps. It prints its port.
final class PeerProcess {
    private PeerProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        TcpPeers peer = new TcpPeers(2, TcpPeerOptions.LOOPBACK, other -> null);
        peer.serve(batch ->
                batch.forEach(request -> {
                    if (request.bytes().length != 1) {
                        request.answer(request.bytes());
                    }
                }));
        System.out.println(peer.address().getPort());
        Thread.currentThread().join();
    }
}
