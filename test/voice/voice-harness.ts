import { BARE } from '../fakes/bare-context.ts';
import type { Card, TranscriptionTask, MessageId, Thread, QueueDelivery } from '../../shared/domain/index.ts';
import {
  channelId,
  listCardFiles,
  messageId,
  parseTranscriptionTask,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { FileUnavailableError, noCanvases } from '../../shared/platforms/ports/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import type { VoiceContext } from '../../shared/voice/index.ts';
import type { MediaEvent, RecordingDuration } from '../../shared/media/index.ts';
import type { SettingsLayers } from '../../shared/settings/rules/index.ts';
import { createErasureLookup } from '../../functions/composition/platforms.ts';
import { Recordings } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { TestTime } from '../upstream/time.ts';

export const THREAD: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
};

export const RECORDING = { id: 'F1', name: 'audio.m4a', mimetype: 'audio/mp4', bytes: 1_000 };

export const task = (
  request: TranscriptionTask['request'],
  changes: Partial<TranscriptionTask> = {},
): TranscriptionTask => ({
  v: 1,
  kind: 'hear',
  thread: THREAD,
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
  recordings: [RECORDING],
  request,
  ...changes,
});

/** A button click with an ephemeral response. */
export const INTERACTION = {
  id: 'I1',
  platform: 'slack' as const,
  workspace: THREAD.workspace,
  by: { user: userId('U1'), workspace: THREAD.workspace, roles: [] },
  responseToken: 't',
  tokenExpiresAtMs: 10,
  payload: { kind: 'home' as const },
};

/** A recording of chunks of 20 s; chunk n contains `word<n>`, in French `mot<n>`. */
export type FakeRecording = {
  readonly chunks: number;
  readonly fails?: unknown;
  /** The duration that its file states. */
  readonly length?: RecordingDuration | undefined;
};

