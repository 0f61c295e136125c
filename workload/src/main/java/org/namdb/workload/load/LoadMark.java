package org.namdb.workload.load;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// The load of a database that several processes use: the only row of a [MarkTable]. The process
/// that inserts the row loads, so that of many processes that find an empty database one does; the
/// others wait for it, and see by its count of rows that it is alive.
///
/// @param state how far the load is
/// @param size how much is loaded, by name, as in `warehouses`: a column each
/// @param seed of the rows
/// @param versions the length of old-version buffers
/// @param loader the number of the compute server that loads
/// @param rows how many it has committed, updated periodically
/// @param micros how long the load took; 0 before its end
/// @param regionBytes what it takes in the regions of all memory servers; 0 before its end
public record LoadMark(
        State state,
        Map<String, Integer> size,
        long seed,
        int versions,
        int loader,
        long rows,
        long micros,
        long regionBytes) {

    /// How far a load is.
    public enum State {
        /// The load is running, or its process has died.
        LOADING,
        /// Everything is there.
        COMPLETE,
        /// The loader has given up.
        ABANDONED
    }

    public LoadMark {
        size = Collections.unmodifiableMap(new LinkedHashMap<>(size));
    }

    /// One of the sizes.
    ///
    /// @throws IllegalArgumentException if there is none of this name
    public int size(String name) {
        Integer value = size.get(name);
        if (value == null) {
            throw new IllegalArgumentException("a load has no " + name);
        }
        return value;
    }

    /// The same, so many rows later.
    public LoadMark withRows(long count) {
        return new LoadMark(state, size, seed, versions, loader, count, micros, regionBytes);
    }

    /// The same at its end.
    public LoadMark ended(State how, long count, long tookMicros, long bytes) {
        return new LoadMark(how, size, seed, versions, loader, count, tookMicros, bytes);
    }
}
