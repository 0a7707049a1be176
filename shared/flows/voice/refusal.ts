import type { HearTask } from '../../conversation/index.ts';
import { type Layers, type Refusal, resolve } from '../../settings/index.ts';
import { refusalAt } from '../permitted.ts';
import type { VoiceDeps } from './ports.ts';
import { wanting } from './recording.ts';

/**
 * Why nothing of these recordings is fetched, heard or sent: whoever wants it may not use the bot here, it is switched off,
 * the bot is silent, or what was to be written out by itself is not to be any more. `layers`: what is set now; a front goes by
 * what was set up to half a minute ago.
 */
export async function refusalOf(
  task: HearTask,
  layers: Layers,
  deps: Pick<VoiceDeps, 'standing'>,
): Promise<Refusal | 'switched-off' | 'silent' | 'unwanted' | undefined> {
  const { thread, wish } = task;
  const user = wanting(task);
  const policy = resolve('voice', layers).value ?? 'request';
  if (policy === 'off') return 'switched-off';
  const byItself = wish.kind === 'show' && wish.first === true;
  if (byItself && (policy !== 'automatic' || resolve('voiceOptOut', layers).value === true))
    return 'unwanted';
  if (wish.kind === 'ask' && resolve('mentions', layers).value === 'off') return 'silent';
  return refusalAt(thread, user, layers, deps);
}