/** A voice context with tapes for files and a transcription client that returns the number of the chunk. */
export function voiceHarness(tapes: Readonly<Record<string, FakeRecording>> = { F1: { chunks: 3 } }) {
  const time = new TestTime();
  const dynamo = createMemoryDynamo();
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: time.now });
  const cards: { card: Card; key: string; at: MessageId }[] = [];
  const responses: Card[] = [];
  const uploads: { key: string; words?: string | undefined; content: string }[] = [];
  const sent = new Set<string>();
  const again: (TranscriptionTask | undefined)[] = [];
  const tasks: { body: unknown; group: string }[] = [];
  const transcriptions: { n: number; to?: string | undefined }[] = [];
  const fetched: string[] = [];
  const removed: MessageId[] = [];
  const set: { layers: SettingsLayers; of?: Record<string, SettingsLayers>; reads?: string } = { layers: {} };
  const hooks: {
    beforeTranscribe?: (
      n: number,
      options: Parameters<VoiceContext['transcriptionClient']['transcribe']>[1],
    ) => Promise<void> | void;
  } = {};
  const context: VoiceContext = {
    ...BARE,
    signals: { isAnswering: async () => false },
    recordings,
    erased: createErasureLookup({ dynamo, table: 'conversations' }),
    settingsStore: { layers: async ({ user = '' }) => set.of?.[user] ?? set.layers },
    media: {
      decode: (bytes, { firstChunk: from = 0, maxMs }) =>
        chunks(tapes[new TextDecoder().decode(bytes)], from, maxMs),
    },
    platform: {
      getLocale: async () => set.reads,
      downloadFile: async (_, { id }) => {
        fetched.push(id);
        const tape = tapes[id];
        if (!tape) throw new Error('no such file');
        return new TextEncoder().encode(id);
      },
    },
    messenger: {
      ...noCanvases,
      canPost: () => true,
      postCard: async (_, card, key) => {
        const before = cards.find((one) => one.key === key);
        const at = before?.at ?? messageId(`9.${cards.length + 1}`);
        cards.push({ card, key, at });
        return at;
      },
      removeCard: async (_, message) => void removed.push(message),
      getPermalink: async (_, message) => `https://example.com/${message}`,
      respond: async (_, card) => void responses.push(card),
      showWorking: () => Promise.resolve(),
      commandMentions: () => Promise.resolve(new Map()),
      openModal: () => Promise.reject(new Error('no forms here')),
      sendFilePrivately: () => Promise.reject(new Error('nothing is handed over')),
      sendDirectMessage: () => Promise.reject(new Error('nobody is told')),
      startThread: () => Promise.reject(new Error('nobody begins')),
      findUploads: async (_, key) =>
        uploads.flatMap((one, n) => (one.key === key ? [messageId(`8.${n + 1}`)] : [])),
      upload: async (_, { words, content }, key) => {
        const parts: Uint8Array[] = [];
        for await (const part of content) parts.push(part);
        uploads.push({ key, words, content: Buffer.concat(parts).toString() });
        return messageId(`8.${uploads.length}`);
      },
    },
    transcriptionClient: {
      transcribe: async ([n = 0], options) => {
        const { to, speak, beforeAttempt } = options;
        await beforeAttempt();
        await hooks.beforeTranscribe?.(n, options);
        transcriptions.push({ n, to });
        return {
          text: `word${n}`,
          words: [{ fromMs: 100, toMs: 200, text: `word${n}` }],
          translation: to === undefined ? undefined : `mot${n}`,
          audio: speak ? [Uint8Array.of(n)] : [],
        };
      },
    },
    createVoiceFile: async (wavs, _, words) => ({
      name: 'spoken.mp3',
      mimetype: 'audio/mpeg',
      bytes: wavs.length,
      content: bytesOf(wavs),
      words,
    }),
    speechPermits: UNLIMITED_PERMITS,
    chat: { ...streamsOnly, stream: nothing },
    permits: UNLIMITED_PERMITS,
    settings: DEFAULTS,
    queue: { send: async (body, group) => void tasks.push({ body: JSON.parse(body), group }) },
    recordingsQueue: {
      send: async (body, _, dedup) => {
        if (!sent.has(dedup)) again.push(parseTranscriptionTask(body));
        sent.add(dedup);
      },
    },
    time,
    log: () => undefined,
  };
  const delivery: QueueDelivery = { deadline: time.now() + 900_000, isRedelivery: false, isLast: false };
  return {
    context,
    delivery,
    dynamo,
    cards,
    responses,
    uploads,
    tasks,
    again,
    transcriptions,
    fetched,
    hooks,
    time,
    recordings,
    removed,
    set,
  };
}

async function* chunks(
  tape: FakeRecording | undefined,
  from: number,
  maxMs: number,
): AsyncGenerator<MediaEvent> {
  if (!tape) throw new Error('no tape');
  const count = Math.min(tape.chunks, Math.ceil(maxMs / 20_000));
  yield { type: 'begin', container: 'mp4', codec: 'aac', length: tape.length };
  for (let n = from; n < count; n += 1) {
    const last = n === count - 1;
    yield { type: 'chunk', n, wav: Uint8Array.of(n), fromMs: n * 20_000, toMs: (n + 1) * 20_000, last };
  }
  if (tape.fails !== undefined) throw tape.fails;
  yield { type: 'end', ms: count * 20_000, chunks: count, ...(count < tape.chunks && { partial: 'long' }) };
}

async function* bytesOf(all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

/** A messenger of which the platform does not answer whether a message exists. */
export const withoutLookup = (messenger: VoiceContext['messenger']): VoiceContext['messenger'] => ({
  ...messenger,
  getPermalink: () => Promise.reject(new Error('the platform cannot be reached')),
});

/** A messenger that cannot attach files to cards. */
export const withoutFiles = (messenger: VoiceContext['messenger']): VoiceContext['messenger'] => ({
  ...messenger,
  postCard: (...args) =>
    listCardFiles(args[1]).length > 0
      ? Promise.reject(new FileUnavailableError(['files.upload.not-attached']))
      : messenger.postCard(...args),
});

/** The text of a card. */
export const textOf = (card: Card | undefined): string =>
  (card?.parts ?? []).map((part) => ('markdown' in part ? part.markdown : '')).join('\n');

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}
