import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type McpSimulator, startMcpSimulator } from '../simulators/mcp/index.ts';
import { toolSignIn } from '../../functions/composition/tools/tool-sign-in.ts';
import { ADMIN, ASKER, OTHER, type Workspace, workspaceWith } from './workspace-harness.ts';

let sim: McpSimulator;
beforeEach(async () => {
  sim = await startMcpSimulator();
});
afterEach(() => sim.close());

/** Opens the link on the last card, and comes back to the page of the bot. */
async function signIn(place: Workspace): Promise<number> {
  const link = /\((http[^)]+)\)/u.exec(JSON.stringify(place.stage.answers.at(-1)?.card))?.[1] ?? '';
  const back = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? '';
  const { searchParams } = new URL(back);
  const queryStringParameters = Object.fromEntries(searchParams);
  const sent: string[] = [];
  const queue = { send: (body: string) => Promise.resolve(void sent.push(body)) };
  const open = toolSignIn({ credentials: place.credentials, queue, log: () => undefined });
  const { statusCode } = await open({ queryStringParameters });
  for (const body of sent) await place.dispatch(body);
  return statusCode;
}

describe('a sign-in', () => {
  test('of an administrator is for everybody, and reads the tools', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    expect(await signIn(place)).toBe(200);
    expect(place.stage.directMessages.map(({ user }) => user)).toEqual([ADMIN]);
    await place.type('tools use tracker all');
    await place.type('tools on tracker');
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
  });

  test('of a person is theirs alone; without one they are told how', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} person name:tracker`);
    await signIn(place);
    await place.type('tools use tracker all');
    await place.type('tools on tracker');
    const { step } = await place.ask('tracker__list_issues', {});
    expect(step?.details).toContain('Sign in at tracker first: /parley tools connect tracker');
    await place.type('tools connect tracker', ASKER);
    await signIn(place);
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
    expect((await place.ask('tracker__list_issues', {}, OTHER)).step).toMatchObject({ state: 'failed' });
    const theirs = place.dynamo.items('conversations').filter(({ by }) => by?.S === ASKER);
    expect(theirs.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)).toEqual(['TOOLKEY#slack#T1 SERVER#tracker#U1']);
  });

  test('is renewed when its token has expired', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    await signIn(place);
    await place.type('tools use tracker all');
    await place.type('tools on tracker');
    sim.expireTokens();
    expect((await place.ask('tracker__list_issues', {})).result).toContain('No issue.');
  });

  test('works once, and not with a state that was made up', async () => {
    const place = workspaceWith(sim);
    await place.type(`tools add ${sim.trackerUrl} oauth name:tracker`);
    expect(await signIn(place)).toBe(200);
    expect(await signIn(place)).toBe(400);
    const open = toolSignIn({
      credentials: place.credentials,
      queue: { send: () => Promise.reject(new Error()) },
      log: () => undefined,
    });
    for (const state of ['', 'slack.T1', `slack.T1.${'a'.repeat(64)}`, `slack.T2.${'0'.repeat(64)}`])
      expect(await open({ queryStringParameters: { state, code: 'x' } })).toMatchObject({ statusCode: 400 });
  });
});
