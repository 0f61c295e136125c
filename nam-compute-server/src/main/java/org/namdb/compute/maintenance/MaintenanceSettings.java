package org.namdb.compute.maintenance;

import org.namdb.compute.schema.Catalog;
import org.namdb.fabric.Host;

/// The settings of a compute server's background maintenance.
///
/// @param process the compute server's number
/// @param restNanos the pause between two steps
/// @param catalog its tables, as far as they are cached
public record MaintenanceSettings(
        Host host, int process, long restNanos, MaintenanceSessions sessions, Catalog catalog) {}
