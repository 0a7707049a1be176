/** The pause between two pages that do not say how long to pause (ms): it leaves the table's capacity to others. */
export const PAGE_INTERVAL_MS = 500;
