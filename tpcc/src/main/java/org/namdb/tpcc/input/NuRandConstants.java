package org.namdb.tpcc.input;

/// The run-time constants C of NURand (clause 2.1.6.1): one for each field, the same for all
/// terminals. That of the last name has another value when the database is loaded than when it
/// runs, with a difference that the standard prescribes.
///
/// @param lastNameLoad C of the last name when loading, 0 to 255
/// @param lastNameRun C of the last name when running, 0 to 255
/// @param customer C of the customer id, 0 to 1,023
/// @param item C of the item id, 0 to 8,191
public record NuRandConstants(int lastNameLoad, int lastNameRun, int customer, int item) {
    /// The A of last names.
    public static final int LAST_NAME_A = 255;

    static final int CUSTOMER_A = 1_023;
    static final int ITEM_A = 8_191;

    private static final int MIN_DELTA = 65;
    private static final int MAX_DELTA = 119;

    /// The constants that belong to a seed.
    public static NuRandConstants of(long seed) {
        TpccRandom random = TpccRandom.stream(seed, -1);
        int load;
        int run;
        do {
            load = random.uniform(0, LAST_NAME_A);
            run = random.uniform(0, LAST_NAME_A);
        } while (!allowed(load, run));
        return new NuRandConstants(
                load, run, random.uniform(0, CUSTOMER_A), random.uniform(0, ITEM_A));
    }

    private static boolean allowed(int load, int run) {
        int delta = Math.abs(run - load);
        return delta >= MIN_DELTA && delta <= MAX_DELTA && delta != 96 && delta != 112;
    }
}
