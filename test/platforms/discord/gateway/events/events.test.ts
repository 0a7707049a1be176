import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ChatEvent } from '../../../../../shared/domain/index.ts';
import { parseGatewayEvent } from '../../../../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../../../../shared/platforms/discord/gateway/events/channel-directory.ts';
import { EditFilter } from '../../../../../shared/platforms/discord/gateway/events/edit-filter.ts';
import { FORBIDDEN } from '../../../../../shared/platforms/discord/gateway/rest-reads.ts';
import type { Json } from '../../../../simulators/discord/json.ts';
import { ADA, BOT, FakeGuilds, DM, GENERAL, GUILD } from '../fake-guilds.ts';

const ROLE = '701000000000000001';
const ME = {
  id: BOT,
  role: (guild: string) => (guild === GUILD ? ROLE : undefined),
  mayConcern: () => true,
  acceptEdit: (id: string, editedAtMs: number) => edits.accept(id, editedAtMs),
};
const BY_BOT = { author: { id: BOT, username: 'Parley', bot: true } };
const NOW = 1_790_000_000_000;

let guilds: FakeGuilds;
let places: ChannelDirectory;
let edits: EditFilter;
let last: Json;
beforeEach(() => {
  edits = new EditFilter(() => NOW);
  guilds = new FakeGuilds();
  places = new ChannelDirectory(guilds.reads());
  guilds.onDispatch.add(({ d }) => (last = d));
});

/** The forwarded events, or the reason why the event is dropped. */
async function meaning(t: string, d: Json): Promise<readonly ChatEvent[] | string> {
  const read = parseGatewayEvent(t, d, ME, places, NOW);
  return read.kind === 'drop' ? read.reason : read.chatEvents(places);
}

const file = (filename: string): Json => ({
  id: '8',
  filename,
  size: 5,
  url: `https://cdn.discordapp.com/${filename}`,
});

/** The outcome of the last message. */
const created = () => meaning('MESSAGE_CREATE', last);

async function message() {
  const [first] = await created();
  if (typeof first !== 'object' || first.kind !== 'message') throw new Error('not a message');
  return first.message;
}

