import { type AwsCall, createSqsQueue } from '../../../shared/aws/index.ts';
import type { Budgets } from '../../../shared/billing/index.ts';
import { createKnowledgeTools, type KnowledgeContext } from '../../../shared/knowledge/index.ts';
import type { Platform } from '../../../shared/platforms/ports/index.ts';
import type { RateLimit } from '../../../shared/rate-limits/index.ts';
import { type Log, systemTime, getTaskTrace, type WorkerConfig } from '../../../shared/runtime/index.ts';
import { enqueueDocumentErasure } from '../../../shared/privacy/index.ts';
import { createMessageSearchTools } from '../../../shared/search/index.ts';
import { Collections, ToolLog, type TurnsConfig } from '../../../shared/storage/index.ts';
import type { ToolsContext } from '../../../shared/tools/index.ts';
import type { Extensions } from '../extensions/extensions.ts';
import { createSearchSources } from '../search.ts';
import { createToolServers } from './tool-client.ts';

type Needs = {
  readonly aws: AwsCall;
  readonly store: TurnsConfig;
  readonly budgets: Budgets;
  readonly platform: Pick<Platform, 'prepareMessageSearch'>;
  readonly takeSearchPermit: (limit: RateLimit) => Promise<boolean>;
  readonly log: Log;
};

/** The tools that administrators turn on, and what they read: collections, messages, the web search, servers, and those of the deployment. */
export function createToolSources(
  config: WorkerConfig,
  { aws, store, budgets, platform, takeSearchPermit, log }: Needs,
  extensions: Pick<Extensions, 'toolSources'>,
): KnowledgeContext & Pick<ToolsContext, 'toolSources' | 'toolServers'> & { readonly toolLog: ToolLog } {
  const { now } = systemTime;
  const queue = createSqsQueue(config.taskQueueUrl, aws, getTaskTrace);
  const collections = new Collections({
    ...store,
    sleep: (ms) => systemTime.sleep(ms),
    enqueueSecondRemoval: (place, id) => enqueueDocumentErasure(place, id, { queue, now }),
  });
  return {
    collections,
    toolSources: [
      createKnowledgeTools({ collections }),
      createMessageSearchTools({ platform, log }),
      ...createSearchSources(config, { aws, budgets, takePermit: takeSearchPermit, log }),
      ...extensions.toolSources,
    ],
    toolServers: createToolServers(config, aws, store.dynamo),
    toolLog: new ToolLog(store),
  };
}
