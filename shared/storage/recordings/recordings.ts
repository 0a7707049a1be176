import * as v from 'valibot';
import {
  attachmentSchema,
  messageId,
  type MessageId,
  type Thread,
  threadKey,
  type UserId,
  userId,
  type WorkspaceId,
} from '../../domain/index.ts';
import { ignoreConditionFailure } from '../dynamodb/dynamo.ts';
import { packJson, unpackJson } from '../dynamodb/gzip-json.ts';
import {
  aliveShape,
  bytesShape,
  type StoredPiece,
  pieceShape,
  placeShape,
  type StoredRecording,
  wholeShape,
} from './recording-item.ts';
import {
  goneOf,
  messagesIn,
  partitionOf,
  placeOf,
  pointerOf,
  pointersOf,
  prefixOf,
  spokenName,
  type RecordingRef,
} from './recording-keys.ts';
import { readSpeech, type SpeechProgress, type SpeechWish, writeSpeech } from './speech-progress.ts';
import { removeTranscripts } from './recording-removal.ts';
import { readSignal, type RecordingSignal, writeStop } from './recording-signals.ts';
import { type Item, numeral, sentAt } from '../turns/turn-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';

/**
 * What recordings say, in the `conversations` table: an item for each piece as soon as it is heard, and one that says
 * the whole is done. Kept as long as the turns of a thread. Every write may be repeated: the same recording gives the same
 * pieces each time.
 */
