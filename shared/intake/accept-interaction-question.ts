import type {
  ChatEvent,
  IncomingMessage,
  RegenerateTask,
  InteractionToken,
  TurnRef,
} from '../domain/index.ts';
import { enqueueQuestion, enqueueTask } from '../task-queue/index.ts';
import type { Queue, ShowMessage } from '../aws/index.ts';
import type { Clock } from '../runtime/index.ts';
import type { FrontStore } from '../storage/index.ts';
import { getTurnRef } from './accept-question.ts';
import { showHiddenMessage } from './signal-turn.ts';

export type AcceptInteractionContext = {
  readonly store: Pick<FrontStore, 'accept' | 'sendSignal' | 'saveToken'>;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly now: Clock;
};

/**
 * Accepts a question that came with an interaction token: stores its turn and the token, then queues its task.
 * Platforms do not repeat interactions: if this rejects, the caller tells the person, and the question is not
 * answered later. If that cannot be stored either, it rejects with the queue's error.
 */
export async function acceptInteractionQuestion(
  message: IncomingMessage,
  interactionToken: InteractionToken,
  model: string | undefined,
  context: AcceptInteractionContext,
): Promise<void> {
  const turn = getTurnRef(message);
  try {
    await Promise.all([
      context.store.accept(turn),
      context.store.saveToken(turn.thread, turn.message, interactionToken),
    ]);
    await enqueueQuestion(turn, message.text, message.attachments, context, {
      model,
      locale: interactionToken.locale,
    });
  } catch (error) {
    // The queue may have accepted the task although the call failed. This signal keeps it from being answered.
    const signal = await context.store.sendSignal(turn, 'deleted').catch(() => undefined);
    throw signal ? new Error('not accepted', { cause: error }) : error;
  }
}

/**
 * Accepts a click on a button below an answer, with its interaction token. `sendsNewAnswer`: the answer is sent with the
 * token; otherwise the token is for messages to the person. Stop takes effect at once and is for everybody; for the other buttons
 * the worker checks the permission and who asked the question. If this rejects, the caller tells the person.
 */
export async function acceptButton(
  { thread, message, by, action, at }: Extract<ChatEvent, { kind: 'button-clicked' }>,
  interactionToken: InteractionToken,
  sendsNewAnswer: boolean,
  context: AcceptInteractionContext,
): Promise<void> {
  const { store } = context;
  if (action.kind === 'stop') {
    await showHiddenMessage(store.sendSignal({ thread, message }, 'stopped'), context.showMessage);
    return;
  }
  const turn: TurnRef = { thread, message, asker: by, askerWorkspace: thread.workspace };
  const key = `press-${at}`;
  const { locale } = interactionToken;
  const { id, token } = interactionToken;
  const tokenFields = sendsNewAnswer ? { interactionToken: { id, token } } : { clickedAt: context.now() };
  const task: RegenerateTask = {
    v: 1,
    kind: 'redo',
    round: 0,
    ...turn,
    key,
    by,
    locale,
    ...tokenFields,
    change: action,
  };
  await store.saveToken(thread, message, interactionToken, sendsNewAnswer ? undefined : by);
  await enqueueTask(task, key, context.queue);
}
