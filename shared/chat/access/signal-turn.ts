import type { Thread, TurnRef } from '../../domain/index.ts';
import type { ShowMessage } from '../../aws/sqs-queue.ts';
import type { SignalResult, TurnSignal, TurnSignals } from '../../storage/index.ts';

/** What it takes to tell whoever works on a turn, or will, what people did to it. */
export type SignalContext = {
  readonly signals: Pick<TurnSignals, 'sendSignal'>;
  /** Shows hidden messages of the queue of tasks. */
  readonly showMessage: ShowMessage;
};

/**
 * Marks a turn with what somebody did to it. Whoever works on it sees that within a second; where its task waits on the queue, its message is
 * shown again at once. It may be repeated; broken off before the message is shown, it takes effect when the task comes back by itself.
 */
export const signalTurn = (
  turn: TurnRef,
  mark: TurnSignal,
  context: SignalContext,
  wish?: string,
): Promise<void> => showHiddenMessage(context.signals.sendSignal(turn, mark, wish), context.showMessage);

/** Stops whatever is being answered in a thread, or waits for it to go on. */
export async function stopThread(
  thread: Thread,
  context: SignalContext & { readonly signals: Pick<TurnSignals, 'listRunning'> },
): Promise<void> {
  const running = await context.signals.listRunning(thread);
  await Promise.all(running.map((turn) => signalTurn(turn, 'stopped', context)));
}

/** Shows the message of a task that waits, if the turn that was marked has one. */
export async function showHiddenMessage(
  marked: Promise<SignalResult | undefined>,
  showMessage: ShowMessage,
): Promise<void> {
  const receipt = (await marked)?.receipt;
  if (receipt) await showMessage(receipt);
}