describe('a message', () => {
  test('that mentions the bot starts a conversation; without a mention it is ignored', async () => {
    const id = guilds.ask('what now?');
    expect(await message()).toMatchObject({
      thread: { platform: 'discord', workspace: GUILD, channel: GENERAL, root: id },
      id,
      author: ADA,
      text: 'what now?',
      addressed: 'mention',
    });
    guilds.post('what now?');
    expect(await message()).toMatchObject({ addressed: 'none' });
  });

  test('has no characters that SQS refuses', async () => {
    guilds.ask('one\uFFFE\uFFFF two', { attachments: [file('a\uFFFFb.txt')] });
    expect(await message()).toMatchObject({ text: 'one two', attachments: [{ name: 'ab.txt' }] });
  });

  test('has no file whose address is too long for a key', async () => {
    const long = { ...file('b.ogg'), url: `https://cdn.discordapp.com/${'ä'.repeat(450)}` };
    guilds.ask('what now?', { attachments: [file('a.ogg'), long] });
    expect(await message()).toMatchObject({ attachments: [{ name: 'a.ogg' }] });
  });

  test('that mentions the role of the bot mentions the bot; another role does not', async () => {
    guilds.post(`<@&${ROLE}> what now?`, { mention_roles: [ROLE] });
    expect(await message()).toMatchObject({ text: 'what now?', addressed: 'mention' });
    guilds.post('<@&702> what now?', { mention_roles: ['702'] });
    expect(await message()).toMatchObject({ addressed: 'none' });
  });

  test('in a thread of the bot is a question with or without a mention, and belongs to the thread', async () => {
    const root = guilds.ask('first');
    guilds.open(root);
    guilds.post('and then?', { channel_id: root });
    expect(await message()).toMatchObject({ thread: { channel: GENERAL, root }, addressed: 'if-member' });
  });

  test('by another bot or a webhook may start a conversation with a mention, but not continue one', async () => {
    const author = { id: '5', username: 'other', bot: true };
    const root = guilds.ask('what now?', { author, application_id: '55' });
    expect(await message()).toMatchObject({ addressed: 'mention', bot: ['5', '55'] });
    guilds.ask('what now?', { author: { id: '6' }, webhook_id: '6' });
    expect(await message()).toMatchObject({ author: '6', bot: ['6', '6'] });
    guilds.open(root);
    guilds.ask('and then?', { author, channel_id: root });
    expect(await created()).toBe('bot');
  });

  test('in a direct message needs no mention', async () => {
    guilds.post('what now?', { channel_id: DM });
    expect(await message()).toMatchObject({ thread: { workspace: '@me', root: DM }, addressed: 'direct' });
  });

  test.each([
    ['of the bot itself', BY_BOT, 'own'],
    ['of another bot without a mention', { author: { id: '5', bot: true }, mentions: [] }, 'bot'],
    [
      'of another bot in a direct message',
      { author: { id: '5', bot: true }, channel_id: DM, guild_id: null },
      'bot',
    ],
    ['of Discord itself', { author: { id: '5', system: true } }, 'kind'],
    ['about a pin', { type: 6 }, 'kind'],
    ['about a new thread', { type: 21 }, 'kind'],
    ['without an author', { author: null }, 'no-author'],
    ['whose content is hidden', { content: '', mentions: [] }, 'empty'],
  ])('%s is ignored', async (_, changes, reason) => {
    guilds.ask('what now?', changes);
    expect(await created()).toBe(reason);
  });

  test('with only a mention asks about the message it replies to; a reply without text is ignored', async () => {
    const plan = { id: '9', author: { id: ADA }, attachments: [file('a.png'), file('a.pdf')] };
    guilds.post(`<@${BOT}>`, { mentions: [{ id: BOT }], referenced_message: plan });
    expect(await message()).toMatchObject({
      text: '',
      attachments: [{ name: 'a.png' }],
      addressed: 'mention',
    });
    const forward = { ...plan, attachments: [], message_snapshots: [{ message: plan }] };
    guilds.post(`<@${BOT}>`, { mentions: [{ id: BOT }], referenced_message: forward });
    expect(await message()).toMatchObject({ attachments: [{ name: 'a.png' }] });
    guilds.post('', { mentions: [{ id: BOT }], sticker_items: [{}], referenced_message: plan });
    expect(await created()).toBe('empty');
  });

  test.each([null, 5, 'x', [], {}, { id: 'x' }, { id: '1' }])(
    'that is malformed is ignored: %j',
    async (d) => {
      expect(parseGatewayEvent('MESSAGE_CREATE', d, ME, places, NOW)).toEqual({
        kind: 'drop',
        reason: 'kind',
      });
    },
  );
});

/** An answer where the bot may not read: only its buttons name its conversation. */
const withoutReference = (root: string) => ({
  id: '9',
  ...BY_BOT,
  components: [
    { type: 1, components: [{ type: 2, custom_id: 'https://example.org' }] },
    { type: 1, components: [{ type: 2, custom_id: `press.regenerate|${root}|51` }] },
  ],
});

describe('a chain of replies', () => {
  test('is one conversation, whatever its length', async () => {
    const first = guilds.ask('first');
    let at = first;
    for (let i = 0; i < 8; i += 1) at = exchange(at, `and ${i}?`);
    expect(await message()).toMatchObject({ thread: { root: first }, addressed: 'if-member' });
  });

  test('is found without another request to Discord once it is known', async () => {
    const second = exchange(guilds.ask('first'), 'and then?');
    await created();
    const before = guilds.lookups.length;
    exchange(second, 'and now?');
    await created();
    expect(guilds.lookups).toHaveLength(before);
  });

  test('among people starts no conversation', async () => {
    const first = guilds.post('hello');
    guilds.post('hello yourself', { type: 19, referenced_message: { id: first, author: { id: '5' } } });
    expect(await message()).toMatchObject({ addressed: 'none' });
  });

  describe('to an answer without a message reference', () => {
    test('continues the conversation of its buttons, and sends no request', async () => {
      guilds.post('and then?', { type: 19, referenced_message: withoutReference('51') });
      expect((await message()).thread.root).toBe('51');
      expect(guilds.lookups).toEqual([`channel ${GENERAL}`]);
    });

    test.each([
      ['by the person who sent the command is theirs', `c${ADA}`, `c${ADA}`],
      ['by somebody else is not theirs', 'c55', undefined],
      ['to an ephemeral answer belongs to nobody', `p${ADA}`, undefined],
    ])('one %s', async (_, root, expected) => {
      const id = guilds.post('and then?', { type: 19, referenced_message: withoutReference(root) });
      expect((await message()).thread.root).toBe(expected ?? id);
    });

    test('by somebody else continues nothing', async () => {
      const forged = { ...withoutReference('51'), author: { id: '55', username: 'x', bot: true } };
      const id = guilds.ask('and then?', { type: 19, referenced_message: forged });
      expect((await message()).thread.root).toBe(id);
    });
  });

  test('to the response of a command continues the conversation of its sender; another starts a new one', async () => {
    const referenced = { id: '9', ...BY_BOT, interaction_metadata: { user: { id: ADA } } };
    guilds.post('and then?', { type: 19, referenced_message: referenced });
    expect((await message()).thread.root).toBe(`c${ADA}`);
    const id = guilds.post('and for me?', {
      type: 19,
      referenced_message: referenced,
      author: { id: '55', username: 'x' },
    });
    expect((await message()).thread.root).toBe(id);
  });
});

