import * as v from 'valibot';
import type { AttributeValue, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type Thread, threadKey, type UserId } from '../../domain/index.ts';
import { listAccountNames, policyKey } from '../billing/accounts.ts';
import type { Dynamo, TableScan } from '../dynamodb/dynamo.ts';
import { shouldUseIndex, type IndexPass, serializePass, parsePass } from './index-pass.ts';
import { readTurnContent, decompressJson } from '../dynamodb/turn-compression.ts';
import { queryPersonItems } from './person-items.ts';
import { isPointer, settingsPartition, type Item, ratingAttribute } from '../keys/item-keys.ts';
import { getRecordingLocation } from '../keys/recording-keys.ts';
import { mapConcurrently } from '../../utils/index.ts';
import { CONCURRENCY } from '../recordings/recording-removal.ts';
import {
  isFromPerson,
  isNote,
  nextCursor,
  PAGE_SIZE,
  scanPage,
  startKey,
  type ErasureScope,
} from './erasure-scope.ts';
import { keySchema } from '../keys/key-schema.ts';

export type ExportsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'query'>;
  readonly scan: TableScan;
  readonly table: string;
  readonly now: () => number;
  /** See `ErasureConfig`. */
  readonly isIndexComplete: () => Promise<boolean>;
};

type PersonScope = ErasureScope & { readonly user: UserId };

/** An exported item in readable form: its key, its kind and its content. */
export type ExportEntry = Readonly<Record<string, unknown>>;
export type ExportedPage = {
  readonly entries: readonly ExportEntry[];
  readonly next?: string | undefined;
  /** The pause before the next page (ms), for other users of the table. */
  readonly pauseMs?: number | undefined;
};

/** Attributes that are useless in an export: secrets, and the state of running work. */
const EXCLUDED_ATTRIBUTES = new Set([
  'pk',
  'sk',
  'token',
  'sealed',
  'secret',
  'refresh',
  'session',
  'exp',
  'claim',
  'fence',
  'lease',
  'untouched',
  'waits',
  'receipt',
  'known',
  'open',
  'due',
  'ttl',
]);
/** Attributes with the words of a document that a bot wrote. */
const BOT_WORDS = new Set(['title', 'body']);
/** Attributes with JSON. */
const JSON_ATTRIBUTES = new Set(['layer', 'log', 'source', 'value', 'frame', 'files', 'facts']);

/** Exports the data of a person or a thread in `conversations`, without expired items. */
export class Exports {
  readonly #config: ExportsConfig;

  constructor(config: ExportsConfig) {
    this.#config = config;
  }

