import { say } from '../../texts/index.ts';
import { keyCard, readKey } from '../own-key.ts';
import type { Deps, Verdict } from '../ports.ts';
import { type AnyCall, type Called, type CalledCommand, type Run, stale, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'key',
  platforms: BOTH,
  about: 'usage.key.about',
  // The key itself is typed into a form: a command would show it in the history of what was typed.
  options: [],
};

/** Shows what there is of the workspace's own key. */
export const run: Run<CalledCommand> = (called, deps) => shown(called, deps);

/** The controls of the card, and the form. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call, invocation, locale } = called;
  const { ownKeys } = deps;
  if (!ownKeys || !called.admin) return shown(called, deps);
  if (call.kind === 'action' && call.action.name === 'key.remove') await ownKeys.remove(invocation);
  else if (call.kind === 'form' && call.action.name === 'key.set') {
    const key = readKey(call.values['key'] ?? '');
    if (key === undefined) return tell(called, words(say(locale, 'usage.key.unlike'), 'bad'), deps);
    await ownKeys.save(invocation, key, invocation.by.user);
  } else return stale(called, deps);
  return shown(called, deps);
};

async function shown(called: AnyCall, deps: Deps): Promise<Verdict> {
  const { locale, invocation } = called;
  if (!deps.ownKeys) return tell(called, words(say(locale, 'usage.key.none')), deps);
  if (!called.admin) return tell(called, words(say(locale, 'usage.admins'), 'bad'), deps);
  return tell(called, keyCard(await deps.ownKeys.find(invocation), locale), deps);
}
