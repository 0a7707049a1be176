import { handleToolRequest } from '../shared/mcp/index.ts';
import { toolClientConfig } from '../shared/runtime/index.ts';
import { hostRules } from './composition/index.ts';

const rules = hostRules(toolClientConfig());

/** Invoked by the workers: talks to the servers of workspaces (MCP). It can reach nothing of this deployment. */
export const handler = (event: unknown) => handleToolRequest(event, rules);
