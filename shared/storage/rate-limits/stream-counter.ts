import type { Dynamo } from '../dynamodb/dynamo.ts';
import { numeral } from '../turns/turn-keys.ts';

/** Rooms in an item for the processes that show answers, taken by chance: two in the same one count as one. */
const ROOMS = 64;
/** What a process said of itself counts for so long. */
const HOLDS_MS = 15_000;
const TTL_SECONDS = 3600;

export type StreamCounterConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
};

/** How many answers are being shown in a workspace at this moment, over all processes: one small item for each. */
export class StreamCounter {
  readonly #config: StreamCounterConfig;
  readonly #room: string;

  constructor(config: StreamCounterConfig) {
    this.#config = config;
    this.#room = `r${Math.floor(config.random() * ROOMS)}`;
  }

  /**
   * Says that this process is showing `open` answers there, and resolves with how many the others said within the last
   * 15 s. One write unit; only the process itself changes what it said, so it is safe to repeat.
   */
  async tell(workspace: string, open: number): Promise<number> {
    const { dynamo, table, now } = this.#config;
    const at = now();
    const { Attributes = {} } = await dynamo.update({
      TableName: table,
      Key: { pk: { S: `SHOWN#${workspace}` } },
      UpdateExpression: 'SET #room = :said, #ttl = :ttl',
      ExpressionAttributeNames: { '#room': this.#room, '#ttl': 'ttl' },
      ExpressionAttributeValues: {
        ':said': { S: `${at + HOLDS_MS} ${open}` },
        ':ttl': numeral(Math.floor(at / 1000) + TTL_SECONDS),
      },
      ReturnValues: 'ALL_NEW',
    });
    const others = Object.entries(Attributes).filter(([name]) => /^r\d/u.test(name) && name !== this.#room);
    return others.reduce((sum, [, { S = '' }]) => sum + counted(S, at), 0);
  }
}

function counted(said: string, now: number): number {
  const [until = 0, open = 0] = said.split(' ').map(Number);
  return until > now ? open : 0;
}
