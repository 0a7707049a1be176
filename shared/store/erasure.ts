import * as v from 'valibot';
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey, type UserId } from '../conversation/index.ts';
import { type JobId, jobId } from '../jobs/index.ts';
import { forgetAuthor } from './changed-by.ts';
import { ConditionFailed, tookPlace, type Dynamo } from './dynamo.ts';
import { readWords } from './pack.ts';
import { packJson } from './packed.ts';
import { removeHeard, sideBySide } from './recording-removal.ts';
import { readerKey } from './readers.ts';
import { ratingsOf } from './rating-keys.ts';
import { recordingAt, shownAt } from './recording-keys.ts';
import { nameSaved } from './saved.ts';
import { settingsPartition } from './settings-keys.ts';
import type { Item } from './turn-keys.ts';
import {
  isAccount,
  isBy,
  isLevel,
  key,
  type Key,
  nextOf,
  opinionOf,
  PAGE,
  pageOf,
  type Scan,
  startAt,
  type Whose,
} from './whose.ts';

export type { Scan, Whose } from './whose.ts';

export type ErasureConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly scan: Scan;
  readonly table: string;
};

/** Takes down what stands in a thread of what is to go: called before it is forgotten where that stands. */
export type TakeDown = (thread: Thread, messages: readonly MessageId[]) => Promise<void>;

/** What is done before a page is forgotten: broken off after that, nothing would lead there any more. */
export type Leaving = {
  readonly takeDown?: TakeDown | undefined;
  /** Has video jobs forgotten, with their media. */
  readonly forget: (jobs: readonly JobId[]) => Promise<void>;
};

/** What one page came to. `next` is where to go on; absent at the end of the table. */
export type ErasedPage = {
  readonly erased: number;
  readonly next?: string | undefined;
};

/**
 * Removes what a workspace, a person or a thread left in `conversations`. No index leads from a workspace to its threads:
 * one would cost with every turn, and erasing is rare, so the table is read through; a thread's items lie together. May be
 * broken off and repeated at any page.
 */
export class Erasure {
  readonly #config: ErasureConfig;

  constructor(config: ErasureConfig) {
    this.#config = config;
  }

