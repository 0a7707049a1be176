import {
  channelId,
  type MessageId,
  messageId,
  type TurnRef,
  userId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import type { OrphanedMessages } from '../../../shared/platforms/ports/index.ts';
import { createSlackPlatform } from '../../../shared/platforms/slack/index.ts';
import { inBytes } from '../../../shared/platforms/markdown/index.ts';
import {
  type SlackResponse,
  SlackRateLimitError,
  type SlackCall,
  SlackApiError,
} from '../../../shared/platforms/slack/api/call.ts';
import type { SlackDeps, Time } from '../../../shared/platforms/slack/deps.ts';
import { type VisibleContent, visibleContent } from './fake-content.ts';

export const BOT = 'U0BOT';
export const QUESTION = '1700000001.000001';

export type Message = VisibleContent & {
  ts: string;
  streaming: boolean;
  /** It was a stream before. */
  streamed?: boolean;
  metadata?: unknown;
};

/** The fault of one request. `lost`: it took effect, but has no response. `gone`: it never arrived. */
export type Fault = 'lost' | 'gone' | 'busy' | { refuse: string } | undefined;

export type FaultChoice = (method: string, number: number, args: Readonly<Record<string, unknown>>) => Fault;

export type SeenRequest = {
  readonly method: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly at: number;
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A clock that a test controls. `advance` adds `ms`; `until` advances as much as a promise needs to settle. */
export function fakeTime(start = 1_700_000_002_000) {
  let now = start;
  let timers: { at: number; wake: () => void }[] = [];
  const time: Time = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const fail = (): void =>
          reject(signal?.reason instanceof Error ? signal.reason : new Error('aborted'));
        if (signal?.aborted) return fail();
        const timer = { at: now + ms, wake: resolve };
        timers.push(timer);
        const abort = (): void => {
          timers = timers.filter((other) => other !== timer);
          fail();
        };
        signal?.addEventListener('abort', abort, { once: true });
      }),
  };
  const next = async (latest: number): Promise<boolean> => {
    const timer = timers.toSorted((a, b) => a.at - b.at)[0];
    if (!timer || timer.at > latest) return false;
    timers = timers.filter((other) => other !== timer);
    now = Math.max(now, timer.at);
    timer.wake();
    await settled();
    return true;
  };
  const advance = async (ms: number): Promise<void> => {
    const end = now + ms;
    await settled();
    while (await next(end));
    now = end;
  };
  const until = async <T>(promise: Promise<T>): Promise<T> => {
    const state = { over: false };
    const mark = (): void => {
      state.over = true;
    };
    promise.then(mark, mark);
    await settled();
    for (let steps = 0; !state.over; steps += 1) {
      if (steps > 5_000 || !(await next(Infinity))) throw new Error(`stuck after ${steps} timers`);
    }
    return promise;
  };
  return { ...time, advance, until, elapsed: () => now - start };
}

