package org.namdb.simulated;

/// Ends the threads of a host that has crashed. It is an error, so that no code mistakes it for one
/// of its own failures; what code does on the way out no longer leaves the host.
final class ProcessCrash extends Error {
    private static final long serialVersionUID = 1L;

    ProcessCrash(String host) {
        super(host + " has crashed", null, false, false);
    }
}
