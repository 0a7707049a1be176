import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { register } from '../../infra/cli/register.ts';
import { type LocalSystem, startLocal } from '../../infra/local/system.ts';
import { COMMANDS } from '../../shared/commands/command-list.ts';
import { readId, readList, readNumber, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA, DEFAULT_IDENTITY, type DiscordSimulator } from '../simulators/discord/index.ts';
import { recorderFromEnvironment } from '../simulators/recorder.ts';
import { closeWithoutSecrets } from './expect-no-secrets.ts';
import { eventually } from './relay-harness.ts';
import { dataFolder } from './harness.ts';
const FORUM = '301000000000000003';
const LOADING = 128;
const MANAGE_THREADS = 1n << 34n;
const folder = dataFolder();
let system: LocalSystem;
let discord: DiscordSimulator;

beforeAll(async () => {
  // People who may manage threads may write in locked ones.
  const guilds = DEFAULT_IDENTITY.guilds.map((guild) => ({ ...guild, denied: String(MANAGE_THREADS) }));
  const identity = { guilds };
  const shared = process.env['PARLEY_SHARED'];
  system = await startLocal({
    data: folder.path,
    port: 0,
    upstream: { paceMs: 0 },
    discord: { shared, identity, record: recorderFromEnvironment() },
  });
  const { simulator, gateway } = system.discord;
  if (!simulator || !gateway) throw new Error('Discord is real');
  discord = simulator;
  await eventually(() => gateway.connected === 1);
  const { applicationId, botToken, apiUrl } = discord;
  const env = { DISCORD_APPLICATION_ID: applicationId, DISCORD_BOT_TOKEN: botToken, DISCORD_API_URL: apiUrl };
  await register({ env, skipConfirmation: true, print: () => undefined, confirm: async () => true });
});
afterAll(async () => {
  await closeWithoutSecrets(folder.path, system);
  folder.remove();
});

/** The bot's messages in a channel, as this person sees them. */
const botMessages = (channel: string, as = ADA) =>
  discord.core
    .messages(channel, as)
    .filter((one) => readId(one, 'author', 'id') === discord.applicationId)
    .map((one) => ({ id: readId(one, 'id') ?? '', text: readString(one, 'content') ?? '', one }));

const answers = (channel: string) =>
  botMessages(channel).filter(({ one }) =>
    JSON.stringify(readList(one, 'components')).includes('press.regenerate'),
  );

const until = (channel: string, count: number) =>
  discord.core.until(() => {
    const replies = answers(channel);
    return replies.length >= count ? replies : undefined;
  });

const QUESTION = 'My name is Ada. What is 6 * 7?';
/** Resolves with a new thread of Ada's that has its first answer. */
async function startThread(): Promise<string> {
  const root = discord.core.say('ada', `@parley ${QUESTION}`);
  await until(root, 1);
  return root;
}

const prompts = (): string[] =>
  (system.upstream.simulator?.journal ?? []).map(({ body }) => JSON.stringify(body));

/** How the request to the models with this text has ended; undefined before there is one. */
const stateOfRequest = (words: string) =>
  system.upstream.simulator?.journal.find(({ body }) => JSON.stringify(body ?? '').includes(words))?.ended;

