import { expect, test } from '@jest/globals';
import { publicChannelFinder } from '../../../../shared/platforms/slack/index.ts';
import { createDirectClient, createWorkspace } from '../../../simulators/slack/index.ts';
import { DEFAULT_IDENTITY } from '../../../simulators/slack/identity.ts';
import { SCOPES } from '../../../../shared/platforms/slack/oauth/scopes.ts';
import { TestTime } from '../../../upstream/time.ts';

function finder(scopes: readonly string[] = SCOPES) {
  const workspace = createWorkspace({ identity: { scopes } });
  const direct = createDirectClient(workspace);
  const time = new TestTime();
  let calls = 0;
  const call: typeof direct = (method, args) => {
    calls += 1;
    return direct(method, args);
  };
  return { workspace, time, find: publicChannelFinder({ call, time }), calls: () => calls };
}

test('a public channel is public; the answer is cached for a minute', async () => {
  const { workspace, time, find, calls } = finder();
  expect(await find(workspace.channel)).toBe(true);
  await find(workspace.channel);
  expect(calls()).toBe(1);
  time.advance(60_001);
  await find(workspace.channel);
  expect(calls()).toBe(2);
});

test.each([
  ['the scopes of the manifest', SCOPES],
  ['all scopes', [...DEFAULT_IDENTITY.scopes, 'groups:read', 'im:read', 'mpim:read']],
])('with %s, direct messages, private channels and unknown ones are not public', async (_, scopes) => {
  const { workspace, find } = finder(scopes);
  const others = [...workspace.state.channels.values()].filter(({ kind }) => kind !== 'channel');
  expect(new Set(others.map(({ kind }) => kind))).toEqual(new Set(['group', 'im', 'mpim']));
  for (const channel of [...others.map(({ id }) => id), 'C0NOWHERE0'])
    expect([channel, await find(channel)]).toEqual([channel, false]);
});

test('without the scope nothing is known to be public', async () => {
  const { workspace, find } = finder(SCOPES.filter((scope) => scope !== 'channels:read'));
  expect(await find(workspace.channel)).toBe(false);
});
