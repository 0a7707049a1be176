import type { ToolClientRequest, ToolClientResponse } from '../mcp/protocol.ts';

/**
 * Sends a request to a server of tools (MCP), at most once. Never rejects: a failure says whether the call may have run. Ends when the signal
 * aborts.
 */
export type RequestToolServer = (
  request: ToolClientRequest,
  signal: AbortSignal,
) => Promise<ToolClientResponse>;
