import { type AskTask, turnOf } from '../conversation/index.ts';
import { isSilent, mayUse } from '../settings/index.ts';
import { say } from '../texts/index.ts';
import { claimed } from './claimed.ts';
import { refusalAt } from './permitted.ts';
import type { Delivery, Deps, Verdict } from './ports.ts';
import { localeFor, localeOfTurn } from './locale.ts';

type BarredDeps = Pick<
  Deps,
  'turns' | 'time' | 'platform' | 'people' | 'standing' | 'settings' | 'botMayAsk'
>;

/**
 * Puts a question aside that may not be asked here: the person is told so, nobody else sees it, and nothing of it stays.
 * Where the bot is silent, nobody is told anything who did not call it; nor is another bot. Undefined where the question is to be answered.
 */
export async function barred(
  task: AskTask,
  deps: BarredDeps,
  delivery: Pick<Delivery, 'again'>,
): Promise<Verdict | undefined> {
  const silent = isSilent(deps.settings.layers);
  const refused = await (task.bot ? refusedBot(task, deps, delivery) : refusedPerson(task, deps));
  if (!silent && !refused) return undefined;
  const turn = turnOf(task);
  return claimed(turn, { deps, again: delivery.again }, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    // Who called waits for an answer: a call says in which language.
    const words = refused
      ? refused.words
      : task.locale && say(localeFor(deps.settings.layers, task.locale), 'settings.refused.silent');
    if (words !== undefined) await deps.platform.whisper(turn, turn.asker, words, true);
    await deps.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}

/** `words` are for whoever asked. */
type Refused = { readonly words?: string };

async function refusedPerson(task: AskTask, deps: BarredDeps): Promise<Refused | undefined> {
  const refusal = await refusalAt(task.thread, task.asker, deps.settings.layers, deps);
  if (!refusal) return undefined;
  const locale = await localeOfTurn(turnOf(task), deps);
  return { words: say(locale, `settings.refused.${refusal}`) };
}

/** Two bots that answer each other outside of threads end here: what is refused has no answer to go on from. */
async function refusedBot(
  task: AskTask,
  deps: BarredDeps,
  { again }: Pick<Delivery, 'again'>,
): Promise<Refused | undefined> {
  const { asker: user, thread } = task;
  const refusal = mayUse({ user, roles: [], channel: thread.channel, admin: false }, deps.settings.layers);
  // That it is allowed was found when its message came: see `receive`.
  if (refusal && refusal !== 'not-allowed') return {};
  // Counted once: a question that has to wait comes again.
  if (again) return undefined;
  return (await deps.botMayAsk?.(task.thread)) === false ? {} : undefined;
}
