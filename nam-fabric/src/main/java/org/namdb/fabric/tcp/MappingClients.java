package org.namdb.fabric.tcp;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.namdb.fabric.shm.MappingProcess;
import org.namdb.fabric.shm.RegionFile;

/// The clients that have mapped regions of an agent's, with their processes: also those whose
/// connections are gone, as a mapping stays. For the agent's thread alone.
final class MappingClients {
    /// @param process the client's number in the cluster
    private record Mapped(MappingProcess by, RegionFile file, int process) {}

    private final Map<UUID, List<Mapped>> clients = new HashMap<>();

    void add(ServedClient client, MappingProcess by, RegionFile file) {
        clients.values().removeIf(mapped -> mapped.getFirst().by().hasEnded());
        clients.computeIfAbsent(client.id(), _ -> new ArrayList<>())
                .add(new Mapped(by, file, client.process()));
    }

    /// The client has another number in the cluster now.
    void enroll(ServedClient client) {
        List<Mapped> mapped = clients.get(client.id());
        if (mapped != null) {
            mapped.replaceAll(each -> new Mapped(each.by(), each.file(), client.process()));
        }
    }

    /// The client has unmapped everything.
    void remove(UUID client) {
        clients.remove(client);
    }

    /// They change nothing any more, as this process of the cluster; as another one, they may.
    void remove(int process, Set<MappingProcess> ended) {
        for (List<Mapped> mapped : clients.values()) {
            mapped.removeIf(each -> each.process() == process && ended.contains(each.by()));
        }
        clients.values().removeIf(List::isEmpty);
    }

    /// The processes of the machine that are this one of the cluster, and what they have mapped.
    Map<MappingProcess, List<RegionFile>> of(int process) {
        Map<MappingProcess, List<RegionFile>> all = new HashMap<>();
        for (List<Mapped> mapped : clients.values()) {
            for (Mapped each : mapped) {
                if (each.process() == process) {
                    all.computeIfAbsent(each.by(), _ -> new ArrayList<>()).add(each.file());
                }
            }
        }
        return all;
    }
}
