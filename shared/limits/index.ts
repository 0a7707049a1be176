export * from './gcra.ts';
