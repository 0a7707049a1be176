import { afterEach, describe, expect, test } from '@jest/globals';
import type { TurnRef } from '../../../../shared/domain/index.ts';
import { GENERAL } from '../../../simulators/discord/index.ts';
import { closeAll, discordWithDeniedPermissions, FORUM } from '../denied-permissions.ts';

afterEach(closeAll);

const REACT = 'PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me';

describe('a question that waits gets an eyes reaction', () => {
  type Discord = Awaited<ReturnType<typeof discordWithDeniedPermissions>>;

  test.each<[string, string, (discord: Discord) => TurnRef, number]>([
    ['in a channel', GENERAL, ({ ask }) => ask('why?'), 1],
    [
      'in a thread',
      GENERAL,
      ({ core, turnOf }) => {
        const root = core.say('ada', 'A plan');
        core.thread('ada', root, 'Plan');
        return turnOf(core.say('ada', 'why?', { channel: root }), root);
      },
      1,
    ],
    // Its first message is in its thread, not in the forum.
    ['in a new forum post', FORUM, ({ core, turnOf }) => turnOf(core.thread('ada', FORUM, 'Q', 'why?')), 2],
  ])('%s', async (_, channel, ask, requests) => {
    const discord = await discordWithDeniedPermissions([], channel);
    const turn = ask(discord);
    await discord.platform.acknowledge(turn);
    expect(discord.core.message(turn.message).reactions).toMatchObject([{ emoji: '👀' }]);
    expect(discord.calls.filter(({ route }) => route === REACT)).toHaveLength(requests);
  });

  test('not twice where another error than an unknown message comes back', async () => {
    const { ask, platform, faults, calls, logged } = await discordWithDeniedPermissions([]);
    const turn = ask('why?');
    faults.add({ kind: 'refuse', code: 30_010, route: REACT });
    await platform.acknowledge(turn);
    expect(calls.filter(({ route }) => route === REACT)).toHaveLength(1);
    expect(logged('discord.reaction-failed')).toHaveLength(1);
  });

  test('not where the bot may not add one: it is logged, and not tried again', async () => {
    const { ask, platform, calls, logged } = await discordWithDeniedPermissions(['AddReactions']);
    await platform.acknowledge(ask('why?'));
    expect(calls.filter(({ route }) => route === REACT)).toHaveLength(1);
    expect(logged('discord.reaction-failed')).toHaveLength(1);
  });
});
