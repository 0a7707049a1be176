import * as v from 'valibot';
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey, type UserId } from '../../domain/index.ts';
import { type JobId, jobId } from '../../video/jobs/index.ts';
import { anonymizeAuthor } from './anonymize-audit-log.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { removeDraft, removeLinesOf, removeNamelessContext, removeWordsOf } from './remove-quoted-text.ts';
import { removeMerged } from '../turns/merged-questions.ts';
import {
  BETWEEN_PASSES_MS,
  byIndex,
  MAX_PASSES,
  MAX_PASSES_WITHOUT_WAITING,
  MIN_PASSES,
  type Pass,
  passText,
  readPass,
} from '../dynamodb/index-pass.ts';
import { personPage } from './person-items.ts';
import { isPointer, pointerKey } from './person-pointers.ts';
import { concurrently, removeTranscripts, mapConcurrently } from '../recordings/recording-removal.ts';
import { userLocaleKey } from '../settings/user-locales.ts';
import { ratingsOf } from '../interactions/rating-keys.ts';
import { recordingAt, shownAt } from '../recordings/recording-keys.ts';
import { withoutAuthor } from '../settings/preset-author.ts';
import { nameSaved } from '../settings/presets.ts';
import { draftAt, settingsPartition } from '../settings/settings-keys.ts';
import type { Item } from '../turns/turn-keys.ts';
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
  type TableScan,
  startAt,
  type ErasureScope,
} from './erasure-scope.ts';

export type { TableScan, ErasureScope } from './erasure-scope.ts';

export type ErasureConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly scan: TableScan;
  readonly table: string;
  readonly now: () => number;
  /** Whether the index of persons holds all by now. Until then, the table is read through for a person too. */
  readonly isIndexComplete: () => Promise<boolean>;
};

/** Takes down what stands in a thread of what is to go: called before it is forgotten where that stands. */
export type MessageRemoval = (thread: Thread, messages: readonly MessageId[]) => Promise<void>;

/** What is done before a page is forgotten: broken off after that, nothing would lead there any more. */
export type LeavingAccount = {
  readonly takeDown?: MessageRemoval | undefined;
  /** Has video jobs forgotten, with their media. */
  readonly forget: (jobs: readonly JobId[]) => Promise<void>;
};

/** What one page came to. `next` is where to go on; absent at the end. */
export type ErasedPage = {
  readonly erased: number;
  readonly next?: string | undefined;
  /** For how long the table is to be left to others before the next page (ms). */
  readonly pauseMs?: number | undefined;
};

/**
 * Removes what a workspace, a person or a thread left in `conversations`. An index leads to what is a person's, and a thread's items
 * lie together. No index leads from a workspace to its threads: one would cost with every turn, and workspaces are rarely erased, so
 * the table is read through. May be broken off and repeated at any page.
 */
export class Erasure {
  readonly #config: ErasureConfig;

  constructor(config: ErasureConfig) {
    this.#config = config;
  }

