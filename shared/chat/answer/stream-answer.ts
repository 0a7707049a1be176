import { getMaxAnswerBytes, type TurnOutcome, type MessageId, type TaskResult } from '../../domain/index.ts';
import { type Reply, ThreadDeletedError } from '../../platforms/ports/index.ts';
import { type FittingPrompt, fitPrompt } from '../prompt/prompt-history.ts';
import {
  completeInput,
  type ContextMessages,
  type QuestionInput,
  prepareQuestion,
  type PreparedQuestion,
} from '../prompt/prepare-question.ts';
import {
  isFirstAttempt,
  type AnswerWork,
  RECONCILE_AFTER_MS,
  LEASE_MS,
  releaseClaim,
} from '../access/with-claim.ts';
import { type CommitOutcome, finishAnswer, recordPosted } from './finish-answer.ts';
import { AnswerTimeline } from '../display/answer-metrics.ts';
import { runCompletion } from '../model/run-completion.ts';
import { findOrphanedMessages } from './find-orphaned-messages.ts';
import type { Settings } from '../../ports/index.ts';
import { resolveTurnLocale } from '../../settings/index.ts';
import { isSettingLocked } from '../../settings/rules/index.ts';
import { formatCommand, helpLabel, type Locale, localize } from '../../i18n/index.ts';
import { MemoryLimitError, MemoryPermit, LargeWorkerNeededError } from '../../runtime/index.ts';
import { waitDeadlineMs, leaveQueue, getWaitId } from '../model/wait-for-permit.ts';
import { THINKING_STATUS, StatusIndicator } from '../display/progress-display.ts';
import { CancellationWatcher, isNewSignal, type KnownSignals } from './cancellation-watcher.ts';
import type { CompletionOutcome } from '../model/completion-outcome.ts';

/**
 * Streams an answer to the thread, commits it with `end`, and publishes the final text. If the question is edited or deleted meanwhile, nothing is
 * stored: the task for that change is next in the queue. While names and earlier messages are read, the asker sees a status and can stop the answer.
 */
export async function streamAnswer(
  work: AnswerWork,
  asked: QuestionInput,
  readMessages: () => Promise<ContextMessages>,
  end: CommitOutcome,
): Promise<TaskResult> {
  const { turn, claim, lease, context } = work;
  const pendingLocale = resolveTurnLocale(turn, context);
  const timeline = new AnswerTimeline(asked.receivedAt, context.time.now());
  const existing = await findPostedMessages(work);
  const reply = context.platform.reply(turn, existing, {
    question: asked.question,
    locale: pendingLocale,
    others: () => context.signals.otherAnswers(turn),
  });
  const postedRecord = recordPosted(work, reply, existing);
  const statusIndicator = createStatusIndicator(work, reply, pendingLocale);
  const watcher = watchSignals(work, asked);
  const signal = AbortSignal.any([lease.signal, watcher.changed]);
  const memoryPermit = createMemoryPermit(work, statusIndicator, AbortSignal.any([signal, watcher.stopped]));
  try {
    const input = await completeInput(turn, asked, readMessages, context);
    const prepared = await prepareUntilStopped(watcher.stopped, work, input, {
      locale: pendingLocale,
      memoryPermit,
    });
    const prompt = await fitPrompt(input, prepared, context);
    startReply(work, input, reply);
    const outcome = prepared.isEmpty
      ? createEmptyOutcome(work, prepared, await pendingLocale)
      : await runCompletion(prompt.messages(), {
          ...completionOptions(work, input, prepared, prompt),
          reply,
          statusIndicator,
          signal,
          stop: AbortSignal.any([watcher.stopped, reply.stopped, threadDeletedSignal(reply)]),
          locale: pendingLocale,
          timeline,
        });
    if (outcome.kind === 'later') {
      statusIndicator.keep();
      return await waitOnQueue(work, reply, outcome);
    }
    if (claim.fence > 1 && !timeline.isSent) await leaveQueue(turn, context);
    const ended = { work, input, prepared, prompt, reply, postedRecord, timeline, pendingLocale, end };
    await finishAnswer(ended, { ...outcome, outcome: withUsedFacts(outcome.outcome, prepared) });
    return { kind: 'done' };
  } catch (error) {
    // Pending text must not collide with the next worker of this turn.
    if (error instanceof MemoryLimitError) return await waitForMemory(work, reply, statusIndicator);
    if (error instanceof LargeWorkerNeededError) return await moveToLargeWorker(work, reply, statusIndicator);
    const posted = await reply.stopStreaming();
    if (!watcher.changed.aborted) throw error;
    await postedRecord.settle(posted);
    return await yieldTurn(work);
  } finally {
    memoryPermit.end();
    watcher.end();
    await statusIndicator.stop();
  }
}

