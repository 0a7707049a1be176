import type { Card, HearTask, MessageId, Thread } from '../../../shared/conversation/index.ts';
import {
  channelId,
  filesOn,
  messageId,
  parseHearTask,
  userId,
  workspaceId,
} from '../../../shared/conversation/index.ts';
import { FileRefused } from '../../../shared/platforms/platform.ts';
import { DEFAULTS, type Delivery, type VoiceDeps } from '../../../shared/flows/index.ts';
import type { Heard, Length } from '../../../shared/media/index.ts';
import type { Layers } from '../../../shared/settings/index.ts';
import { erasedUntil } from '../../../functions/sides.ts';
import { Recordings } from '../../../shared/store/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { FREE_SLOTS } from '../../fakes/slots.ts';
import { TestTime } from '../../upstream/time.ts';

export const THREAD: Thread = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
};

export const RECORDING = { id: 'F1', name: 'audio.m4a', mimetype: 'audio/mp4', bytes: 1_000 };

export const task = (wish: HearTask['wish'], changes: Partial<HearTask> = {}): HearTask => ({
  v: 1,
  kind: 'hear',
  thread: THREAD,
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
  recordings: [RECORDING],
  wish,
  ...changes,
});

/** Who pressed a button, of what nobody else sees. */
export const INVOCATION = {
  id: 'I1',
  platform: 'slack' as const,
  workspace: THREAD.workspace,
  by: { user: userId('U1'), workspace: THREAD.workspace, roles: [] },
  ticket: 't',
  until: 10,
  call: { kind: 'home' as const },
};

/** A recording of so many pieces of 20 s; the nth says `word<n>`, in French `mot<n>`. */
export type Tape = {
  readonly pieces: number;
  readonly fails?: unknown;
  /** How long its file says it is. */
  readonly length?: Length | undefined;
};

/** What the flows need, with tapes for files and ears that hear which piece they are given. */
export function rig(tapes: Readonly<Record<string, Tape>> = { F1: { pieces: 3 } }) {
  const time = new TestTime();
  const dynamo = createMemoryDynamo();
  const recordings = new Recordings({ dynamo, table: 'conversations', days: 30, now: time.now });
  const cards: { card: Card; key: string; at: MessageId }[] = [];
  const responses: Card[] = [];
  const uploads: { key: string; words?: string | undefined; content: string }[] = [];
  const sent = new Set<string>();
  const again: (HearTask | undefined)[] = [];
  const asked: { body: unknown; group: string }[] = [];
  const heard: { n: number; to?: string | undefined }[] = [];
  const fetched: string[] = [];
  const removed: MessageId[] = [];
  const set: { layers: Layers; of?: Record<string, Layers>; reads?: string } = { layers: {} };
  const hooks: {
    beforeHear?: (n: number, options: Parameters<VoiceDeps['ears']['hear']>[1]) => Promise<void> | void;
  } = {};
  const deps: VoiceDeps = {
    marks: { isAnswering: async () => false },
    recordings,
    erased: erasedUntil({ dynamo, table: 'conversations' }),
    choices: { layers: async ({ user = '' }) => set.of?.[user] ?? set.layers },
    media: {
      listen: (bytes, { from = 0, mostMs }) => pieces(tapes[new TextDecoder().decode(bytes)], from, mostMs),
    },
    platform: {
      language: async () => set.reads,
      file: async (_, { id }) => {
        fetched.push(id);
        const tape = tapes[id];
        if (!tape) throw new Error('no such file');
        return new TextEncoder().encode(id);
      },
    },
    stage: {
      card: async (_, card, key) => {
        const before = cards.find((one) => one.key === key);
        const at = before?.at ?? messageId(`9.${cards.length + 1}`);
        cards.push({ card, key, at });
        return at;
      },
      removeCard: async (_, message) => void removed.push(message),
      link: async (_, message) => `https://example.com/${message}`,
      respond: async (_, card) => void responses.push(card),
      open: () => Promise.reject(new Error('no forms here')),
      hand: () => Promise.reject(new Error('nothing is handed over')),
      tell: () => Promise.reject(new Error('nobody is told')),
      begin: () => Promise.reject(new Error('nobody begins')),
      uploaded: () => Promise.resolve([]),
      upload: async (_, { words, content }, key) => {
        const parts: Uint8Array[] = [];
        for await (const part of content) parts.push(part);
        uploads.push({ key, words, content: Buffer.concat(parts).toString() });
        return messageId(`8.${uploads.length}`);
      },
    },
    ears: {
      hear: async ([n = 0], options) => {
        const { to, speak, beforeAttempt } = options;
        await beforeAttempt();
        await hooks.beforeHear?.(n, options);
        heard.push({ n, to });
        return {
          text: `word${n}`,
          words: [{ fromMs: 100, toMs: 200, text: `word${n}` }],
          translation: to === undefined ? undefined : `mot${n}`,
          audio: speak ? [Uint8Array.of(n)] : [],
        };
      },
    },
    voice: async (wavs, _, words) => ({
      name: 'spoken.mp3',
      mimetype: 'audio/mpeg',
      bytes: wavs.length,
      content: bytesOf(wavs),
      words,
    }),
    slots: FREE_SLOTS,
    chat: { stream: nothing },
    chatSlots: FREE_SLOTS,
    settings: DEFAULTS,
    queue: { send: async (body, group) => void asked.push({ body: JSON.parse(body), group }) },
    recordingsQueue: {
      send: async (body, _, dedup) => {
        if (!sent.has(dedup)) again.push(parseHearTask(body));
        sent.add(dedup);
      },
    },
    time,
    log: () => undefined,
  };
  const delivery: Delivery = { deadline: time.now() + 900_000, again: false, last: false };
  return {
    deps,
    delivery,
    dynamo,
    cards,
    responses,
    uploads,
    asked,
    again,
    heard,
    fetched,
    hooks,
    time,
    recordings,
    removed,
    set,
  };
}

async function* pieces(tape: Tape | undefined, from: number, mostMs: number): AsyncGenerator<Heard> {
  if (!tape) throw new Error('no tape');
  const count = Math.min(tape.pieces, Math.ceil(mostMs / 20_000));
  yield { type: 'begin', container: 'mp4', codec: 'aac', length: tape.length };
  for (let n = from; n < count; n += 1) {
    const last = n === count - 1;
    yield { type: 'piece', n, wav: Uint8Array.of(n), fromMs: n * 20_000, toMs: (n + 1) * 20_000, last };
  }
  if (tape.fails !== undefined) throw tape.fails;
  yield { type: 'end', ms: count * 20_000, pieces: count, ...(count < tape.pieces && { partial: 'long' }) };
}

async function* bytesOf(all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

/** A stage that takes no files on its cards. */
export const withoutFiles = (stage: VoiceDeps['stage']): VoiceDeps['stage'] => ({
  ...stage,
  card: (...given) =>
    filesOn(given[1]).length > 0
      ? Promise.reject(new FileRefused(['files.upload.not-attached']))
      : stage.card(...given),
});

/** All the words of a card. */
export const textOf = (card: Card | undefined): string =>
  (card?.parts ?? []).map((part) => ('markdown' in part ? part.markdown : '')).join('\n');

async function* nothing(): AsyncGenerator<never> {
  yield* [];
}