export class Recordings {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    this.#config = config;
  }

  /** The same, keeping what is written for another number of days. */
  keptFor(days: number | undefined): Recordings {
    return days === undefined ? this : new Recordings({ ...this.#config, days });
  }

  /** A recording that is written out already. */
  async find(ref: RecordingRef): Promise<StoredRecording | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: partitionOf(ref), sk: { S: ref.file } };
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item || !this.#isAlive(Item)) return undefined;
    const { by, ms, n, card, partial, source } = v.parse(wholeShape, Item);
    return {
      by: userId(by.S),
      ms: Number(ms.N),
      pieces: Number(n.N),
      card: messageId(card.S),
      partial: partial?.S,
      source: v.parse(attachmentSchema, JSON.parse(source.S)),
    };
  }

  async finish(ref: RecordingRef, { by, ms, pieces, card, partial, source }: StoredRecording): Promise<void> {
    await this.#put(ref, ref.file, {
      by: { S: by },
      ms: numeral(ms),
      n: numeral(pieces),
      card: { S: card },
      source: { S: JSON.stringify(source) },
      ...(partial === undefined ? {} : { partial: { S: partial } }),
    });
  }

  /** What the recordings of a message say, as far as they were heard; undefined if there are none. */
  async said(thread: Thread, message: MessageId): Promise<string | undefined> {
    const pieces = await this.#between({ thread, message }, '!', '~');
    const texts = pieces
      .filter(({ sk }) => sk.includes('#P#'))
      .map(({ piece: { text: said } }) => said.trim());
    return texts.filter((one) => one !== '').join(' ') || undefined;
  }

  /** The same, with who spoke and when (ms since 1970). Undefined too where nobody is known to have spoken. */
  async spokenIn(
    thread: Thread,
    message: MessageId,
  ): Promise<{ readonly by: UserId; readonly at: number; readonly text: string } | undefined> {
    const text = await this.said(thread, message);
    if (text === undefined) return undefined;
    const [by] = (await this.#pointersTo(thread, message)).flatMap((item) => item['by']?.S ?? []);
    const at = sentAt(message) * 1_000;
    return by === undefined ? undefined : { by: userId(by), at: Number.isFinite(at) ? at : 0, text };
  }

  /**
   * Says, in the thread's own partition, that it has this recording, whose it is and from which workspace, by which it is found
   * when the thread, the person or that workspace is forgotten. Safe to repeat.
   */
  async begin(ref: RecordingRef, by: UserId, from: WorkspaceId): Promise<void> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numeral(now() / 1000 + days * 86_400);
    await dynamo.update({
      TableName,
      Key: pointerOf(ref),
      UpdateExpression: 'SET #by = :by, ws = :ws, #ttl = :ttl',
      ExpressionAttributeNames: { '#by': 'by', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':by': { S: by }, ':ws': { S: from }, ':ttl': ttl },
    });
  }

  /** Whether the message with the recording is gone: see `TurnSignals.rememberDeletion`. */
  async isGone(ref: Omit<RecordingRef, 'file'>): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: goneOf(ref), ConsistentRead: true });
    return Item !== undefined;
  }

  /** What people did to it while it was being written out. */
  signal(ref: RecordingRef): Promise<RecordingSignal> {
    return readSignal(this.#config, ref);
  }

  /** Says that no more of it is to be written out. Resolves with whether there is such a recording. */
  stop(ref: RecordingRef, by: UserId): Promise<boolean> {
    return writeStop(this.#config, ref, by);
  }

  /** It is to be written out after all. */
  async resume(ref: RecordingRef): Promise<void> {
    await writeStop(this.#config, ref, undefined);
  }

  /** Remembers messages with the words, which go with the recording. Says whether it is still there. */
  async shown(ref: RecordingRef, messages: readonly MessageId[]): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const update = {
      TableName,
      Key: pointerOf(ref),
      UpdateExpression: 'ADD shown :messages',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':messages': { SS: [...messages] } },
    };
    return ignoreConditionFailure(dynamo.update(update));
  }

  /** The recordings of a message that were begun, and the messages with their words. */
  async of(
    thread: Thread,
    message: MessageId,
  ): Promise<{ readonly ref: RecordingRef; readonly shown: readonly MessageId[] }[]> {
    const [first] = pointersOf(message);
    return (await this.#pointersTo(thread, message)).map((item) => ({
      ref: { thread, message, file: (item['sk']?.S ?? '').slice(first.length) },
      shown: messagesIn(item),
    }));
  }

  /** What says in the thread's own partition that a message has recordings. */
  async #pointersTo(thread: Thread, message: MessageId): Promise<Item[]> {
    const { dynamo, table: TableName } = this.#config;
    const [first, last] = pointersOf(message);
    const { Items = [] } = await dynamo.query({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: threadKey(thread) },
        ':first': { S: first },
        ':last': { S: last },
      },
      ConsistentRead: true,
    });
    return Items;
  }

  /** Forgets a recording. What says that there is one goes last, so that it may be broken off and repeated. */
  async remove(ref: RecordingRef): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await removeTranscripts(this.#config, partitionOf(ref).S, ref.file);
    await dynamo.delete({ TableName, Key: pointerOf(ref) });
  }

  /** The pieces heard so far, in order. `to`: those of a translation into that language. */
  async pieces(ref: RecordingRef, to?: string): Promise<StoredPiece[]> {
    const prefix = prefixOf(ref, to);
    return (await this.#between(ref, prefix, `${prefix}~`)).map((one) => one.piece);
  }

  async #between(of: Omit<RecordingRef, 'file'>, first: string, last: string) {
    const { dynamo, table: TableName } = this.#config;
    const found: { readonly sk: string; readonly piece: StoredPiece }[] = [];
    let ExclusiveStartKey;
    do {
      const page = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': partitionOf(of),
          ':first': { S: first },
          ':last': { S: last },
        },
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      });
      for (const item of page.Items ?? []) {
        const { body } = item;
        if (!v.is(bytesShape, body) || !this.#isAlive(item)) continue;
        found.push({ sk: item['sk']?.S ?? '', piece: v.parse(pieceShape, unpackJson(body.B)) });
      }
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return found;
  }

  /** Keeps what was heard in a piece. Of one that is a translation, the words themselves too, unless they are known. */
  async keepPiece(ref: RecordingRef, heard: StoredPiece, to?: string): Promise<void> {
    const { translation: _, ...own } = heard;
    const n = String(heard.n).padStart(5, '0');
    const put = (
      one: StoredPiece,
      into: string | undefined,
      only?: { readonly ConditionExpression: string },
    ) => this.#put(ref, `${prefixOf(ref, into)}${n}`, { body: { B: packJson(one) } }, only);
    if (to !== undefined)
      await ignoreConditionFailure(put(own, undefined, { ConditionExpression: 'attribute_not_exists(pk)' }));
    await put(heard, to);
  }

  /** Where a recording is spoken in a language, whole; of several messages the first. */
  async spoken(ref: RecordingRef, to: string): Promise<MessageId | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: partitionOf(ref), sk: { S: spokenName(ref, to) } };
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    return Item && this.#isAlive(Item) ? messageId(v.parse(placeShape, Item).at.S) : undefined;
  }

  async keepSpoken(ref: RecordingRef, to: string, at: MessageId): Promise<void> {
    await this.#put(ref, spokenName(ref, to), { at: { S: at } });
  }

  /** How far it is spoken for one wish, so that a worker goes on where another one died. */
  speechProgress(ref: RecordingRef, wish: SpeechWish): Promise<SpeechProgress | undefined> {
    return readSpeech(this.#config, ref, wish);
  }

  keepSpeechProgress(ref: RecordingRef, wish: SpeechWish, progress: SpeechProgress): Promise<void> {
    return writeSpeech(this.#config, ref, wish, progress);
  }

  /** Whether this is the first recording of its channel that is written out unasked: of one alone, each time it is asked for. */
  async isFirst(ref: RecordingRef): Promise<boolean> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numeral(now() / 1000 + Math.max(days, 365) * 86_400);
    const of = { S: `${ref.message}#${ref.file}` };
    const Item = { pk: { S: `VOICE#${placeOf(ref.thread)}` }, sk: { S: 'FIRST' }, of, ttl };
    return ignoreConditionFailure(
      dynamo.put({
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(pk) OR #of = :of OR #ttl <= :now',
        ExpressionAttributeNames: { '#of': 'of', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':of': of, ':now': numeral(now() / 1000) },
      }),
    );
  }

  async #put(
    ref: RecordingRef,
    sk: string,
    attributes: Parameters<TurnsConfig['dynamo']['put']>[0]['Item'],
    only?: { readonly ConditionExpression: string },
  ): Promise<void> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numeral(now() / 1000 + days * 86_400);
    await dynamo.put({
      TableName,
      Item: { pk: partitionOf(ref), sk: { S: sk }, ...attributes, ttl },
      ...only,
    });
  }

  /** DynamoDB removes expired items up to days late; for us they are gone at once. */
  #isAlive(item: unknown): boolean {
    return Number(v.parse(aliveShape, item).ttl.N) > this.#config.now() / 1000;
  }
}
