import type { MessageId } from '../../domain/index.ts';
import {
  type IndexedDocument,
  type Passage,
  type PassageIndex,
  SHARDS,
  getShard,
  toShards,
} from '../../knowledge/rules/index.ts';
import * as v from 'valibot';
import { type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import { type Item, type Key, numberValue } from '../keys/item-keys.ts';
import { keySchema } from '../keys/key-schema.ts';
import { CONCURRENCY } from '../recordings/recording-removal.ts';
import { mapConcurrently } from '../../utils/index.ts';
import { MAX_SCAN_UNITS_PER_SECOND, scanPauseMs } from '../privacy/erasure-scope.ts';
import {
  createDocumentItem,
  documentKey,
  getDocumentSource,
  isNewer,
  type KnowledgeDocument,
  createPartItem,
  PASSAGES_PER_ITEM,
  readDocument,
  readPassages,
  readShard,
  shardKey,
  shardPrefix,
  textKey,
} from './document-item.ts';
import {
  type CollectionPlace,
  collectionPartition,
  DOCUMENT_PREFIX,
  messageDocumentPrefix,
} from '../keys/document-keys.ts';

export type CollectionsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'put' | 'update' | 'delete' | 'query'>;
  readonly table: string;
  /** ms since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Has `removeParts` called some minutes later: a process that died while it stored the document may still store a part. Safe to repeat. */
  readonly enqueueSecondRemoval: (place: CollectionPlace, id: string) => Promise<void>;
};

/** Parts of an index that one request reads: some hundred kilobytes at most, since a worker has little memory. */
const SHARDS_PER_PAGE = 20;
const KEYS_PER_PAGE = 500;
/** A write of 1 KB costs a unit, and the entry in the person index another one. */
const BYTES_PER_UNIT = 1_024;
/** A removed document keeps its key for this time, so that no task that still adds it, or is delivered again, brings it back. */
const REMOVED_SECONDS = 60 * 60;

/**
 * The collections of channels. A document is found once all of it is stored; while it is removed, it is no longer found. All methods reject if the table
 * is unavailable.
 */
export class Collections {
  readonly #config: CollectionsConfig;

  constructor(config: CollectionsConfig) {
    this.#config = config;
  }

  /** Whether a collection has documents. Reads one item, more only if the first document was removed. */
  async hasDocuments(place: CollectionPlace): Promise<boolean> {
    const { value: first } = await this.#range(place, DOCUMENT_PREFIX, 1).next();
    if (first === undefined || isPresent(first)) return first !== undefined;
    for await (const item of this.#range(place, DOCUMENT_PREFIX, KEYS_PER_PAGE))
      if (isPresent(item)) return true;
    return false;
  }

  /** Returns the documents by id: those that are complete, and those that are not (yet). */
  async list(place: CollectionPlace): Promise<{
    readonly ready: readonly KnowledgeDocument[];
    readonly unfinished: readonly KnowledgeDocument[];
  }> {
    const all = await this.#readAll(place, false);
    const documents = (isReady: boolean) =>
      all.filter((one) => one.isReady === isReady).map((one) => one.document);
    return { ready: documents(true), unfinished: documents(false) };
  }

  /**
   * Stores a document with its passages and index; of several copies of one source, only the newest stays. Safe to repeat: the same id has the same
   * passages. A document that is removed meanwhile stays removed. Slow on purpose: the table is for answers first.
   */
  async save(
    place: CollectionPlace,
    document: KnowledgeDocument,
    passages: readonly Passage[],
    { postings }: PassageIndex,
  ): Promise<void> {
    const { id } = document;
    // First, so that nothing is stored that no list shows. Not again: the document may be complete, or removed.
    await isConditionMet(this.#put(createDocumentItem(place, document), 'attribute_not_exists(pk)'));
    for (let i = 0; i < passages.length; i += PASSAGES_PER_ITEM)
      await this.#put(
        createPartItem(textKey(place, id, i), document, passages.slice(i, i + PASSAGES_PER_ITEM)),
      );
    for (const [shard, terms] of toShards(postings))
      await this.#put(createPartItem(shardKey(place, shard, id), document, terms));
    const isKept = await isConditionMet(
      this.#config.dynamo.update({
        TableName: this.#config.table,
        Key: documentKey(place, id),
        UpdateExpression: 'SET #ready = :true',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(#removed)',
        ExpressionAttributeNames: { '#ready': 'ready', '#removed': 'removed' },
        ExpressionAttributeValues: { ':true': { BOOL: true } },
      }),
    );
    if (isKept) await this.#removeOlderCopies(place, id);
    else await this.remove(place, id);
  }

