export * from './buckets.ts';
export * from './dynamo.ts';
export type { Past, PastTurn } from './history.ts';
export * from './turns.ts';
