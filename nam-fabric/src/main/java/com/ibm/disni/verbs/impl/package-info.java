/// Access to DiSNI's native functions, whose constructor is package-private. DiSNI's layer above
/// them is of no use: it never writes the new value of a compare-and-swap.
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
