import * as v from 'valibot';
import type { AttributeValue, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { type Thread, threadKey, type UserId } from '../../domain/index.ts';
import { accountNames, policyKey } from '../billing/account-names.ts';
import type { Dynamo } from '../dynamodb/dynamo.ts';
import { byIndex, type Pass, passText, readPass } from '../dynamodb/index-pass.ts';
import { readWords } from '../dynamodb/turn-compression.ts';
import { unpackJson } from '../dynamodb/gzip-json.ts';
import { personPage } from './person-items.ts';
import { isPointer } from './person-pointers.ts';
import { recordingAt } from '../recordings/recording-keys.ts';
import { concurrently } from '../recordings/recording-removal.ts';
import { settingsPartition } from '../settings/settings-keys.ts';
import type { Item } from '../turns/turn-keys.ts';
import {
  isBy,
  key,
  nextOf,
  opinionOf,
  PAGE,
  pageOf,
  type TableScan,
  startAt,
  type ErasureScope,
} from './erasure-scope.ts';

export type ExportsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'query'>;
  readonly scan: TableScan;
  readonly table: string;
  readonly now: () => number;
  /** See `ErasureConfig`. */
  readonly isIndexComplete: () => Promise<boolean>;
};

type PersonScope = ErasureScope & { readonly user: UserId };

/** One thing that is kept, as people can read it: where it lies, what it is, and all that it holds. */
export type Entry = Readonly<Record<string, unknown>>;
export type ExportedPage = {
  readonly entries: readonly Entry[];
  readonly next?: string | undefined;
  /** For how long the table is to be left to others before the next page (ms). */
  readonly pauseMs?: number | undefined;
};

