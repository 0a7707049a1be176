import {
  type AskTask,
  type Ending,
  type MessageId,
  promptFor,
  trim,
  type TurnRef,
  turnOf,
} from '../conversation/index.ts';
import type { Reply } from '../platforms/platform.ts';
import type { Claim, Place } from '../store/index.ts';
import { keepLease, LEASE_MS, type Lease } from './lease.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { generate, type Outcome } from './generate.ts';
import { Thinking } from './thinking.ts';

/** A worker that died may have left a write on its way; by then it has landed, and the answer is looked at once more. */
export const RECONCILE_AFTER_MS = 120_000;
/** After something failed in an unknown state, the next try begins this much later. */
const SOON_MS = 1_000;
/** To a message of files alone. */
const WORDLESS: Ending = {
  kind: 'failed',
  reason: 'no-words',
  text: '_I can read words, but not files yet. Tell me in words what you would like to know._',
};

/**
 * Answers one question: claim, read the past, stream the completion and show it, end the turn in one write, show the
 * whole. It may be broken off after any step and delivered again: what has been done is found and not done twice, and
 * once the turn has ended the stored answer is only shown again.
 *
 * Rejects when the table or the platform cannot be used; the queue then delivers the task again.
 */
export async function answer(task: AskTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const turn = turnOf(task);
  const claim = await deps.turns.claim(turn, LEASE_MS);
  if (claim.kind === 'gone') return { kind: 'done' };
  if (claim.kind === 'taken')
    return { kind: 'later', afterMs: Math.max(SOON_MS, claim.untilMs - deps.time.now()) };

  const lease = keepLease(deps.turns, turn, claim.fence, deps.time);
  try {
    return claim.ended
      ? await showAgain(turn, claim.ended.ending, claim.posted, deps)
      : await answerNew({ task, turn, claim, lease, deps, delivery });
  } catch (error) {
    if (lease.signal.aborted) return { kind: 'later', afterMs: SOON_MS };
    await deps.turns.renew(turn, claim.fence, 0).catch(() => undefined);
    throw error;
  } finally {
    lease.end();
  }
}

/** The turn has ended in an earlier attempt that did not get as far as showing the whole of it, or as saying so. */
async function showAgain(
  turn: TurnRef,
  ending: Ending,
  posted: readonly MessageId[],
  deps: Deps,
): Promise<Verdict> {
  await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
  await showOnce(turn, ending, posted, deps);
  return { kind: 'done' };
}

/** Makes the visible answer equal the stored one, and one. */
export async function showOnce(
  turn: TurnRef,
  ending: Ending,
  posted: readonly MessageId[],
  { platform }: Pick<Deps, 'platform'>,
): Promise<void> {
  const found = await platform.leftovers(turn);
  const existing = [...new Set([...posted, ...found])].toSorted();
  await platform.reply(turn, existing).finish(ending.text);
}

type Work = {
  readonly task: AskTask;
  readonly turn: TurnRef;
  readonly claim: Extract<Claim, { kind: 'held' }>;
  readonly lease: Lease;
  readonly deps: Deps;
  readonly delivery: Delivery;
};

async function answerNew(work: Work): Promise<Verdict> {
  const { task, turn, claim, lease, deps, delivery } = work;
  const again = claim.fence > 1;
  const [past, existing] = await Promise.all([
    deps.turns.past(turn),
    again && claim.posted.length === 0 ? deps.platform.leftovers(turn) : claim.posted,
  ]);
  const kept = trim(past.turns, deps.settings.window);
  const reply = deps.platform.reply(turn, existing);
  const memory = rememberPosted(work, reply, existing);
  const thinking = new Thinking(deps.platform, turn, deps.time);
  try {
    const prompt = promptFor(deps.settings.systemPrompt, kept, task.question);
    const outcome: Outcome =
      task.question === ''
        ? { kind: 'ended', ending: WORDLESS }
        : await generate(prompt, { reply, thinking, signal: lease.signal, delivery, deps });
    if (outcome.kind === 'later') {
      thinking.leave();
      await deps.turns.renew(turn, claim.fence, 0);
      return outcome;
    }
    const place = { from: kept[0]?.sk ?? past.from, number: past.number };
    const lookAt = again || reply.doubtful ? deps.time.now() + RECONCILE_AFTER_MS : undefined;
    await commit(work, outcome.ending, place, lookAt);
    await memory.settle(await reply.finish(outcome.ending.text));
    if (reply.doubtful && lookAt === undefined) {
      await deps.turns.lookAgain(turn, deps.time.now() + RECONCILE_AFTER_MS);
    }
    return { kind: 'done' };
  } finally {
    await thinking.stop();
  }
}

async function commit(work: Work, ending: Ending, place: Place, lookAt: number | undefined): Promise<void> {
  const { turn, claim, task, lease, deps } = work;
  const said = { message: turn.message, question: task.question, ending };
  try {
    await deps.turns.commit(turn, claim.fence, said, place, lookAt);
  } catch (error) {
    lease.failed(error);
    throw error;
  }
}

/** Writes the messages of the answer down as soon as the first exists, so that a successor goes on with them. */
function rememberPosted({ turn, claim, lease, deps }: Work, reply: Reply, existing: readonly MessageId[]) {
  let saved = existing.join();
  const save = async (posted: readonly MessageId[]): Promise<void> => {
    if (posted.join() === saved) return;
    await deps.turns.savePosted(turn, claim.fence, posted);
    saved = posted.join();
  };
  const first = reply.posted().then(save).catch(lease.failed);
  return {
    settle: async (posted: readonly MessageId[]): Promise<void> => {
      await first;
      await save(posted).catch(lease.failed);
    },
  };
}
