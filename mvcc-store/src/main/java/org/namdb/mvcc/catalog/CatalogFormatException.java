package org.namdb.mvcc.catalog;

/// An entry of the catalog can't be read: it is damaged, or a newer version of NamDB has written
/// it.
public final class CatalogFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CatalogFormatException(String message) {
        super(message);
    }
}
