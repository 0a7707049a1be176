import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readId, readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA, type DiscordSimulator, GRACE } from '../simulators/discord/index.ts';
import { button as control, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';

let harness: DiscordHarness;
let discord: DiscordSimulator;

beforeAll(async () => {
  harness = await startDiscordHarness();
  discord = harness.discord();
});
afterAll(() => harness.close());

/** The bot's messages that a person sees in the channel, oldest first. */
const botMessages = (as: string) =>
  discord.core.messages(undefined, as).filter((one) => readId(one, 'author', 'id') === discord.applicationId);

/** The latest of them, once it has this text. */
const once = (as: string, words: RegExp) =>
  discord.core.until(() => botMessages(as).findLast((one) => words.test(JSON.stringify(one))));

const ids: Readonly<Record<string, string>> = { ada: ADA, grace: GRACE };

/** Sends a command, and resolves with the ephemeral response with this text. */
async function typed(
  name: string,
  command: string,
  options: Record<string, string | boolean>,
  words: RegExp,
) {
  const before = botMessages(ids[name] ?? '').length;
  const others = name === 'ada' ? GRACE : ADA;
  const theirs = botMessages(others).length;
  expect((await discord.slash(name, undefined, command, options)).acknowledged).toBe(true);
  // Also the thinking state is ephemeral.
  expect(botMessages(others)).toHaveLength(theirs);
  const answer = await discord.core.until(() =>
    botMessages(ids[name] ?? '')
      .slice(before)
      .find((one) => words.test(JSON.stringify(one))),
  );
  expect(botMessages(others).map((one) => readId(one, 'id'))).not.toContain(readId(answer, 'id'));
  return answer;
}

test.each<[string, Record<string, string | boolean>, RegExp]>([
  ['help', {}, /<\/settings:\d+>/u],
  ['settings', {}, /My settings/u],
  ['model', {}, /Models/u],
  ['persona', {}, /No persona is saved yet/u],
  ['schema', {}, /No form is saved yet/u],
  ['usage', {}, /./u],
  ['quota', {}, /./u],
  ['voice', {}, /./u],
  ['why', {}, /./u],
  ['forget', { what: 'me' }, /./u],
])('/%s gets an ephemeral response', async (command, options, words) => {
  expect(readId(await typed('grace', command, options, words), 'id')).toBeDefined();
});

test('the language setting applies to modals and to help, which names commands as the Discord client of the person does', async () => {
  await typed('grace', 'settings', { name: 'language', value: 'German' }, /Meine Einstellungen/u);
  await typed('grace', 'help', {}, /Einstellungen ansehen und ändern/u);
  await typed('grace', 'settings', {}, /`\/settings name value`/u);
  await typed('grace', 'help', { command: 'model' }, /Das Modell ansehen und wählen/u);
  const opened = await discord.slash('grace', undefined, 'persona', { do: 'save', name: 'squire' });
  expect(opened.acknowledged).toBe(true);
  const form = await discord.core.until(() => discord.core.state.interactions.get(opened.id)?.shown);
  expect(JSON.stringify(form)).toContain('Persona speichern');
  await typed('grace', 'settings', { name: 'language', value: 'reset' }, /My settings/u);
});

describe('a modal', () => {
  test('of a schema is saved, filled in by the model, edited, and posted with the name of the person', async () => {
    const opened = await discord.slash('ada', undefined, 'schema', { do: 'save', name: 'ticket' });
    const text = JSON.stringify({
      type: 'object',
      properties: { title: { type: 'string' }, urgent: { type: 'boolean' } },
      required: ['title'],
    });
    expect((await discord.submit('ada', opened.id, { text })).acknowledged).toBe(true);
    await once(ADA, /schema:ticket/u);
    const filled = await typed(
      'ada',
      'ask',
      { question: 'It is slow', schema: 'ticket' },
      /Only you see this/u,
    );
    const editing = await discord.press(
      'ada',
      readId(filled, 'id') ?? '',
      control(filled, 'schema.edit-form'),
    );
    expect(editing.acknowledged).toBe(true);
    const sent = await discord.submit('ada', editing.id, { f0: 'The page is slow', f1: 'true' });
    expect(sent.acknowledged).toBe(true);
    const edited = await once(ADA, /The page is slow/u);
    expect(botMessages(GRACE).some((one) => JSON.stringify(one).includes('The page is slow'))).toBe(false);
    await discord.press('ada', readId(edited, 'id') ?? '', control(edited, 'schema.send'));
    const message = await once(GRACE, /The page is slow/u);
    expect(JSON.stringify(message)).toContain(`<@${ADA}>`);
  });
});

test('/export sends a file that only the requester sees', async () => {
  const answer = await typed('ada', 'export', {}, /parley-person\.json/u);
  const [file] = readList(answer, 'attachments');
  const content = await (await fetch(readString(file, 'url') ?? '')).text();
  expect(content).toContain('SAVED#schema#ticket');
});

test('/usage csv:True says that a file comes, and sends it below', async () => {
  const card = await typed('ada', 'usage', { csv: true }, /Only you see the table/u);
  const message = await once(ADA, /usage-[\d-]+\.csv/u);
  expect(readId(message, 'id')).not.toBe(readId(card, 'id'));
});

test('autocomplete offers models with prices and saved presets, once a worker has fetched the model list', async () => {
  const choices = await discord.complete('ada', undefined, 'model', { model: 'model-a' }, 'model');
  expect(choices?.map(({ value }) => value)).toContain('model-a');
  expect(JSON.stringify(choices)).toMatch(/model-a · [\dK.]+ · \$/u);
  // And presets, which were saved above.
  const options = { question: 'Why?', schema: 'tick' };
  expect(await discord.complete('ada', undefined, 'ask', options, 'schema')).toMatchObject([
    { value: 'ticket' },
  ]);
});

/** Selects the user command Usage on another person, and resolves with the response with this text. */
const usageOf = async (who: string, recipient: string, words: RegExp) => {
  const before = botMessages(ids[who] ?? '').length;
  expect((await discord.personMenu(who, recipient, undefined, 'Usage')).acknowledged).toBe(true);
  return discord.core.until(() =>
    botMessages(ids[who] ?? '')
      .slice(before)
      .find((one) => words.test(JSON.stringify(one))),
  );
};

test('the user command Usage shows one’s own usage, and that of others to people who manage the guild', async () => {
  expect(readId(await usageOf('ada', 'grace', new RegExp(`-# <@${GRACE}>`, 'u')), 'id')).toBeDefined();
  expect(JSON.stringify(await usageOf('grace', 'ada', /Only admins can/u))).not.toContain('$');
});

describe('permissions', () => {
  test('only people who manage the guild change settings; others get an ephemeral refusal', async () => {
    const wanted = { name: 'effort', value: 'high', for: 'workspace' };
    await typed('grace', 'settings', wanted, /Only admins can/u);
    await typed('ada', 'settings', wanted, /High \(the server\)/u);
    expect(JSON.stringify(await typed('grace', 'settings', {}, /effort/u))).toContain('High (the server)');
  });

  test('a question of a person who may not ask is refused with an ephemeral message', async () => {
    await typed('ada', 'settings', { name: 'allowed', value: `<@${ADA}>`, for: 'workspace' }, /allowed/u);
    const before = botMessages(ADA).length;
    await typed('grace', 'ask', { question: 'What is a fjord?' }, /Only some people may use me/u);
    expect(botMessages(ADA)).toHaveLength(before);
    await typed('ada', 'settings', { name: 'allowed', value: 'reset', for: 'workspace' }, /Settings/u);
  });
});

test('memory and knowledge work here as in Slack: the modal shows the fact, answers have it, and passages are cited', async () => {
  await typed('ada', 'settings', { name: 'memory', value: 'on', for: 'workspace' }, /Memory/u);
  await typed('ada', 'memory', { do: 'on' }, /Memory is on/u);
  const list = await typed('ada', 'memory', { do: 'add', text: 'I am in Lisbon' }, /I remember this/u);
  const editing = await discord.press('ada', readId(list, 'id') ?? '', control(list, 'memory.edit-form'));
  expect(JSON.stringify(discord.core.state.interactions.get(editing.id)?.shown)).toContain('I am in Lisbon');
  expect((await discord.submit('ada', editing.id, { text: 'I am in Porto' })).acknowledged).toBe(true);
  await once(ADA, /I am in Porto/u);
  const question = 'What do you know about me?';
  await typed('ada', 'ask', { question, private: true }, /I am in Porto/u);

  await typed('ada', 'settings', { name: 'tools', value: 'knowledge', for: 'channel' }, /knowledge/u);
  const message = discord.core.say('grace', 'The harbour opens at six.');
  expect((await discord.menu('ada', message, 'Add to knowledge')).acknowledged).toBe(true);
  await once(ADA, /is added: one passage/u);
  const search = '[[sim:tool=search_knowledge]] When does the harbour open?';
  const answer = await typed('ada', 'ask', { question: search, private: true }, /\[1\]/u);
  expect(JSON.stringify(answer)).toContain(`/${message}`);
});
