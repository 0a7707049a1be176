import { answerBytes, type Ending, type MessageId, storedQuestion } from '../conversation/index.ts';
import { type Reply, ThreadGone } from '../platforms/platform.ts';
import { type Place, TurnTooLargeError } from '../store/index.ts';
import { type Asked, type FittingPrompt, prepare, type Prepared, promptFitting } from './asked.ts';
import { isFirst, RECONCILE_AFTER_MS, type Work } from './claimed-work.ts';
import { Course } from './course.ts';
import { offerFollowUps } from './follow-ups.ts';
import { footerOf } from './footer.ts';
import { generate, type Outcome } from './generate.ts';
import { knownOf, makeWay, move, waitForRoom, waitOnQueue } from './hand-back.ts';
import { measureAnswer } from './measure.ts';
import { leftoversOf } from './leftovers.ts';
import type { Verdict } from './ports.ts';
import { type Locale, say } from '../texts/index.ts';
import { aside } from './notices.ts';
import { NoRoomError, Room, TooLargeError } from './room.ts';
import { patienceOf } from './slot.ts';
import { leaveQueue, waitIdOf } from './wait-in-queue.ts';
import { Thinking } from './thinking.ts';
import { localeOfTurn } from './locale.ts';
import { underOf } from './under.ts';
import { Watch } from './watch.ts';

export { RECONCILE_AFTER_MS, type Work } from './claimed-work.ts';

/** What is stored of a turn beside its ending. `lookAt` asks for a later look; `bare`: nothing but its question is stored. */
export type Stored = {
  readonly question: string;
  readonly place: Place;
  readonly lookAt: number | undefined;
  readonly bare: boolean;
};

/** Stores how the turn ended, and resolves with what is stored. */
export type End = (ending: Ending, stored: Stored) => Promise<Ending>;

/**
 * Streams an answer and shows it, stores it by `end`, shows the whole. If the question is edited or deleted meanwhile,
 * nothing is stored: the task that deals with that is next in line.
 */
export async function respond(work: Work, asked: Asked, end: End): Promise<Verdict> {
  const { turn, claim, lease, deps, delivery } = work;
  const speaking = localeOfTurn(turn, deps);
  const course = new Course(asked.receivedAt, deps.time.now());
  const existing = await postedBefore(work);
  const others = () => deps.marks.beside(turn);
  const reply = deps.platform.reply(turn, existing, { question: asked.question, locale: speaking, others });
  const memory = rememberPosted(work, reply, existing);
  const thinking = new Thinking(turn, {
    ...deps,
    locale: speaking,
    again: delivery.again,
    long: () => reply.waits?.(),
  });
  const watch = watchOver(work, asked);
  const signal = AbortSignal.any([lease.signal, watch.changed]);
  const room = roomFor(work, thinking, AbortSignal.any([signal, watch.stopped]));
  try {
    const prepared = await preparedUntil(watch.stopped, work, asked, { locale: speaking, room });
    const prompt = await promptFitting(asked, prepared, deps);
    begin(work, asked, reply);
    const outcome = prepared.nothing
      ? nothingToAnswer(prepared, await speaking)
      : await generate(prompt.messages(), {
          ...generationOf(work, asked, prepared, prompt),
          reply,
          thinking,
          signal,
          stop: AbortSignal.any([watch.stopped, reply.stopped, gone(reply)]),
          locale: speaking,
          course,
        });
    if (outcome.kind === 'later') {
      thinking.leave();
      return await waitOnQueue(work, reply, outcome);
    }
    if (claim.fence > 1 && !course.isSent) await leaveQueue(turn, deps);
    const place = placeOf(asked, prompt.kept[0]?.sk);
    const lookAt = !isFirst(work) || reply.doubtful ? deps.time.now() + RECONCILE_AFTER_MS : undefined;
    const told = withPrefix(outcome.ending, asked.prefix, course.ended(deps.time.now()));
    const stored = { question: prepared.question, place, lookAt };
    const ending = await endWithin(end, told, stored, work, speaking);
    const locale = await speaking;
    await show({ work, reply, memory, lookAt, locale }, ending, outcome);
    const answered = { turn, question: prepared.question, ending, fence: claim.fence };
    await Promise.all([offerFollowUps(answered, deps, delivery, locale), measureAnswer(turn, ending, deps)]);
    return { kind: 'done' };
  } catch (error) {
    // Words that are still to be shown would come in the way of whoever shows this turn next.
    if (error instanceof NoRoomError) return await waitForRoom(work, reply, thinking);
    if (error instanceof TooLargeError) return await move(work, reply, thinking);
    const posted = await reply.halt();
    if (!watch.changed.aborted) throw error;
    await memory.settle(posted);
    return await makeWay(work);
  } finally {
    room.end();
    watch.end();
    await thinking.stop();
  }
}

/** What people do to the question is seen from now on; what they did while it waited, at once. */
function watchOver(work: Work, { folded }: Asked): Watch {
  const { turn, claim, deps } = work;
  const noticed = folded.map(({ message }) => message);
  const marked = claim.mark && { mark: claim.mark, wish: claim.wish };
  return new Watch(turn, { noticed, ...knownOf(work) }, deps, marked);
}

