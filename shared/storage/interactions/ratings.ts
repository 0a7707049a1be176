import * as v from 'valibot';
import {
  channelId,
  MAX_COMMENT_LENGTH,
  messageId,
  type MessageId,
  NO_GUILD,
  type PlatformName,
  type Thread,
  type UserId,
  userId,
  type WorkspaceId,
  workspaceId,
  isPlatformName,
} from '../../domain/index.ts';
import { isConditionMet } from '../dynamodb/dynamo.ts';
import { readTurnContent } from '../dynamodb/turn-compression.ts';
import {
  createPersonPointer,
  ratingKey,
  ratingsPartition,
  ratingAttribute,
  type Item,
  turnKey,
  numberValue,
} from '../keys/item-keys.ts';
import { parseTurnItem } from '../turns/turn-item.ts';
import { type TurnsConfig, TurnTable, type TurnKey, ignoreConditionFailure } from '../turns/turn-table.ts';
import { getMessageTimeMs } from '../../utils/index.ts';

/** A rating of an answer, for the administrators of the workspace. It does not contain the person. */
export type Rating = {
  readonly thread: Thread;
  /** The question, whose id is the key of the answer. */
  readonly message: MessageId;
  /** The first message of the answer. */
  readonly answer: MessageId | undefined;
  /** When the question was asked (ms since 1970). */
  readonly askedAt: number;
  readonly model: string;
  readonly good: boolean;
  /** The comment of the person, if any. */
  readonly text: string | undefined;
};

export type RatedAnswer = {
  readonly model: string;
  /** Whether the workspace has administrators, and so a list of ratings. */
  readonly listed: boolean;
  /** Who asked. */
  readonly asker: UserId;
};

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
 * Ratings of answers: an attribute of the turn (`fb_<user>`), and an item in a partition of the workspace for
 * the administrators' list. The item expires with the turn.
 */
export class Ratings {
  readonly #config: TurnsConfig;
  readonly #turns: TurnTable;

  constructor(config: TurnsConfig) {
    this.#config = config;
    this.#turns = new TurnTable(config);
  }

  /**
   * Stores a person's rating of an answer and replaces an earlier one. Undefined if there is no such answer.
   */
  async rate(turn: TurnKey, by: UserId, good: boolean): Promise<RatedAnswer | undefined> {
    if (!/^\w+$/u.test(by)) return undefined;
    const before = await this.#turns.find(turn);
    if (!before?.body) return undefined;
    // The pointer is written first: after an interruption it leads to a turn without data of this person.
    await this.#point(turn, by, before.ttl);
    const value = numberValue(good ? 1 : 0);
    const item = await ignoreConditionFailure(
      this.#turns.updateTurn(turn, `SET #${ratingAttribute(by)} = :value`, 'attribute_exists(body)', {
        ':value': value,
      }),
    );
    if (!item || !this.#turns.isAlive(item)) return undefined;
    const { body, posted, ttl } = parseTurnItem(item);
    if (ttl > before.ttl) await this.#point(turn, by, ttl);
    const asker = userId(before.by.S);
    const outcome = body && readTurnContent(body.B)?.outcome;
    const model = outcome?.kind === 'answered' ? outcome.model : 'unknown';
    // Such chats have no administrators, and nobody else may see the rating.
    if (turn.thread.workspace === NO_GUILD) return { model, listed: false, asker };
    const { thread, message } = turn;
    const [answer] = posted?.L ?? [];
    await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: ratingKey(thread, message, by),
      // A comment on a bad rating does not apply to a good one.
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
        ':ttl': numberValue(ttl),
        ...(answer && { ':answer': { S: answer.S } }),
      },
    });
    return { model, listed: true, asker };
  }

  /** Writes the pointer from the person to the turn, until `untilS` (s). */
  async #point({ thread, message }: TurnKey, by: UserId, untilS: number): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await dynamo.put({
      TableName,
      Item: createPersonPointer(turnKey(thread, message), by, numberValue(untilS)),
    });
  }

  /** Adds a comment to a person's rating. Resolves with false if they did not rate the answer. */
  comment({ thread, message }: TurnKey, by: UserId, words: string): Promise<boolean> {
    return isConditionMet(
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

  /**
   * Returns ratings of questions that were asked since `since` (ms since 1970), the newest questions first, at
   * most `limit`.
   */
  async list(
    of: { readonly platform: PlatformName; readonly workspace: WorkspaceId },
    since: number,
    limit: number,
  ): Promise<Rating[]> {
    const { dynamo, table } = this.#config;
    const ratings: Rating[] = [];
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
        if (rating && rating.askedAt < since) return ratings;
        if (rating) ratings.push(rating);
        if (ratings.length === limit) return ratings;
      }
      start = LastEvaluatedKey;
    } while (start);
    return ratings;
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
      askedAt: getMessageTimeMs(data.id.S),
      model: data.model.S,
      good: data.good.N === '1',
      text: data.text?.S,
    };
  }
}
