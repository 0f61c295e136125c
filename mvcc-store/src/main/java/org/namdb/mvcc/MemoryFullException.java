package org.namdb.mvcc;

/// A memory server has no memory left. It ends one transaction, with nothing applied; everything
/// else goes on.
public final class MemoryFullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MemoryFullException(int server, int bytes) {
        super(
                "memory server %d is full: no %d bytes left. Give the servers more memory, or delete data."
                        .formatted(server, bytes));
    }

    public MemoryFullException(int server, long bytes, long regionBytes) {
        super(
                "memory server "
                        + server
                        + " is full: no "
                        + bytes
                        + " bytes left of "
                        + (regionBytes >> 20)
                        + " MiB. Give the servers more memory, or delete data.");
    }
}
