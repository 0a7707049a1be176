import type { Card, HearTask } from '../../conversation/index.ts';
import type { Verdict } from '../ports.ts';
import { replyPrivately } from '../private-reply.ts';
import type { VoiceDeps } from './ports.ts';

/** One person wants one recording in a language. */
export type Wish = Extract<HearTask['wish'], { kind: 'translate' }>;

/** Answers whoever pressed. A ticket that is dead by now is logged: who asked has gone on. */
export async function tell(
  { invocation }: Wish,
  card: Card,
  deps: Pick<VoiceDeps, 'stage' | 'time' | 'log'>,
): Promise<Verdict> {
  await replyPrivately(invocation, card, deps, 'voice.unheard');
  return { kind: 'done' };
}
