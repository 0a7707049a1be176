import type { WorkerContext } from '../../shared/worker/index.ts';
import type { AwsCall } from '../../shared/aws/index.ts';
import { type WorkerConfig, systemTime } from '../../shared/runtime/index.ts';
import {
  Erasure,
  ErasureMoments,
  ExportLimit,
  Exports,
  PersonIndex,
  ScanLease,
  RetentionRun,
} from '../../shared/storage/index.ts';
import { createDynamo, createScan } from './dynamo.ts';
import { createInstalls } from './slack/adapter.ts';

/** Erasure of workspaces and people, and the export of their data. */
export function createPrivacyContext(
  config: WorkerConfig,
  aws: AwsCall,
): Required<
  Pick<
    WorkerContext,
    'erasure' | 'erasureMoments' | 'shortening' | 'exporter' | 'exportLimit' | 'scanLease' | 'installs'
  >
> {
  const dynamo = createDynamo(config);
  const store = { dynamo, table: config.conversationsTable, now: systemTime.now };
  const { isComplete: isIndexComplete } = new PersonIndex(store);
  const all = { ...store, scan: createScan(config), isIndexComplete };
  return {
    erasure: new Erasure(all),
    erasureMoments: new ErasureMoments(store),
    shortening: new RetentionRun(all),
    exporter: new Exports(all),
    exportLimit: new ExportLimit(all),
    scanLease: new ScanLease(store),
    installs: createInstalls(config, { aws, dynamo }),
  };
}
