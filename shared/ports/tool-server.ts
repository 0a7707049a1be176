import type { ToolClientRequest, ToolClientResponse } from '../mcp/protocol.ts';

/**
 * Sends a request to an MCP server, at most once. Never rejects: a failure says whether the call may have run. Ends when the signal
 * aborts.
 */
export type RequestToolServer = (
  request: ToolClientRequest,
  signal: AbortSignal,
) => Promise<ToolClientResponse>;
