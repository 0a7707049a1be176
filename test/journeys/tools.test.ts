import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { findTraces, tableTexts } from './erasure-traces.ts';
import { botMessages, queuesAreEmpty } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ relay: false });
});
afterAll(() => harness.close());

/** The finished answer in a thread, once its blocks pass. */
const finished = (thread: string, passes: (blocks: string) => boolean = () => true) => {
  const { slack } = harness.journey();
  return slack.core.until(() => {
    const answer = botMessages(slack, thread).at(-1);
    const blocks = JSON.stringify(answer?.blocks ?? []);
    return answer && blocks.includes('parley:regenerate') && passes(blocks)
      ? { ts: answer.ts, blocks }
      : undefined;
  });
};

/** What a person was told for them alone, once it has this text. */
const ephemeralMessage = (words: RegExp) => {
  const { slack } = harness.journey();
  return slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
      (one) => one.ephemeralTo !== undefined && words.test(JSON.stringify([one.text, one.blocks])),
    ),
  );
};

/** The simulated model calls the tool with the question, and repeats the result, which begins with “[1]”. */
const ASK = '[[sim:tool=web_search]] moss gardens';
const LINK = 'https://news.example.com/moss%20gardens?page=1';

test('in Slack: off until an administrator turns it on; the sources that an answer cites are links, also after Regenerate', async () => {
  const { slack, system } = harness.journey();
  const before = await slack.say('ada', `@parley ${ASK}`);
  expect((await finished(before)).blocks).not.toContain('example.com');
  expect(system.upstream.search?.queries).toEqual([]);

  await slack.command('ada', '/parley settings tools search for:workspace');
  await ephemeralMessage(/search/u);
  const thread = await slack.say('ada', `@parley ${ASK}`);
  const answer = await finished(thread, (blocks) => blocks.includes('mrkdwn'));
  expect(answer.blocks).toContain(
    `[1] <${LINK}|moss gardens & more (1)> · news.example.com`.replace('&', '&amp;'),
  );
  expect(system.upstream.search?.queries).toEqual(['moss gardens']);
  await slack.press('ada', answer.ts, 'Regenerate');
  await slack.core.until(() => (system.upstream.search?.queries.length === 2 ? true : undefined));
  expect((await finished(thread, (blocks) => blocks.includes('mrkdwn'))).blocks).toContain(LINK);
});

test('in Discord: the same, with links that show no preview', async () => {
  const discord = harness.discord();
  await discord.slash('ada', GENERAL, 'settings', { name: 'tools', value: 'search', for: 'workspace' });
  await harness.once(ADA, /search/u);
  await discord.slash('ada', GENERAL, 'ask', { question: ASK });
  const [answer] = await harness.answers(ADA, 1);
  expect(answer?.text).toContain(`-# [1] [moss gardens & more (1)](<${LINK}>) · news.example.com`);
});

test('in Slack: a call that the maximum length of an answer cut does not run, and the answer says what to change', async () => {
  const { slack, system } = harness.journey();
  await slack.command('ada', '/parley settings maxTokens 16 for:channel');
  await ephemeralMessage(/maxTokens.*16/u);
  const before = [...(system.upstream.search?.queries ?? [])];
  const words = Array.from({ length: 40 }, (_, at) => `moss${at}`).join(' ');
  const thread = await slack.say('ada', `@parley [[sim:tool=web_search]] [[sim:reasoning=0]] ${words}`);
  const cut = await finished(thread, (blocks) => blocks.includes('maximum length'));
  expect(cut.blocks).toContain('before it wrote an answer');
  expect(cut.blocks).not.toContain('parley:continue');
  expect(system.upstream.search?.queries).toEqual(before);
  await slack.command('ada', '/parley settings maxTokens reset for:channel');
  await ephemeralMessage(/maxTokens.*(?:reset|default)/u);
});

