export type { Relay } from '../../../shared/platforms/discord/gateway/index.ts';
export { createDiscordFront, createDiscordFrontDeps } from './discord-front.ts';
export { createRelay } from './discord-relay.ts';
export { createDiscordEventHandler, createDiscordEventDeps } from './webhook-events.ts';