  /** Returns one page of this person's data, without other people's text. */
  async page(scope: PersonScope, from?: string): Promise<ExportedPage> {
    const { scan, table, isIndexComplete } = this.#config;
    const isByIndex = await shouldUseIndex(from, isIndexComplete);
    const { items, ...rest } = isByIndex
      ? await this.#indexedPage(scope, parsePass(from))
      : await scanPage(scan, table, scope, from);
    return { entries: await this.#entries(items, scope.user), ...rest };
  }

  /** Returns one page of all data of a workspace, whoever wrote it: for its administrator. Scans the table. */
  async workspacePage(scope: ErasureScope, from?: string): Promise<ExportedPage> {
    const { items, ...rest } = await scanPage(this.#config.scan, this.#config.table, scope, from);
    const current = items.filter((item) => this.#isKept(item));
    return {
      entries: await Promise.all(current.map((item) => this.#entry(item))),
      ...rest,
    };
  }

  /** Whether the next page scans the table, which one task of a deployment at a time may do. */
  async scans(from: string | undefined): Promise<boolean> {
    return !(await shouldUseIndex(from, this.#config.isIndexComplete));
  }

  /**
   * Returns a page of the index; the last page contains the accounts, which are stored by day and not in the
   * index.
   */
  async #indexedPage(scope: PersonScope, { pass, after: start }: IndexPass) {
    if (pass > 1) return { items: await this.#accounts(scope), next: undefined };
    const { items, after, pauseMs } = await queryPersonItems(this.#config, scope, start);
    const state = { found: false, waits: false };
    const next = after
      ? serializePass({ pass, ...state, after })
      : serializePass({ pass: pass + 1, ...state });
    return { items, next, pauseMs };
  }

  /** Returns a person's accounts of all days, weeks and months that are kept. */
  async #accounts({ platform, workspace, user }: PersonScope): Promise<Item[]> {
    if (workspace === undefined) return [];
    const { dynamo, table: TableName, now } = this.#config;
    const pk = { S: policyKey({ platform, workspace }) };
    const items = await mapConcurrently(listAccountNames(user, now()), CONCURRENCY, async (account) => {
      const { Item: item } = await dynamo.get({ TableName, Key: { pk, sk: { S: account } } });
      return item ? [item] : [];
    });
    return items.flat();
  }

  async #entries(items: readonly Item[], user: UserId): Promise<ExportEntry[]> {
    const theirs = items.filter((item) => this.#isKept(item));
    const entries = await Promise.all(
      theirs.map(async (item) => {
        if (isFromPerson(item, user)) return this.#entry(item, user);
        const opinion = item[ratingAttribute(user)];
        const body = findQuoted(item, user);
        if (!opinion && !body) return undefined;
        return {
          ...entryLocation(item),
          ...(opinion && { opinion: toPlainValue(opinion) }),
          ...(body && { body }),
        };
      }),
    );
    return entries.filter((one) => one !== undefined);
  }

  /** Returns one page of a thread, without what others did privately in it; the first one contains its settings. `user` requested it. */
  async threadPage(thread: Thread, user: UserId, from?: string): Promise<ExportedPage> {
    const { dynamo, table: TableName } = this.#config;
    const query: QueryCommandInput = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: threadKey(thread) } },
      Limit: PAGE_SIZE,
      ...startKey(from),
    };
    const { Items = [], LastEvaluatedKey } = await dynamo.query(query);
    const sk = `LEVEL#thread#${thread.channel}#${thread.root}`;
    const Key = { pk: { S: settingsPartition({ ...thread, user }) }, sk: { S: sk } };
    const { Item: set } = from === undefined ? await dynamo.get({ TableName, Key }) : {};
    const visible = Items.filter((item) => !isNote(item) || isFromPerson(item, user));
    const currentItems = [...(set ? [set] : []), ...visible].filter((item) => this.#isKept(item));
    const entries = await Promise.all(
      currentItems.map(async (item) => {
        const opinion = item[ratingAttribute(user)];
        const entry = await this.#entry(item);
        return opinion ? { ...entry, opinion: toPlainValue(opinion) } : entry;
      }),
    );
    return { entries, next: nextCursor(LastEvaluatedKey) };
  }

  #isKept(item: Item): boolean {
    const { ttl, sk } = item;
    const isExpired = ttl?.N !== undefined && Number(ttl.N) <= this.#config.now() / 1_000;
    // The index of a document has no words that the document does not have.
    return !isExpired && !/^(?:TICKET|TERMS)#/u.test(sk?.S ?? '') && !isPointer(item);
  }

  /** With a `user`, only what is theirs. */
  async #entry(item: Item, user?: UserId): Promise<ExportEntry> {
    // What a bot wrote, such as a transcript, may repeat the words of others.
    const isHidden = user !== undefined && item['bot']?.BOOL === true;
    const attributes = Object.entries(item)
      .filter(([name]) => !EXCLUDED_ATTRIBUTES.has(name) && !name.startsWith('fb_'))
      .filter(([name]) => !isHidden || !BOT_WORDS.has(name))
      .map(([name, value]) => [name, toReadable(name, value)] as const);
    const body = item['sk']?.S?.startsWith('TURN#') ? item['body']?.B : undefined;
    const content = body && readTurnContent(body);
    // The other fields contain text of other people.
    const own = content && {
      question: content.question,
      contextLines: content.contextLines?.filter(({ by }) => by === user),
      pictures: content.pictures,
      ending: content.outcome,
    };
    return {
      ...entryLocation(item),
      ...Object.fromEntries(attributes),
      ...(content ? { body: user === undefined ? content : own } : {}),
      ...(body && !content ? { body: UNREADABLE } : {}),
      ...(await this.#heard(item)),
      ...(await this.#mergedQuestions(item)),
    };
  }

  /** Returns the chunks of a recording. */
  async #heard(item: Item): Promise<ExportEntry> {
    const { pk, sk } = v.parse(keySchema, item);
    const recording = sk.S.startsWith('VOICE#') ? getRecordingLocation(pk.S, sk.S) : undefined;
    if (!recording) return {};
    const { dynamo, table: TableName } = this.#config;
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': { S: recording.pk },
          ':first': { S: `${recording.file}#` },
          ':last': { S: `${recording.file}#~` },
        },
        ...(start && { ExclusiveStartKey: start }),
      });
      items.push(...Items.filter((one) => this.#isKept(one)));
      start = LastEvaluatedKey;
    } while (start);
    // `P#0` is the transcript of the first chunk, `T#de#0` its German translation.
    const piece = ({ sk: at, body }: Item): ExportEntry[] =>
      at?.S && body?.B
        ? [{ is: at.S.slice(recording.file.length + 1), said: withoutWordTimes(decompress(body.B)) }]
        : [];
    return { pieces: items.flatMap(piece) };
  }

  /** Returns the content of a merged question from the turn that answered it. */
  async #mergedQuestions(item: Item): Promise<ExportEntry> {
    const [into, message] = [item['into']?.S, item['id']?.S];
    if (into === undefined) return {};
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: v.parse(keySchema, item).pk, sk: { S: `TURN#${into.padStart(20, '0')}` } };
    const body = (await dynamo.get({ TableName, Key })).Item?.['body']?.B;
    const content = body && readTurnContent(body);
    const question = content?.mergedQuestions?.find((one) => one.message === message)?.question;
    if (!body) return {};
    return { body: content ? { question, ending: content.outcome } : UNREADABLE };
  }
}

