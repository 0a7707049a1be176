import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ relay: false });
});
afterAll(() => harness.close());

/** The simulated model calls the tool with the question, and repeats the result, which begins with “[1]”. */
const ASK = '[[sim:tool=web_search]] moss gardens';
const LINK = 'https://news.example.com/moss%20gardens?page=1';

test('in Slack: off until an administrator turns it on; the sources that an answer cites are links, also after Regenerate', async () => {
  const { slack, system } = harness.journey();
  const finished = (thread: string, passes: (blocks: string) => boolean) =>
    slack.core.until(() => {
      const answer = botMessages(slack, thread).at(-1);
      const blocks = JSON.stringify(answer?.blocks ?? []);
      return answer && blocks.includes('parley:regenerate') && passes(blocks)
        ? { ts: answer.ts, blocks }
        : undefined;
    });
  const before = await slack.say('ada', `@parley ${ASK}`);
  expect((await finished(before, () => true)).blocks).not.toContain('example.com');
  expect(system.upstream.search?.queries).toEqual([]);

  await slack.command('ada', '/parley settings tools search for:workspace');
  await slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
      ({ ephemeralTo }) => ephemeralTo,
    ),
  );
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
