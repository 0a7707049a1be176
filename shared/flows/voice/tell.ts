import type { Card, HearTask } from '../../conversation/index.ts';
import type { Verdict } from '../ports.ts';
import type { VoiceDeps } from './ports.ts';

/** One person wants one recording in a language. */
export type Wish = Extract<HearTask['wish'], { kind: 'translate' }>;

/** Answers whoever pressed. A ticket that is dead by now is logged: who asked has gone on. */
export async function tell(
  { invocation }: Wish,
  card: Card,
  { stage, log }: Pick<VoiceDeps, 'stage' | 'log'>,
): Promise<Verdict> {
  await stage.respond(invocation, card).catch((error: unknown) => {
    log('voice.unheard', { error: error instanceof Error ? error.name : 'unknown' });
  });
  return { kind: 'done' };
}
