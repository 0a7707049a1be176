import {
  hasRoom,
  type MessageId,
  type RedoTask,
  type Turn,
  turnOf,
  type TurnRef,
} from '../conversation/index.ts';
import { isSilent } from '../settings/index.ts';
import { type Past, TurnTooLargeError } from '../store/index.ts';
import { modelRefusal } from './commands/asked-model.ts';
import { claimed, type HeldClaim } from './claimed.ts';
import { foldedInto } from './folded.ts';
import { takeDownFollowUps } from './take-down.ts';
import type { Lease } from './lease.ts';
import { refusalAt } from './permitted.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS, respond, type Work } from './respond.ts';
import { type Before, readBefore, withoutErasedLines } from './said-before.ts';
import {
  isOfMerged,
  isStoppedBefore,
  keptEnding,
  mannerOf,
  takesOut,
  type Wanted,
  wantedTurn,
  withNotice,
} from './redo-wanted.ts';
import { explain } from './sentences.ts';
import { placeOfTurn, withSettings } from './settings.ts';
import { showOnce } from './show-once.ts';
import { type Locale, say, type TextKey } from '../texts/index.ts';
import { localeOfTurn } from './locale.ts';
import { withdraw } from './withdraw.ts';

/**
 * Makes an answer anew, in place: its question was edited, or a button asked for it. A wish is granted once: delivered
 * again, the stored answer is only shown again.
 */
export function redo(task: RedoTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  // Of a question that was merged, `asker` is who asked that one, not whose turn it is.
  const turn = turnOf(task);
  const locale = () => localeOfTurn(turn, deps, task.by);
  const whisper = async (words: string, instead = false): Promise<void> =>
    void (await deps.platform.whisper(turn, task.by, words, instead));
  const refuse = async (why: TextKey, instead = false): Promise<void> =>
    whisper(say(await locale(), why), instead);
  // A button outlives what it stands under. An edit of what is gone changes nothing that anybody waits for.
  const gone = task.how.kind === 'edited' ? undefined : () => refuse('answers.redo.gone');
  const work = async (claim: HeldClaim, lease: Lease): Promise<Verdict> => {
    const past = await deps.turns.past(turn);
    const into = await mergedInto(claim, turn, past, deps);
    if (into) {
      await release(turn, claim, deps);
      return redo({ ...task, message: into }, deps, delivery);
    }
    if (claim.ended && claim.revision === task.key) {
      await showOnce(turn, claim.ended, claim.posted, deps);
      return { kind: 'done' };
    }
    if (isStale(task.key, claim.revision) || isTooLate(task, claim) || isDouble(task, claim))
      return release(turn, claim, deps);
    // Pressed twice where each press has a message of its own for the answer: the later gets it.
    if (task.ticket && (await deps.platform.overtaken?.(turn, task.ticket)))
      return release(turn, claim, deps);
    const refusal = refusalOf(task, claim) ?? (await barredFrom(task, deps));
    if (refusal) {
      // Where the bot is silent, only who called it is told anything.
      const unanswered = isEdit(task.key) && !hasEnded(claim);
      if (refusal !== 'settings.refused.silent' || !isEdit(task.key)) await refuse(refusal, unanswered);
      return unanswered ? withdraw(turn, claim, deps) : release(turn, claim, deps);
    }
    const wrongModel = await modelRefusalOf(task, await locale(), deps);
    if (wrongModel !== undefined) {
      await whisper(wrongModel);
      return release(turn, claim, deps);
    }
    const granted = [task.key, claim.revision].find((key) => key !== undefined && isEdit(key));
    const { asker, askerWorkspace } = claim;
    const owner: TurnRef = { ...turn, asker, askerWorkspace };
    const asOwner = asker === turn.asker ? deps : await withSettings(placeOfTurn(owner), deps);
    const granting: Work = { turn: owner, claim, lease, deps: asOwner, delivery, granted };
    return isOfMerged(task) ? grantOfMerged(task, past, granting) : grant(task, past, granting);
  };
  return claimed(turn, { deps, again: delivery.again }, work, gone);
}

/**
 * Does what is wished of a question that was merged into a turn: whoever asked it may have it taken out, or answered anew
 * with the rest of the turn, on the account of the turn's owner. Who may not ask by now has it taken out: their new words
 * are not asked on the account of somebody else, and the old ones stand nowhere any more.
 */