/** Returns the messages and pictures of a person in the turn of somebody else; undefined if it has none. */
function findQuoted(item: Item, user: UserId): ExportEntry | undefined {
  const body = item['sk']?.S?.startsWith('TURN#') ? item['body']?.B : undefined;
  const content = body && readTurnContent(body);
  const contextLines = content?.contextLines?.filter(({ by }) => by === user) ?? [];
  const pictures = content?.pictures?.filter(({ origin }) => origin?.author === user) ?? [];
  return contextLines.length + pictures.length > 0 ? { contextLines, pictures } : undefined;
}

function entryLocation(item: Item): ExportEntry {
  const { pk, sk } = v.parse(keySchema, item);
  const ttl = item['ttl']?.N;
  return { in: pk.S, is: sk.S, ...(ttl && { forgottenAt: new Date(Number(ttl) * 1_000).toISOString() }) };
}

function toReadable(name: string, value: AttributeValue): unknown {
  if (value.S !== undefined && JSON_ATTRIBUTES.has(name)) return parseJsonOrText(value.S);
  return value.B === undefined ? toPlainValue(value) : decompress(value.B);
}

/** Marks data that can no longer be read: it is skipped, and the export says so. */
const UNREADABLE = { unreadable: true } as const;

function decompress(bytes: Uint8Array): unknown {
  try {
    return decompressJson(bytes);
  } catch {
    return UNREADABLE;
  }
}

/** A transcript without the time of each word, which takes twenty times as much room as the words. */
const withoutWordTimes = (said: unknown): unknown =>
  v.is(v.looseObject({ text: v.string() }), said)
    ? Object.fromEntries(Object.entries(said).filter(([name]) => name !== 'words'))
    : said;

function toPlainValue(value: AttributeValue): unknown {
  if (value.L) return value.L.map(toPlainValue);
  const { S, N, BOOL, SS } = value;
  return S ?? (N === undefined ? undefined : Number(N)) ?? BOOL ?? SS;
}

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
