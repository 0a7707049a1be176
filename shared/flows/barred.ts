import { type AskTask, turnOf } from '../conversation/index.ts';
import { mayUse, type Refusal, resolve } from '../settings/index.ts';
import { localeOf, say } from '../texts/index.ts';
import { claimed } from './claimed.ts';
import type { Deps, Verdict } from './ports.ts';

type BarredDeps = Pick<Deps, 'turns' | 'time' | 'platform' | 'people' | 'settings' | 'botMayAsk'>;

/**
 * Puts a question aside that may not be asked here: the person is told so, nobody else sees it, and nothing of it stays.
 * Where the bot is silent, nobody is told anything, nor is another bot. Undefined where the question is to be answered.
 */
export async function barred(task: AskTask, deps: BarredDeps): Promise<Verdict | undefined> {
  const silent = resolve('mentions', deps.settings.layers).value === 'off';
  const refused = await (task.bot ? refusedBot(task, deps) : refusedPerson(task, deps));
  if (!silent && !refused) return undefined;
  const turn = turnOf(task);
  return claimed(turn, deps, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    if (refused?.words !== undefined) await deps.platform.whisper(turn, turn.asker, refused.words);
    await deps.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}

/** `words` are for whoever asked. */
type Refused = { readonly words?: string };

async function refusedPerson(task: AskTask, deps: BarredDeps): Promise<Refused | undefined> {
  if (!refusalOf(task, deps, false)) return undefined;
  const known = await deps.people?.(task.thread, task.asker);
  const refusal = refusalOf(task, deps, known?.admin === true);
  return refusal && { words: say(localeOf(known?.locale), `settings.refused.${refusal}`) };
}

/** Two bots that answer each other outside of threads end here: what is refused has no answer to go on from. */
async function refusedBot(task: AskTask, deps: BarredDeps): Promise<Refused | undefined> {
  const refusal = refusalOf(task, deps, false);
  // That it is allowed was found when its message came: see `receive`.
  if (refusal && refusal !== 'not-allowed') return {};
  return (await deps.botMayAsk?.(task.thread)) === false ? {} : undefined;
}

function refusalOf({ asker, thread }: AskTask, deps: BarredDeps, admin: boolean): Refusal | undefined {
  const { layers } = deps.settings;
  return mayUse({ user: asker, roles: [], channel: thread.channel, admin }, layers);
}
