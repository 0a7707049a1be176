import type { MessageId, Thread, Turn, TurnRef } from '../../domain/index.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import { type Item, numberValue, turnKey } from '../keys/item-keys.ts';
import { parseTurnItem } from './turn-item.ts';
import { type TurnsConfig, TurnTable } from './turn-table.ts';

/** What can be read of an answer while it is made, and afterwards. */
export type LiveAnswer =
  /** `text`: the words so far; undefined before the first. */
  | { readonly kind: 'pending'; readonly text: string | undefined }
  | { readonly kind: 'ended'; readonly outcome: Turn['outcome'] }
  /** The asker was refused, with these words. */
  | { readonly kind: 'refused'; readonly text: string }
  /** There is no such turn: it was never stored, or it was erased. */
  | { readonly kind: 'gone' };

type TurnPlace = { readonly thread: Thread; readonly message: MessageId };

const DAY_SECONDS = 86_400;

const refusalKey = ({ thread, message }: TurnPlace): { pk: Item[string]; sk: Item[string] } => {
  const { pk, sk } = turnKey(thread, message);
  return { pk, sk: { S: `REFUSED#${sk.S}` } };
};

/**
 * Answers that are read over the API. The words so far are an attribute of the turn (`live`), so they end, expire and are erased with it.
 */
export class LiveAnswers {
  readonly #config: TurnsConfig;
  readonly #table: TurnTable;

  constructor(config: TurnsConfig) {
    this.#config = config;
    this.#table = new TurnTable(config);
  }

  /** Stores the words so far. Nothing is stored once the turn has ended or was erased. */
  async write({ thread, message }: TurnRef, text: string): Promise<void> {
    await this.#table.changeItem(
      turnKey(thread, message),
      'SET live = :live',
      'attribute_exists(pk) AND attribute_not_exists(body)',
      { ':live': { S: text } },
    );
  }

  /** Stores for a day why the asker was refused; the turn itself is removed. */
  async refuse(turn: TurnRef, text: string): Promise<void> {
    await this.#config.dynamo.put({
      TableName: this.#config.table,
      Item: {
        ...refusalKey(turn),
        by: { S: turn.asker },
        text: { S: text },
        ttl: numberValue(this.#table.seconds() + DAY_SECONDS),
      },
    });
  }

  /** Reads an answer: one read, and a second one if there is no turn. */
  async read(turn: TurnPlace): Promise<LiveAnswer> {
    const item = await this.#table.get(turnKey(turn.thread, turn.message));
    if (item === undefined || !this.#table.isAlive(item)) return this.#readRefusal(turn);
    const { body } = parseTurnItem(item);
    if (!body) return { kind: 'pending', text: item['live']?.S };
    const outcome = readTurnContent(body.B)?.outcome;
    return outcome ? { kind: 'ended', outcome } : { kind: 'gone' };
  }

  async #readRefusal(turn: TurnPlace): Promise<LiveAnswer> {
    const item = await this.#table.get(refusalKey(turn));
    return item?.['text']?.S === undefined ? { kind: 'gone' } : { kind: 'refused', text: item['text'].S };
  }
}
