import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.ts';
import type { LocalConfig } from '../../configuration/index.ts';
import type { McpSimulator } from '../../../test/simulators/mcp/index.ts';

/** Starts the simulated MCP servers on their previous port, or a free one, so that addresses that were added stay valid. */
async function startSimulatedToolServers(directory: string): Promise<McpSimulator> {
  const { startMcpSimulator } = await import('../../../test/simulators/mcp/index.ts');
  const file = join(directory, 'tool-servers-port');
  const stored = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  const port = Number.isInteger(stored) && stored > 0 && stored < 65_536 ? stored : 0;
  const simulator = await startMcpSimulator({ port }).catch((error: unknown) => {
    if (port === 0) throw error;
    return startMcpSimulator();
  });
  writeFileSync(file, new URL(simulator.origin).port);
  return simulator;
}

/** Starts the simulated MCP servers unless both platforms are real: real people should add real servers. */
export async function startToolServers(
  { slack, discord }: LocalConfig,
  directory: string,
  undo: Cleanup,
): Promise<McpSimulator | undefined> {
  if (slack.kind !== 'simulated' && discord.kind !== 'simulated') return undefined;
  const simulator = await startSimulatedToolServers(directory);
  undo.push(() => simulator.close());
  return simulator;
}
