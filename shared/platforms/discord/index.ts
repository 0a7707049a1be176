export { standingFinder } from './standing.ts';
export * from './call.ts';
export type { DiscordDeps } from './deps.ts';
export { cdnOrigins } from './files.ts';
export * from './places.ts';
export { type GuildFinder, guildFinder } from './guild.ts';
export { createDiscordPlatform } from './platform.ts';
export { createDiscordStage } from './stage.ts';
export { createRestCall, type RestCallConfig } from './rest-call.ts';
