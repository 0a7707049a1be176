/**
 * Between two pages of a table that is read through, in ms: a page takes about 100 read units, and the table has a ceiling of
 * 500 a second (`infra/storage.ts`), of which people need the most.
 */
export const BETWEEN_PAGES_MS = 500;
