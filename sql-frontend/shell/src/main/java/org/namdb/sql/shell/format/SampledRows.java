package org.namdb.sql.shell.format;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;

/// The rows of a result as text, of which the first ones can be read before they are taken.
final class SampledRows {
    private final Result result;
    private final List<@Nullable String[]> sample = new ArrayList<>();
    private int taken;
    private long count;

    SampledRows(Result result, int sampleRows) {
        this.result = result;
        while (sample.size() < sampleRows && result.next()) {
            sample.add(texts());
        }
    }

    List<ResultColumn> columns() {
        return result.columns();
    }

    List<@Nullable String[]> sample() {
        return sample;
    }

    /// The next row; null if there is no more.
    @Nullable String @Nullable [] next() {
        if (taken < sample.size()) {
            count++;
            return sample.get(taken++);
        }
        if (!result.next()) {
            return null;
        }
        count++;
        return texts();
    }

    /// How many rows were taken.
    long count() {
        return count;
    }

    private @Nullable String[] texts() {
        @Nullable String[] texts = new @Nullable String[result.columns().size()];
        for (int i = 0; i < texts.length; i++) {
            texts[i] = result.text(i);
        }
        return texts;
    }
}