  /** Of all copies of this source, keeps the newest complete one, and newer ones that are not complete yet: each task comes to the same result. */
  async #removeOlderCopies(place: CollectionPlace, id: string): Promise<void> {
    const copies = (await this.#readAll(place, true)).filter(
      ({ document }) => getDocumentSource(document.id) === getDocumentSource(id),
    );
    const complete = copies.filter(({ isReady }) => isReady).map(({ document }) => document);
    for (const { document } of copies)
      if (complete.some((one) => isNewer(one, document))) await this.remove(place, document.id);
  }

  /**
   * Removes a document with all that belongs to it, even if only a part of it is left. Idempotent. From the first step on it is not found, and until the last
   * one it is listed as unfinished: so whoever repeats an interrupted removal finds what is left.
   */
  async remove(place: CollectionPlace, id: string): Promise<void> {
    const { dynamo, table: TableName, now, enqueueSecondRemoval } = this.#config;
    const Key = documentKey(place, id);
    await isConditionMet(
      dynamo.update({
        TableName,
        Key,
        UpdateExpression: 'SET #ready = :false, #removed = :true',
        ConditionExpression: 'attribute_exists(pk)',
        ExpressionAttributeNames: { '#ready': 'ready', '#removed': 'removed' },
        ExpressionAttributeValues: { ':false': { BOOL: false }, ':true': { BOOL: true } },
      }),
    );
    await enqueueSecondRemoval(place, id);
    await this.removeParts(place, id);
    // No data of a person is left in it.
    await dynamo.put({
      TableName,
      Item: { ...Key, removed: { BOOL: true }, ttl: numberValue(now() / 1_000 + REMOVED_SECONDS) },
    });
  }

  /** Removes the passages and the index of a removed document. Idempotent. */
  async removeParts(place: CollectionPlace, id: string): Promise<void> {
    const parts: Key[] = Array.from({ length: SHARDS }, (_, shard) => shardKey(place, shard, id));
    for await (const item of this.#range(place, `TEXT#${id}#`, KEYS_PER_PAGE, true))
      parts.push(v.parse(keySchema, item));
    await mapConcurrently(parts, CONCURRENCY, (part) => this.#delete(part));
  }

  /** Removes the documents of a message. Idempotent. */
  async removeMessage(place: CollectionPlace, message: MessageId): Promise<void> {
    const prefix = messageDocumentPrefix(message);
    const ids: string[] = [];
    for await (const item of this.#range(place, `${DOCUMENT_PREFIX}${prefix}`, KEYS_PER_PAGE))
      if (isPresent(item)) ids.push((item['sk']?.S ?? '').slice(DOCUMENT_PREFIX.length));
    for (const id of ids) await this.remove(place, id);
  }

  /**
   * Removes the documents from messages of a thread that was deleted: their links name it. Discord alone deletes threads with their messages, and its
   * links have the form `/channels/GUILD/THREAD/MESSAGE`. Idempotent.
   */
  async removeThread(place: CollectionPlace, thread: MessageId): Promise<void> {
    const { ready, unfinished } = await this.list(place);
    for (const { id, kind, url } of [...ready, ...unfinished])
      if (kind !== 'page' && url.includes(`/${thread}/`)) await this.remove(place, id);
  }

  /** Removes every document, as `remove` does. A document that is added meanwhile may stay. Idempotent. */
  async clear(place: CollectionPlace): Promise<void> {
    for (const { document } of await this.#readAll(place, true)) await this.remove(place, document.id);
  }

  /** Removes all of the collection of a channel that no longer exists. Idempotent. */
  async removeAll(place: CollectionPlace): Promise<void> {
    // Documents first: what has none is not found.
    for (const prefix of [DOCUMENT_PREFIX, 'TERMS#', 'TEXT#']) {
      const keys: Key[] = [];
      for await (const item of this.#range(place, prefix, KEYS_PER_PAGE)) keys.push(v.parse(keySchema, item));
      await mapConcurrently(keys, CONCURRENCY, (key) => this.#delete(key));
    }
  }

  /** Reads where these terms occur in the documents. Reads the parts of the index with these terms only, one after the other. */
  async findTerms(
    place: CollectionPlace,
    documents: readonly KnowledgeDocument[],
    terms: readonly string[],
  ): Promise<readonly IndexedDocument[]> {
    const postingsById = new Map(documents.map(({ id }) => [id, new Map<string, readonly number[]>()]));
    const byShard = Map.groupBy(new Set(terms), getShard);
    for (const [shard, some] of byShard)
      for await (const item of this.#range(place, shardPrefix(shard), SHARDS_PER_PAGE)) {
        const { id, postings } = readShard(item, some);
        for (const [term, list] of postings) postingsById.get(id)?.set(term, list);
      }
    return documents.map(({ id, lengths }) => ({ id, lengths, postings: postingsById.get(id) ?? new Map() }));
  }

  /** Reads a passage; undefined if it was removed meanwhile. */
  async findPassage(place: CollectionPlace, id: string, position: number): Promise<Passage | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const { Item: item } = await dynamo.get({ TableName, Key: textKey(place, id, position) });
    return item && readPassages(item)[position % PASSAGES_PER_ITEM];
  }

  async #readAll(place: CollectionPlace, isConsistent: boolean) {
    const all: NonNullable<ReturnType<typeof readDocument>>[] = [];
    for await (const item of this.#range(place, DOCUMENT_PREFIX, KEYS_PER_PAGE, isConsistent)) {
      const read = readDocument(item);
      if (read) all.push(read);
    }
    return all;
  }

  async #put(item: Item, condition?: string): Promise<void> {
    const { dynamo, table: TableName, sleep } = this.#config;
    await dynamo.put({
      TableName,
      Item: item,
      ...(condition !== undefined && { ConditionExpression: condition }),
    });
    const bytes = item['body']?.B?.byteLength ?? item['lengths']?.B?.byteLength ?? 0;
    await sleep(scanPauseMs(2 + bytes / BYTES_PER_UNIT, MAX_SCAN_UNITS_PER_SECOND));
  }

  #delete({ pk, sk }: Key): Promise<void> {
    return this.#config.dynamo.delete({ TableName: this.#config.table, Key: { pk, sk } });
  }

  /** The items of a collection whose sort key begins like this. */
  async *#range(
    place: CollectionPlace,
    prefix: string,
    pageSize: number,
    isConsistent = false,
  ): AsyncGenerator<Item, undefined> {
    const { dynamo, table: TableName } = this.#config;
    let start: Item | undefined;
    do {
      const page: { Items?: Item[] | undefined; LastEvaluatedKey?: Item | undefined } = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': { S: collectionPartition(place) },
          ':first': { S: prefix },
          ':last': { S: `${prefix}~` },
        },
        Limit: pageSize,
        ...(isConsistent && { ConsistentRead: true }),
        ...(start && { ExclusiveStartKey: start }),
      });
      yield* page.Items ?? [];
      start = page.LastEvaluatedKey;
    } while (start);
    return undefined;
  }
}

/** Whether an item of a document is more than the key that a removed one leaves. */
const isPresent = (item: Item): boolean => item['title'] !== undefined;
