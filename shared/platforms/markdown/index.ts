export * from './draw-tables.ts';
export * from './strip-invisible.ts';
export * from './split.ts';
export * from './code.ts';
export * from './links.ts';
export * from './sanitizer.ts';
export * from './tables.ts';
