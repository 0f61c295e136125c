package org.namdb.cluster.config;

/// What only clusters need, ZooKeeper's client and RDMA's, is an artifact of its own in addition to
/// the library `org.namdb:namdb`.
public final class ClusterLibrary {
    private static final String NAME = "org.namdb:namdb-cluster";

    private ClusterLibrary() {}

    /// Refuses a setting whose classes are not there.
    ///
    /// @param setting the setting that needs it, as in the configuration
    /// @param className a class of it
    /// @throws ConfigException if it can't be loaded
    public static void require(String setting, String className) {
        try {
            Class.forName(className, false, ClusterLibrary.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw new ConfigException(
                    setting + " needs the library " + NAME + ": add it to the class path");
        }
    }
}
