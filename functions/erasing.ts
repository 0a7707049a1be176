import type { Deps } from '../shared/flows/index.ts';
import { type AwsCall, awsCaller } from '../shared/runtime/aws-request.ts';
import type { WorkerConfig } from '../shared/runtime/config.ts';
import { systemTime } from '../shared/runtime/time.ts';
import { dynamoLight, dynamoScan } from '../shared/store/dynamo-light.ts';
import { Erasure, Exports, Shortening } from '../shared/store/index.ts';
import { installsOf } from './slack-side.ts';

/** What forgets workspaces and people, and what shows them what is kept. */
export function erasingOf(
  config: WorkerConfig,
  aws: AwsCall,
): Required<Pick<Deps, 'erasure' | 'shortening' | 'exports' | 'installs'>> {
  // A page of a table is large, and reading one after the other may be throttled for a while.
  const patient = awsCaller(config.aws, { deadlineMs: 15_000, tryMs: 5_000, tries: 6 });
  const dynamo = dynamoLight(patient);
  const all = { dynamo, scan: dynamoScan(patient), table: config.conversationsTable };
  return {
    erasure: new Erasure(all),
    shortening: new Shortening(all),
    exports: new Exports({ ...all, now: systemTime.now }),
    installs: installsOf(config, { aws, dynamo }),
  };
}
