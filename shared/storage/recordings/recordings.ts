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
import { isConditionMet } from '../dynamodb/dynamo.ts';
import { compressJson, decompressJson } from '../dynamodb/turn-compression.ts';
import {
  ttlShape,
  bytesShape,
  type StoredChunk,
  chunkShape,
  type SpokenTranslation,
  spokenShape,
  type StoredRecording,
  recordingShape,
} from './recording-item.ts';
import {
  deletionKey,
  readTranscriptMessages,
  recordingPartition,
  channelPath,
  recordingPointerKey,
  pointerRange,
  chunkPrefix,
  spokenKey,
  type RecordingRef,
} from '../keys/recording-keys.ts';
import {
  readSpeechProgress,
  type SpeechProgress,
  type SpeechRequest,
  writeSpeechProgress,
} from './speech-progress.ts';
import { removeTranscripts } from './recording-removal.ts';
import { readSignal, type RecordingSignal, writeStop } from './recording-signals.ts';
import { type Item, numberValue } from '../keys/item-keys.ts';
import type { TurnsConfig } from '../turns/turn-table.ts';
import { getMessageTimeMs } from '../../utils/index.ts';

/**
 * Transcripts in the `conversations` table: an item per transcribed chunk, and one per finished recording. Kept
 * as long as turns. Every write is idempotent, because a recording always has the same chunks.
 */
export class Recordings {
  readonly #config: TurnsConfig;

  constructor(config: TurnsConfig) {
    this.#config = config;
  }

  /** Returns the store for another retention period. */
  withRetention(days: number | undefined): Recordings {
    return days === undefined ? this : new Recordings({ ...this.#config, days });
  }

  /** Returns a finished recording. */
  async find(ref: RecordingRef): Promise<StoredRecording | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: recordingPartition(ref), sk: { S: ref.file } };
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item || !this.#isAlive(Item)) return undefined;
    const { by, ms, n, card, partial, source } = v.parse(recordingShape, Item);
    return {
      by: userId(by.S),
      ms: Number(ms.N),
      chunkCount: Number(n.N),
      card: messageId(card.S),
      partial: partial?.S,
      source: v.parse(attachmentSchema, JSON.parse(source.S)),
    };
  }

