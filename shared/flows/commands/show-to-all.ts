import type { Card, Thread } from '../../conversation/index.ts';
import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import type { Draft } from '../../store/index.ts';
import type { Deps } from '../ports.ts';
import { placeOfCall } from '../settings.ts';
import { noRoom } from './no-room.ts';
import { type AnyCall, tell } from './run.ts';

/**
 * Shows to all what somebody had made for themselves: in a thread or, without one, in the channel of the call; where the bot
 * may not write, as an open answer to the call. Then it counts as sent. Done again, it is found and not doubled. Where the thread
 * is gone, whoever pressed is told, and this resolves with false.
 */
export async function showToAll(
  called: AnyCall,
  thread: Thread | undefined,
  card: Card,
  draft: Draft,
  deps: Pick<Deps, 'stage' | 'drafts' | 'time' | 'log'>,
): Promise<boolean> {
  const { invocation } = called;
  const { stage, drafts } = deps;
  const key = `sent-${draft.id}`;
  try {
    if (thread) await stage.card(thread, card, key);
    else await stage.begin({ ...invocation, id: key }, card);
  } catch (error) {
    if (error instanceof ThreadGone) {
      await tell(called, noRoom(called), deps);
      return false;
    }
    if (!(error instanceof CardRefused)) throw error;
    await stage.respond(invocation, card, true);
  }
  await drafts.change(placeOfCall(invocation), draft, { value: draft.value, sent: true });
  return true;
}
