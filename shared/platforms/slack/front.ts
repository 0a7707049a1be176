export { createSlackApp } from './bolt-app.ts';
export type { FindBot } from './inbound/parse-event.ts';
export type { ParsedInteraction } from './inbound/interactions.ts';
export { createModalOpener, createOwnToken } from './posts/open-modal.ts';
