import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numberValue } from '../keys/item-keys.ts';

/**
 * The number of slots in an item. Each process uses a random one; two processes in the same slot count as one.
 */
const SLOTS = 64;
/** How long a report counts: longer than the 14 s until the next one, which is sent with a part of the answer. */
const REPORT_TTL_MS = 20_000;
const TTL_SECONDS = 3600;

export type StreamCounterConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
};

/**
 * The number of answers that are being streamed in a workspace, over all processes: one small item per
 * workspace.
 */
export class StreamCounter {
  readonly #config: StreamCounterConfig;
  readonly #slot: string;

  constructor(config: StreamCounterConfig) {
    this.#config = config;
    this.#slot = `r${Math.floor(config.random() * SLOTS)}`;
  }

  /**
   * Reports that this process streams `open` answers, and resolves with the number that the others reported
   * within the last 20 s. One write unit. Idempotent: a process changes only its own slot.
   */
  async report(workspace: string, open: number): Promise<number> {
    const { dynamo, table, now } = this.#config;
    const at = now();
    const { Attributes = {} } = await dynamo.update({
      TableName: table,
      Key: { pk: { S: `SHOWN#${workspace}` } },
      UpdateExpression: 'SET #slot = :report, #ttl = :ttl',
      ExpressionAttributeNames: { '#slot': this.#slot, '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':report': { S: `${at + REPORT_TTL_MS} ${open}` },
        ':ttl': numberValue(Math.floor(at / 1000) + TTL_SECONDS),
      },
      ReturnValues: 'ALL_NEW',
    });
    const others = Object.entries(Attributes).filter(([name]) => /^r\d/u.test(name) && name !== this.#slot);
    return others.reduce((sum, [, { S = '' }]) => sum + reportedCount(S, at), 0);
  }
}

function reportedCount(report: string, now: number): number {
  const [until = 0, open = 0] = report.split(' ').map(Number);
  return until > now ? open : 0;
}
