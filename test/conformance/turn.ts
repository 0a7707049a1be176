import { channelId, messageId, userId, workspaceId } from '../../shared/conversation/index.ts';
import type { Generation } from '../../shared/flows/generate.ts';
import { type Chat, DEFAULTS } from '../../shared/flows/index.ts';
import { Thinking } from '../../shared/flows/thinking.ts';
import type { Platform } from '../../shared/platforms/platform.ts';
import { NO_HISTORY } from '../fakes/history.ts';
import { FREE_SLOTS } from '../fakes/slots.ts';
import { TestTime } from '../upstream/time.ts';

const TURN = {
  thread: {
    platform: 'slack',
    workspace: workspaceId('T1'),
    channel: channelId('C1'),
    root: messageId('1.1'),
  },
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: workspaceId('T1'),
} as const;

/** A platform that shows nothing to anybody. */
const NOBODY: Platform = {
  status: () => Promise.resolve(),
  language: () => Promise.resolve(undefined),
  leftovers: () => Promise.resolve({ own: [], untied: [] }),
  reply: () => ({
    write: () => undefined,
    step: () => undefined,
    stopped: new AbortController().signal,
    halt: () => Promise.resolve([]),
    posted: () => Promise.resolve([]),
    doubtful: false,
    finish: () => Promise.resolve([]),
  }),
  noticed: () => Promise.resolve(),
  whisper: () => Promise.resolve(true),
  withdraw: () => Promise.resolve(),
  earlier: () => Promise.resolve({ said: [] }),
  history: () => Promise.resolve(NO_HISTORY),
  file: () => Promise.reject(new Error('there are no files')),
};

/** What the bot's own flow needs to put one question to this model, with slots to spare. */
export function work(
  stream: (options: Parameters<Chat['stream']>[1]) => ReturnType<Chat['stream']>,
): Generation {
  const time = new TestTime();
  const locale = Promise.resolve('en' as const);
  return {
    locale,
    reply: NOBODY.reply(TURN, []),
    thinking: new Thinking(TURN, { platform: NOBODY, time, locale }),
    by: { id: '1.1.1', thread: TURN.thread, person: TURN.asker },
    signal: new AbortController().signal,
    stop: new AbortController().signal,
    delivery: { deadline: time.now() + 60_000, last: true, again: false },
    deps: {
      chat: { stream: (_, options) => stream(options) },
      slots: FREE_SLOTS,
      time,
      settings: DEFAULTS,
      log: () => undefined,
    },
  };
}