test('a message in a channel that the bot may not look up is accepted; a message without a channel is not', async () => {
  const reads = guilds.reads();
  places = new ChannelDirectory({ ...reads, channel: async () => FORBIDDEN });
  const id = guilds.ask('what now?');
  expect((await message()).thread.root).toBe(id);
  places = new ChannelDirectory({ ...reads, channel: async () => undefined });
  expect(await created()).toBe('out-of-sight');
});

describe('changes of messages', () => {
  test('an edit is recognized by its timestamp; an embed that Discord adds is not an edit', async () => {
    guilds.ask('what now?');
    const edited = { ...last, edited_timestamp: '2026-10-01T10:00:00.000000+00:00' };
    expect(await meaning('MESSAGE_UPDATE', edited)).toMatchObject([
      {
        kind: 'message-edited',
        at: String(Date.parse('2026-10-01T10:00:00Z')),
        message: { addressed: 'mention' },
      },
    ]);
    expect(await meaning('MESSAGE_UPDATE', last)).toBe('unchanged');
  });

  test('an edit that Discord sends again is not another edit: with a link preview, or when a thread is opened', async () => {
    guilds.ask('what now?');
    const edited = { ...last, edited_timestamp: '2026-10-01T10:00:00.766195+00:00' };
    expect(await meaning('MESSAGE_UPDATE', edited)).toMatchObject([{ kind: 'message-edited' }]);
    // Source: discord/discord-api-docs issue 8281. The time of the repeated edit has milliseconds only.
    const embeds = [{ type: 'link', url: 'https://example.com' }];
    const preview = { ...edited, edited_timestamp: '2026-10-01T10:00:00.766000+00:00', embeds };
    expect(await meaning('MESSAGE_UPDATE', preview)).toBe('unchanged');
    expect(await meaning('MESSAGE_UPDATE', { ...edited, flags: 32 })).toBe('unchanged');
    const oldEdit = { ...last, edited_timestamp: new Date(NOW - 30 * 60_000).toISOString() };
    expect(await meaning('MESSAGE_UPDATE', oldEdit)).toBe('unchanged');
  });

  test('one or many deletions are handled in any channel', async () => {
    const one = { id: '7', channel_id: GENERAL, guild_id: GUILD };
    expect(await meaning('MESSAGE_DELETE', one)).toMatchObject([deletionOf(GENERAL, '7', '7')]);
    const many = { ids: ['7', '8'], channel_id: GENERAL, guild_id: GUILD };
    expect(await meaning('MESSAGE_DELETE_BULK', many)).toMatchObject([
      deletionOf(GENERAL, '7', '7'),
      deletionOf(GENERAL, '8', '8'),
    ]);
    expect(await meaning('MESSAGE_DELETE', { id: '7', channel_id: DM })).toMatchObject([
      deletionOf(DM, DM, '7'),
    ]);
  });
});

/** An answer of the bot to a message, and a reply to it. */
function exchange(to: string, words: string): string {
  const reference = { message_id: to, channel_id: GENERAL };
  const answer = guilds.post('so it is', { ...BY_BOT, message_reference: reference });
  const referenced = { id: answer, ...BY_BOT, message_reference: reference };
  return guilds.post(words, {
    type: 19,
    message_reference: { message_id: answer, channel_id: GENERAL },
    referenced_message: referenced,
  });
}

const deletionOf = (channel: string, root: string, id: string) => ({
  kind: 'message-deleted',
  thread: { channel, root },
  message: id,
});
