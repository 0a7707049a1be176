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
