export * from './money.ts';
export * from './period.ts';
export * from './rules.ts';
