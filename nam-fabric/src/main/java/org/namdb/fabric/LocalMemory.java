package org.namdb.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/// This process's memory, by native address: views, landing buffers, the sources of WRITEs.
///
/// One segment over the whole address space, held in a constant, costs neither a bounds nor a
/// liveness check, which is nearly half of a short record read (`docs/performance.md`). So nothing
/// here is checked: addresses come from a [QueuePair], which has checked them. Access modes are in
/// the names; all words are aligned to their size.
public final class LocalMemory {
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
    private static final VarHandle LONGS = LONG.varHandle();

    private LocalMemory() {}

    /// The memory from `address` on, as a segment of `bytes` bytes.
    public static MemorySegment segment(long address, long bytes) {
        return ALL.asSlice(address, bytes);
    }

    public static long longAt(long address) {
        return ALL.get(LONG, address);
    }

    public static long longAcquire(long address) {
        return (long) LONGS.getAcquire(ALL, address);
    }

    public static void putLong(long address, long value) {
        ALL.set(LONG, address, value);
    }

    public static void putLongRelease(long address, long value) {
        LONGS.setRelease(ALL, address, value);
    }

    public static void putLongVolatile(long address, long value) {
        LONGS.setVolatile(ALL, address, value);
    }

    /// CAS: sets the word to `desired` if it is `expected`; returns what the word was.
    public static long compareAndExchange(long address, long expected, long desired) {
        return (long) LONGS.compareAndExchange(ALL, address, expected, desired);
    }

    /// Adds `delta`; returns what the word was.
    public static long fetchAndAdd(long address, long delta) {
        return (long) LONGS.getAndAdd(ALL, address, delta);
    }

    public static int intAt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    public static void putInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
    }

    public static short shortAt(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    public static void putShort(long address, short value) {
        ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, value);
    }

    public static byte byteAt(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    public static void putByte(long address, byte value) {
        ALL.set(ValueLayout.JAVA_BYTE, address, value);
    }

    /// A long at any address; not atomic.
    public static long longUnaligned(long address) {
        return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
    }

    /// A long at any address; not atomic.
    public static void putLongUnaligned(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, address, value);
    }

    /// Copies `bytes` bytes. Aligned words are copied whole, in no promised order.
    public static void copy(long source, long target, long bytes) {
        MemorySegment.copy(ALL, source, ALL, target, bytes);
    }

    /// Copies bytes out to an array.
    public static void copyTo(long source, byte[] target, int index, int bytes) {
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, source, target, index, bytes);
    }

    /// Copies bytes in from an array.
    public static void copyFrom(byte[] source, int index, long target, int bytes) {
        MemorySegment.copy(source, index, ALL, ValueLayout.JAVA_BYTE, target, bytes);
    }

    /// Sets `bytes` bytes to zero.
    public static void zero(long address, long bytes) {
        fill(address, bytes, (byte) 0);
    }

    /// Sets `bytes` bytes to `value`. In loops, as a slice to fill would be an object.
    public static void fill(long address, long bytes, byte value) {
        long word = (value & 0xffL) * 0x0101_0101_0101_0101L;
        long at = address;
        long end = address + bytes;
        while (at < end && (at & 7) != 0) {
            putByte(at++, value);
        }
        for (; at + 8 <= end; at += 8) {
            putLong(at, word);
        }
        while (at < end) {
            putByte(at++, value);
        }
    }
}
