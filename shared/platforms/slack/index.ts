export * from './call.ts';
export type { Budget, FilesConfig, Log, SlackDeps, Time } from './deps.ts';
export { filesOrigins } from './files.ts';
export { NotShown } from './patience.ts';
export { personFinder } from './people.ts';
export { createSlackPlatform } from './platform.ts';
export { answerer } from './response-url.ts';
export { createSlackStage } from './stage.ts';
export { createWebCall, type WebCallConfig } from './web-call.ts';
