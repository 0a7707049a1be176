import { type Dynamo, fetchDynamo, fetchScan, type TableScan } from '../../../shared/storage/index.ts';
import { toServiceCall } from './operator-call.ts';
import { getOutput, type SystemAccess } from './open-system.ts';

/** The conversations table of a system. */
export type OperatorTable = { readonly dynamo: Dynamo; readonly scan: TableScan; readonly table: string };

/** Returns access to the conversations table. Throws OperatorError if the deployment does not name it. */
export function openTable(system: SystemAccess): OperatorTable {
  const call = toServiceCall(system.call);
  return {
    dynamo: fetchDynamo(call),
    scan: fetchScan(call),
    table: getOutput(system, 'ConversationsTable'),
  };
}

/** A page is 128 read units, of 500 per second that the table has for everybody (`infra/cdk/storage.ts`). */
const PAGE_INTERVAL_MS = 1_000;

/** Returns a scan for the table of a deployment: it pauses between pages, because the bot shares the capacity of the table. */
export function paceScan(scan: TableScan, wait: (ms: number) => Promise<void>): TableScan {
  let isFirst = true;
  return async (input) => {
    if (!isFirst) await wait(PAGE_INTERVAL_MS);
    isFirst = false;
    return scan(input);
  };
}