async function grantOfMerged(task: RedoTask, past: Past, work: Work): Promise<Verdict> {
  const { turn, claim, deps } = work;
  const { how, by, thread } = task;
  const isMerged = how.kind === 'edited' && claim.ended?.folded?.some(({ message }) => message === how.of);
  if (!isMerged) {
    const gone = say(await localeOfTurn(turn, deps, by), 'answers.redo.gone');
    if (!takesOut(task)) await deps.platform.whisper(turn, by, gone);
    return release(turn, claim, deps);
  }
  const refused = takesOut(task) ? undefined : await deps.spending?.refusalOf(thread, by);
  if (!refused) return grant(task, past, work);
  const locale = await localeOfTurn(turn, deps, by);
  const { zone } = deps.settings;
  const why = explain(refused, { now: deps.time.now(), zone, locale })?.sentence ?? '';
  const removal: RedoTask = { ...task, how: { ...how, question: '', attachments: [] } };
  const isRest = wantedTurn(removal, claim) !== undefined;
  const told = isRest ? `${why}\n\n${say(locale, 'answers.redo.taken-out')}` : why;
  const isTold = await deps.platform.whisper(turn, by, told);
  return isRest ? grant(removal, past, work, isTold ? undefined : told) : release(turn, claim, deps);
}

/**
 * Does what is wished for, or takes out what nothing is left of. `untold` could not be said to who wishes it alone: it is said under
 * the answer that stays.
 */
async function grant(task: RedoTask, past: Past, work: Work, untold?: string): Promise<Verdict> {
  const { turn, claim, deps, delivery } = work;
  const asWished = wantedTurn(task, claim);
  if (!asWished) return withdraw(turn, claim, deps);
  const withoutErased = async (of: Wanted): Promise<Wanted> => ({
    ...of,
    contextLines: await withoutErasedLines(of.contextLines, turn.thread, deps),
  });
  const wished = await withoutErased(asWished);
  // Others may have asked the rest of it: the answer is theirs too, and asking anew could come to nothing.
  if (claim.ended && takesOut(task)) return takeOutOf(claim.ended, { task, wished, past, untold }, work);
  // Nothing more is said in a closed thread: what was answered stays as it is, or goes.
  if (past.closed) {
    if (!claim.ended) return withdraw(turn, claim, deps);
    // An earlier delivery may have been broken off in the middle of showing another answer.
    if (delivery.again || task.round > 0) await showOnce(turn, claim.ended, claim.posted, deps);
    return release(turn, claim, deps);
  }
  // They fit the answer that is replaced.
  const cleared = takeDownFollowUps(turn.thread, claim.followUps, deps);
  const { how } = task;
  const { unread, ...before }: Before = wished.isBeforeUnread ? await readBefore(turn, deps) : {};
  const wanted = wished.isBeforeUnread ? { ...wished, isBeforeUnread: undefined, ...before } : wished;
  const attachments = how.kind === 'edited' ? how.attachments : [];
  const pictures = how.kind === 'edited' ? [] : (wanted.pictures ?? []);
  const asked = { ...wanted, unread, attachments, pictures, past, ...mannerOf(task, claim.ended?.ending) };
  const verdict = await respond(work, asked, async (ending, { question, place, bare }) => {
    let kept = keptEnding(ending, claim.ended?.ending, how);
    const stays = kept !== ending;
    // Who pressed Stop knows why.
    if (stays && !isStoppedBefore(ending)) {
      const locale = await localeOfTurn(turn, deps, task.by);
      const why = ending.kind === 'failed' ? ending.text.trim() : say(locale, 'answers.redo.interrupted');
      if (!(await deps.platform.whisper(turn, task.by, why))) kept = withNotice(kept, why);
    }
    const lookAt = deps.time.now() + RECONCILE_AFTER_MS;
    // What was answered before stays as it is, under the question as it says now.
    const isWhole = !bare || (stays && how.kind !== 'edited');
    const said = {
      ...(isWhole ? await withoutErased(wanted) : { message: turn.message }),
      question,
      ending: kept,
    };
    await deps.turns.rewrite(turn, claim.fence, said, place, task.key, lookAt).catch((error: unknown) => {
      if (!stays || !(error instanceof TurnTooLargeError)) throw error;
      // Kept by a version that kept more. It is there; what stands in the thread is made equal to it.
      return deps.turns.lookAgain(turn, lookAt);
    });
    return kept;
  });
  await cleared;
  return verdict;
}

