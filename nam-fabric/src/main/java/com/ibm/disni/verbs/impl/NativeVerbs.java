package com.ibm.disni.verbs.impl;

import java.io.IOException;

/// Opens DiSNI's native functions.
public final class NativeVerbs {
    private NativeVerbs() {}

    /// The functions: its methods may be called by any thread.
    ///
    /// @throws IOException if the library is not the one that the jar was made for
    /// @throws LinkageError if there is no library, or those that it needs are missing
    public static NativeDispatcher open() throws IOException {
        return new NativeDispatcher();
    }
}
