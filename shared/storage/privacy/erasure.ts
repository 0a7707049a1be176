import * as v from 'valibot';
import type { QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type MessageId, type Thread, threadKey, type UserId } from '../../domain/index.ts';
import { type JobId, jobId } from '../../video/jobs/index.ts';
import { anonymizeAuthor } from './anonymize-audit-log.ts';
import { countRewrites } from './count-rewrites.ts';
import type { Dynamo, TableScan } from '../dynamodb/dynamo.ts';
import { estimateBytes, estimateWriteUnits } from '../keys/item-size.ts';
import {
  removeDraft,
  removeContextLines,
  removeLegacyContext,
  removeQuotedText,
} from './remove-quoted-text.ts';
import { removeFromMergedTurn } from '../turns/merged-questions.ts';
import {
  PASS_DELAY_MS,
  shouldUseIndex,
  MAX_PASSES,
  MAX_CLEANUP_PASSES,
  MIN_PASSES,
  type IndexPass,
  serializePass,
  parsePass,
} from './index-pass.ts';
import { BYTES_PER_UNIT, queryPersonItems } from './person-items.ts';
import {
  isPointer,
  personPointerKey,
  listRatingKeys,
  ratingAttribute,
  draftKeyFromPointer,
  settingsPartition,
  type Item,
} from '../keys/item-keys.ts';
import { CONCURRENCY, removeTranscripts } from '../recordings/recording-removal.ts';
import { mapConcurrently } from '../../utils/index.ts';
import { removeThreadCalls } from '../tools/remove-thread-calls.ts';
import { userLocaleKey } from '../settings/user-locales.ts';
import { getRecordingLocation, readPostedTranscript } from '../keys/recording-keys.ts';
import { removePresetAuthor } from '../settings/preset-author.ts';
import { updatePresetNames } from '../settings/presets.ts';
import {
  isAccount,
  isFromPerson,
  isLevel,
  MAX_SCAN_UNITS_PER_SECOND,
  nextCursor,
  PAGE_SIZE,
  scanPage,
  scanPauseMs,
  startKey,
  writePauseMs,
  type ErasureScope,
} from './erasure-scope.ts';
import type { CollectionPlace } from '../keys/document-keys.ts';
import { keySchema, type Key } from '../keys/key-schema.ts';
import { removeChannelSettings } from './remove-channel-settings.ts';

export type ErasureConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete' | 'query'>;
  readonly scan: TableScan;
  readonly table: string;
  readonly now: () => number;
  /** Whether the person index is complete. Until then, erasing a person scans the table too. */
  readonly isIndexComplete: () => Promise<boolean>;
};

/** Deletes messages in a thread, before their items are erased. */
export type MessageRemoval = (thread: Thread, messages: readonly MessageId[]) => Promise<void>;

/** Actions before a page is erased: afterwards nothing would lead to these messages and jobs. */
export type ErasureHooks = {
  readonly deleteMessages?: MessageRemoval | undefined;
  /** Erases video jobs with their media. */
  readonly eraseJobs: (jobs: readonly JobId[]) => Promise<void>;
};

/** The result of one page. `next` is the cursor; absent at the end. */
export type ErasedPage = {
  readonly erased: number;
  readonly next?: string | undefined;
  /** The pause before the next page (ms), for other users of the table. */
  readonly pauseMs?: number | undefined;
};

/** How many items were erased, without pointers, and the write units of that and of changed items, estimated. */
type Removal = { readonly erased: number; readonly units: number };

/**
 * Erases the data of a workspace, a person or a thread in `conversations`. An index leads to a person's items,
 * and a thread's items are in one partition. There is no index from a workspace to its threads: it would cost
 * with every turn, and workspaces are rarely erased, so the table is scanned. May be interrupted and repeated
 * at any page.
 */
export class Erasure {
  readonly #config: ErasureConfig;

  constructor(config: ErasureConfig) {
    this.#config = config;
  }