  async finish(ref: RecordingRef, recording: StoredRecording): Promise<void> {
    const { by, ms, chunkCount, card, partial, source } = recording;
    await this.#put(ref, ref.file, {
      by: { S: by },
      ms: numberValue(ms),
      n: numberValue(chunkCount),
      card: { S: card },
      source: { S: JSON.stringify(source) },
      ...(partial === undefined ? {} : { partial: { S: partial } }),
    });
  }

  /** Returns the transcript of a message's recordings as far as it exists; undefined if there is none. */
  async transcriptText(thread: Thread, message: MessageId): Promise<string | undefined> {
    const texts = (await this.#between({ thread, message }, '!', '~'))
      .filter(({ sk }) => sk.includes('#P#'))
      .map(({ piece }) => piece.text.trim());
    return texts.filter((one) => one !== '').join(' ') || undefined;
  }

  /** Returns the transcript with its speaker and time (ms since 1970); undefined if one is unknown. */
  async attributedTranscript(
    thread: Thread,
    message: MessageId,
  ): Promise<{ readonly by: UserId; readonly at: number; readonly text: string } | undefined> {
    const text = await this.transcriptText(thread, message);
    if (text === undefined) return undefined;
    const [by] = (await this.#findPointers(thread, message)).flatMap((item) => item['by']?.S ?? []);
    const at = getMessageTimeMs(message);
    return by === undefined ? undefined : { by: userId(by), at: Number.isFinite(at) ? at : 0, text };
  }

  /**
   * Writes the pointer in the thread's partition, with the speaker and their workspace. It leads to the
   * recording when the thread, the person or the workspace is erased. Idempotent.
   */
  async begin(ref: RecordingRef, by: UserId, from: WorkspaceId): Promise<void> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numberValue(now() / 1000 + days * 86_400);
    await dynamo.update({
      TableName,
      Key: recordingPointerKey(ref),
      UpdateExpression: 'SET #by = :by, ws = :ws, #ttl = :ttl',
      ExpressionAttributeNames: { '#by': 'by', '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':by': { S: by }, ':ws': { S: from }, ':ttl': ttl },
    });
  }

  /** Whether the message with the recording was deleted: see `TurnSignals.rememberDeletion`. */
  async isDeleted(ref: Omit<RecordingRef, 'file'>): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const { Item } = await dynamo.get({ TableName, Key: deletionKey(ref), ConsistentRead: true });
    return Item !== undefined;
  }

  /** Returns what people did to the recording during its transcription. */
  readSignal(ref: RecordingRef): Promise<RecordingSignal> {
    return readSignal(this.#config, ref);
  }

  /** Stops the transcription. Resolves with whether there is such a recording. */
  stop(ref: RecordingRef, by: UserId): Promise<boolean> {
    return writeStop(this.#config, ref, by);
  }

  /** Resumes the transcription. */
  async resume(ref: RecordingRef): Promise<void> {
    await writeStop(this.#config, ref, undefined);
  }

  /** Stores the messages with the transcript. Resolves with whether the recording still exists. */
  async addTranscriptMessages(ref: RecordingRef, messages: readonly MessageId[]): Promise<boolean> {
    const { dynamo, table: TableName } = this.#config;
    const update = {
      TableName,
      Key: recordingPointerKey(ref),
      UpdateExpression: 'ADD shown :messages',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':messages': { SS: [...messages] } },
    };
    return isConditionMet(dynamo.update(update));
  }

  /** Returns the recordings of a message, and the messages with their transcripts. */
  async listByMessage(
    thread: Thread,
    message: MessageId,
  ): Promise<{ readonly ref: RecordingRef; readonly messages: readonly MessageId[] }[]> {
    const [first] = pointerRange(message);
    return (await this.#findPointers(thread, message)).map((item) => ({
      ref: { thread, message, file: (item['sk']?.S ?? '').slice(first.length) },
      messages: readTranscriptMessages(item),
    }));
  }

  /** Returns the pointers of a message's recordings. */
  async #findPointers(thread: Thread, message: MessageId): Promise<Item[]> {
    const { dynamo, table: TableName } = this.#config;
    const [first, last] = pointerRange(message);
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

  /** Erases a recording. The pointer is deleted last, so that an interrupted erasure can be repeated. */
  async remove(ref: RecordingRef): Promise<void> {
    const { dynamo, table: TableName } = this.#config;
    await removeTranscripts(this.#config, recordingPartition(ref).S, ref.file);
    await dynamo.delete({ TableName, Key: recordingPointerKey(ref) });
  }

  /** Returns the transcribed chunks in order; with `to`, those of the translation into this language. */
  async listChunks(ref: RecordingRef, to?: string): Promise<StoredChunk[]> {
    const prefix = chunkPrefix(ref, to);
    return (await this.#between(ref, prefix, `${prefix}~`)).map((one) => one.piece);
  }

  async #between(location: Omit<RecordingRef, 'file'>, first: string, last: string) {
    const { dynamo, table: TableName } = this.#config;
    const chunks: { readonly sk: string; readonly piece: StoredChunk }[] = [];
    let ExclusiveStartKey;
    do {
      const page = await dynamo.query({
        TableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
        ExpressionAttributeValues: {
          ':pk': recordingPartition(location),
          ':first': { S: first },
          ':last': { S: last },
        },
        ConsistentRead: true,
        ...(ExclusiveStartKey ? { ExclusiveStartKey } : {}),
      });
      for (const item of page.Items ?? []) {
        const { body } = item;
        if (!v.is(bytesShape, body) || !this.#isAlive(item)) continue;
        chunks.push({ sk: item['sk']?.S ?? '', piece: v.parse(chunkShape, decompressJson(body.B)) });
      }
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    return chunks;
  }

  /** Stores the transcript of a chunk. For a translation, also stores the original text, unless it is known. */
  async saveChunk(ref: RecordingRef, chunk: StoredChunk, to?: string): Promise<void> {
    const { translation: _, ...own } = chunk;
    const n = String(chunk.n).padStart(5, '0');
    const put = (one: StoredChunk, into: string | undefined, isNew = false) =>
      this.#put(ref, `${chunkPrefix(ref, into)}${n}`, { body: { B: compressJson(one) } }, isNew);
    if (to !== undefined) await isConditionMet(put(own, undefined, true));
    await put(chunk, to);
  }

  /** Returns the spoken translation, if it is finished. */
  async findSpoken(ref: RecordingRef, to: string): Promise<SpokenTranslation | undefined> {
    const { dynamo, table: TableName } = this.#config;
    const Key = { pk: recordingPartition(ref), sk: { S: spokenKey(ref, to) } };
    const { Item } = await dynamo.get({ TableName, Key, ConsistentRead: true });
    if (!Item || !this.#isAlive(Item)) return undefined;
    const { at, ms } = v.parse(spokenShape, Item);
    return { message: messageId(at.S), maxMs: ms && Number(ms.N) };
  }

  async saveSpoken(ref: RecordingRef, to: string, { message, maxMs }: SpokenTranslation): Promise<void> {
    const part = maxMs === undefined ? {} : { ms: numberValue(maxMs) };
    await this.#put(ref, spokenKey(ref, to), { at: { S: message }, ...part });
  }

  /** Returns the progress of a spoken translation, so that a worker can continue after a crash. */
  findSpeechProgress(ref: RecordingRef, request: SpeechRequest): Promise<SpeechProgress | undefined> {
    return readSpeechProgress(this.#config, ref, request);
  }

  saveSpeechProgress(ref: RecordingRef, request: SpeechRequest, progress: SpeechProgress): Promise<void> {
    return writeSpeechProgress(this.#config, ref, request, progress);
  }

  /** Whether this is the first automatically transcribed recording of its channel. Idempotent. */
  async isFirstInChannel(ref: RecordingRef): Promise<boolean> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numberValue(now() / 1000 + Math.max(days, 365) * 86_400);
    const of = { S: `${ref.message}#${ref.file}` };
    const Item = { pk: { S: `VOICE#${channelPath(ref.thread)}` }, sk: { S: 'FIRST' }, of, ttl };
    return isConditionMet(
      dynamo.put({
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(pk) OR #of = :of OR #ttl <= :now',
        ExpressionAttributeNames: { '#of': 'of', '#ttl': 'ttl' },
        ExpressionAttributeValues: { ':of': of, ':now': numberValue(now() / 1000) },
      }),
    );
  }

  /** `isNew`: rejects with ConditionFailedError if there is such an item. */
  async #put(ref: RecordingRef, sk: string, attributes: Item, isNew = false): Promise<void> {
    const { dynamo, table: TableName, days, now } = this.#config;
    const ttl = numberValue(now() / 1000 + days * 86_400);
    const Item = { pk: recordingPartition(ref), sk: { S: sk }, ...attributes, ttl };
    const absentCondition = {
      // DynamoDB deletes expired items late.
      ConditionExpression: 'attribute_not_exists(pk) OR #ttl <= :now',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':now': numberValue(now() / 1000) },
    };
    await dynamo.put({ TableName, Item, ...(isNew && absentCondition) });
  }

  /** DynamoDB deletes expired items up to days late; here they count as absent. */
  #isAlive(item: unknown): boolean {
    return Number(v.parse(ttlShape, item).ttl.N) > this.#config.now() / 1000;
  }
}