/** Notes which facts were in the prompt, for `why`. */
function withUsedFacts(outcome: TurnOutcome, { facts, isEmpty }: PreparedQuestion): TurnOutcome {
  const ids = [...facts.channel, ...facts.person].map(({ id }) => id);
  return isEmpty || ids.length === 0 ? outcome : { ...outcome, facts: ids };
}

const createStatusIndicator = (
  { turn, context, delivery }: AnswerWork,
  reply: Reply,
  locale: Promise<Locale>,
): StatusIndicator =>
  new StatusIndicator(turn, {
    ...context,
    locale,
    isRedelivery: delivery.isRedelivery,
    onLong: () => reply.enableStopButton(),
  });

/** Watches for signals; a signal that arrived while the task waited is handled at once. */
function watchSignals(work: AnswerWork, { mergedQuestions }: QuestionInput): CancellationWatcher {
  const { turn, claim, context } = work;
  const acknowledged = mergedQuestions.map(({ message }) => message);
  const signal = claim.signal && { signal: claim.signal, key: claim.signalKey };
  return new CancellationWatcher(turn, { acknowledged, ...listKnownSignals(work) }, context, signal);
}

/** The options of the completion that depend on the question. */
const completionOptions = (
  { turn, claim, lease, delivery, prefetchedPermit, context }: AnswerWork,
  input: QuestionInput,
  prepared: PreparedQuestion,
  prompt: FittingPrompt,
) => ({
  model: input.model,
  versions: versionsToRequest(input, context.settings),
  tools: prepared.tools(prompt.history.length),
  shortenPrompt: () => prompt.shorten(),
  owner: {
    id: `${turn.message}.${claim.fence}`,
    thread: turn.thread,
    person: turn.asker,
    isQuestion: claim.ended === undefined,
  },
  waitId: getWaitId(turn),
  opening: prepared.notice,
  prefix: input.prefix ?? '',
  maxBytes: getMaxAnswerBytes({ ...input, question: prepared.question }),
  confirm: lease.confirm,
  delivery,
  prefetchedPermit,
  context,
});

/** How many versions to request: one if an answer is continued; as many as the setting says if it is locked. */
function versionsToRequest(
  { prefix, versions }: QuestionInput,
  settings: Pick<Settings, 'versions' | 'layers'>,
): number | undefined {
  if (prefix !== undefined) return undefined;
  return isSettingLocked('versions', settings.layers) ? settings.versions : (versions ?? settings.versions);
}

/** Prepares the question. A Stop during the wait for memory prepares it without files. */
async function prepareUntilStopped(
  stopped: AbortSignal,
  { turn, context }: AnswerWork,
  input: QuestionInput,
  options: Parameters<typeof prepareQuestion>[3],
): Promise<PreparedQuestion> {
  if (!stopped.aborted) {
    try {
      return await prepareQuestion(turn, input, context, options);
    } catch (error) {
      if (!stopped.aborted) throw error;
    }
  }
  const prepared = await prepareQuestion(turn, { ...input, attachments: [], pictures: [] }, context, options);
  return { ...prepared, hasReadFiles: false, isEmpty: prepared.isEmpty && input.attachments.length === 0 };
}

/** Creates the memory permit for the files. It waits as long as a request waits for its permit. */
const createMemoryPermit = (
  { context, delivery }: AnswerWork,
  statusIndicator: StatusIndicator,
  signal: AbortSignal,
): MemoryPermit =>
  new MemoryPermit({
    ...context,
    onWait: (state) => statusIndicator.show(state === 'over' ? THINKING_STATUS : ['answers.status.room']),
    signal,
    budget: context.memory,
    deadlineMs: waitDeadlineMs(delivery, context.time),
  });

/** Returns the messages of earlier attempts: as stored, or else as the platform knows them. */
async function findPostedMessages(work: AnswerWork): Promise<readonly MessageId[]> {
  const { posted } = work.claim;
  if (isFirstAttempt(work) || posted.length > 0) return posted;
  return (await findOrphanedMessages(work.turn, work.context)).messages;
}

