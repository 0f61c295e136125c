package org.namdb.memory.server;

import org.namdb.fabric.RemoteAddress;

/// The start of a memory server's region.
/// ```
/// 0       8                 16             24                32           40        48
/// | magic | catalog version | region bytes | catalog numbers | extent map | touched | catalog |
///
/// 56
/// | leader |
///
/// 64          96         104        112         120          128
/// | 2 intents | database | complete | versioned | line areas | stations (server 0) | ..
///
/// 1000         1008   1016               1024
/// | recovering | kept | image ring bytes | leases (server 0) | ..
///
/// 4096                        extent map
/// | timestamp vector (server 0) | the map | extents ..
/// ```
/// catalog version: rises by one, by fetch-and-add, whenever something in this server's part of the
/// catalog is altered (NAM-DB, section 6.1). catalog numbers: of server 0, how many numbers of
/// tables, indexes and compute servers were given out. extent map: where the [ExtentMap] is;
/// extents follow it. touched: from where on memory was never handed out, so that it is zero.
/// catalog: the offset of the first entry of the [ServerCatalog], 0 if there is none. leader: which
/// compute server leads the maintenance ([MaintenanceLead]). intents: what the server is just about
/// to do ([ExtentIntents]). database: a number that all servers of a database share, and no other
/// database has; 0 if no compute server has checked yet. complete: of server 0, whether all of them
/// have it. versioned: how many records had old versions, or were deleted and still there, in the
/// last maintenance round. line areas: the newest area of cached lines, which leads to the others.
/// stations: a word for each compute server that caches lines. image ring bytes: of server 0, how
/// long each slot's image rings are, which lie behind the intents; 0 if there are none. kept: of
/// server 0, whether memory servers write the images to disks ([#KEPT_SYNC], [#KEPT_ASYNC], or 0).
/// recovering: of server 0, whether what is on the disks is not all there yet. leases: 16
/// bytes for each compute server: its holder, and the schema epoch that it has passed.
public final class RegionLayout {
    /// Marks a region as one of NamDB, and its format: `NAMDB` and a format number.
    public static final long MAGIC = 0x4e414d4442_000003L;

    public static final long MAGIC_OFFSET = 0;
    public static final long CATALOG_VERSION_OFFSET = 8;
    public static final long REGION_BYTES_OFFSET = 16;

    public static final long CATALOG_NUMBER_OFFSET = 24;

    public static final long MAP_OFFSET = 32;
    static final long TOUCHED_OFFSET = 40;
    static final long CATALOG_OFFSET = 48;
    public static final long LEAD_OFFSET = 56;
    static final long INTENTS_OFFSET = 64;

    public static final long DATABASE_OFFSET = 96;
    public static final long COMPLETE_OFFSET = 104;
    public static final long VERSIONED_OFFSET = 112;

    public static final long LINE_AREAS_OFFSET = 120;
    public static final long STATIONS_OFFSET = 128;

    public static final long RECOVERING_OFFSET = 1000;
    public static final long KEPT_OFFSET = 1008;
    public static final long IMAGE_RING_BYTES_OFFSET = 1016;

    /// Commits are acknowledged when they are on the disks.
    public static final long KEPT_SYNC = 1;

    /// Commits are acknowledged before.
    public static final long KEPT_ASYNC = 2;

    public static final long LEASES_OFFSET = 1024;

    /// How many leases there are: the most compute servers at a time.
    public static final int LEASES = 192;

    /// Where the rest of the region starts.
    public static final long HEAD_BYTES = 4096;

    private static final long MAX_RESERVE_BYTES = 16 << 20;

    private RegionLayout() {}

    /// What a region keeps for transactions that only delete, and for TRUNCATE, which need memory
    /// before they free more.
    public static long reserveBytes(long regionBytes) {
        return Math.min(regionBytes / 64, MAX_RESERVE_BYTES);
    }

    /// Where the extent map is in a region that keeps `reservedBytes` for fixed structures.
    public static long extentMap(long reservedBytes) {
        return FreeExtents.aligned(HEAD_BYTES + reservedBytes);
    }

    /// The remote address of the word at `offset` of the head of server `server`'s region.
    public static long address(int server, long offset) {
        return RemoteAddress.of(server, offset);
    }
}