  /**
   * Erases one page. For a person: their questions with the answers, recordings, settings, presets that nobody
   * else uses, their ratings, and their text in answers to other people's questions. Settings for others stay,
   * without their name. Expenses stay as numbers until they expire: an erasure must not refill a budget.
   */
  async page(scope: ErasureScope, from: string | undefined, hooks: ErasureHooks): Promise<ErasedPage> {
    const { user } = scope;
    // Without a workspace and a person there is no scope.
    if (user === undefined && scope.workspace === undefined) return { erased: 0 };
    const { dynamo, scan, table: TableName } = this.#config;
    // The locale is known from any interaction and stored once.
    if (user !== undefined && scope.platform === 'discord' && from === undefined)
      await dynamo.delete({ TableName, Key: userLocaleKey(user) });
    const { isIndexComplete } = this.#config;
    if (user !== undefined && (await shouldUseIndex(from, isIndexComplete)))
      return this.#indexedPage({ ...scope, user }, parsePass(from), hooks);
    const { items, next, pauseMs } = await scanPage(scan, TableName, scope, from);
    if (user !== undefined) {
      const { erased, units } = await this.#removePersonal(items, user, hooks);
      return { erased, next, pauseMs: pauseMs + writePauseMs(units) };
    }
    const rewrites = countRewrites(this.#config);
    // One at a time: see `#removePersonal`.
    if (scope.teams !== undefined)
      for (const item of items) await removeFromMergedTurn(rewrites.config, item);
    const { erased, units } = await this.#removeAll(items, hooks);
    return { erased, next, pauseMs: pauseMs + writePauseMs(rewrites.units() + units) };
  }

  /** Whether the next page scans the table, which one task of a deployment at a time may do. */
  async scans({ user }: Pick<ErasureScope, 'user'>, from: string | undefined): Promise<boolean> {
    return user === undefined || !(await shouldUseIndex(from, this.#config.isIndexComplete));
  }

  /**
   * The index lags behind the table, and running answers may still store text of this person: so the index is
   * processed again until nothing is left to erase.
   */
  async #indexedPage(
    scope: ErasureScope & { readonly user: UserId },
    { pass, found, waits, after: start }: IndexPass,
    hooks: ErasureHooks,
  ): Promise<ErasedPage> {
    const { items, after, pauseMs: readPauseMs } = await queryPersonItems(this.#config, scope, start);
    const mayPostpone = pass < MAX_PASSES;
    const { erased, postponed, units } = await this.#removePersonal(items, scope.user, hooks, mayPostpone);
    const pauseMs = readPauseMs + writePauseMs(units);
    const state = { found: found || erased > 0, waits: waits || postponed > 0 };
    if (after) return { erased, next: serializePass({ pass, ...state, after }), pauseMs };
    const needsAnotherPass =
      pass < MIN_PASSES || (state.found && pass < MAX_CLEANUP_PASSES) || (state.waits && pass < MAX_PASSES);
    const next = needsAnotherPass ? serializePass({ pass: pass + 1, found: false, waits: false }) : undefined;
    return { erased, next, pauseMs: Math.max(pauseMs, PASS_DELAY_MS) };
  }

  /**
   * Erases this person's items, and removes the person from the others. With `mayPostpone`, a question that is
   * being answered together with others stays: it leads to the turn after it has ended.
   */
  async #removePersonal(
    items: readonly Item[],
    user: UserId,
    hooks: ErasureHooks,
    mayPostpone = false,
  ): Promise<Removal & { readonly postponed: number }> {
    const rewrites = countRewrites(this.#config);
    const { config } = rewrites;
    const personal = items.filter((item) => !isAccount(item) && isFromPerson(item, user));
    const isKept = await mapConcurrently(personal, CONCURRENCY, (item) =>
      removePresetAuthor(config, item, user),
    );
    const theirs = personal.filter((_, i) => isKept[i] !== true);
    const others = items.filter((item) => !personal.includes(item));
    await mapConcurrently(others, CONCURRENCY, (item) => removeOpinion(config, item, user));
    await mapConcurrently(others.filter(isLevel), CONCURRENCY, (item) =>
      anonymizeAuthor(config, v.parse(keySchema, item), item, user),
    );
    await mapConcurrently(others, CONCURRENCY, async (item) => {
      await removeLegacyContext(config, item);
      await removeContextLines(config, item, user);
    });
    const over: boolean[] = [];
    // One at a time: for a question without an answer, each reads the conversation before it.
    for (const item of theirs)
      over.push((await removeFromMergedTurn(config, item)) && (await removeQuotedText(config, item, user)));
    const going = theirs.filter((_, i) => over[i] === true || !mayPostpone);
    const { erased, units } = await this.#removeAll(going, hooks);
    return { erased, units: rewrites.units() + units, postponed: theirs.length - going.length };
  }

  /** Erases one page of a thread, settings included. `user` requested it. */
  async threadPage(
    thread: Thread,
    user: UserId,
    from: string | undefined,
    hooks: ErasureHooks,
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
      Limit: PAGE_SIZE,
      ConsistentRead: true,
      ...startKey(from),
    };
    const { Items = [], LastEvaluatedKey } = await dynamo.query(query);
    const calls = from === undefined ? await removeThreadCalls(thread, this.#config) : 0;
    const { erased, units } = await this.#removeAll(Items, hooks);
    const readUnits = estimateBytes(Items) / BYTES_PER_UNIT;
    const pauseMs = scanPauseMs(readUnits, MAX_SCAN_UNITS_PER_SECOND) + writePauseMs(units);
    return { erased: calls + erased, next: nextCursor(LastEvaluatedKey), pauseMs };
  }

  /** Erases the settings and facts of a channel that no longer exists, and the settings of its threads. Idempotent. */
  channelSettings(place: CollectionPlace): Promise<void> {
    return removeChannelSettings(place, this.#config);
  }

  /** Deletes the pointers to an item that is gone. */
  async #removePointers(to: Key): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    const { pk, sk } = personPointerKey(to, '');
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: { ':pk': pk, ':first': sk, ':last': { S: `${sk.S}~` } },
    });
    await mapConcurrently(Items, CONCURRENCY, (item) =>
      dynamo.delete({ TableName, Key: v.parse(keySchema, item) }),
    );
  }

  async #removeAll(items: readonly Item[], { deleteMessages, eraseJobs }: ErasureHooks): Promise<Removal> {
    await mapConcurrently(items, CONCURRENCY, async (item) => {
      const transcript = readPostedTranscript(item);
      if (transcript) await deleteMessages?.(transcript.thread, transcript.messages);
    });
    // Ratings are deleted before their answer, which leads to them.
    await mapConcurrently(items.flatMap(listRatingKeys), CONCURRENCY, (one) => this.#remove(one));
    const keys = items.map((item) => v.parse(keySchema, item));
    await eraseJobs(keys.flatMap(({ sk }) => jobId(sk.S.replace(/^VIDEO#/u, '')) ?? []));
    const unitsBeside = await mapConcurrently(keys, CONCURRENCY, (one) => this.#remove(one));
    const units = unitsBeside.reduce((sum, more) => sum + more, estimateWriteUnits(items));
    return { erased: items.filter((item) => !isPointer(item)).length, units };
  }

  /**
   * Deletes an item with what belongs to it: the chunks of a recording, the interaction token of a question,
   * the name of a preset, the drafts about a thread. The item itself is deleted last. Resolves with the write units
   * for the chunks, which are nearly all of a recording.
   */
  async #remove({ pk, sk }: Key): Promise<number> {
    const { dynamo, table: TableName } = this.#config;
    const recording = getRecordingLocation(pk.S, sk.S);
    const units = recording ? await removeTranscripts(this.#config, recording.pk, recording.file) : 0;
    if (pk.S.startsWith('discord#') && sk.S.startsWith('TURN#')) {
      const tokenKey = { pk, sk: { S: sk.S.replace(/^TURN/u, 'TICKET') } };
      await dynamo.delete({ TableName, Key: tokenKey });
    }
    if (sk.S.startsWith('DRAFTED#')) await removeDraft(this.#config, draftKeyFromPointer(sk.S));
    const [saved, kind, ...name] = sk.S.split('#');
    if (saved === 'SAVED' && kind !== undefined)
      await updatePresetNames(this.#config, { pk, sk: { S: `NAMES#${kind}` } }, name.join('#'), 'DELETE');
    await dynamo.delete({ TableName, Key: { pk, sk } });
    return units;
  }
}

/** Removes this person's rating from another person's turn. */
async function removeOpinion(
  { dynamo, table: TableName }: Pick<ErasureConfig, 'dynamo' | 'table'>,
  item: Item,
  user: UserId,
): Promise<void> {
  const name = ratingAttribute(user);
  if (!Object.hasOwn(item, name)) return;
  const { pk, sk } = v.parse(keySchema, item);
  await dynamo.update({
    TableName,
    Key: { pk, sk },
    UpdateExpression: 'REMOVE #fb',
    ExpressionAttributeNames: { '#fb': name },
  });
}
