import { getTaskTurnRef, parseTask, type Task } from '../../../shared/domain/index.ts';
import { enqueueTask } from '../../../shared/task-queue/index.ts';
import { getOutput, type SystemAccess } from '../operator/open-system.ts';
import { deleteFromQueue, openQueue, type QueuedMessage } from '../operator/queues.ts';
import { formatCount } from '../output/format.ts';
import type { Terminal } from '../terminal.ts';
import { type DeadLetter, toDeadLetter } from './dead-letter.ts';
import type { FailedQuestion } from './failed-questions.ts';
import type { RedrivenTask } from './follow-redrive.ts';
import type { LetterHold } from './hold-letters.ts';

/** What can be put back: dead letters and failed questions. */
export type GivenUp = {
  readonly messages: readonly QueuedMessage[];
  readonly questions: readonly FailedQuestion[];
};

/** What was put back, and whether that is all that was chosen. */
export type PutBack = { readonly tasks: readonly RedrivenTask[]; readonly isComplete: boolean };

/**
 * Puts the chosen ones back, in the order of each thread, and reports how many. Dead letters that `dead-letters` received again meanwhile are left out.
 * Rejects with OperatorError, after a report of how many are back by then.
 */
export async function putBack(
  system: SystemAccess,
  { renew }: Pick<LetterHold, 'renew'>,
  { messages, questions }: GivenUp,
  chosen: readonly DeadLetter[],
  { report }: Pick<Terminal, 'report'>,
): Promise<PutBack> {
  if (chosen.length === 0) return { tasks: [], isComplete: true };
  const isWanted = ({ id }: { readonly id: string }): boolean => chosen.some((letter) => letter.id === id);
  const hiddenLetters = await renew();
  const wanted = messages.filter(isWanted);
  const ours = wanted.filter(({ id }) => hiddenLetters.some((message) => message.id === id));
  const url = getOutput(system, 'TasksUrl');
  const back = new Set<string>();
  try {
    for (const { task, letter } of questions.filter((question) => isWanted(question.letter))) {
      // In the trace of the question, so that "trace" shows both attempts.
      await enqueueTask(task, task.key, openQueue(system.call, url, toHeader(letter.trace)));
      back.add(letter.id);
    }
    for (const message of ours) {
      await moveBack(system, message);
      back.add(message.id);
    }
  } finally {
    report(`${formatCount(back.size, 'task')} put back.`);
  }
  const lost = wanted.length - ours.length;
  if (lost > 0)
    report(
      `${formatCount(lost, 'dead letter')} not put back: "dead-letters" took them again, after two minutes. Run this again in 3 minutes.`,
    );
  const redriven = chosen.filter(({ id }) => back.has(id));
  return {
    tasks: redriven.map((letter) => toRedriven(letter, { messages, questions })),
    isComplete: lost === 0,
  };
}

function toRedriven(letter: DeadLetter, { messages, questions }: GivenUp): RedrivenTask {
  const failed = questions.find((question) => question.letter.id === letter.id);
  const task = failed?.task ?? parseTask(messages.find(({ id }) => id === letter.id)?.body ?? '');
  const turn = task && TURN_TASKS.has(task.kind) ? getTaskTurnRef(task) : undefined;
  return {
    letter,
    question: turn && { thread: turn.thread, message: turn.message },
    // A failed question is asked again.
    endsTurn: letter.source !== 'dead letter' || task?.kind === 'ask' || task?.kind === 'apologise',
    before: failed?.outcome,
  };
}

/** Tasks about the turn of a question: without it they have nothing to do. */
const TURN_TASKS: ReadonlySet<Task['kind']> = new Set(['ask', 'apologise', 'redo', 'reconcile']);

const toHeader = (trace: string | undefined): string | undefined =>
  trace === undefined ? undefined : `Root=${trace};Sampled=0`;

/**
 * First sends, then deletes: an interruption between the two repeats it, and the queue drops the copy. If the letter is not ours any more when it is
 * deleted, `dead-letters` handles it too, as it would have without this command.
 */
async function moveBack({ call, ...system }: SystemAccess, message: QueuedMessage): Promise<void> {
  const isRecording = toDeadLetter(message, []).kind === 'hear';
  const url = getOutput(system, isRecording ? 'RecordingsUrl' : 'TasksUrl');
  await openQueue(call, url, message.trace).send(message.body, message.group, `redrive-${message.id}`);
  await deleteFromQueue(call, getOutput(system, 'TasksDeadUrl'), message.receipt);
}
