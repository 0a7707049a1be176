import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { createToolSignIn } from '../../functions/composition/tools/tool-sign-in.ts';
import { comeBack, signIn } from './sign-in-harness.ts';
import { TURN } from '../chat/completion-harness.ts';
import { ADMIN, ASKER, OTHER, type Workspace, workspaceWith } from './workspace-harness.ts';

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

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

  test('whose answer names another issuer connects nothing: the person is told, and the log says why', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    const code = await comeBack(place, { iss: 'https://other.example.com' });
    expect(JSON.stringify(place.stage.directMessages.at(-1))).toContain(
      'The sign-in at tracker did not work.',
    );
    expect(place.events).toEqual(['tool.sign-in-failed']);
    await place.type(`tools confirm ${code}`);
    expect(lastCard(place)).toContain('no sign-in with this code');
  });

  test('is not for another server that has its name by the end', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} person name:tracker`);
    await place.type('tools connect tracker', ASKER);
    const code = await comeBack(place);
    await place.type('tools remove tracker');
    await place.type(`tools add ${sim.statusUrl} person name:tracker`);
    await place.type(`tools confirm ${code}`, ASKER);
    expect(lastCard(place)).toContain('no sign-in with this code');
    expect(await place.credentials.find(TURN.thread, 'tracker', ASKER)).toBeUndefined();
  });

  test('that an earlier version began has no address, and is completed', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    const code = await comeBack(place);
    const unconfirmed = place.dynamo
      .items('conversations')
      .find(({ sk }) => sk?.S?.startsWith('HELD#') === true);
    if (!unconfirmed) throw new Error('nothing is held');
    expect(unconfirmed['url']).toEqual({ S: sim.trackerUrl });
    const { url: _, ...earlier } = unconfirmed;
    await place.dynamo.put({ TableName: 'conversations', Item: earlier });
    await place.type(`tools confirm ${code}`);
    expect(lastCard(place)).toContain('You are signed in at tracker.');
  });

  test.each([
    ['its metadata names no place for that', {}],
    ['it has no metadata', { hasMetadata: false }],
  ])('at a server that does not let bots register is refused with the way out: %s', async (_, options) => {
    await sim.close();
    sim = await startMcpSimulator({ authorization: { canRegister: false, ...options } });
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    expect(lastCard(place)).toContain('tracker does not let bots register for a sign-in');
    expect(lastCard(place)).toContain('add it again with `with:key`');
    await place.type('tools remove tracker');
    await place.type(`tools add ${sim.trackerUrl} with:key name:tracker`);
    expect(lastCard(place)).toContain('Set the key');
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
