import type { Thread, TurnRef } from '../domain/index.ts';
import type { ShowMessage } from '../aws/index.ts';
import type { SignalResult, TurnSignal, TurnSignals } from '../storage/index.ts';

/** The context for signals to the worker of a turn. */
export type SignalContext = {
  readonly signals: Pick<TurnSignals, 'sendSignal'>;
  /** Makes a hidden message of the task queue visible. */
  readonly showMessage: ShowMessage;
};

/**
 * Sends a signal to a turn. A running worker polls it within a second; a waiting task becomes visible at once. Idempotent.
 * If interrupted before the message is shown, the signal takes effect when the task becomes visible by itself.
 */
export const signalTurn = (
  turn: TurnRef,
  signal: TurnSignal,
  context: SignalContext,
  key?: string,
): Promise<void> => showHiddenMessage(context.signals.sendSignal(turn, signal, key), context.showMessage);

/** Stops all answers of a thread that run or wait. */
export async function stopThread(
  thread: Thread,
  context: SignalContext & { readonly signals: Pick<TurnSignals, 'listRunning'> },
): Promise<void> {
  const running = await context.signals.listRunning(thread);
  await Promise.all(running.map((turn) => signalTurn(turn, 'stopped', context)));
}

/** Makes the hidden message of a waiting task visible, if the signaled turn has one. */
export async function showHiddenMessage(
  sent: Promise<SignalResult | undefined>,
  showMessage: ShowMessage,
): Promise<void> {
  const receipt = (await sent)?.receipt;
  if (receipt) await showMessage(receipt);
}
