package org.namdb.workload.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// What only this benchmark counts.
///
/// @param fields names and numbers in `result.json`
/// @param lines a line of the console for each, its caption first
public record OwnCounts(Map<String, Long> fields, Map<String, String> lines) {
    public static final OwnCounts NONE = new OwnCounts(Map.of(), Map.of());

    public OwnCounts {
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        lines = Collections.unmodifiableMap(new LinkedHashMap<>(lines));
    }
}
