import * as v from 'valibot';
import type { HostRules } from '../../../shared/mcp/index.ts';
import { toolClientResponseSchema } from '../../../shared/mcp/protocol.ts';
import { AwsError, type AwsCall, invokeFunction, createKmsEncryptor } from '../../../shared/aws/index.ts';
import {
  type Dynamo,
  ProposedCalls,
  ToolCredentials,
  ToolServerStore,
} from '../../../shared/storage/index.ts';
import type { ToolsContext } from '../../../shared/tools/index.ts';
import type { RequestToolServer } from '../../../shared/ports/index.ts';
import {
  createPublicLookup,
  ROUTES,
  systemTime,
  toolClientName,
  type WorkerConfig,
} from '../../../shared/runtime/index.ts';

/** Which servers may be called: those on the public internet, and origins that the configuration names. */
export const createHostRules = ({
  toolServerOrigins,
}: {
  readonly toolServerOrigins: readonly string[];
}): HostRules => ({
  lookup: createPublicLookup(),
  allowedOrigins: toolServerOrigins,
});

/** How much longer than a server the function may take, in ms: its start, and the way there and back. */
const MARGIN_MS = 10_000;

/** Sends requests to the function that talks to the servers. `startTimeout` creates a signal that aborts after the given time (ms). */
export function createToolClient(
  stage: string,
  aws: AwsCall,
  startTimeout: (ms: number) => AbortSignal = (ms) => AbortSignal.timeout(ms),
): RequestToolServer {
  const invoke = invokeFunction(toolClientName(stage), aws);
  return async (request, signal) => {
    // A connection that broke without a word would hold the task until the worker is stopped.
    const limit = AbortSignal.any([signal, startTimeout(request.timeoutMs + MARGIN_MS)]);
    try {
      const result = await invoke(request, limit);
      if (v.is(toolClientResponseSchema, result)) return result;
    } catch (error) {
      // Rejected by Lambda: throttled, or not allowed. Anything else may have run.
      if (error instanceof AwsError && !error.mayHaveSucceeded) return { ...UNAVAILABLE, mayHaveRun: false };
    }
    return { ...UNAVAILABLE, mayHaveRun: request.kind === 'call' };
  };
}

type Config = Pick<WorkerConfig, 'stage' | 'conversationsTable' | 'sealKeyId' | 'publicUrl'>;

/** The servers of workspaces: what is stored of them, and the way to them. */
export function createToolServers(
  { stage, conversationsTable: table, sealKeyId, publicUrl }: Config,
  aws: AwsCall,
  dynamo: Dynamo,
  now: () => number = systemTime.now,
): ToolsContext['toolServers'] {
  const store = { dynamo, table, now };
  return {
    servers: new ToolServerStore(store),
    credentials: new ToolCredentials({ ...store, encryptor: createKmsEncryptor(sealKeyId, aws) }),
    calls: new ProposedCalls(store),
    request: createToolClient(stage, aws),
    redirectUrl: `${publicUrl.replace(/\/$/u, '')}${ROUTES.toolSignIn}`,
  };
}

const UNAVAILABLE = { kind: 'failed', reason: 'unavailable' } as const;
