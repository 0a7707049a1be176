import { createProbe } from '../../configuration/index.ts';
import { readParameters } from '../aws/deployment.ts';
import { OperatorError } from '../operator-error.ts';
import type { SystemAccess } from './open-system.ts';

const AWS_TIMEOUT_MS = 15_000;

/**
 * Says that a system logs warnings and errors only, and how to change that: its requests, and the end of work, are then in no log. Undefined if it logs
 * more, or if its configuration cannot be read.
 */
export async function findLogGap(system: SystemAccess): Promise<string | undefined> {
  const level = await readLogLevel(system);
  if (level !== 'warn' && level !== 'error') return undefined;
  return system.kind === 'local'
    ? `The local system logs only from the level ${level} on. Set LOG_LEVEL=info in .env, and start it again.`
    : `${system.name} logs only from the level ${level} on. Deploy it again with --parameters LogLevel=info.`;
}

async function readLogLevel(system: SystemAccess): Promise<string | undefined> {
  if (system.kind === 'local') return system.logLevel;
  try {
    return (await readParameters(system.account, system.stack, createProbe(AWS_TIMEOUT_MS)))['LogLevel'];
  } catch (error) {
    if (error instanceof OperatorError) return undefined;
    throw error;
  }
}