/** What an answer is made with, as far as the question says. */
const generationOf = (
  { turn, claim, lease, delivery, early, deps }: Work,
  asked: Asked,
  prepared: Prepared,
  prompt: FittingPrompt,
) => ({
  model: asked.model,
  tools: prepared.tools(prompt.kept.length),
  shorter: () => prompt.shorter(),
  by: { id: `${turn.message}.${claim.fence}`, thread: turn.thread, person: turn.asker },
  waitId: waitIdOf(turn),
  opening: prepared.notice,
  prefix: asked.prefix,
  maxBytes: answerBytes({ ...asked, question: prepared.question }),
  confirm: lease.confirm,
  delivery,
  early,
  deps,
});

/** Whoever presses Stop while their question waits, for room or for its turn, does not wait: its files are left out. */
async function preparedUntil(
  stopped: AbortSignal,
  { turn, deps }: Work,
  asked: Asked,
  reading: Parameters<typeof prepare>[3],
): Promise<Prepared> {
  const withoutFiles = { ...asked, attachments: [], pictures: [] };
  if (stopped.aborted) return prepare(turn, withoutFiles, deps, reading);
  try {
    return await prepare(turn, asked, deps, reading);
  } catch (error) {
    if (!stopped.aborted) throw error;
    return await prepare(turn, withoutFiles, deps, reading);
  }
}

/** The memory that the files of this question may take; waited for as long as for the right to ask a model. */
const roomFor = ({ deps, delivery }: Work, thinking: Thinking, signal: AbortSignal): Room =>
  new Room({ ...deps, thinking, signal, budget: deps.memory, untilMs: patienceOf(delivery, deps.time) });

/** The messages of earlier attempts at this answer. */
async function postedBefore(work: Work, { posted } = work.claim): Promise<readonly MessageId[]> {
  return isFirst(work) || posted.length > 0 ? posted : (await leftoversOf(work.turn, work.deps)).messages;
}

/** How much is kept of a question whose turn could not be kept whole, in characters. */
const MAX_BARE_QUESTION = 1_000;

/**
 * Stores how a turn ended. Where that is more than can be kept, a sentence that says so is kept instead: tried again, the model would be
 * asked once more, and it would be no less.
 */
async function endWithin(
  end: End,
  ending: Ending,
  given: Omit<Stored, 'bare'>,
  { lease, deps }: Work,
  speaking: Promise<Locale>,
): Promise<Ending> {
  const stored = { ...given, question: storedQuestion(given.question), bare: false };
  try {
    return await end(ending, stored);
  } catch (error) {
    lease.failed(error);
    if (!(error instanceof TurnTooLargeError)) throw error;
    deps.log('answer.failed', { reason: 'too-large-to-keep' });
    const text = aside(say(await speaking, 'answers.too-large'));
    const question = stored.question.slice(0, MAX_BARE_QUESTION).toWellFormed();
    const failed = { kind: 'failed', reason: 'too-large-to-keep', text, course: ending.course } as const;
    return end(failed, { ...stored, question, bare: true });
  }
}

function begin({ claim, delivery }: Work, { prefix }: Asked, reply: Reply): void {
  if (prefix) reply.write(prefix);
  // Who asked has waited for long; and an earlier worker may have left its sign of work standing, which ends with this.
  if (delivery.again || (!claim.isFirst && !claim.ended)) reply.waits?.();
}

type Shown = {
  readonly work: Work;
  readonly reply: Reply;
  readonly memory: ReturnType<typeof rememberPosted>;
  readonly lookAt: number | undefined;
  readonly locale: Locale;
};

async function show(
  { work: { turn, deps }, reply, memory, lookAt, locale }: Shown,
  ending: Ending,
  { steps }: Extract<Outcome, { kind: 'ended' }>,
): Promise<void> {
  const footer = await footerOf(ending, locale, deps);
  try {
    await memory.settle(
      await reply.finish(ending.text, underOf(ending, steps, deps.settings, locale, footer)),
    );
  } catch (error) {
    if (error instanceof ThreadGone) return;
    throw error;
  }
  if (reply.doubtful && lookAt === undefined) {
    await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
  }
}

/** A bare mention, or a message with files alone that hold nothing for the model. */
function nothingToAnswer({ notice }: Prepared, locale: Locale): Extract<Outcome, { kind: 'ended' }> {
  const ending: Ending = {
    kind: 'failed',
    reason: 'no-words',
    text: notice || say(locale, 'answers.greeting'),
  };
  return { kind: 'ended', ending, steps: [] };
}

function withPrefix(ending: Ending, prefix: string | undefined, course: Ending['course']): Ending {
  const isPart = prefix && ending.kind === 'answered';
  return { ...ending, course, text: isPart ? prefix + ending.text : ending.text };
}

function placeOf({ past }: Asked, from: string | undefined): Place {
  return { from: from ?? past.from, number: past.number };
}

/** Aborted once nothing can be said in the thread any more: a model need not go on for nobody. */
function gone(reply: Reply): AbortSignal {
  const over = new AbortController();
  reply.posted().catch((error: unknown) => error instanceof ThreadGone && over.abort(error));
  return over.signal;
}

/** Writes the messages of the answer down as soon as the first exists, so that a successor goes on with them. */
function rememberPosted({ turn, claim, lease, deps }: Work, reply: Reply, existing: readonly MessageId[]) {
  let saved = existing.join();
  const save = async (posted: readonly MessageId[]): Promise<void> => {
    if (posted.length === 0 || posted.join() === saved) return;
    await deps.turns.savePosted(turn, claim.fence, posted);
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
