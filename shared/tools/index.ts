export type { ToolsContext } from './context.ts';
export { loadEnabledTools } from './load-enabled-tools.ts';
