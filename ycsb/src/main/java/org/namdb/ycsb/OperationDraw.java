package org.namdb.ycsb;

import java.util.SplittableRandom;

/// Draws a thread's operations, one after the other: what each does, and to which record.
final class OperationDraw {
    private static final long NONE = -1;

    private final YcsbOptions options;
    private final RecordNumbers numbers;
    private final RecordChooser chooser;
    private final SplittableRandom random;
    private final FieldText text;
    private Workload.Kind kind;
    private long keyValue;
    private long inserting = NONE;
    private int scanRecords;
    private int field;
    private byte[] value = new byte[0];

    /// @param numbers shared by all threads
    /// @param chooser its own
    /// @param random its own
    OperationDraw(
            YcsbOptions options,
            RecordNumbers numbers,
            RecordChooser chooser,
            SplittableRandom random) {
        this.options = options;
        this.numbers = numbers;
        this.chooser = chooser;
        this.random = random;
        this.text = new FieldText(options.fieldBytes(), random.split());
        this.kind = options.workload().kinds().getFirst();
    }

    /// Draws the next one.
    void next() {
        kind = options.workload().at(random.nextInt(100));
        if (kind.operation() == Operation.INSERT) {
            if (inserting == NONE) {
                inserting = numbers.claim();
            }
            keyValue = numbers.key(inserting);
            return;
        }
        keyValue = numbers.key(chooser.next(numbers.count()));
        field = random.nextInt(options.fields());
        switch (kind.operation()) {
            case SCAN ->
                    scanRecords =
                            options.workload().isOfTree()
                                    ? options.rangeRecords()
                                    : random.nextInt(options.maxScan()) + 1;
            case UPDATE, READ_MODIFY_WRITE -> value = text.next(keyValue);
            case READ, INSERT -> {}
        }
    }

    /// It was done: what it has inserted can be read.
    void committed() {
        if (kind.operation() == Operation.INSERT) {
            numbers.committed(inserting);
            inserting = NONE;
        }
    }

    Workload.Kind kind() {
        return kind;
    }

    Operation operation() {
        return kind.operation();
    }

    /// The key of the record.
    long keyValue() {
        return keyValue;
    }

    /// How many records a scan is to read.
    int scanRecords() {
        return scanRecords;
    }

    /// The field that is checked, or written.
    int field() {
        return field;
    }

    /// What is written.
    byte[] value() {
        return value;
    }

    /// The next field of the record that is inserted. Valid until the next call.
    byte[] nextField() {
        return text.next(keyValue);
    }
}
