package org.namdb.workload.statistics;

/// What ended a run.
public enum RunEnd {
    /// Its duration was over.
    DURATION("duration", ""),
    /// It had run all its transactions.
    TRANSACTIONS("transactions", ""),
    /// It was stopped.
    INTERRUPTED(
            "interrupted", "The run was interrupted; what follows is what it measured until then."),
    /// No memory server had space for more.
    MEMORY_FULL(
            "memoryFull",
            "The memory is full and ended the run early (--memory gives more); what follows is what it measured until"
                    + " then.");

    private final String field;
    private final String notice;

    RunEnd(String field, String notice) {
        this.field = field;
        this.notice = notice;
    }

    /// The name in result files.
    public String field() {
        return field;
    }

    /// What a person should know about it; empty if it ended as it should.
    public String notice() {
        return notice;
    }
}
