import type {
  ChatEvent,
  IncomingMessage,
  RegenerateTask,
  InteractionToken,
  TurnRef,
} from '../domain/index.ts';
import type { Queue, ShowMessage } from '../aws/sqs-queue.ts';
import type { Clock } from '../runtime/time.ts';
import type { DiscordFrontStore } from '../storage/index.ts';
import { enqueueQuestion, enqueueTask } from '../task-queue/enqueue.ts';
import { turnOfMessage } from './accept-question.ts';
import { showHiddenMessage } from '../chat/access/signal-turn.ts';

export type AcceptInteractionContext = {
  readonly inbox: Pick<DiscordFrontStore, 'accept' | 'mark' | 'keepTicket'>;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly now: Clock;
};

/**
 * Takes in a question that came with a ticket: its turn, the ticket to answer it with, and then its task. The platform
 * does not deliver it again: if this rejects the person is to be told so, and the question is not answered later. Where
 * even that cannot be written down, it rejects with what the queue failed with.
 */
export async function acceptInteractionQuestion(
  message: IncomingMessage,
  ticket: InteractionToken,
  model: string | undefined,
  context: AcceptInteractionContext,
): Promise<void> {
  const turn = turnOfMessage(message);
  try {
    await Promise.all([
      context.inbox.accept(turn),
      context.inbox.keepTicket(turn.thread, turn.message, ticket),
    ]);
    await enqueueQuestion(turn, message.text, message.attachments, context, { model, locale: ticket.locale });
  } catch (error) {
    // The queue may have taken it and not said so. Marked, it is not answered.
    const heard = await context.inbox.mark(turn, 'deleted').catch(() => undefined);
    throw heard ? new Error('not taken in', { cause: error }) : error;
  }
}

/**
 * Takes in the press of a button under an answer, with the ticket that came with it: `anew` if the answer is to be made
 * with it, else it serves to tell the person something. Whether this person may is decided by who does it, who also knows
 * whose question it was. If it rejects, the person is to be told.
 */
export async function acceptButton(
  { thread, message, by, press, at }: Extract<ChatEvent, { kind: 'pressed' }>,
  ticket: InteractionToken & { readonly anew: boolean },
  context: AcceptInteractionContext,
): Promise<void> {
  const { inbox } = context;
  if (press.kind === 'stop') {
    await showHiddenMessage(inbox.mark({ thread, message }, 'stopped'), context.showMessage);
    return;
  }
  const turn: TurnRef = { thread, message, asker: by, askerWorkspace: thread.workspace };
  const key = `press-${at}`;
  const { locale } = ticket;
  const { id, token } = ticket;
  const made = ticket.anew ? { ticket: { id, token } } : { pressedAt: context.now() };
  const task: RegenerateTask = {
    v: 1,
    kind: 'redo',
    round: 0,
    ...turn,
    key,
    by,
    locale,
    ...made,
    how: press,
  };
  await inbox.keepTicket(thread, message, ticket, ticket.anew ? undefined : by);
  await enqueueTask(task, key, context.queue);
}