/** One Slack thread in memory, as far as an answer needs it. `fault` is called before every request. */
export function fakeSlack(time: Time, fault: FaultChoice = () => undefined) {
  const messages: Message[] = [];
  const calls: SeenRequest[] = [];
  let last = 0;
  const find = (args: Readonly<Record<string, unknown>>): Message => {
    const message = messages.find(({ ts }) => ts === args['ts']);
    if (!message) throw new Error('message_not_found');
    return message;
  };
  const add = (content: VisibleContent, more: Partial<Message>): SlackResponse => {
    const { text, cards, line, buttons } = content;
    if (text.trim() === '' && cards.size + line.length + buttons.length === 0) throw new Error('no_text');
    last += 1;
    const ts = `1700000002.${String(last).padStart(6, '0')}`;
    messages.push({ ts, streaming: false, ...content, ...more });
    return { ok: true, ts };
  };
  const grow = (message: Message, { text, cards, buttons }: VisibleContent): void => {
    message.text += text;
    for (const [id, card] of cards) message.cards.set(id, card);
    message.buttons = buttons;
  };
  const methods: Record<string, (args: Readonly<Record<string, unknown>>) => SlackResponse> = {
    'auth.test': () => ({ ok: true, user_id: BOT, bot_id: 'B0BOT' }),
    'assistant.threads.setStatus': () => ({ ok: true }),
    'chat.startStream': (args) => add(visibleContent(args), { streaming: true, streamed: true }),
    'chat.postMessage': (args) => add(visibleContent(args), { metadata: args['metadata'] }),
    'chat.appendStream': (args) => {
      const message = find(args);
      if (!message.streaming) throw new Error('message_not_in_streaming_state');
      const more = visibleContent(args);
      if (more.text.trim() === '' && more.cards.size === 0) throw new Error('no_text');
      grow(message, more);
      return { ok: true };
    },
    'chat.stopStream': (args) => {
      const message = find(args);
      if (!message.streaming) throw new Error('message_not_in_streaming_state');
      grow(message, visibleContent(args));
      message.streaming = false;
      message.metadata = args['metadata'];
      return { ok: true };
    },
    'chat.update': (args) => {
      const message = find(args);
      if (message.streaming) throw new Error('streaming_state_conflict');
      const content = visibleContent(args);
      if (content.text.trim() === '' && content.line.length === 0) throw new Error('no_text');
      // Markdown alone keeps the earlier blocks.
      const { text } = content;
      Object.assign(message, args['blocks'] === undefined ? { text } : content, {
        metadata: args['metadata'],
      });
      return { ok: true };
    },
    'chat.delete': (args) => {
      messages.splice(messages.indexOf(find(args)), 1);
      return { ok: true };
    },
    'conversations.history': () => ({ ok: true, messages: [] }),
    'conversations.replies': () => ({
      ok: true,
      messages: [
        { ts: QUESTION, user: 'U0ADA', text: 'a question' },
        ...messages.map(({ ts, text, metadata, streaming, streamed }) => ({
          ts,
          text,
          user: BOT,
          ...(metadata ? { metadata } : {}),
          ...(streaming || streamed ? { streaming_state: streaming ? 'in_progress' : 'completed' } : {}),
        })),
      ],
    }),
  };
  const call: SlackCall = async (method, args) => {
    calls.push({ method, args, at: time.now() });
    const failure = fault(method, calls.length - 1, args);
    await Promise.resolve();
    if (failure === 'gone') throw new Error('connection reset');
    if (failure === 'busy') throw new SlackRateLimitError(method, 1_000);
    if (failure && failure !== 'lost') throw new SlackApiError(method, failure.refuse);
    try {
      const answer = methods[method]?.(args) ?? { ok: true };
      if (failure === 'lost') throw new TypeError('no answer');
      return answer;
    } catch (error) {
      if (error instanceof TypeError || !(error instanceof Error)) throw error;
      throw new SlackApiError(method, error.message);
    }
  };
  return { call, calls, messages, methods: () => calls.map(({ method }) => method) };
}

export const turn: TurnRef = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T0'),
    channel: channelId('C0'),
    root: messageId(QUESTION),
  },
  message: messageId(QUESTION),
  asker: userId('U0ADA'),
  askerWorkspace: workspaceId('T0OTHER'),
};

/** A platform on a Slack in memory, with a clock that the test controls. */
export function openFakeSlack(fault?: FaultChoice, partLimit = 10_000, more: Partial<SlackDeps> = {}) {
  const time = fakeTime();
  const slack = fakeSlack(time, fault);
  const platform = createSlackPlatform({
    call: slack.call,
    time,
    botUserId: BOT,
    limit: inBytes(partLimit),
    ...more,
  });
  return { time, slack, platform };
}

export const visibleText = (slack: { messages: readonly { text: string }[] }) =>
  slack.messages.map(({ text }) => text).join('');
export const metadataOfPart = (part: number) => ({
  event_type: 'parley_turn',
  event_payload: { turn: QUESTION, part },
});

/** The messages that a later worker, alone in the thread, treats as its own. */
export const bothKinds = ({ ofTurn, unattributed }: OrphanedMessages): MessageId[] =>
  [...ofTurn, ...unattributed].toSorted();
