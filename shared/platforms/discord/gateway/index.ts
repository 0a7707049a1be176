export type { CheckpointStore } from './sessions/checkpoint.ts';
export { INTENTS, type Profile } from './profile.ts';
export { Relay } from './relay.ts';
export type { RelayDeps, ShardStores } from './relay-deps.ts';
export { restReads } from './rest.ts';
