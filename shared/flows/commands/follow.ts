import { CardRefused, ThreadGone } from '../../platforms/platform.ts';
import { takeDownFollowUps } from '../take-down.ts';
import { receive } from '../receive.ts';
import { noRoom } from './no-room.ts';
import { type Called, DONE, type Run, tell, words } from './run.ts';

/**
 * A question that was offered below an answer is asked by whoever pressed it: it is quoted in the thread, and answered. What
 * was offered beside it goes.
 */
export const run: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { invocation, call } = called;
  const { thread, by, id: key } = invocation;
  const [question] = call.action.args;
  if (call.action.name !== 'follow.ask' || !question || !thread) return DONE;
  try {
    const id = await deps.stage.card(thread, { ...words(question), by: by.user }, key);
    await takeDownFollowUps(thread, call.kind === 'action' ? call.card : undefined, deps);
    const asked = { thread, id, author: by.user, authorWorkspace: by.workspace, text: question };
    await receive({ ...asked, attachments: [], addressed: 'mention' }, { ...deps, now: deps.time.now });
    return DONE;
  } catch (error) {
    if (!(error instanceof CardRefused || error instanceof ThreadGone)) throw error;
    return tell(called, noRoom(called), deps);
  }
};
