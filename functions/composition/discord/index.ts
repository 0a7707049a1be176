export { discordFront, discordFrontDeps } from './discord-front.ts';
export { relayDeps, tokenIn } from './discord-relay.ts';
export { discordInstalls, discordInstallsDeps } from './webhook-events.ts';
