import { type AskTask, turnOf } from '../conversation/index.ts';
import { mayUse, resolve } from '../settings/index.ts';
import { localeOf, say } from '../texts/index.ts';
import { claimed } from './claimed.ts';
import type { Deps, Verdict } from './ports.ts';

/**
 * Puts a question aside that may not be asked here: the person is told so, nobody else sees it, and nothing of it stays.
 * Where the bot is silent, nobody is told anything. Undefined where the question is to be answered.
 */
export async function barred(task: AskTask, deps: Deps): Promise<Verdict | undefined> {
  const { layers } = deps.settings;
  const { thread, asker } = task;
  const silent = resolve('mentions', layers).value === 'off';
  const of = { user: asker, roles: [], channel: thread.channel };
  if (!silent && !mayUse({ ...of, admin: false }, layers)) return undefined;
  const known = await deps.people?.(thread, asker);
  const refusal = mayUse({ ...of, admin: known?.admin === true }, layers);
  if (!silent && !refusal) return undefined;
  const turn = turnOf(task);
  return claimed(turn, deps, async ({ ended, fence }) => {
    if (ended) return { kind: 'done' };
    if (refusal) {
      const words = say(localeOf(known?.locale), `settings.refused.${refusal}`);
      await deps.platform.whisper(turn, asker, words);
    }
    await deps.turns.remove(turn, fence);
    return { kind: 'done' };
  });
}
