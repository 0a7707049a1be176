import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readId } from '../../shared/platforms/discord/api/json-path.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { recordSentMessages, type SentMessage } from './erasure-traces.ts';
import { botMessages, queuesAreEmpty, messagesIn } from './harness.ts';

/** Cards of `imagine`: their prompt can be changed, they obey the budgets, and repeated deliveries change nothing. */
let harness: DiscordHarness;
let sent: readonly SentMessage[] = [];

beforeAll(async () => {
  harness = await startDiscordHarness({
    variables: {
      // The video is above the budget.
      VIDEO_MODELS: 'text-to-image=model-a-image::0.04, text-to-video=model-a-film::50',
      VIDEO_LIMIT: '600/60',
      ACCOUNTS: 'on',
      DEPLOYMENT_BUDGET: '$20/day',
    },
  });
  sent = recordSentMessages(harness.journey().system);
  harness.journey().upstream.control.change({ queueMs: 0, runMs: 100 });
});
afterAll(() => harness.close());

const upstream = () => harness.journey().upstream;
const submissions = (): unknown[] =>
  upstream().journal.flatMap(({ path, body }) => (/\/text-to-(?:image|video)$/u.test(path) ? [body] : []));
const mediaCount = (): number => upstream().meter.filter(({ kind }) => kind !== 'chat').length;

/** Delivers every task from `first` on again, as SQS may do. */
async function redeliver(first: number): Promise<void> {
  const { system } = harness.journey();
  await queuesAreEmpty(system);
  for (const [nth, { queue, message }] of sent.slice(first).entries())
    system.emulator.queues.send(queue, { ...message, dedup: `again-${first}-${nth}` });
  await queuesAreEmpty(system);
}

const says = ({ text, blocks }: Message, words: RegExp): boolean =>
  words.test(JSON.stringify([text, blocks]));
const slackCard = (thread: string, words: RegExp): Promise<Message> => {
  const { slack } = harness.journey();
  return slack.core.until(() => botMessages(slack, thread).findLast((one) => says(one, words)));
};
/** Types `imagine`. Resolves with the thread that it starts. */
const imagineInSlack = async (words: string): Promise<string> => {
  const { slack } = harness.journey();
  const before = messagesIn(harness.journey().slack).length;
  await slack.command('ada', `/parley imagine ${words}`);
  const started = await slack.core.until(() =>
    messagesIn(harness.journey().slack)
      .slice(before)
      .find((one) => says(one, /requested a/u)),
  );
  return started.ts;
};
const countRoots = (): number =>
  messagesIn(harness.journey().slack).filter((one) => says(one, /requested a picture/u)).length;

describe('in Slack', () => {
  test('“Change prompt” on the card makes the picture of the new words', async () => {
    const { slack } = harness.journey();
    const thread = await imagineInSlack('A red boat.');
    const card = await slackCard(thread, /A picture could be made/u);
    await slack.press('ada', card.ts, 'Change prompt');
    const form = await slack.core.until(() =>
      [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'),
    );
    expect(JSON.stringify(form)).toMatch(/Edit.*Description \(about \$0\.04\).*A red boat\./su);
    await slack.submit('ada', { prompt: 'A green boat.' });
    await slackCard(thread, /A picture was made/u);
    expect(submissions()).toMatchObject([{ input: { prompt: 'A green boat.' } }]);
  });

  test('tasks that are delivered twice show one card and make one picture', async () => {
    const { slack } = harness.journey();
    const [first, before] = [sent.length, mediaCount()];
    const rootsBefore = countRoots();
    const thread = await imagineInSlack('A boat of paper.');
    await slackCard(thread, /A picture could be made/u);
    await redeliver(first);
    const card = await slackCard(thread, /A picture could be made/u);
    await slack.press('ada', card.ts, 'Make it (about $0.04)');
    await slackCard(thread, /A picture was made/u);
    await redeliver(first);
    expect(countRoots() - rootsBefore).toBe(1);
    expect(botMessages(slack, thread).filter((one) => says(one, /A picture /u))).toHaveLength(1);
    expect(botMessages(slack, thread).filter(({ files }) => files !== undefined)).toHaveLength(1);
    expect(mediaCount() - before).toBe(1);
  });

  test('a video above the budget is refused with the reason, and nothing is submitted', async () => {
    const { slack } = harness.journey();
    const before = mediaCount();
    const thread = await imagineInSlack('Waves. video:yes');
    const card = await slackCard(thread, /A video could be made.*about \$50/su);
    await slack.press('ada', card.ts, 'Make it (about $50.00)');
    await slack.core.until(() =>
      messagesIn(harness.journey().slack).find(
        (one) => one.ephemeralTo !== undefined && says(one, /budget/u),
      ),
    );
    expect(mediaCount()).toBe(before);
  });
});

/** Calls /imagine. Resolves with the thread that it starts. */
const imagineInDiscord = async (options: Record<string, string | boolean>): Promise<string> => {
  const before = harness.visibleMessages(ADA).length;
  await harness.discord().slash('ada', undefined, 'imagine', options);
  const { id } = await harness.discord().core.until(() =>
    harness
      .visibleMessages(ADA)
      .slice(before)
      .find(({ one }) => /requested a/u.test(JSON.stringify(one))),
  );
  return id;
};
const discordCard = async (thread: string, words: RegExp) => (await harness.once(ADA, words, thread)).one;
const pressInDiscord = (card: unknown, name: string) =>
  harness.discord().press('ada', readId(card, 'id') ?? '', button(card, name));

describe('in Discord', () => {
  test('“Change prompt” on the card makes the picture of the new words', async () => {
    const discord = harness.discord();
    const thread = await imagineInDiscord({ prompt: 'A blue boat.' });
    const outcome = await pressInDiscord(
      await discordCard(thread, /A picture could be made/u),
      'video.change-form',
    );
    const form = await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    expect(JSON.stringify(form)).toMatch(/Edit.*Description \(about \$0\.04\).*A blue boat\./su);
    await discord.submit('ada', outcome.id, { prompt: 'A white boat.' });
    await discordCard(thread, /A picture was made/u);
    expect(submissions().at(-1)).toMatchObject({ input: { prompt: 'A white boat.' } });
  });

  test('tasks that are delivered twice show one card and make one picture', async () => {
    const [first, before] = [sent.length, mediaCount()];
    const thread = await imagineInDiscord({ prompt: 'A boat of glass.' });
    await discordCard(thread, /A picture could be made/u);
    await redeliver(first);
    await pressInDiscord(await discordCard(thread, /A picture could be made/u), 'video.make');
    await discordCard(thread, /A picture was made/u);
    await redeliver(first);
    const contents = harness.visibleMessages(ADA, thread).map(({ one }) => JSON.stringify(one));
    expect(contents.filter((one) => /A picture (?:was|could|is)/u.test(one))).toHaveLength(1);
    expect(contents.filter((one) => one.includes('"filename":"picture-'))).toHaveLength(1);
    expect(mediaCount() - before).toBe(1);
  });

  test('a video above the budget is refused with the reason, and nothing is submitted', async () => {
    const before = mediaCount();
    const thread = await imagineInDiscord({ prompt: 'Waves.', video: true });
    await pressInDiscord(await discordCard(thread, /A video could be made.*about \$50/su), 'video.make');
    await harness.once(ADA, /budget/u, thread);
    expect(mediaCount()).toBe(before);
  });
});