describe('messages that the relay receives', () => {
  test('a mention opens a thread named after the question, and is answered there once', async () => {
    const root = await startThread();
    expect(answers(root).at(-1)?.text).toContain('42');
    expect(discord.core.state.channels.get(root)?.name).toBe(QUESTION);
    expect(botMessages(root)).toHaveLength(1);
    expect(botMessages(discord.core.channel)).toEqual([]);
  });

  test('a follow-up in the thread needs no mention, and has the history', async () => {
    const root = await startThread();
    discord.core.say('ada', 'What is my name?', { channel: root });
    expect((await until(root, 2)).at(-1)?.text).toContain('Ada');
  });

  test('messages without a mention are ignored in a channel', async () => {
    discord.core.say('grace', 'my lunch is a pomegranate');
    const id = discord.core.say('grace', '@parley 2 + 2?');
    expect((await until(id, 1)).at(-1)?.text).toContain('4');
    expect(prompts().join()).not.toContain('pomegranate');
  });

  test('a DM needs no mention, and is one conversation', async () => {
    const dm = discord.core.dm('grace');
    discord.core.say('grace', 'My name is Grace. What is 1 + 1?', { channel: dm });
    await until(dm, 1);
    discord.core.say('grace', 'What is my name?', { channel: dm });
    expect((await until(dm, 2)).at(-1)?.text).toContain('Grace');
  });

  test('an edited question is answered again in place; a deleted question loses its answer', async () => {
    const root = await startThread();
    const id = discord.core.say('ada', '10 + 1?', { channel: root });
    const [answer] = (await until(root, 2)).slice(-1);
    expect(answer?.text).toContain('11');
    discord.core.edit('ada', id, '10 + 2?');
    await discord.core.until(() =>
      answers(root).find((one) => one.id === answer?.id && one.text.includes('12')),
    );
    discord.core.remove('ada', id);
    await discord.core.until(() =>
      botMessages(root).some((one) => one.id === answer?.id) ? undefined : true,
    );
    expect(answers(root)).toHaveLength(1);
  });

  test('the connection to the models is closed at once when a question is deleted before its first word', async () => {
    const root = await startThread();
    const id = discord.core.say('ada', 'Tell me of Turku. [[sim:late=60000]]', { channel: root });
    await eventually(() => stateOfRequest('of Turku') === 'open');
    discord.core.remove('ada', id);
    await eventually(() => stateOfRequest('of Turku') !== 'open');
    expect(stateOfRequest('of Turku')).toBe('gone');
  });

  test('a reply continues the conversation of the message it replies to', async () => {
    const root = await startThread();
    const last = answers(root).at(-1)?.id;
    discord.core.say('ada', 'What is my name, again?', { channel: root, replyTo: last });
    expect((await until(root, 2)).at(-1)?.text).toContain('Ada');
  });

  test('an archived thread is unarchived, and answered', async () => {
    const root = await startThread();
    discord.core.close(root, { archived: true });
    discord.core.say('ada', '3 * 3?', { channel: root });
    expect((await until(root, 2)).at(-1)?.text).toContain('9');
  });

  test('a forum post is answered in its thread', async () => {
    const post = discord.core.thread('grace', FORUM, 'Numbers', '@parley 3 + 4?');
    expect((await until(post, 1)).at(-1)?.text).toContain('7');
  });

  test('when the thread is locked meanwhile, the asker gets one direct message', async () => {
    const root = await startThread();
    discord.core.say('ada', 'Anything new? [[sim:late=1500]]', { channel: root });
    discord.core.close(root, { locked: true });
    const dm = discord.core.dm('ada');
    await discord.core.until(() => botMessages(dm).find(({ text }) => text.includes('locked')));
    const other = discord.core.say('ada', '@parley 5 + 5?');
    expect((await until(other, 1)).at(-1)?.text).toContain('10');
    expect(botMessages(dm)).toHaveLength(1);
    expect(answers(root)).toHaveLength(1);
  });

  test('a private question is only in prompts of its asker', async () => {
    const options = { question: 'My password is xyzzy. What is 1 + 2?', private: true };
    expect((await discord.slash('grace', undefined, 'ask', options)).acknowledged).toBe(true);
    await discord.core.until(() => (prompts().some((one) => one.includes('xyzzy')) ? true : undefined));
    const promptsBefore = prompts().length;
    const id = discord.core.say('ada', '@parley What was said here before?');
    await until(id, 1);
    expect(prompts().slice(promptsBefore).join()).not.toContain('xyzzy');
  });
});

describe('commands', () => {
  const optionsOfCommand: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    persona: { do: 'list' },
    model: {},
    settings: {},
    usage: {},
    quota: {},
    help: {},
  };

  test.each(Object.entries(optionsOfCommand))('/%s is answered to the requester', async (name, options) => {
    expect(COMMANDS.map((one) => one.name)).toContain(name);
    const before = new Set(botMessages(discord.core.channel).map(({ id }) => id));
    expect((await discord.slash('ada', undefined, name, options)).acknowledged).toBe(true);
    const answer = await discord.core.until(() =>
      botMessages(discord.core.channel).find(
        ({ id, one }) => !before.has(id) && ((readNumber(one, 'flags') ?? 0) & LOADING) === 0,
      ),
    );
    expect(readString(answer.one, 'content') || readList(answer.one, 'components').length > 0).toBeTruthy();
  });

  test('the message command Summarise is answered', async () => {
    const id = discord.core.say('grace', 'The meeting moved to Tuesday because the hall is being painted.');
    const before = new Set(botMessages(discord.core.channel).map((one) => one.id));
    expect((await discord.menu('ada', id, 'Summarise thread')).acknowledged).toBe(true);
    await discord.core.until(() =>
      botMessages(discord.core.channel).find(
        (one) => !before.has(one.id) && ((readNumber(one.one, 'flags') ?? 0) & LOADING) === 0,
      ),
    );
  });
});
