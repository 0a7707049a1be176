import { type Ending, messageId, type RedoTask, type Turn, turnOf } from '../conversation/index.ts';
import { claimed, type HeldClaim } from './claimed.ts';
import { withoutNotice } from './generate.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { RECONCILE_AFTER_MS, respond } from './respond.ts';
import { showOnce } from './show-once.ts';
import { withdrawClaimed } from './withdraw.ts';

const NOT_YOURS = 'Only the person who asked can have this answer changed.';
const NOTHING_YET = 'There is no answer yet that could be changed.';

/**
 * Makes an answer anew, in place: its question was edited, or a button asked for it. A wish is granted once: delivered
 * again, the stored answer is only shown again.
 */
export function redo(task: RedoTask, deps: Deps, delivery: Delivery): Promise<Verdict> {
  const turn = turnOf(task);
  return claimed(turn, deps, async (claim, lease) => {
    if (claim.into) {
      await deps.turns.renew(turn, claim.fence, 0);
      return redo({ ...task, message: messageId(claim.into) }, deps, delivery);
    }
    if (claim.ended && claim.revision === task.key) {
      await showOnce(turn, claim.ended.ending, claim.posted, deps);
      return { kind: 'done' };
    }
    const refusal = refusalOf(task, claim);
    if (refusal) {
      await deps.platform.whisper(turn, task.by, refusal);
      await deps.turns.renew(turn, claim.fence, 0);
      return { kind: 'done' };
    }
    const wanted = wantedTurn(task, claim.ended);
    if (!wanted) return withdrawClaimed(turn, claim, deps);
    const past = await deps.turns.past(turn);
    const attachments = task.how.kind === 'edited' ? task.how.attachments : [];
    const asked = { ...wanted, attachments, past, ...manner(task, claim.ended?.ending) };
    return respond({ turn, claim, lease, deps, delivery }, asked, async (ending, place) => {
      const kept = task.how.kind === 'edited' ? ending : better(ending, claim.ended?.ending);
      if (kept !== ending) await deps.platform.whisper(turn, task.by, ending.text);
      const lookAt = deps.time.now() + RECONCILE_AFTER_MS;
      await deps.turns.rewrite(turn, claim.fence, { ...wanted, ending: kept }, place, task.key, lookAt);
      return kept;
    });
  });
}

function refusalOf({ how, by }: RedoTask, { asker, ended }: HeldClaim): string | undefined {
  if (how.kind === 'edited') return undefined;
  if (by !== asker) return NOT_YOURS;
  return ended ? undefined : NOTHING_YET;
}

/** What the turn asks once the wish is granted; undefined if nothing is left of it. */
function wantedTurn({ message, how }: RedoTask, ended: Turn | undefined) {
  const now: Omit<Turn, 'ending'> = ended ?? { message, question: '' };
  const { question, folded = [], before } = now;
  if (how.kind !== 'edited') return { message, question, folded, before };
  const own = how.of === message;
  const others = own
    ? folded
    : folded.map((one) => (one.message === how.of ? { ...one, question: how.question } : one));
  const wanted = {
    message,
    question: own ? how.question : question,
    folded: others.filter((one) => one.question !== ''),
    before,
  };
  const empty = wanted.question === '' && wanted.folded.length === 0 && how.attachments.length === 0;
  return empty ? undefined : wanted;
}

function manner({ how }: RedoTask, ending: Ending | undefined): { model?: string; prefix?: string } {
  if (how.kind === 'regenerate') return how.model === undefined ? {} : { model: how.model };
  return how.kind === 'continue' && ending?.kind === 'answered' ? { prefix: withoutNotice(ending.text) } : {};
}

/** A wish that fails must not cost the answer that was there. */
function better(ending: Ending, before: Ending | undefined): Ending {
  return ending.kind === 'failed' && before?.kind === 'answered' ? before : ending;
}
