import { expect, test } from '@jest/globals';
import { channelId } from '../../shared/domain/index.ts';
import { fakeInteraction, typedCommand } from '../commands/command-harness.ts';
import { spendingIn } from '../fakes/spending.ts';
import { ALERTS, apiHarness, DEPLOY_BOT, PLACE } from './api-harness.ts';

const SECRET = channelId('G7');

/** An administrator lets the integration ask in these channels and spend $5 a day, by a command in this one. */
async function channelsAfter(channels: string, typedIn = ALERTS) {
  const budgets = spendingIn();
  const at = await apiHarness([], {
    budgets,
    isPublicChannel: async ({ channel }) => channel.startsWith('C'),
    userProfile: async () => ({ admin: true }),
    directory: { find: async (_, { value }) => ({ kind: 'found', as: 'channel', id: value }) },
  });
  const payload = typedCommand(`integrations change deploy-bot channels:${channels} budget:$5/day`);
  await at.call(fakeInteraction(payload, { channel: typedIn }));
  const policy = await budgets.getPolicy(PLACE);
  const integration = await at.integrations.find(PLACE, DEPLOY_BOT.id);
  // A command that is refused changes nothing.
  expect(policy.rules).toHaveLength(integration?.channels.includes(ALERTS) ? 0 : 1);
  return integration?.channels;
}

test('an administrator may let an integration ask in public channels', async () => {
  expect(await channelsAfter('C2,C3')).toEqual(['C2', 'C3']);
});

test('and in private channels where they are, but not in others, nor in direct messages of other people', async () => {
  expect(await channelsAfter('G7', SECRET)).toEqual([SECRET]);
  expect(await channelsAfter('G7')).toEqual([ALERTS]);
  expect(await channelsAfter('C2,D7')).toEqual([ALERTS]);
});

const DEALS = channelId('C5');

/** A workspace in which channels become private. `type`: what an administrator types, in #alerts if no other channel is named. */
async function workspace() {
  const hidden = new Set<string>([SECRET]);
  const at = await apiHarness(undefined, {
    isPublicChannel: async ({ channel }) => !hidden.has(channel),
    userProfile: async () => ({ admin: true }),
    directory: { find: async (_, { value }) => ({ kind: 'found', as: 'channel', id: value }) },
  });
  let calls = 0;
  const type = async (text: string, channel = ALERTS) => {
    calls += 1;
    await at.call(fakeInteraction(typedCommand(`integrations ${text}`), { id: `call-${calls}`, channel }));
    return JSON.stringify(at.messenger.answers.at(-1)?.card);
  };
  const ask = async (channel: string, more: object = {}) => {
    const { answer } = await at.ask({ question: 'What was decided?', channel, ...more });
    return answer['status'] === 'failed' ? answer['error'] : answer['status'];
  };
  return { ...at, hidden, type, ask };
}

const REFUSED = expect.objectContaining({ code: 'channel_not_allowed' });

test('a channel that is made private after it was allowed from elsewhere is asked in no more, until somebody in it allows it', async () => {
  const { type, ask, hidden, prompts } = await workspace();
  await type(`change deploy-bot channels:${DEALS}`);
  expect(await ask(DEALS)).toBe('completed');
  const promptCount = prompts.length;
  hidden.add(DEALS);
  expect(await ask(DEALS)).toEqual(REFUSED);
  expect(await ask(DEALS, { thread: '1700000000.000100' })).toEqual(REFUSED);
  expect(prompts).toHaveLength(promptCount);
  // Nor does another command from elsewhere allow it.
  expect(await type(`change deploy-bot channels:${DEALS},C6`)).toContain('"tone":"bad"');
  await type(`change deploy-bot channels:${DEALS},C6`, DEALS);
  expect([await ask(DEALS), await ask('C6')]).toEqual(['completed', 'completed']);
  // Public for a while, and named again from elsewhere: who was in it has allowed it all the same.
  hidden.delete(DEALS);
  await type(`change deploy-bot channels:${DEALS}`);
  hidden.add(DEALS);
  expect(await ask(DEALS)).toBe('completed');
});

test('a channel that was allowed by somebody in it stays allowed when it is made private; so does one that an earlier version allowed', async () => {
  const { type, ask, hidden } = await workspace();
  // As an earlier version stored it: it has asked there all the time.
  hidden.add(ALERTS);
  expect(await ask(ALERTS)).toBe('completed');
  await type(`change deploy-bot channels:${ALERTS},${DEALS}`, DEALS);
  hidden.add(DEALS);
  expect([await ask(ALERTS), await ask(DEALS)]).toEqual(['completed', 'completed']);
  const later = await workspace();
  await later.type(`change deploy-bot channels:${ALERTS}`, DEALS);
  later.hidden.add(ALERTS);
  expect(await later.ask(ALERTS)).toEqual(REFUSED);
});

test('one that is added knows where it was added', async () => {
  const { type, integrations } = await workspace();
  await type(`add ci channels:${DEALS},${SECRET}`, SECRET);
  const added = (await integrations.list(PLACE)).find(({ name }) => name === 'ci');
  expect(added).toMatchObject({ channels: [DEALS, SECRET], privateChannels: [SECRET] });
});
