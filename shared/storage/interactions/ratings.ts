import * as v from 'valibot';
import {
  channelId,
  messageId,
  type MessageId,
  NO_GUILD,
  type PlatformName,
  type Thread,
  type UserId,
  type WorkspaceId,
  workspaceId,
  isPlatformName,
} from '../../domain/index.ts';
import { ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import { personPointer } from '../privacy/person-pointers.ts';
import { ratingKey, ratingsPartition } from './rating-keys.ts';
import { type Item, keyOf, readItem, sentAt } from '../turns/turn-item.ts';
import { numeral, type TurnsConfig, TurnTable, ignoreRefusedCondition } from '../turns/turn-table.ts';
import type { TurnKey } from '../turns/turn-writes.ts';
import { opinionOf } from '../privacy/erasure-scope.ts';

/** What somebody thinks of an answer, for those who administer the workspace. Who it is, is not told. */
export type Rating = {
  readonly thread: Thread;
  /** The question, by whose id the answer is stored. */
  readonly message: MessageId;
  /** The first message of the answer. */
  readonly answer: MessageId | undefined;
  /** When the question was asked (ms since 1970). */
  readonly askedAt: number;
  readonly model: string;
  readonly good: boolean;
  /** What the person wrote, if they did. */
  readonly text: string | undefined;
};

/** An answer that was rated. */
export type RatedAnswer = {
  readonly model: string;
  /** Whether there is somebody who administers the place, and so a list. */
  readonly listed: boolean;
};

/** Characters of what somebody writes about an answer: what an input takes on both platforms. */
export const MAX_COMMENT_LENGTH = 1_000;

const text = v.object({ S: v.string() });
const shape = v.object({
  pk: text,
  id: text,
  ch: text,
  root: text,
  model: text,
  good: v.object({ N: v.string() }),
  text: v.optional(text),
  answer: v.optional(text),
  ttl: v.object({ N: v.string() }),
});

const PAGE_SIZE = 200;

/**
 * What people think of answers: an attribute of the turn (`fb_<user>`), and an item in a partition of the workspace, by which those who
 * administer it are shown a list. The item expires with the turn.
 */
export class Ratings {
  readonly #config: TurnsConfig;
  readonly #turns: TurnTable;

  constructor(config: TurnsConfig) {
    this.#config = config;
    this.#turns = new TurnTable(config);
  }

  /** Keeps what a person thinks of an answer, in place of what they thought before. Undefined where there is no such answer. */
  async rate(turn: TurnKey, by: UserId, good: boolean): Promise<RatedAnswer | undefined> {
    if (!/^\w+$/u.test(by)) return undefined;
    const before = await this.#turns.find(turn);
    if (!before?.body) return undefined;
    // First what leads to it: broken off in between, it leads to a turn that holds nothing of this person.
    await this.#point(turn, by, before.ttl);
    const value = numeral(good ? 1 : 0);
    const item = await ignoreRefusedCondition(
      this.#turns.change(turn, `SET #${opinionOf(by)} = :value`, 'attribute_exists(body)', {
        ':value': value,
      }),
    );
    if (!item || !this.#turns.alive(item)) return undefined;
    const { body, posted, ttl } = readItem(item);
    if (ttl > before.ttl) await this.#point(turn, by, ttl);
    const ending = body && readWords(body.B)?.ending;
    const model = ending?.kind === 'answered' ? ending.model : 'unknown';
    // There nobody administers, and nobody else is to see it.
    if (turn.thread.workspace === NO_GUILD) return { model, listed: false };
    const { thread, message } = turn;
    const [answer] = posted?.L ?? [];
    await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: ratingKey(thread, message, by),
      // What was wrong with an answer is not said of one that is good after all.
      UpdateExpression: `SET #by = :by, #id = :id, #ch = :ch, #root = :root, #model = :model, #good = :good, #ttl = :ttl${answer ? ', #answer = :answer' : ''}${good ? ' REMOVE #text' : ''}`,
      ExpressionAttributeNames: {
        '#by': 'by',
        '#id': 'id',
        '#ch': 'ch',
        '#root': 'root',
        '#model': 'model',
        '#good': 'good',
        '#ttl': 'ttl',
        ...(answer && { '#answer': 'answer' }),
        ...(good && { '#text': 'text' }),
      },
      ExpressionAttributeValues: {
        ':by': { S: by },
        ':id': { S: message },
        ':ch': { S: thread.channel },
        ':root': { S: thread.root },
        ':model': { S: model },
        ':good': value,
        ':ttl': numeral(ttl),
        ...(answer && { ':answer': { S: answer.S } }),
      },
    });
    return { model, listed: true };
  }

  /** Lets the index of persons lead to the turn, until then (s). */
  async #point({ thread, message }: TurnKey, by: UserId, untilS: number): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({ TableName, Item: personPointer(keyOf(thread, message), by, numeral(untilS)) });
  }

  /** Adds what a person writes about an answer that they rated. Says whether they did. */
  comment({ thread, message }: TurnKey, by: UserId, words: string): Promise<boolean> {
    return ignoreConditionFailure(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: ratingKey(thread, message, by),
        UpdateExpression: 'SET #text = :text',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#text': 'text' },
        ExpressionAttributeValues: { ':text': { S: words.slice(0, MAX_COMMENT_LENGTH).toWellFormed() } },
      }),
    );
  }

  /** Ratings of answers to what was asked since then (ms since 1970), the newest questions first, at most so many. */
  async list(
    of: { readonly platform: PlatformName; readonly workspace: WorkspaceId },
    since: number,
    most: number,
  ): Promise<Rating[]> {
    const { dynamo, table } = this.#config;
    const found: Rating[] = [];
    let start: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await dynamo.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: ratingsPartition(of) } },
        ScanIndexForward: false,
        Limit: PAGE_SIZE,
        ...(start && { ExclusiveStartKey: start }),
      });
      for (const item of Items) {
        const rating = this.#read(item);
        if (rating && rating.askedAt < since) return found;
        if (rating) found.push(rating);
        if (found.length === most) return found;
      }
      start = LastEvaluatedKey;
    } while (start);
    return found;
  }

  #read(item: Item): Rating | undefined {
    const { success, output: data } = v.safeParse(shape, item);
    if (!success || Number(data.ttl.N) <= this.#turns.seconds()) return undefined;
    const [, platform, workspace = ''] = data.pk.S.split('#');
    if (!isPlatformName(platform)) return undefined;
    const channel = channelId(data.ch.S);
    return {
      thread: { platform, workspace: workspaceId(workspace), channel, root: messageId(data.root.S) },
      message: messageId(data.id.S),
      answer: data.answer && messageId(data.answer.S),
      askedAt: sentAt(data.id.S) * 1_000,
      model: data.model.S,
      good: data.good.N === '1',
      text: data.text?.S,
    };
  }
}
