import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { UserId } from '../../shared/domain/index.ts';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { createToolSignIn } from '../../functions/composition/tools/tool-sign-in.ts';
import { TURN } from '../chat/completion-harness.ts';
import { ADMIN, ASKER, OTHER, type Workspace, workspaceWith } from './workspace-harness.ts';

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

/** Opens the link on the last card, and comes back to the page of the bot: the code there, or the status of a refusal. */
async function comeBack(place: Workspace): Promise<string> {
  const link = /\((http[^)]+)\)/u.exec(JSON.stringify(place.stage.answers.at(-1)?.card))?.[1] ?? '';
  const back = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';
  const { searchParams } = new URL(back);
  const queryStringParameters = Object.fromEntries(searchParams);
  const sent: string[] = [];
  const queue = { send: (body: string) => Promise.resolve(void sent.push(body)) };
  const open = createToolSignIn({ credentials: place.credentials, queue, log: () => undefined });
  const { statusCode, body: page } = await open({ queryStringParameters });
  for (const body of sent) await place.dispatch(body);
  // The page names the command, too: the bot may not be able to send a direct message.
  return /<h1>Your code: ([^<]+)<.*followed by: tools confirm \1\./su.exec(page)?.[1] ?? String(statusCode);
}

/** Signs in, and confirms it with the code from the page. */
async function signIn(place: Workspace, user: UserId = ADMIN): Promise<void> {
  const code = await comeBack(place);
  await place.type(`tools confirm ${code}`, user);
}

/** Adds a server, signs in there, and turns all of its tools on. `auth`: for everybody, or for each person. */
async function useTracker(place: Workspace, auth: 'oauth' | 'person'): Promise<void> {
  await place.type(`tools add ${sim.trackerUrl} ${auth} name:tracker`);
  await signIn(place);
  await place.type('tools use tracker all');
  await place.type('tools on tracker');
}

const lastCard = (place: Workspace): string => JSON.stringify(place.stage.answers.at(-1)?.card);

describe('a sign-in', () => {
  test('of an administrator is for everybody, and reads the tools', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    await signIn(place);
    expect(place.stage.directMessages.map(({ user }) => user)).toEqual([ADMIN]);
    expect(lastCard(place)).toContain('You are signed in at tracker.');
    await place.type('tools use tracker all');
    await place.type('tools on tracker');
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
  });

  test('of a person is theirs alone; without one they are told how', async () => {
    const place = workspaceWith(sim);
    await useTracker(place, 'person');
    const { step } = await place.ask('tracker__list_issues', {});
    expect(step?.details).toContain('Sign in at tracker first: /parley tools connect tracker');
    await place.type('tools connect tracker', ASKER);
    await signIn(place, ASKER);
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
    expect((await place.ask('tracker__list_issues', {}, OTHER)).step).toMatchObject({ state: 'failed' });
    const theirs = place.dynamo.items('conversations').filter(({ by }) => by?.S === ASKER);
    expect(theirs.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)).toEqual(['TOOLKEY#slack#T1 SERVER#tracker#U1']);
  });

  test('is renewed when its token has expired', async () => {
    const place = workspaceWith(sim);
    await useTracker(place, 'oauth');
    sim.expireTokens();
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
  });

  test('is renewed once for calls that run at once: a refresh token works only once', async () => {
    let renewals = 0;
    const place = workspaceWith(sim, (request, send) => {
      renewals += request.kind === 'refresh' ? 1 : 0;
      return send();
    });
    await useTracker(place, 'oauth');
    for (const end of [() => sim.expireTokens(), () => place.time.advance(60 * 60_000)]) {
      end();
      renewals = 0;
      const calls = Array.from({ length: 8 }, () => place.ask('tracker__list_issues', {}));
      for (const { result } of await Promise.all(calls)) expect(result).toContain('No issue.');
      expect(renewals).toBe(1);
    }
  });

  test('that another process renews at the same time is used as renewed', async () => {
    let place: Workspace | undefined;
    const workspace = workspaceWith(sim, async (request, send) => {
      const tokens = await send();
      if (request.kind !== 'refresh' || tokens.kind !== 'authorized') return tokens;
      // The other process was first: its new tokens are stored, and ours are refused.
      const { accessToken: token, refreshToken, session } = tokens;
      await place?.credentials.renew(TURN.thread, 'tracker', { token, refreshToken, session });
      return { kind: 'failed', reason: 'unauthorized', mayHaveRun: false };
    });
    place = workspace;
    await useTracker(workspace, 'oauth');
    sim.expireTokens();
    expect((await workspace.ask('tracker__list_issues', {})).result).toContain('No issue.');
  });

  test('that is erased while its token is renewed does not come back', async () => {
    let place: Workspace | undefined;
    const workspace = workspaceWith(sim, async (request, send) => {
      const response = await send();
      if (request.kind === 'refresh')
        await place?.credentials.remove({ platform: 'slack', workspace: TURN.thread.workspace }, 'tracker');
      return response;
    });
    place = workspace;
    await useTracker(workspace, 'oauth');
    sim.expireTokens();
    expect((await workspace.ask('tracker__list_issues', {})).result).toContain('No issue.');
    expect(await workspace.credentials.find(TURN.thread, 'tracker')).toBeUndefined();
  });

  test('works once, and not with a state that was made up', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    expect(await comeBack(place)).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/u);
    expect(await comeBack(place)).toBe('400');
    const open = createToolSignIn({
      credentials: place.credentials,
      queue: { send: () => Promise.reject(new Error()) },
      log: () => undefined,
    });
    for (const state of ['', 'slack.T1', `slack.T1.${'a'.repeat(64)}`, `slack.T2.${'0'.repeat(64)}`])
      expect(await open({ queryStringParameters: { state, code: 'x' } })).toMatchObject({ statusCode: 400 });
  });

  test('has no effect without the code from the page, which only the browser of the person who signed in has', async () => {
    const place = workspaceWith(sim);
    await useTracker(place, 'person');
    // ASKER sends their link to somebody else, who opens it.
    await place.type('tools connect tracker', ASKER);
    const code = await comeBack(place);
    expect(place.stage.directMessages.at(-1)?.user).toBe(ASKER);
    expect((await place.ask('tracker__list_issues', {})).step).toMatchObject({ state: 'failed' });
    for (const [guess, user] of [
      ['XXXX-XXXX', ASKER],
      ['', ASKER],
      [code, OTHER],
    ] as const) {
      await place.type(`tools confirm ${guess}`, user);
      expect(lastCard(place)).not.toContain('You are signed in');
    }
    expect((await place.ask('tracker__list_issues', {})).step).toMatchObject({ state: 'failed' });
    await place.type(`tools confirm ${code.toLowerCase().replace('-', '')}`, ASKER);
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
    await place.type(`tools confirm ${code}`, ASKER);
    expect(lastCard(place)).toContain('no sign-in with this code');
  });

  test('that nobody confirms ends after 15 minutes', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    const code = await comeBack(place);
    place.time.advance(15 * 60_000);
    await place.type(`tools confirm ${code}`);
    expect(lastCard(place)).toContain('no sign-in with this code');
  });
});
