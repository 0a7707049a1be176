import { BARE } from '../fakes/bare-context.ts';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';
import type { CompletionRun } from '../../shared/chat/model/run-completion.ts';
import { type Chat, DEFAULTS } from '../../shared/worker/index.ts';
import { StatusIndicator } from '../../shared/chat/display/status-indicator.ts';
import type { Platform } from '../../shared/platforms/ports/platform.ts';
import { NO_HISTORY } from '../fakes/history.ts';
import { FREE_PERMITS } from '../fakes/permits.ts';
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
  showStatus: () => Promise.resolve(),
  getLocale: () => Promise.resolve(undefined),
  findOrphanedMessages: () => Promise.resolve({ own: [], untied: [] }),
  reply: () => ({
    write: () => undefined,
    step: () => undefined,
    enableStopButton: () => undefined,
    stopped: new AbortController().signal,
    stopStreaming: () => Promise.resolve([]),
    posted: () => Promise.resolve([]),
    hasUnconfirmedPosts: false,
    publish: () => Promise.resolve([]),
  }),
  acknowledge: () => Promise.resolve(),
  postEphemeral: () => Promise.resolve(true),
  deleteAnswer: () => Promise.resolve(),
  fetchEarlierMessages: () => Promise.resolve({ said: [] }),
  readHistory: () => Promise.resolve(NO_HISTORY),
  downloadFile: () => Promise.reject(new Error('there are no files')),
};

/** What the bot's own flow needs to put one question to this model, with permits to spare. */
export function work(
  stream: (options: Parameters<Chat['stream']>[1]) => ReturnType<Chat['stream']>,
): CompletionRun {
  const time = new TestTime();
  const locale = Promise.resolve('en' as const);
  return {
    locale,
    reply: NOBODY.reply(TURN, []),
    thinking: new StatusIndicator(TURN, { platform: NOBODY, time, locale }),
    by: { id: '1.1.1', thread: TURN.thread, person: TURN.asker },
    signal: new AbortController().signal,
    stop: new AbortController().signal,
    delivery: { deadline: time.now() + 60_000, isLast: true, isRedelivery: false },
    context: {
      ...BARE,
      chat: { stream: (_, options) => stream(options) },
      permits: FREE_PERMITS,
      time,
      settings: DEFAULTS,
      log: () => undefined,
    },
  };
}
