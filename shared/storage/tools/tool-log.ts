import * as v from 'valibot';
import type { PlatformName, Thread, ToolCallRecord, WorkspaceId } from '../../domain/index.ts';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

/** One call in the log of a workspace. Holds no arguments and no result. */
export type LoggedToolCall = ToolCallRecord & {
  /** When it began (ms since 1970). */
  readonly at: number;
  /** The person for whose question it was made. */
  readonly by: string;
};

export type ToolLogConfig = {
  readonly dynamo: Pick<Dynamo, 'put' | 'query'>;
  readonly table: string;
  readonly now: () => number;
};

/** How long a call stays in the log, in seconds. */
const RETENTION_SECONDS = 90 * 86_400;

const text = v.object({ S: v.string() });
const number = v.pipe(
  v.object({ N: v.string() }),
  v.transform(({ N }) => Number(N)),
);
const itemSchema = v.object({
  at: number,
  by: text,
  tool: text,
  source: text,
  ms: number,
  outcome: v.object({ S: v.picklist(['done', 'failed', 'proposed']) }),
  ch: text,
  ttl: number,
});

const partition = (platform: PlatformName, workspace: WorkspaceId) => ({
  S: `TOOLLOG#${platform}#${workspace}`,
});

/**
 * The log of the calls of tools that administrators turned on, one partition per workspace. Entries name the person in `by`, so an erasure
 * and an export find them by the person index. All methods reject if the table is unavailable.
 */
export class ToolLog {
  readonly #config: ToolLogConfig;

  constructor(config: ToolLogConfig) {
    this.#config = config;
  }

  /** Adds a call, once: two calls of the same tool by the same person in one millisecond are one entry, which stays as it is. */
  async add({ platform, workspace, channel }: Omit<Thread, 'root'>, call: LoggedToolCall): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const { at, by, tool, source, ms, outcome } = call;
    const adding = dynamo.put({
      TableName,
      ConditionExpression: 'attribute_not_exists(pk)',
      Item: {
        pk: partition(platform, workspace),
        sk: { S: `CALL#${String(at).padStart(14, '0')}#${source}#${tool}#${by}` },
        at: numberValue(at),
        by: { S: by },
        tool: { S: tool },
        source: { S: source },
        ms: numberValue(ms),
        outcome: { S: outcome },
        ch: { S: channel },
        ttl: numberValue(at / 1_000 + RETENTION_SECONDS),
      },
    });
    await isConditionMet(adding);
  }

  /** Returns the newest calls of a workspace, newest first, with their channels. */
  async list(
    { platform, workspace }: { readonly platform: PlatformName; readonly workspace: WorkspaceId },
    limit: number,
  ): Promise<readonly (LoggedToolCall & { readonly channel: string })[]> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': partition(platform, workspace) },
      ScanIndexForward: false,
      Limit: limit,
    });
    return Items.flatMap((item) => {
      const { success, output } = v.safeParse(itemSchema, item);
      if (!success || output.ttl <= now() / 1_000) return [];
      const { at, by, tool, source, ms, outcome, ch } = output;
      return [{ at, by: by.S, tool: tool.S, source: source.S, ms, outcome: outcome.S, channel: ch.S }];
    });
  }
}
