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
