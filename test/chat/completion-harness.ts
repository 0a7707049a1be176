import {
  channelId,
  messageId,
  type PromptMessage,
  userId,
  workspaceId,
  type TurnRef,
} from '../../shared/domain/index.ts';
import {
  type CompletionEvent,
  type ChatOptions,
  DEFAULTS,
  type Settings,
  type ModelFacts,
} from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { runCompletion } from '../../shared/chat/model/run-completion.ts';
import { AnswerTimeline } from '../../shared/chat/display/answer-metrics.ts';
import { StatusIndicator } from '../../shared/chat/display/progress-display.ts';
import type { Platform, Reply, Step } from '../../shared/platforms/ports/index.ts';
import { BARE } from '../fakes/bare-context.ts';
import { NO_HISTORY } from '../fakes/history.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { TestTime } from '../upstream/time.ts';
import { type CompletionRun } from '../../shared/chat/model/completion-outcome.ts';

export const TURN: TurnRef = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
};

/** A reply that records its calls. */
export class FakeReply implements Reply {
  text = '';
  readonly steps: Step[] = [];
  readonly stopped = new AbortController().signal;
  readonly hasUnconfirmedPosts = false;
  write(words: string): void {
    this.text += words;
  }
  step(step: Step): void {
    this.steps.push(step);
  }
  enableStopButton = () => undefined;
  stopStreaming = () => Promise.resolve([]);
  posted = () => Promise.resolve([]);
  publish = () => Promise.resolve([]);
}

/** A platform without people; its files are looked up by id. */
export function fakePlatform(
  files: Readonly<Record<string, Uint8Array | Error>> = {},
  messages: string[] = [],
): Platform {
  return {
    showStatus: (_, words) => {
      messages.push(words);
      return Promise.resolve();
    },
    getLocale: () => Promise.resolve(undefined),
    findOrphanedMessages: () => Promise.resolve({ ofTurn: [], unattributed: [] }),
    reply: () => new FakeReply(),
    acknowledge: () => Promise.resolve(),
    postEphemeral: () => Promise.resolve(true),
    deleteAnswer: () => Promise.resolve(),
    fetchEarlierMessages: () => Promise.resolve({ messages: [] }),
    isSuperseded: () => Promise.resolve(false),
    findMessage: () => Promise.resolve(undefined),
    findRecordings: () => undefined,
    prepareMessageSearch: () => undefined,
    isDeleted: () => Promise.resolve(false),
    nameMentions: () => undefined,
    resolveFile: (_, attachment) => Promise.resolve(attachment),
    listFiles: () => Promise.resolve([]),
    readHistory: () => Promise.resolve(NO_HISTORY),
    downloadFile: (_, { id }) => {
      const file = files[id];
      return file instanceof Uint8Array
        ? Promise.resolve(file)
        : Promise.reject(file ?? new Error('no such file'));
    },
  };
}

type End = Extract<CompletionEvent, { type: 'end' }>;

/** The end of a completion with this text. */
export function endEvent(text: string, more: Partial<End> = {}): End {
  return { type: 'end', text, finish: 'stop', model: 'model-a', ...more };
}

/** The script of one request: events, errors to throw, or callbacks between them. */
export type Script = readonly (CompletionEvent | Error | ((options: ChatOptions) => void | Promise<void>))[];

/** Of a completion: no tools, no notices, nothing to continue, no limit and no permit. */
export const PLAIN_COMPLETION = {
  confirm: () => Promise.resolve(),
  model: undefined,
  versions: undefined,
  tools: [],
  opening: '',
  prefix: '',
  maxBytes: Infinity,
  shortenPrompt: () => undefined,
  waitId: undefined,
  prefetchedPermit: undefined,
} as const satisfies Partial<CompletionRun>;

/** Of a question with all of its history in the prompt, and without files. */
export const NO_HISTORY_SOURCES = { recall: undefined, files: [], layers: {} } as const;

/** The context of `generate`, with a model that responds by these scripts, in order. */
export function completionHarness(
  scripts: readonly Script[],
  choices: Partial<CompletionRun> & { settings?: Partial<Settings>; facts?: ModelFacts } = {},
) {
  const { settings, facts, ...overrides } = choices;
  const time = new TestTime();
  const { locale = Promise.resolve('en') } = choices;
  const reply = new FakeReply();
  const sentTexts: string[] = [];
  const logged: string[] = [];
  const requests: { readonly messages: readonly PromptMessage[]; readonly options: ChatOptions }[] = [];
  const lease = new AbortController();
  const stop = new AbortController();
  async function* stream(messages: readonly PromptMessage[], options: ChatOptions) {
    const script = scripts[requests.length] ?? [new Error('nobody expected this request')];
    requests.push({ messages: [...messages], options });
    await options.beforeAttempt();
    for (const one of script) {
      if (one instanceof Error) throw one;
      if (typeof one === 'function') await one(options);
      options.signal.throwIfAborted();
      if (typeof one !== 'function') yield one;
    }
  }
  const permits: number[] = [];
  const work: CompletionRun = {
    locale,
    reply,
    statusIndicator: new StatusIndicator(TURN, { platform: fakePlatform({}, sentTexts), time, locale }),
    owner: { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: false },
    ...PLAIN_COMPLETION,
    timeline: new AnswerTimeline(undefined, time.now()),
    signal: lease.signal,
    stop: stop.signal,
    delivery: { deadline: time.now() + 600_000, isLast: false, isRedelivery: false },
    context: {
      ...BARE,
      chat: {
        ...streamsOnly,
        stream,
        model: 'model-a',
        modelFacts: () => Promise.resolve(facts ?? { tools: true, modelsWithImages: [] }),
      },
      permits: {
        ...UNLIMITED_PERMITS,
        take: (ask) => {
          permits.push(ask.maxWaitMs);
          return UNLIMITED_PERMITS.take(ask);
        },
      },
      settings: { ...DEFAULTS, ...settings },
      time,
      log: (event, data) => logged.push(`${event} ${JSON.stringify(data)}`),
    },
    ...overrides,
  };
  const run = (prompt: readonly PromptMessage[] = [{ role: 'user', content: 'Why?' }]) =>
    runCompletion(prompt, work);
  return { run, work, time, reply, sentTexts, logged, requests, lease, stop, permits };
}

/** Returns the outcome of a completion. Throws if it is to be retried later. */
export async function outcomeOf(outcome: ReturnType<typeof runCompletion>) {
  const ended = await outcome;
  if (ended.kind !== 'ended') throw new Error('it has not ended');
  return ended;
}
