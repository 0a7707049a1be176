import { handleToolRequest } from '../shared/mcp/index.ts';
import { readToolClientConfig } from '../shared/runtime/index.ts';
import { createHostRules } from './composition/index.ts';

const rules = createHostRules(readToolClientConfig());

/** Invoked by the workers: talks to the servers of workspaces (MCP). It can reach nothing of this deployment. */
export const handler = (event: unknown) => handleToolRequest(event, rules);
