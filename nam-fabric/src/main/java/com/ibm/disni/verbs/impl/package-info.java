/// A door to DiSNI's native functions, whose constructor is visible in this package alone. What
/// DiSNI offers above them can't serve here: it never writes what a compare-and-swap is to swap in.
@NullMarked
package com.ibm.disni.verbs.impl;

import org.jspecify.annotations.NullMarked;
