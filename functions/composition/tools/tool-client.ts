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

/** Sends requests to the function that talks to the servers. */
function toolServerClient(stage: string, aws: AwsCall): RequestToolServer {
  const invoke = invokeFunction(toolClientName(stage), aws);
  return async (request, signal) => {
    try {
      const result = await invoke(request, signal);
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
    request: toolServerClient(stage, aws),
    redirectUrl: `${publicUrl.replace(/\/$/u, '')}${ROUTES.toolSignIn}`,
  };
}

const UNAVAILABLE = { kind: 'failed', reason: 'unavailable' } as const;
