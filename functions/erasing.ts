import type { Deps } from '../shared/flows/index.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { WorkerConfig } from '../shared/runtime/config.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { createDynamoClient, createScan } from '../shared/store/dynamo-client.ts';
import { Erasure, Exports, Shortening } from '../shared/store/index.ts';
import { dynamoAccess } from './dynamo.ts';
import { installsOf } from './slack-side.ts';

/** What forgets workspaces and people, and what shows them what is kept. */
export function erasingOf(
  config: WorkerConfig,
  aws: AwsCall,
): Required<Pick<Deps, 'erasure' | 'shortening' | 'exports' | 'installs'>> {
  const access = dynamoAccess(config);
  const dynamo = createDynamoClient(access);
  const all = { dynamo, scan: createScan(access), table: config.conversationsTable };
  return {
    erasure: new Erasure(all),
    shortening: new Shortening(all),
    exports: new Exports({ ...all, now: systemTime.now }),
    installs: installsOf(config, { aws, dynamo }),
  };
}
