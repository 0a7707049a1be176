export { createSlackApp } from './bolt-app.ts';
export type { ParsedInteraction } from './inbound/interactions.ts';
export { modalOpener, ownToken } from './posts/open-modal.ts';
