export { startDiscordSimulator, type DiscordSimulator, type DiscordSimulatorOptions } from './server.ts';
export { createDiscord, type Discord, type DiscordOptions } from './discord.ts';
export type { SeenCall } from './api.ts';
export type { Fault } from './faults.ts';
export {
  ADA,
  DEFAULT_IDENTITY,
  ELSEWHERE,
  GENERAL,
  GRACE,
  GUILD,
  HANGOUT,
  type Identity,
  LIN,
  LOUNGE,
} from './identity.ts';
export type { PersonFile, Saying } from './persons.ts';
export type { Change, Channel, Guild, Message, User } from './state.ts';
export type { Dispatch } from './context.ts';
export type { Filled } from './interaction-payloads.ts';
export type { Outcome } from './delivery.ts';
export { badlySigned, type Keys, keysOf, newKeys, signed } from './keys.ts';
export type { Given } from './options.ts';
export type { UserInteractions } from './user-interactions.ts';
export { Gateway, sourceOf } from './gateway.ts';