type Removal = {
  readonly task: RedoTask;
  readonly wished: Wanted;
  readonly past: Past;
  readonly untold: string | undefined;
};

/** Takes one of its questions out of a turn. The answer stays: no model is asked. */
async function takeOutOf(
  ended: Turn,
  { task, wished, past, untold }: Removal,
  { turn, claim, deps, delivery }: Work,
): Promise<Verdict> {
  const lookAt = deps.time.now() + RECONCILE_AFTER_MS;
  const place = { from: past.from, number: past.number };
  const mayNote = untold !== undefined && hasRoom(wished, ended.ending.text);
  const ending = mayNote ? withNotice(ended.ending, untold) : ended.ending;
  await deps.turns.rewrite(turn, claim.fence, { ...wished, ending }, place, task.key, lookAt);
  // An earlier delivery may have been broken off in the middle of showing another answer.
  if (mayNote || delivery.again || task.round > 0)
    await showOnce(turn, { ...ended, ending }, claim.posted, deps);
  return { kind: 'done' };
}

/** Also where how it ended can no longer be read. */
const hasEnded = ({ ended, unreadable }: HeldClaim): boolean => ended !== undefined || unreadable;

/** The turn that answers this question together with others. */
const mergedInto = async (
  claim: HeldClaim,
  turn: TurnRef,
  past: Past,
  deps: Deps,
): Promise<MessageId | undefined> =>
  claim.into ?? (hasEnded(claim) ? undefined : await foldedInto(turn, past, deps));

/** An edit that was held up must not undo a later one. Keys of edits sort by time. */
function isStale(key: string, revision: string | undefined): boolean {
  return revision !== undefined && isEdit(key) && isEdit(revision) && key < revision;
}

const isEdit = (key: string): boolean => key.startsWith('edit-');

/** The question was taken out since: an edit that was held up does not bring it back. */
const isTooLate = (task: RedoTask, { mark, ended }: HeldClaim): boolean =>
  isEdit(task.key) && mark === 'deleted' && !ended;

/** The clocks of those who take presses in and of those who answer may differ by so much. */
const CLOCKS_MS = 300;

/** A button was pressed twice: the answer that it stood under had been made anew when its turn came. */
function isDouble({ pressedAt }: RedoTask, { ended, revision }: HeldClaim): boolean {
  const course = ended?.ending.course;
  if (pressedAt === undefined || !course || !revision?.startsWith('press-')) return false;
  const [receivedAt, , , , tookMs] = course;
  return pressedAt < receivedAt + tookMs - CLOCKS_MS;
}

async function release(turn: TurnRef, { fence }: HeldClaim, deps: Deps): Promise<Verdict> {
  await deps.turns.renew(turn, fence, 0);
  return { kind: 'done' };
}

function refusalOf(
  { how, by, message }: RedoTask,
  { asker, ended, unreadable }: HeldClaim,
): TextKey | undefined {
  // Its words can be asked anew; those of others that were answered with it are gone.
  if (how.kind === 'edited') return unreadable && how.of !== message ? 'answers.redo.unreadable' : undefined;
  if (by !== asker) return 'answers.redo.not-yours';
  if (unreadable) return 'answers.redo.unreadable';
  if (!ended) return 'answers.redo.nothing-yet';
  const full =
    how.kind === 'continue' && ended.ending.kind === 'answered' && !hasRoom(ended, ended.ending.text);
  return full ? 'answers.at-limit' : undefined;
}

/** Whoever has lost the right to ask since has lost it for what they asked before, too: all but taking it out. */
async function barredFrom(task: RedoTask, deps: Deps): Promise<TextKey | undefined> {
  const { layers } = deps.settings;
  if (takesOut(task)) return undefined;
  if (isSilent(layers)) return 'settings.refused.silent';
  const refusal = await refusalAt(task.thread, task.by, layers, deps);
  return refusal && `settings.refused.${refusal}`;
}

/** A button names its model for as long as it stands. What it would ask may be locked away since, or gone. */
const modelRefusalOf = async ({ how }: RedoTask, locale: Locale, deps: Deps): Promise<string | undefined> =>
  how.kind === 'regenerate' && how.model !== undefined ? modelRefusal(how.model, locale, deps) : undefined;
