export { type LiveText, withIntegrations } from './with-integrations.ts';
