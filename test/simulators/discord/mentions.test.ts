import { expect, test } from '@jest/globals';
import { createDiscord } from './discord.ts';
import type { Dispatch } from './context.ts';
import { asSeenBy, INTENT } from './gateway-intents.ts';
import { withoutContent } from './dispatch.ts';
import { rolesOf } from './permissions.ts';
import { GENERAL, GUILD } from './identity.ts';
import { post } from './posting.ts';

/** A Discord, and what its gateway sends of messages. */
function setUp() {
  const discord = createDiscord();
  const created: Dispatch[] = [];
  discord.onDispatch((dispatch) => void (dispatch.t === 'MESSAGE_CREATE' && created.push(dispatch)));
  const last = () => created.at(-1);
  /** The last message as an app without the intent MESSAGE_CONTENT gets it. */
  const seen = () => {
    const event = last();
    return event && asSeenBy(event, INTENT.guildMessages)?.d;
  };
  return { discord, last, seen };
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

test('without the intent a forwarded message is as empty as the one that it was', () => {
  const { discord, last, seen } = setUp();
  const file = { name: 'a.txt', contentType: 'text/plain', content: new Uint8Array([65]) };
  const id = discord.say('ada', 'a secret', { files: [file] });
  discord.forward('grace', id, GENERAL);
  expect(last()?.d['message_snapshots']).toMatchObject([
    { message: { content: 'a secret', attachments: [{}] } },
  ]);
  expect(seen()?.['message_snapshots']).toMatchObject([{ message: { content: '', attachments: [] } }]);
});

test('without the intent a reply that mentions the bot does not open the message that it replies to, unless that is open', () => {
  const { discord, seen } = setUp();
  const mention = `<@${discord.identity.applicationId}>`;
  const secret = discord.say('ada', 'a secret');
  discord.say('grace', `${mention} is that so?`, { replyTo: secret });
  expect(seen()).toMatchObject({
    content: `${mention} is that so?`,
    referenced_message: { id: secret, content: '' },
  });
  const question = discord.say('ada', `${mention} hello`);
  discord.say('grace', `${mention} and me?`, { replyTo: question });
  expect(seen()).toMatchObject({ referenced_message: { id: question, content: `${mention} hello` } });
});

test('without the intent there is no poll', () => {
  expect(withoutContent({ id: '1', poll: { question: { text: 'Which?' } } })).not.toHaveProperty('poll');
});
