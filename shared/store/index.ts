export * from './arrivals.ts';
export * from './buckets.ts';
export * from './dynamo.ts';
export * from './installs.ts';
export type { Past, PastTurn } from './history.ts';
export * from './marks.ts';
export type { TurnsConfig } from './turn-table.ts';
export * from './turns.ts';
export type { Mark, Waiting } from './waiting.ts';
