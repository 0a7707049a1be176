export { handleToolRequest } from './handle-tool-request.ts';
export type { HostRules } from './guarded-fetch.ts';
