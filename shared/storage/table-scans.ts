// Reads whole tables, for the dashboard of the local system: `index.ts` would load the AWS SDK into its main process.
export { fetchScan } from './dynamodb/fetch-client.ts';
export { type ScannedAccounts, scanDailyAccounts } from './billing/scan-accounts.ts';
export { type ScannedLimits, scanLimits } from './rate-limits/scan-limits.ts';
