import { takeDownFollowUps } from '../take-down.ts';
import { receive } from '../receive.ts';
import { type Called, DONE, type Run, words } from './run.ts';

/**
 * A question that was offered below an answer is asked by whoever pressed it: it is quoted in the thread, and answered. What
 * was offered beside it goes.
 */
export const run: Run<Called<'action' | 'form'>> = async ({ invocation, call }, deps) => {
  const { thread, by, id: key } = invocation;
  const [question] = call.action.args;
  if (call.action.name !== 'follow.ask' || !question || !thread) return DONE;
  const id = await deps.stage.card(thread, { ...words(question), by: by.user }, key);
  await takeDownFollowUps(thread, call.kind === 'action' ? call.card : undefined, deps);
  const asked = { thread, id, author: by.user, authorWorkspace: by.workspace, text: question };
  await receive({ ...asked, attachments: [], addressed: 'mention' }, { ...deps, now: deps.time.now });
  return DONE;
};
