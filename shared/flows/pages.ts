/** Between two pages that do not say for how long the table is to be left to others (ms). */
export const BETWEEN_PAGES_MS = 500;
