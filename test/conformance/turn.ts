import { BARE } from '../fakes/bare-context.ts';
import { channelId, messageId, userId, workspaceId } from '../../shared/domain/index.ts';

import { type Chat, type ChatTool, DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { AnswerTimeline } from '../../shared/chat/display/answer-metrics.ts';
import { StatusIndicator } from '../../shared/chat/display/progress-display.ts';
import { FakeReply, fakePlatform, PLAIN_COMPLETION } from '../chat/completion-harness.ts';
import { UNLIMITED_PERMITS } from '../fakes/permits.ts';
import { TestTime } from '../upstream/time.ts';
import type { CompletionRun } from '../../shared/chat/model/completion-outcome.ts';

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

/** What the bot's own flow needs to put one question to this model, with permits to spare. */
export function work(
  stream: (options: Parameters<Chat['stream']>[1]) => ReturnType<Chat['stream']>,
): CompletionRun {
  const time = new TestTime();
  const locale = Promise.resolve('en' as const);
  return {
    locale,
    reply: new FakeReply(),
    statusIndicator: new StatusIndicator(TURN, { platform: fakePlatform(), time, locale }),
    owner: { id: '1.1.1', thread: TURN.thread, person: TURN.asker, isQuestion: false },
    ...PLAIN_COMPLETION,
    timeline: new AnswerTimeline(undefined, time.now()),
    signal: new AbortController().signal,
    stop: new AbortController().signal,
    delivery: { deadline: time.now() + 60_000, isLast: true, isRedelivery: false },
    context: {
      ...BARE,
      chat: { ...streamsOnly, stream: (_, options) => stream(options) },
      permits: UNLIMITED_PERMITS,
      time,
      settings: DEFAULTS,
      log: () => undefined,
    },
  };
}

/** A tool that takes all arguments. `ran` has those of each call that ran. */
export function createSpyTool(name: string): { readonly tool: ChatTool; readonly ran: readonly unknown[] } {
  const ran: unknown[] = [];
  const run = (args: unknown) => () => {
    ran.push(args);
    return Promise.resolve({ content: 'done', summary: 'Done' });
  };
  const tool: ChatTool = {
    definition: { name },
    prepare: (args) => ({ title: 'Trying', status: ['answers.status.reading'], run: run(args) }),
  };
  return { tool, ran };
}
