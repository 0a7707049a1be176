import * as v from 'valibot';
import { type UserId, userId, type WorkspaceId, workspaceId } from '../../domain/index.ts';
import { decompressJson, compressJson } from '../dynamodb/turn-compression.ts';
import { type Item, type Key, numberValue } from '../keys/item-keys.ts';
import { type CollectionPlace, collectionPartition, DOCUMENT_PREFIX } from '../keys/document-keys.ts';

/*
 * A collection in the `conversations` table: pk = KNOWLEDGE # platform # workspace # channel.
 *
 *    DOC#<id>            a document: who owns it (`by`), title, url, kind, when it was requested (`at`), read (`read`) and edited (`edited`), the terms in each passage (`lengths`)
 *    TEXT#<id>#<nnn>     20 passages, compressed
 *    TERMS#<nn>#<id>     a part of its inverted index, compressed
 *
 * A document that is being removed has `removed`; afterwards its key stays for an hour, with nothing else (`ttl`).
 * The id of what comes from a message begins with `M<message>.`, so that a deleted message leads to it. All items have `by` (person index) and `ws` (the
 * workspace of `by`, for organizations; `bot` if a bot wrote it), so that an erasure finds each of them by itself. They do not expire.
 */

const DOCUMENT_KINDS = ['page', 'file', 'message'] as const;

/** A document of a collection. */
export type KnowledgeDocument = {
  /** Unique in the collection: its source and, after the last `.`, the request that added it with this text. */
  readonly id: string;
  readonly kind: (typeof DOCUMENT_KINDS)[number];
  readonly title: string;
  /** Where people find it: the page, or the message. */
  readonly url: string;
  /** Who wrote the message, or asked for the answer; who added the page, or another message of a bot. */
  readonly by: UserId;
  readonly byWorkspace: WorkspaceId;
  /** Whether a bot wrote it. It may repeat what other people wrote, so the export of `by` has only its address. */
  readonly isFromBot?: boolean | undefined;
  /** When it was requested (ms since 1970): what an erasure compares. */
  readonly requestedAt: number;
  /** When it was read (ms since 1970): of two deliveries of a request, the later one replaces the other. Undefined if it was stored by an earlier version. */
  readonly readAt?: number | undefined;
  /** The edit of the message whose text it has (ms since 1970); undefined if it was not edited since it was added. */
  readonly editedAt?: number | undefined;
  /** The number of terms of each passage. */
  readonly lengths: readonly number[];
};

/** Returns the source of a document, which is the same whenever it is added again. */
export const getDocumentSource = (id: string): string => id.slice(0, id.lastIndexOf('.'));

/**
 * Whether `one` replaces `other`, which has the same source: the later edit, else what was added later. A total order, so that two tasks never remove each
 * other's. What was added from an edited message without naming its edit has the same text, or its edit is still to come.
 */
export function isNewer(one: KnowledgeDocument, other: KnowledgeDocument): boolean {
  const edits = (one.editedAt ?? 0) - (other.editedAt ?? 0);
  if (edits !== 0) return edits > 0;
  const [readAt, otherReadAt] = [one.readAt ?? one.requestedAt, other.readAt ?? other.requestedAt];
  return readAt === otherReadAt ? one.id > other.id : readAt > otherReadAt;
}

/** Passages of one item: about 20 KB before compression. */
export const PASSAGES_PER_ITEM = 20;

const digits = (n: number, length: number): string => String(n).padStart(length, '0');

export const documentKey = (place: CollectionPlace, id: string): Key => ({
  pk: { S: collectionPartition(place) },
  sk: { S: `${DOCUMENT_PREFIX}${id}` },
});
export const textKey = (place: CollectionPlace, id: string, position: number): Key => ({
  pk: { S: collectionPartition(place) },
  sk: { S: `TEXT#${id}#${digits(Math.floor(position / PASSAGES_PER_ITEM), 3)}` },
});
export const shardPrefix = (shard: number): string => `TERMS#${digits(shard, 2)}#`;
export const shardKey = (place: CollectionPlace, shard: number, id: string): Key => ({
  pk: { S: collectionPartition(place) },
  sk: { S: `${shardPrefix(shard)}${id}` },
});

