export * from './align.ts';
export * from './clean.ts';
export * from './fences.ts';
export * from './links.ts';
export * from './markup.ts';
export * from './split.ts';
export * from './steps.ts';
export * from './tables.ts';
