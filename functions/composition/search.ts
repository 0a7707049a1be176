import { randomUUID } from 'node:crypto';
import type { ToolSource } from '../../shared/ports/index.ts';
import type { Budgets } from '../../shared/billing/index.ts';
import type { RateLimit } from '../../shared/rate-limits/index.ts';
import {
  type AwsCall,
  RELOADED_IF_REJECTED_TTL_MS,
  searchKeySchema,
  createSecretReader,
} from '../../shared/aws/index.ts';
import { type Log, systemTime, type WorkerConfig } from '../../shared/runtime/index.ts';
import { createSearchClient, createSearchTools } from '../../shared/search/index.ts';

type Needs = {
  readonly aws: AwsCall;
  readonly budgets: Budgets;
  readonly takePermit: (limit: RateLimit) => Promise<boolean>;
  readonly log: Log;
};

/** The web search, if one is configured. Administrators still have to turn it on. */
export function createSearchSources(
  { search, upstreamSecretId }: Pick<WorkerConfig, 'search' | 'upstreamSecretId'>,
  { aws, budgets, takePermit, log }: Needs,
): readonly ToolSource[] {
  if (search === undefined) return [];
  const { service, baseUrl, atto, limit } = search;
  const keys = createSecretReader(upstreamSecretId, searchKeySchema, {
    aws,
    now: systemTime.now,
    ttlMs: RELOADED_IF_REJECTED_TTL_MS,
  });
  return [
    createSearchTools({
      service,
      search: createSearchClient({
        service,
        baseUrl,
        apiKey: async ({ refresh }) => (await (refresh ? keys.refresh() : keys.load())).searchKey,
        fetch,
        time: systemTime,
      }),
      atto,
      takePermit: () => takePermit(limit),
      budgets,
      log,
      createId: () => `search-${randomUUID()}`,
    }),
  ];
}
