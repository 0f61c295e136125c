package org.namdb.workload.report;

/// Text in a page of HTML.
final class Html {
    private Html() {}

    /// Text that is valid anywhere in a page, also in an attribute.
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