test('in Slack: messages of public channels are found for the asker and cited; the token of the event stays nowhere', async () => {
  const { slack, system } = harness.journey();
  const tokens: string[] = [];
  const stop = slack.core.onEvent(({ event }) => {
    const [, token] = /"action_token":"([^"]+)"/u.exec(JSON.stringify(event)) ?? [];
    if (token !== undefined) tokens.push(token);
  });
  const note = await slack.say('grace', 'The zebra invoice goes to the north office.');
  const lab = [...slack.core.state.channels.values()].find(({ name }) => name === 'lab')?.id ?? '';
  await slack.say('grace', 'The zebra secret goes nowhere.', { channel: lab });
  await slack.command('ada', '/parley settings tools messages for:workspace');
  await ephemeralMessage(/messages \(the workspace\)/u);
  const thread = await slack.say('ada', '@parley [[sim:tool=search_messages]] zebra');
  const answer = await finished(thread, (blocks) => blocks.includes('archives'));
  const link = `https://parley.slack.com/archives/${slack.channel}/p${note.replace('.', '')}`;
  expect(answer.blocks).toContain(`[1] <${link}|general · 20`);
  const prompts = JSON.stringify(harness.journey().upstream.journal);
  expect(prompts).toContain('Grace Hopper:\\nThe zebra invoice goes to the north office.');
  expect(prompts).not.toContain('The zebra secret');
  stop();
  await queuesAreEmpty(system);
  expect(tokens.length).toBeGreaterThan(0);
  expect(await findTraces(system, harness.folder, tokens)).toEqual([]);
});

