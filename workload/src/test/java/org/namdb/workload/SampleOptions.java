package org.namdb.workload;

import java.util.Map;
import picocli.CommandLine.Option;

/// The options of a benchmark that there is not.
public final class SampleOptions extends RunOptions {
    @Option(names = "--records", defaultValue = "5")
    private long records;

    private SampleOptions() {
        super(2, 24L << 30);
    }

    public static SampleOptions of(String text) {
        SampleOptions options = new SampleOptions();
        options.parse(text);
        return options;
    }

    @Override
    public String benchmark() {
        return "Sample";
    }

    @Override
    public String command() {
        return "nam sample";
    }

    @Override
    public String sizeOption() {
        return "--records";
    }

    @Override
    public long size() {
        return records;
    }

    @Override
    public long estimatedBytes() {
        return records << 20;
    }

    @Override
    public void putSize(Map<String, Object> facts) {
        facts.put("records", records);
    }

    @Override
    public void putInput(Map<String, Object> facts) {}

    @Override
    protected void checkOwn() {}
}
