import { type MessageId, truncateQuestion, type TurnOutcome } from '../../domain/index.ts';
import { type Reply, ThreadDeletedError } from '../../platforms/ports/platform.ts';
import { type TurnPosition, TurnTooLargeError } from '../../storage/index.ts';
import type { FittingPrompt, PreparedQuestion, QuestionInput } from '../prompt/prepare-question.ts';
import { isFirst, RECONCILE_AFTER_MS, type AnswerWork } from '../access/claimed-turn.ts';
import type { AnswerTimeline } from '../display/answer-timeline.ts';
import { offerFollowUps } from '../model/follow-ups.ts';
import { answerFooter } from '../display/cost-footer.ts';
import type { CompletionOutcome } from '../model/run-completion.ts';
import { recordAnswerMetrics } from '../display/answer-metrics.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { italicNotice } from '../display/notices.ts';
import { answerActions } from '../display/answer-actions.ts';

/** What is stored of a turn beside its ending. `lookAt` asks for a later look; `bare`: nothing but its question is stored. */
export type StoredAnswer = {
  readonly question: string;
  readonly place: TurnPosition;
  readonly lookAt: number | undefined;
  readonly bare: boolean;
};

/** Stores how the turn ended, and resolves with what is stored. */
export type CommitOutcome = (ending: TurnOutcome, stored: StoredAnswer) => Promise<TurnOutcome>;

/** An answer whose completion is over. */
type EndedAnswer = {
  readonly work: AnswerWork;
  readonly asked: QuestionInput;
  readonly prepared: PreparedQuestion;
  readonly prompt: FittingPrompt;
  readonly reply: Reply;
  readonly memory: PostedMemory;
  readonly course: AnswerTimeline;
  readonly speaking: Promise<Locale>;
  readonly end: CommitOutcome;
};

/** Stores how the turn ended, shows the whole answer, and offers questions to ask next. */
export async function finishAnswer(
  { work, asked, prepared, prompt, reply, memory, course, speaking, end }: EndedAnswer,
  outcome: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const { turn, claim, context, delivery } = work;
  const place = toTurnPosition(asked, prompt.kept[0]?.sk);
  const lookAt =
    !isFirst(work) || reply.hasUnconfirmedPosts ? context.time.now() + RECONCILE_AFTER_MS : undefined;
  const told = withPrefix(outcome.ending, asked.prefix, course.ended(context.time.now()));
  const stored = { question: prepared.question, place, lookAt };
  const ending = await commitWithinLimit(end, told, stored, work, speaking);
  const locale = await speaking;
  await publishAnswer({ work, reply, memory, lookAt, locale }, ending, outcome);
  const answered = { turn, question: prepared.question, ending, fence: claim.fence };
  await Promise.all([
    offerFollowUps(answered, context, delivery, locale),
    recordAnswerMetrics(turn, ending, context),
  ]);
}

/** How much is kept of a question whose turn could not be kept whole, in characters. */
const MAX_BARE_QUESTION = 1_000;

/**
 * Stores how a turn ended. Where that is more than can be kept, a sentence that says so is kept instead: tried again, the model would be
 * asked once more, and it would be no less.
 */
async function commitWithinLimit(
  end: CommitOutcome,
  ending: TurnOutcome,
  given: Omit<StoredAnswer, 'bare'>,
  { lease, context }: AnswerWork,
  speaking: Promise<Locale>,
): Promise<TurnOutcome> {
  const stored = { ...given, question: truncateQuestion(given.question), bare: false };
  try {
    return await end(ending, stored);
  } catch (error) {
    lease.failed(error);
    if (!(error instanceof TurnTooLargeError)) throw error;
    context.log('answer.failed', { reason: 'too-large-to-keep' });
    const text = italicNotice(localize(await speaking, 'answers.too-large'));
    const question = stored.question.slice(0, MAX_BARE_QUESTION).toWellFormed();
    const failed = { kind: 'failed', reason: 'too-large-to-keep', text, course: ending.course } as const;
    return end(failed, { ...stored, question, bare: true });
  }
}

type ShownAnswer = {
  readonly work: AnswerWork;
  readonly reply: Reply;
  readonly memory: PostedMemory;
  readonly lookAt: number | undefined;
  readonly locale: Locale;
};

async function publishAnswer(
  { work: { turn, context }, reply, memory, lookAt, locale }: ShownAnswer,
  ending: TurnOutcome,
  { steps }: Extract<CompletionOutcome, { kind: 'ended' }>,
): Promise<void> {
  const footer = await answerFooter(ending, locale, context);
  try {
    await memory.settle(
      await reply.publish(ending.text, answerActions(ending, steps, context.settings, locale, footer)),
    );
  } catch (error) {
    if (error instanceof ThreadDeletedError) return;
    throw error;
  }
  if (reply.hasUnconfirmedPosts && lookAt === undefined) {
    await context.turns.scheduleReconcile(turn, context.time.now() + RECONCILE_AFTER_MS);
  }
}

function withPrefix(
  ending: TurnOutcome,
  prefix: string | undefined,
  course: TurnOutcome['course'],
): TurnOutcome {
  const isPart = prefix && ending.kind === 'answered';
  return { ...ending, course, text: isPart ? prefix + ending.text : ending.text };
}

function toTurnPosition({ past }: QuestionInput, from: string | undefined): TurnPosition {
  return { from: from ?? past.from, number: past.number };
}

type PostedMemory = { readonly settle: (posted: readonly MessageId[]) => Promise<void> };

/** Writes the messages of the answer down as soon as the first exists, so that a successor goes on with them. */
export function rememberPosted(
  { turn, claim, lease, context }: AnswerWork,
  reply: Reply,
  existing: readonly MessageId[],
): PostedMemory {
  let saved = existing.join();
  const save = async (posted: readonly MessageId[]): Promise<void> => {
    if (posted.length === 0 || posted.join() === saved) return;
    await context.turns.savePosted(turn, claim.fence, posted);
    saved = posted.join();
  };
  const first = reply.posted().then(save).catch(lease.failed);
  return {
    settle: async (posted: readonly MessageId[]): Promise<void> => {
      if (posted.length > 0) await first;
      await save(posted).catch(lease.failed);
    },
  };
}
