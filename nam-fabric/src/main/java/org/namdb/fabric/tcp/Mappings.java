package org.namdb.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.shm.MappedRegion;
import org.namdb.fabric.shm.MappingProcess;
import org.namdb.fabric.shm.RegionFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The regions of memory servers on this machine that this process has mapped, each with its
/// agent's consent: an agent that does not see the mapping could not end this process when it is
/// fenced, and refuses.
final class Mappings {
    private static final Logger LOG = LoggerFactory.getLogger(Mappings.class);

    /// An agent's reply about a file; null if it refuses, or the file is not here.
    private record Answered(@Nullable MappedRegion region) {}

    private final Map<AgentLink, Map<RegionFile, Answered>> answered = new HashMap<>();

    /// Links request them; a mapping is shared by all links to the same agent.
    private final Map<RegionFile, MappedRegion> mapped = new HashMap<>();

    private boolean closed;

    /// The mapping of a region that a link leads to; null if there can't be one.
    ///
    /// @throws FabricException if the agent does not answer
    synchronized @Nullable MappedRegion of(AgentLink link, ServedMemory.Served served) {
        RegionFile file = served.file();
        if (file == null || closed) {
            return null;
        }
        Map<RegionFile, Answered> ofLink = answered.computeIfAbsent(link, _ -> new HashMap<>());
        Answered known = ofLink.get(file);
        if (known == null) {
            known = new Answered(map(link, served, file));
            ofLink.put(file, known);
        }
        return known.region();
    }

    private @Nullable MappedRegion map(
            AgentLink link, ServedMemory.Served served, RegionFile file) {
        if (!file.isHere()) {
            return null; // another machine's
        }
        MappedRegion before = mapped.get(file);
        MappedRegion region = before;
        if (region == null) {
            try {
                region = MappedRegion.map(file, served.region().bytes());
            } catch (FabricException e) {
                LOG.info("memory server {}: {}", served.region().server(), e.getMessage());
                return null;
            }
        }
        boolean isAllowed = false;
        try {
            isAllowed = isAllowed(link, served);
        } finally {
            if (!isAllowed && before == null) {
                region.close();
            }
        }
        if (!isAllowed) {
            LOG.info(
                    "memory server {} is reached by TCP: it can't see this process",
                    served.region().server());
            return null;
        }
        mapped.put(file, region);
        link.keepWatch();
        return region;
    }

    private static boolean isAllowed(AgentLink link, ServedMemory.Served served) {
        ByteBuffer question =
                ByteBuffer.allocate(AgentFrame.argumentBytes(AgentFrame.MAP))
                        .order(ByteOrder.nativeOrder())
                        .putLong(served.region().server())
                        .putLong(ProcessHandle.current().pid())
                        .putLong(MappingProcess.namespace());
        byte[] answer = link.request(AgentFrame.MAP, question.array());
        return ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder()).getLong() == 1;
    }

    /// Unmaps all; no verb may be posted to them any more.
    void close(FirstFailure failures) {
        List<MappedRegion> all;
        synchronized (this) {
            closed = true;
            all = new ArrayList<>(mapped.values());
            mapped.clear();
            answered.clear();
        }
        all.forEach(region -> failures.attempt(region::close));
    }
}