  /**
   * A page of the table. Of a person go their questions with the answers, recordings, settings, saved texts and what they
   * thought of answers; their words in answers to somebody else's question too. What they set for others stays, without
   * their name. What they spent stays, as numbers, until it expires: forgetting must not refill a budget.
   */
  async page(whose: Whose, from: string | undefined, leaving: Leaving): Promise<ErasedPage> {
    const { user } = whose;
    // Without a workspace and a person, nobody is meant.
    if (user === undefined && whose.workspace === undefined) return { erased: 0 };
    const { dynamo, scan, table: TableName } = this.#config;
    // Learned wherever they called something, kept in one place for all.
    if (user !== undefined && whose.platform === 'discord' && from === undefined)
      await dynamo.delete({ TableName, Key: readerKey(user) });
    const { items, next } = await pageOf(scan, TableName, whose, from);
    const theirs = user === undefined ? items : items.filter((item) => !isAccount(item) && isBy(item, user));
    if (whose.teams !== undefined) await sideBySide(theirs, (item) => this.#unfold(item));
    if (user !== undefined) {
      const others = items.filter((item) => !theirs.includes(item));
      await sideBySide(others, (item) => this.#removeOpinion(item, user));
      await sideBySide(others.filter(isLevel), (item) =>
        forgetAuthor(this.#config, v.parse(key, item), item, user),
      );
      await sideBySide(theirs, (item) => this.#unfold(item));
    }
    return this.#removed(theirs, next, leaving);
  }

  /** A page of a thread: all of it goes, what was set there too. `user` wants it. */
  async threadPage(
    thread: Thread,
    user: UserId,
    from: string | undefined,
    leaving: Leaving,
  ): Promise<ErasedPage> {
    const { dynamo, table: TableName } = this.#config;
    const { channel, root } = thread;
    const set = {
      pk: { S: settingsPartition({ ...thread, user }) },
      sk: { S: `LEVEL#thread#${channel}#${root}` },
    };
    await dynamo.delete({ TableName, Key: set });
    const query: QueryCommandInput = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: threadKey(thread) } },
      Limit: PAGE,
      ConsistentRead: true,
      ...startAt(from),
    };
    const { Items = [], LastEvaluatedKey } = await dynamo.query(query);
    return this.#removed(Items, nextOf(LastEvaluatedKey), leaving);
  }

  async #removed(
    items: readonly Item[],
    next: string | undefined,
    { takeDown, forget }: Leaving,
  ): Promise<ErasedPage> {
    await sideBySide(items, async (item) => {
      const shown = shownAt(item);
      if (shown) await takeDown?.(shown.thread, shown.messages);
    });
    // What people think of an answer goes before the answer, by which it is found.
    await sideBySide(items.flatMap(ratingsOf), (one) => this.#remove(one));
    const keys = items.map((item) => v.parse(key, item));
    await forget(keys.flatMap(({ sk }) => jobId(sk.S.replace(/^VIDEO#/u, '')) ?? []));
    await sideBySide(keys, (one) => this.#remove(one));
    return { erased: keys.length, next };
  }

  /** With a recording its pieces go, with a question the ticket to answer it by, with what was saved its name. The item itself goes last. */
  async #remove({ pk, sk }: Key): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const recording = recordingAt(pk.S, sk.S);
    if (recording) await removeHeard(this.#config, recording.pk, recording.file);
    if (pk.S.startsWith('discord#') && sk.S.startsWith('TURN#')) {
      const ticket = { pk, sk: { S: sk.S.replace(/^TURN/u, 'TICKET') } };
      await dynamo.delete({ TableName, Key: ticket });
    }
    const [saved, kind, ...name] = sk.S.split('#');
    if (saved === 'SAVED' && kind !== undefined)
      await nameSaved(this.#config, { pk, sk: { S: `NAMES#${kind}` } }, name.join('#'), 'DELETE');
    await dynamo.delete({ TableName, Key: { pk, sk } });
  }

  /** What the person thought of an answer that somebody else had. */
  async #removeOpinion(item: Item, user: UserId): Promise<void> {
    const name = opinionOf(user);
    if (!Object.hasOwn(item, name)) return;
    const { pk, sk } = v.parse(key, item);
    await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: { pk, sk },
      UpdateExpression: 'REMOVE #fb',
      ExpressionAttributeNames: { '#fb': name },
    });
  }

  /** A question that was answered together with somebody else's is taken out of their turn. */
  async #unfold(item: Item): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const [into, message] = [item['into']?.S, item['id']?.S];
    const { pk, sk } = v.parse(key, item);
    if (into === undefined || message === undefined) return;
    const Key = { pk, sk: { S: `TURN#${into.padStart(20, '0')}` } };
    const { Item: whole } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    const body = whole?.['body']?.B;
    if (!body || sk.S === Key.sk.S) return;
    const said = readWords(body);
    // What cannot be read cannot be taken out of it either: it goes whole.
    if (!said) return this.#removeUnreadable(Key, body);
    const folded = said.folded?.filter((one) => one.message !== message);
    if (folded?.length === said.folded?.length) return;
    await dynamo
      .update({
        TableName,
        Key,
        UpdateExpression: 'SET body = :after',
        ConditionExpression: 'body = :before',
        ExpressionAttributeValues: { ':before': { B: body }, ':after': { B: packJson({ ...said, folded }) } },
      })
      .catch((error: unknown) => {
        if (!(error instanceof ConditionFailed)) throw error;
      });
  }
  async #removeUnreadable(Key: Item, body: Uint8Array): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const same = { ConditionExpression: 'body = :body', ExpressionAttributeValues: { ':body': { B: body } } };
    await tookPlace(dynamo.delete({ TableName, Key, ...same }));
  }
}