/** Shows what the answer continues from, and a Stop button where the asker has waited. */
function startReply({ claim, delivery }: AnswerWork, { prefix }: QuestionInput, reply: Reply): void {
  if (prefix) reply.write(prefix);
  // The asker has waited long; this also replaces the status of an earlier worker.
  if (delivery.isRedelivery || (!claim.isFirst && !claim.ended)) reply.enableStopButton();
}

/** The outcome of a mention without text or with the word `help`, or of files without usable content. */
function createEmptyOutcome(
  { turn, context }: AnswerWork,
  { notice }: PreparedQuestion,
  locale: Locale,
): Extract<CompletionOutcome, { kind: 'ended' }> {
  const command = formatCommand(helpLabel, { platform: turn.thread.platform, locale }, context.settings);
  const outcome: TurnOutcome =
    notice === ''
      ? { kind: 'failed', reason: 'greeting', text: localize(locale, 'answers.greeting', { command }) }
      : { kind: 'failed', reason: 'no-words', text: notice };
  return { kind: 'ended', outcome, steps: [] };
}

/** Returns a signal that is aborted when the thread is deleted, to end the request. */
function threadDeletedSignal(reply: Reply): AbortSignal {
  const deleted = new AbortController();
  reply.posted().catch((error: unknown) => error instanceof ThreadDeletedError && deleted.abort(error));
  return deleted.signal;
}

/** Returns the signals that this claim already knows. */
const listKnownSignals = ({
  claim,
  includedEdit,
  ignoredSignals,
}: AnswerWork): Omit<KnownSignals, 'acknowledged'> => ({
  includedEdit,
  ignoredSignals,
  // An old signal was about the previous answer; a signal during the wait is about this one.
  previousKey: claim.ended && (claim.claimAfterWait ? claim.claimAfterWait.known : claim.signalKey),
});

/**
 * Returns the task to the queue; the asker already sees a status. The turn stays claimed, so that people can stop it. A
 * signal that arrives meanwhile takes effect at once.
 */
async function waitOnQueue(
  work: AnswerWork,
  reply: Reply,
  result: Extract<TaskResult, { kind: 'later' }>,
): Promise<TaskResult> {
  const { turn, claim, context, delivery } = work;
  const { afterMs, queueWaitMs } = result;
  const isUntouched = await interruptReply(work, reply, queueWaitMs !== undefined);
  const known = listKnownSignals(work);
  const signal = await context.turns.handBack(turn, claim.fence, {
    leaseMs: Math.max(afterMs, queueWaitMs ?? 0) + LEASE_MS,
    isUntouched,
    receipt: delivery.receipt,
    known: known.previousKey,
  });
  return isNewSignal(signal, known) ? { ...result, afterMs: 0 } : result;
}

/** Delay of a question that needs memory: by then, other questions have ended. */
const MEMORY_RETRY_DELAY_MS = 5_000;

/** Retries a question for which there is not enough memory now. */
async function waitForMemory(
  work: AnswerWork,
  reply: Reply,
  statusIndicator: StatusIndicator,
): Promise<TaskResult> {
  work.context.log('answer.requeued-for-memory');
  statusIndicator.keep();
  return waitOnQueue(work, reply, { kind: 'later', afterMs: MEMORY_RETRY_DELAY_MS });
}

/** Moves a question that needs more memory than this process has to a process without other tasks. */
async function moveToLargeWorker(
  work: AnswerWork,
  reply: Reply,
  statusIndicator: StatusIndicator,
): Promise<TaskResult> {
  const { turn, claim, context } = work;
  statusIndicator.keep();
  const isUntouched = await interruptReply(work, reply, false);
  const { previousKey: known } = listKnownSignals(work);
  await context.turns.handBack(turn, claim.fence, { leaseMs: 0, isUntouched, receipt: undefined, known });
  return { kind: 'too-large' };
}

/** Ends the work on a changed question; the next task handles the change. */
async function yieldTurn({ turn, claim, context }: AnswerWork): Promise<TaskResult> {
  // If the next task fails, the posted partial answer must be repaired.
  if (claim.ended) await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  return releaseClaim(turn, claim, context);
}

/** Stops streaming; `keepsStop`: people can stop the answer while it waits. Returns whether no part of the answer can be posted. */
async function interruptReply(work: AnswerWork, reply: Reply, keepsStop: boolean): Promise<boolean> {
  const posted = await reply.stopStreaming(keepsStop);
  return isFirstAttempt(work) && posted.length === 0 && !reply.hasUnconfirmedPosts;
}