/** Of what nobody is served by a copy: what opens or seals something, and marks of work in progress. */
const LEFT_OUT = new Set([
  'pk',
  'sk',
  'token',
  'sealed',
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
/** Hold JSON. */
const AS_JSON = new Set(['layer', 'log', 'source', 'value', 'frame', 'files']);

/** What is kept of a person or of a thread in `conversations`, for them to see; what has expired is left out. */
export class Exports {
  readonly #config: ExportsConfig;

  constructor(config: ExportsConfig) {
    this.#config = config;
  }

  /** A page of what this person left, without what others said. */
  async page(whose: PersonScope, from?: string): Promise<ExportedPage> {
    const { scan, table, isIndexComplete } = this.#config;
    const isByIndex = await byIndex(from, isIndexComplete);
    const { items, ...rest } = isByIndex
      ? await this.#indexedPage(whose, readPass(from))
      : await pageOf(scan, table, whose, from);
    return { entries: await this.#entries(items, whose.user), ...rest };
  }

  /** Whether the next page reads the table through, which one task of a deployment may do at a time. */
  async scans(from: string | undefined): Promise<boolean> {
    return !(await byIndex(from, this.#config.isIndexComplete));
  }

  /** Behind what the index leads to, as a page of its own, what was spent: it lies by days, and names nobody in `by`. */
  async #indexedPage(whose: PersonScope, { pass, after: start }: Pass) {
    if (pass > 1) return { items: await this.#accounts(whose), next: undefined };
    const { items, after, pauseMs } = await personPage(this.#config, whose, start);
    const state = { found: false, waits: false };
    const next = after ? passText({ pass, ...state, after }) : passText({ pass: pass + 1, ...state });
    return { items, next, pauseMs };
  }

  /** The items of what a person spent: of each day, week and month for which accounts are kept, by name. */
  async #accounts({ platform, workspace, user }: PersonScope): Promise<Item[]> {
    if (workspace === undefined) return [];
    const { dynamo, table: TableName, now } = this.#config;
    const pk = { S: policyKey({ platform, workspace }) };
    const found = await concurrently(accountNames(user, now()), async (account) => {
      const { Item: item } = await dynamo.get({ TableName, Key: { pk, sk: { S: account } } });
      return item ? [item] : [];
    });
    return found.flat();
  }

  async #entries(items: readonly Item[], user: UserId): Promise<Entry[]> {
    const theirs = items.filter((item) => this.#isKept(item));
    const entries = await Promise.all(
      theirs.map(async (item) => {
        if (isBy(item, user)) return this.#entry(item, { ofOthers: false });
        const opinion = item[opinionOf(user)];
        return opinion ? { ...placeOf(item), opinion: plain(opinion) } : undefined;
      }),
    );
    return entries.filter((one) => one !== undefined);
  }

  /** A page of a thread; first what was set there. `user` wants it. */
  async threadPage(thread: Thread, user: UserId, from?: string): Promise<ExportedPage> {
    const { dynamo, table: TableName } = this.#config;
    const query: QueryCommandInput = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: threadKey(thread) } },
      Limit: PAGE,
      ...startAt(from),
    };
    const { Items = [], LastEvaluatedKey } = await dynamo.query(query);
    const sk = `LEVEL#thread#${thread.channel}#${thread.root}`;
    const Key = { pk: { S: settingsPartition({ ...thread, user }) }, sk: { S: sk } };
    const { Item: set } = from === undefined ? await dynamo.get({ TableName, Key }) : {};
    const kept = [...(set ? [set] : []), ...Items].filter((item) => this.#isKept(item));
    const entries = await Promise.all(
      kept.map(async (item) => {
        const opinion = item[opinionOf(user)];
        const entry = await this.#entry(item, { ofOthers: true });
        return opinion ? { ...entry, opinion: plain(opinion) } : entry;
      }),
    );
    return { entries, next: nextOf(LastEvaluatedKey) };
  }

  #isKept(item: Item): boolean {
    const { ttl, sk } = item;
    const expired = ttl?.N !== undefined && Number(ttl.N) <= this.#config.now() / 1_000;
    return !expired && sk?.S?.startsWith('TICKET#') !== true && !isPointer(item);
  }

  async #entry(item: Item, { ofOthers }: { readonly ofOthers: boolean }): Promise<Entry> {
    const held = Object.entries(item)
      .filter(([name]) => !LEFT_OUT.has(name) && !name.startsWith('fb_'))
      .map(([name, value]) => [name, readable(name, value)] as const);
    const body = item['sk']?.S?.startsWith('TURN#') ? item['body']?.B : undefined;
    const said = body && readWords(body);
    // What stands beside somebody's own question is others' words.
    const own = said && { question: said.question, pictures: said.pictures, ending: said.ending };
    return {
      ...placeOf(item),
      ...Object.fromEntries(held),
      ...(said ? { body: ofOthers ? said : own } : {}),
      ...(body && !said ? { body: UNREADABLE } : {}),
      ...(await this.#heard(item)),
      ...(await this.#folded(item)),
    };
  }

  /** What the pieces of a recording say. */
  async #heard(item: Item): Promise<Entry> {
    const { pk, sk } = v.parse(key, item);
    const recording = sk.S.startsWith('VOICE#') ? recordingAt(pk.S, sk.S) : undefined;
    if (!recording) return {};
    const { dynamo, table: TableName } = this.#config;
    const found: Item[] = [];
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
      found.push(...Items.filter((one) => this.#isKept(one)));
      start = LastEvaluatedKey;
    } while (start);
    // `P#0` is what was said in the first piece, `T#de#0` the same in German.
    const piece = ({ sk: at, body }: Item): Entry[] =>
      at?.S && body?.B ? [{ is: at.S.slice(recording.file.length + 1), said: jsonUnpacked(body.B) }] : [];
    return { pieces: found.flatMap(piece) };
  }

  /** A question that was answered along with another stands in that one's turn. */
  async #folded(item: Item): Promise<Entry> {
    const [into, message] = [item['into']?.S, item['id']?.S];
    if (into === undefined) return {};
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: v.parse(key, item).pk, sk: { S: `TURN#${into.padStart(20, '0')}` } };
    const body = (await dynamo.get({ TableName, Key })).Item?.['body']?.B;
    const said = body && readWords(body);
    const question = said?.folded?.find((one) => one.message === message)?.question;
    if (!body) return {};
    return { body: said ? { question, ending: said.ending } : UNREADABLE };
  }
}

function placeOf(item: Item): Entry {
  const { pk, sk } = v.parse(key, item);
  const ttl = item['ttl']?.N;
  const until = ttl === undefined ? {} : { forgottenAt: new Date(Number(ttl) * 1_000).toISOString() };
  return { in: pk.S, is: sk.S, ...until };
}

function readable(name: string, value: AttributeValue): unknown {
  if (value.S !== undefined && AS_JSON.has(name)) return jsonIn(value.S);
  return value.B === undefined ? plain(value) : jsonUnpacked(value.B);
}

/** Stands for what was kept and can no longer be read: it is passed over, and the export says so. */
const UNREADABLE = { unreadable: true } as const;

function jsonUnpacked(bytes: Uint8Array): unknown {
  try {
    return unpackJson(bytes);
  } catch {
    return UNREADABLE;
  }
}

function plain(value: AttributeValue): unknown {
  if (value.L) return value.L.map(plain);
  const { S, N, BOOL, SS } = value;
  return S ?? (N === undefined ? undefined : Number(N)) ?? BOOL ?? SS;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
