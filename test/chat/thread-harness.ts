import { intakeWithin } from '../../shared/intake/within-worker.ts';
import {
  channelId,
  type ChatEvent,
  messageId,
  type PromptMessage,
  userId,
  workspaceId,
} from '../../shared/domain/index.ts';
import { type CompletionEvent } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { type WorkerContext, dispatchTask } from '../../shared/worker/index.ts';
import { handleEvent, acceptQuestion } from '../../shared/intake/index.ts';
import { TestTime } from '../upstream/time.ts';
import { fakeInteraction, commandHarness, typedCommand } from '../commands/command-harness.ts';
import { endEvent, fakePlatform } from './completion-harness.ts';

const ADMIN = { user: userId('U9'), workspace: workspaceId('T1'), roles: [], admin: true, locale: 'en' };
export const THREAD = {
  platform: 'slack',
  workspace: workspaceId('T1'),
  channel: channelId('C1'),
  root: messageId('1.1'),
} as const;

/** A click on Regenerate below the answer to `1.2`. */
export const REGENERATE_CLICK = {
  kind: 'button-clicked',
  thread: THREAD,
  message: messageId('1.2'),
  by: userId('U1'),
  at: '9.5',
  action: { kind: 'regenerate' },
} as const;

const message = (id: string, by: string, text: string) => ({
  thread: THREAD,
  id: messageId(id),
  author: userId(by),
  authorWorkspace: workspaceId('T1'),
  text,
  attachments: [],
});

/**
 * A thread in which U1 and U2 may ask by default. Each answer takes a second; `scripts` are the responses of the
 * first requests, in order: text, then an error or an end.
 */
export function threadHarness(
  scripts: readonly (readonly (CompletionEvent | Error)[])[] = [],
  more: Partial<WorkerContext> = {},
  time = new TestTime(),
) {
  const prompts: string[] = [];
  const full: (readonly PromptMessage[])[] = [];
  const whispers: string[] = [];
  const superseded = new Set<string>();
  const overrides: Partial<WorkerContext> = {
    memberRoles: async () => ({ admin: false, roles: [] }),
    platform: {
      ...fakePlatform(),
      postEphemeral: async (_, to, text) => whispers.push(`${to}: ${text}`) > 0,
      isSuperseded: async (_, { id }) => superseded.has(id),
    },
    chat: {
      ...streamsOnly,
      async *stream(prompt: readonly PromptMessage[]) {
        prompts.push(JSON.stringify(prompt.at(-1)?.content));
        full.push(prompt);
        time.advance(1_000);
        for (const event of scripts[prompts.length - 1] ?? [endEvent(`Answer ${prompts.length}.`)]) {
          if (event instanceof Error) throw event;
          yield event;
        }
      },
    },
    ...more,
  };
  const at = commandHarness(overrides, time);
  const context = intakeWithin(at.context);
  const queued = async () => {
    for (let sent = at.queue.sent.shift(); sent; sent = at.queue.sent.shift())
      await dispatchTask(sent.body, at.context, {
        deadline: at.time.now() + 60_000,
        isRedelivery: false,
        isLast: false,
      });
  };
  let sets = 0;
  return {
    prompts,
    /** The messages of each request. */
    full,
    whispers,
    /** The stored outcome of a message's turn. */
    outcome: async (id: string) =>
      (await at.context.turns.findByMessage(THREAD, messageId(id)))?.content?.outcome,
    /** The stored turn of a message. */
    stored: async (id: string) => {
      const content = (await at.context.turns.findByMessage(THREAD, messageId(id)))?.content;
      return content && { ...content, mergedQuestions: content.mergedQuestions ?? [] };
    },
    /** The ids of interaction tokens that were replaced. */
    superseded,
    /** Queues a task unchanged. */
    sent: (task: object) =>
      void at.queue.sent.push({ body: JSON.stringify(task), group: 'thread', dedup: JSON.stringify(task) }),
    time: at.time,
    context: at.context,
    dynamo: at.dynamo,
    items: () => at.dynamo.items('conversations'),
    queued,
    /** The tasks on the queue, which `queued` runs. */
    tasks: at.queue.sent,
    say: (id: string, by: string, text: string) =>
      acceptQuestion({ ...message(id, by, text), addressed: 'mention' }, context),
    edit: (id: string, by: string, text: string, editedAt = '9.1') =>
      handleEvent(
        { kind: 'message-edited', message: { ...message(id, by, text), addressed: 'mention' }, at: editedAt },
        context,
      ),
    remove: (id: string) =>
      handleEvent({ kind: 'message-deleted', thread: THREAD, message: messageId(id) }, context),
    /** Runs an interaction. */
    call: at.call,
    take: (chatEvent: ChatEvent) => handleEvent(chatEvent, context),
    set: async (what: string) => {
      sets += 1;
      await at.call(
        fakeInteraction(typedCommand(`settings ${what} for:workspace`), { id: `set-${sets}`, by: ADMIN }),
      );
      at.time.advance(30_001);
    },
    storedTexts: () => at.dynamo.items('conversations').flatMap(({ body, id }) => (body ? [id?.S] : [])),
  };
}
