import type { UserId } from '../../shared/domain/index.ts';
import { createToolSignIn } from '../../functions/composition/tools/tool-sign-in.ts';
import { ADMIN, type Workspace } from './workspace-harness.ts';

/**
 * Opens the link on the last card, and comes back to the page of the bot: the code there, or the status of a refusal. `more` replaces parameters of the
 * answer.
 */
export async function comeBack(place: Workspace, more: Record<string, string> = {}): Promise<string> {
  const link = /\((http[^)]+)\)/u.exec(JSON.stringify(place.stage.answers.at(-1)?.card))?.[1] ?? '';
  const back = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';
  const { searchParams } = new URL(back);
  const queryStringParameters = { ...Object.fromEntries(searchParams), ...more };
  const sent: string[] = [];
  const queue = { send: (body: string) => Promise.resolve(void sent.push(body)) };
  const open = createToolSignIn({ credentials: place.credentials, queue, log: () => undefined });
  const { statusCode, body: page } = await open({ queryStringParameters });
  for (const body of sent) await place.dispatch(body);
  // The page names the command, too: the bot may not be able to send a direct message.
  return /<h1>Your code: ([^<]+)<.*followed by: tools confirm \1\./su.exec(page)?.[1] ?? String(statusCode);
}

/** Signs in, and confirms it with the code from the page. */
export async function signIn(place: Workspace, user: UserId = ADMIN): Promise<void> {
  const code = await comeBack(place);
  await place.type(`tools confirm ${code}`, user);
}
