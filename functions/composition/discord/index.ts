export type { Relay } from '../../../shared/platforms/discord/gateway/index.ts';
export { discordFront, discordFrontDeps } from './discord-front.ts';
export { createRelay } from './discord-relay.ts';
export { discordInstalls, discordInstallsDeps } from './webhook-events.ts';
