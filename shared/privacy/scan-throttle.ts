/** Between two pages that do not say for how long the table is to be left to others (ms). */
export const PAGE_INTERVAL_MS = 500;