test('in Discord: messages of channels that everybody may read are found, after the index is ready', async () => {
  const discord = harness.discord();
  discord.core.say('grace', 'The zebra invoice goes to the north office.');
  await discord.slash('ada', GENERAL, 'settings', { name: 'tools', value: 'messages', for: 'workspace' });
  await harness.once(ADA, /messages \(the /u);
  await discord.slash('ada', GENERAL, 'ask', { question: '[[sim:tool=search_messages]] zebra' });
  // Sources are below the complete answer, not below a part of it.
  const answer = await harness.once(ADA, /north office[^]*\[1\] \[general · 20/u);
  expect(answer.text).toMatch(
    /\[1\] \[general · 20[\d-]+\]\(<https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+>\)/u,
  );
});

test('in Slack: a page and a message of a channel are found and cited there only, and go with their message', async () => {
  const { slack, system } = harness.journey();
  const handbook = system.toolServers?.handbookUrl ?? '';
  const ask = (words: string) => slack.say('ada', `@parley [[sim:tool=search_knowledge]] ${words}`);
  await slack.command('ada', `/parley knowledge add ${handbook}`);
  await ephemeralMessage(/Knowledge is off for you here/u);
  await slack.command('ada', '/parley settings tools knowledge for:workspace');
  await ephemeralMessage(/Settings of the workspace.*knowledge/u);
  await slack.command('ada', `/parley knowledge add ${handbook}`);
  await ephemeralMessage(/“Team handbook.*is added/u);
  const note = await slack.say('grace', 'The door code changes on Mondays.');
  await slack.shortcut('ada', 'more-actions', note);
  await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
  await slack.submit('ada', { action: 'knowledge' });
  await ephemeralMessage(/“The door code changes on Mondays.” is added/u);

  const leave = await finished(await ask('parental leave'));
  expect(leave.blocks).toContain(`[1] <${handbook}|Team handbook &amp; rules>`);
  const door = await ask('door code');
  expect((await finished(door)).blocks).toContain('The door code changes on Mondays.');
  const before = harness.journey().upstream.journal.length;
  slack.core.remove(slack.users.find(({ name }) => name === 'grace')?.id ?? '', slack.channel, note);
  await queuesAreEmpty(system);
  const after = await finished(await ask('door code'));
  expect(after.blocks).not.toContain('Mondays');
  expect(JSON.stringify(harness.journey().upstream.journal.slice(before))).not.toContain(
    'The door code changes',
  );
});

test('an MCP server: added with a sign-in, asked for, decided on a card, run once, in why and in the log, and gone after forget me', async () => {
  const { slack, system } = harness.journey();
  const { toolServers: servers } = system;
  if (!servers) throw new Error('there are no simulated servers');
  const ada = slack.users.find(({ name }) => name === 'ada')?.id;
  const all = () => [...slack.core.state.messages.values()].flatMap((messages) => [...messages.values()]);
  /** The newest text with these words that only Ada sees, after an act. */
  const noticeAfter = async (words: RegExp, act: () => Promise<unknown>): Promise<string> => {
    const before = new Set(all());
    await act();
    return slack.core.until(() =>
      all()
        .filter((one) => !before.has(one) && one.ephemeralTo === ada)
        .map((one) => JSON.stringify(one.blocks ?? one.text))
        .findLast((text) => words.test(text)),
    );
  };
  const command = (text: string, words: RegExp) =>
    noticeAfter(words, () => slack.command('ada', `/parley ${text}`));

  const card = await command(`tools add ${servers.trackerUrl} person name:tracker`, /open the page/u);
  const [, link = ''] = /(http[^|>)"\\]+\/authorize[^|>)"\\]+)/u.exec(card) ?? [];
  const landed = await (await fetch(link.replaceAll('&amp;', '&'))).text();
  const [, code = ''] = /Your code: ([^<]+)</u.exec(landed) ?? [];
  await slack.core.until(() => all().find(({ text }) => text.includes('type the code from the page')));
  await command(`tools confirm ${code}`, /You are signed in at tracker/u);
  await command('tools use tracker all', /asks the person first/u);
  await command('tools on tracker for:workspace', /on here/u);

  const question = await slack.say(
    'ada',
    '@parley [[sim:tool=tracker__create_issue]] Paint the canary-fence',
  );
  const proposed = await slack.core.until(() =>
    botMessages(slack, question).find(({ blocks }) => JSON.stringify(blocks).includes('tools.run')),
  );
  const answer = await slack.core.until(() =>
    botMessages(slack, question).find(({ blocks }) => JSON.stringify(blocks).includes('parley:regenerate')),
  );
  expect(servers.issues).toEqual([]);
  await slack.press('ada', proposed.ts, 'Run');
  await slack.core.until(() =>
    botMessages(slack, question).find(({ blocks }) => JSON.stringify(blocks).includes('Created ISS-1.')),
  );
  expect(servers.issues).toEqual([expect.objectContaining({ title: 'Paint the canary-fence' })]);
  const why = await noticeAfter(/tracker__create_issue/u, async () => {
    await slack.shortcut('ada', 'more-actions', answer.ts);
    await slack.core.until(() =>
      [...slack.core.state.views.values()].find(({ view }) => JSON.stringify(view).includes('forget')),
    );
    await slack.submit('ada', { action: 'why' });
  });
  expect(why).toContain('shown on a card');
  expect(await command('tools log', /create_issue/u)).toMatch(/tracker: create_issue, [\d.]+ s, done/u);

  // The operator's page counts the card, and the call of its button.
  const page = await fetch(`${system.local.api}/dashboard`, { redirect: 'manual' });
  const data: unknown = await (await fetch(new URL('/data', page.headers.get('location') ?? ''))).json();
  expect(data).toMatchObject({
    tools: expect.arrayContaining([
      expect.objectContaining({ tool: 'tracker__create_issue', calls: 1, failed: 0, proposed: 1 }),
      expect.objectContaining({ source: 'search', tool: 'web_search', failed: 0 }),
    ]),
  });

  expect(await findTraces(system, harness.folder, ['canary-fence'])).not.toEqual([]);
  const keys = async () => (await tableTexts(system)).filter((text) => text.includes('TOOLKEY#'));
  expect(await keys()).toHaveLength(1);
  await command('forget me', /Everything about me/u);
  const choice = all().findLast(
    (one) => one.ephemeralTo === ada && JSON.stringify(one.blocks).includes('Everything about me'),
  );
  await noticeAfter(/Done/u, () => slack.press('ada', choice?.ts ?? '', 'Everything about me'));
  await queuesAreEmpty(system);
  expect(await findTraces(system, harness.folder, ['canary-fence'])).toEqual([]);
  expect(await keys()).toEqual([]);
});
