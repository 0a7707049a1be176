import { expect, test } from '@jest/globals';
import { createDiscord } from './discord.ts';
import type { Dispatch } from './context.ts';
import { rolesOf } from './permissions.ts';
import { GENERAL, GUILD } from './identity.ts';
import { post } from './posting.ts';

/** A Discord, and what its gateway sends of messages. */
function setUp() {
  const discord = createDiscord();
  const created: Pick<Dispatch, 'd' | 'open'>[] = [];
  discord.onDispatch(({ t, d, open }) => void (t === 'MESSAGE_CREATE' && created.push({ d, open })));
  return { discord, last: () => created.at(-1) };
}

test('a mention of the bot shows it the content, a mention of its role does not', () => {
  const { discord, last } = setUp();
  const { identity, context, state } = discord;
  const guild = state.guilds.get(GUILD);
  const role = guild && rolesOf(context, guild).find(({ bot }) => bot === identity.applicationId)?.id;
  discord.say('ada', `<@&${role}> and <@&5> what now?`);
  expect(last()).toMatchObject({ open: false, d: { mentions: [], mention_roles: [role] } });
  discord.say('ada', `<@${identity.applicationId}> what now?`);
  expect(last()).toMatchObject({ open: true, d: { mention_roles: [] } });
});

test('a reply with a ping shows it the content, unless it replies to the response to a command', () => {
  const { discord, last } = setUp();
  const channel = discord.state.channels.get(GENERAL);
  if (!channel) throw new Error('no channel');
  const answer = (interaction?: string) =>
    post(
      discord.context,
      channel,
      { json: {}, payload: {}, uploads: [] },
      { content: 'So it is.' },
      {
        way: 'create',
        type: 0,
        ...(interaction === undefined ? {} : { interaction }),
      },
    ).id;
  const reply = (replyTo: string, ping: boolean) => {
    discord.say('ada', 'Why?', { replyTo, ping });
    return last()?.open;
  };
  const [plain, byCommand] = [answer(), answer('77')];
  expect([reply(plain, true), reply(plain, false), reply(byCommand, true)]).toEqual([true, false, false]);
});