/** The attributes of every item of a document. */
const owner = ({ by, byWorkspace, isFromBot = false }: KnowledgeDocument): Item => ({
  by: { S: by },
  ws: { S: byWorkspace },
  ...(isFromBot && { bot: { BOOL: true } }),
});

/** Not complete yet: `ready` says when all of its passages are stored. */
export const createDocumentItem = (place: CollectionPlace, document: KnowledgeDocument): Item => ({
  ...documentKey(place, document.id),
  ...owner(document),
  kind: { S: document.kind },
  title: { S: document.title },
  url: { S: document.url },
  at: numberValue(document.requestedAt),
  ...(document.readAt !== undefined && { read: numberValue(document.readAt) }),
  ...(document.editedAt !== undefined && { edited: numberValue(document.editedAt) }),
  lengths: { B: compressJson(document.lengths) },
  ready: { BOOL: false },
});

/** An item with passages or a part of the index. `at`, as in the document: what a process stores late, after an erasure, is recognized. */
export const createPartItem = (key: Key, document: KnowledgeDocument, content: unknown): Item => ({
  ...key,
  ...owner(document),
  at: numberValue(document.requestedAt),
  body: { B: compressJson(content) },
});

const text = v.object({ S: v.string() });
const itemSchema = v.object({
  sk: text,
  by: text,
  ws: text,
  bot: v.optional(v.object({ BOOL: v.boolean() })),
  kind: v.object({ S: v.picklist(DOCUMENT_KINDS) }),
  title: text,
  url: text,
  at: v.object({ N: v.string() }),
  read: v.optional(v.object({ N: v.string() })),
  edited: v.optional(v.object({ N: v.string() })),
  lengths: v.object({ B: v.instance(Uint8Array) }),
  ready: v.object({ BOOL: v.boolean() }),
});
const lengthsSchema = v.optional(v.array(v.number()), []);

/** Reads a document; undefined if this version cannot. */
export function readDocument(
  item: Item,
): { readonly document: KnowledgeDocument; readonly isReady: boolean } | undefined {
  const { success, output } = v.safeParse(itemSchema, item);
  if (!success) return undefined;
  const { sk, by, ws, bot, kind, title, url, at, read, edited, lengths, ready } = output;
  const document = {
    id: sk.S.slice(DOCUMENT_PREFIX.length),
    kind: kind.S,
    title: title.S,
    url: url.S,
    by: userId(by.S),
    byWorkspace: workspaceId(ws.S),
    isFromBot: bot?.BOOL,
    requestedAt: Number(at.N),
    readAt: read && Number(read.N),
    editedAt: edited && Number(edited.N),
    lengths: v.parse(lengthsSchema, decompressJson(lengths.B)),
  };
  return { document, isReady: ready.BOOL };
}

const bodySchema = v.object({ sk: text, body: v.object({ B: v.instance(Uint8Array) }) });
const passagesSchema = v.array(v.object({ text: v.string(), page: v.optional(v.number()) }));
/** Only the lists of searched terms are read further: a part has thousands. */
const shardSchema = v.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === 'object' && value !== null,
);
const postingsSchema = v.array(v.number());

/** Reads the passages of an item. Throws if this version cannot. */
export const readPassages = (item: Item) =>
  v.parse(passagesSchema, decompressJson(v.parse(bodySchema, item).body.B));

/** Reads the postings of these terms in a part of the index, and the id of its document. Throws if this version cannot. */
export function readShard(
  item: Item,
  terms: readonly string[],
): { readonly id: string; readonly postings: readonly (readonly [string, readonly number[]])[] } {
  const { sk, body } = v.parse(bodySchema, item);
  const all = v.parse(shardSchema, decompressJson(body.B));
  const postings = terms.flatMap((term) => {
    return Object.hasOwn(all, term) ? [[term, v.parse(postingsSchema, all[term])] as const] : [];
  });
  return { id: sk.S.slice(shardPrefix(0).length), postings };
}