  /**
   * A page of the table. Of a person go their questions with the answers, recordings, settings, saved texts that nobody else uses,
   * and what they thought of answers; their words in answers to somebody else's question too. What they set for others stays, without
   * their name. What they spent stays, as numbers, until it expires: forgetting must not refill a budget.
   */
  async page(whose: ErasureScope, from: string | undefined, leaving: LeavingAccount): Promise<ErasedPage> {
    const { user } = whose;
    // Without a workspace and a person, nobody is meant.
    if (user === undefined && whose.workspace === undefined) return { erased: 0 };
    const { dynamo, scan, table: TableName } = this.#config;
    // Learned wherever they called something, kept in one place for all.
    if (user !== undefined && whose.platform === 'discord' && from === undefined)
      await dynamo.delete({ TableName, Key: userLocaleKey(user) });
    const { isIndexComplete } = this.#config;
    if (user !== undefined && (await byIndex(from, isIndexComplete)))
      return this.#indexedPage({ ...whose, user }, readPass(from), leaving);
    const { items, next, pauseMs } = await pageOf(scan, TableName, whose, from);
    if (user !== undefined) {
      const { erased } = await this.#removePersonal(items, user, leaving);
      return { erased, next, pauseMs };
    }
    if (whose.teams !== undefined)
      await mapConcurrently(items, async (item) => void (await removeMerged(this.#config, item)));
    return { erased: await this.#removeAll(items, leaving), next, pauseMs };
  }

  /** Whether the next page reads the table through, which one task of a deployment may do at a time. */
  async scans({ user }: Pick<ErasureScope, 'user'>, from: string | undefined): Promise<boolean> {
    return user === undefined || !(await byIndex(from, this.#config.isIndexComplete));
  }

  /**
   * The index lags behind the table, and what is being answered just now may get words of this person yet: it is gone through again
   * until there is nothing more to remove.
   */
  async #indexedPage(
    whose: ErasureScope & { readonly user: UserId },
    { pass, found, waits, after: start }: Pass,
    leaving: LeavingAccount,
  ): Promise<ErasedPage> {
    const { items, after, pauseMs } = await personPage(this.#config, whose, start);
    const { erased, postponed } = await this.#removePersonal(items, whose.user, leaving, pass < MAX_PASSES);
    const so = { found: found || erased > 0, waits: waits || postponed > 0 };
    if (after) return { erased, next: passText({ pass, ...so, after }), pauseMs };
    const again =
      pass < MIN_PASSES || (so.found && pass < MAX_PASSES_WITHOUT_WAITING) || (so.waits && pass < MAX_PASSES);
    const next = again ? passText({ pass: pass + 1, found: false, waits: false }) : undefined;
    return { erased, next, pauseMs: Math.max(pauseMs, BETWEEN_PASSES_MS) };
  }

  /**
   * Removes what is this person's among these items, and takes them out of what is not. With `mayPostpone`, a question stays that is
   * being answered in somebody else's turn just now: by it that turn is found once it has ended.
   */
  async #removePersonal(
    items: readonly Item[],
    user: UserId,
    leaving: LeavingAccount,
    mayPostpone = false,
  ): Promise<{ readonly erased: number; readonly postponed: number }> {
    const personal = items.filter((item) => !isAccount(item) && isBy(item, user));
    const isKept = await concurrently(personal, (item) => withoutAuthor(this.#config, item, user));
    const theirs = personal.filter((_, i) => isKept[i] !== true);
    const others = items.filter((item) => !personal.includes(item));
    await mapConcurrently(others, (item) => this.#removeOpinion(item, user));
    await mapConcurrently(others.filter(isLevel), (item) =>
      anonymizeAuthor(this.#config, v.parse(key, item), item, user),
    );
    await mapConcurrently(others, async (item) => {
      await removeNamelessContext(this.#config, item);
      await removeLinesOf(this.#config, item, user);
    });
    const over = await concurrently(
      theirs,
      async (item) =>
        (await removeMerged(this.#config, item)) && (await removeWordsOf(this.#config, item, user)),
    );
    const going = theirs.filter((_, i) => over[i] === true || !mayPostpone);
    const erased = await this.#removeAll(going, leaving);
    return { erased, postponed: theirs.length - going.length };
  }

  /** A page of a thread: all of it goes, what was set there too. `user` wants it. */
  async threadPage(
    thread: Thread,
    user: UserId,
    from: string | undefined,
    leaving: LeavingAccount,
  ): Promise<ErasedPage> {
    const { dynamo, table: TableName } = this.#config;
    const { channel, root } = thread;
    const set = {
      pk: { S: settingsPartition({ ...thread, user }) },
      sk: { S: `LEVEL#thread#${channel}#${root}` },
    };
    await dynamo.delete({ TableName, Key: set });
    await this.#removePointers(set);
    const query: QueryCommandInput = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: threadKey(thread) } },
      Limit: PAGE,
      ConsistentRead: true,
      ...startAt(from),
    };
    const { Items = [], LastEvaluatedKey } = await dynamo.query(query);
    return { erased: await this.#removeAll(Items, leaving), next: nextOf(LastEvaluatedKey) };
  }

  /** Removes what leads from persons to an item that is gone. */
  async #removePointers(to: Key): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const { pk, sk } = pointerKey(to, '');
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': sk, ':last': { S: `${sk.S}~` } },
    });
    await mapConcurrently(Items, (item) => dynamo.delete({ TableName, Key: v.parse(key, item) }));
  }

  /** Resolves with how many items of people it removed. */
  async #removeAll(items: readonly Item[], { takeDown, forget }: LeavingAccount): Promise<number> {
    await mapConcurrently(items, async (item) => {
      const shown = shownAt(item);
      if (shown) await takeDown?.(shown.thread, shown.messages);
    });
    // What people think of an answer goes before the answer, by which it is found.
    await mapConcurrently(items.flatMap(ratingsOf), (one) => this.#remove(one));
    const keys = items.map((item) => v.parse(key, item));
    await forget(keys.flatMap(({ sk }) => jobId(sk.S.replace(/^VIDEO#/u, '')) ?? []));
    await mapConcurrently(keys, (one) => this.#remove(one));
    return items.filter((item) => !isPointer(item)).length;
  }

  /** With a recording its pieces go, with a question the ticket to answer it by, with what was saved its name, with a thread the drafts that are about it. The item itself goes last. */
  async #remove({ pk, sk }: Key): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const recording = recordingAt(pk.S, sk.S);
    if (recording) await removeTranscripts(this.#config, recording.pk, recording.file);
    if (pk.S.startsWith('discord#') && sk.S.startsWith('TURN#')) {
      const ticket = { pk, sk: { S: sk.S.replace(/^TURN/u, 'TICKET') } };
      await dynamo.delete({ TableName, Key: ticket });
    }
    if (sk.S.startsWith('DRAFTED#')) await removeDraft(this.#config, draftAt(sk.S));
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
}
