import type { Deps } from '../shared/flows/index.ts';
import type { AwsCall } from '../shared/runtime/aws-request.ts';
import type { WorkerConfig } from '../shared/runtime/config.ts';
import { createDynamoClient, createScan } from '../shared/store/dynamo-client.ts';
import { Erasure } from '../shared/store/index.ts';
import { installsOf } from './slack-side.ts';

/** What forgets workspaces and people. */
export function erasingOf(config: WorkerConfig, aws: AwsCall): Required<Pick<Deps, 'erasure' | 'installs'>> {
  const { region, credentials, endpoints } = config.aws;
  const access = { region, credentials, ...(endpoints.dynamodb && { endpoint: endpoints.dynamodb }) };
  const dynamo = createDynamoClient(access);
  return {
    erasure: new Erasure({ dynamo, scan: createScan(access), table: config.conversationsTable }),
    installs: installsOf(config, { aws, dynamo }),
  };
}
