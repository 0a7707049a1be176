import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readId, readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { clipBytes } from '../simulators/upstream/vision/clip.ts';
import { paintingBytes } from '../simulators/upstream/vision/painting.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages, messagesIn } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({
    variables: {
      VIDEO_MODELS: [
        'text-to-image=model-a-image::0.04',
        'edit=model-a-edit:image_url:0.05',
        'text-to-video=model-a-film::0.5',
        // Above the budget.
        'edit=model-b-edit::50',
      ].join(', '),
      VIDEO_LIMIT: '600/60',
      ACCOUNTS: 'on',
      DEPLOYMENT_BUDGET: '$20/day',
    },
  });
});
afterAll(() => harness.close());

const content = Buffer.from(PICTURES.png, 'base64');
const upstream = () => harness.journey().upstream;
const service = (runMs: number): void => void upstream().control.change({ queueMs: 0, runMs });
const mediaCount = (kind: 'picture' | 'video') => upstream().meter.filter((one) => one.kind === kind).length;
const inputOf = (operation: string): unknown =>
  upstream().journal.findLast(({ path }) => path.endsWith(`/${operation}`))?.body;
const paintingOf = (input: object): Buffer => paintingBytes(JSON.stringify(input));

const cardSays = (thread: string, words: RegExp): Promise<Message> =>
  harness
    .journey()
    .slack.core.until(() =>
      botMessages(harness.journey().slack, thread).findLast(({ blocks }) =>
        words.test(JSON.stringify(blocks ?? [])),
      ),
    );
const toldAda = (words: RegExp, after = '0'): Promise<Message> =>
  harness
    .journey()
    .slack.core.until(() =>
      messagesIn(harness.journey().slack).findLast(
        (one) =>
          one.ephemeralTo !== undefined &&
          Number(one.ts) > Number(after) &&
          words.test(JSON.stringify([one.text, one.blocks])),
      ),
    );
const slackFile = async (thread: string): Promise<Buffer> => {
  const { slack } = harness.journey();
  const posted = await slack.core.until(() =>
    botMessages(slack, thread).find(({ files }) => files !== undefined),
  );
  return Buffer.from(slack.core.state.files.get(posted.files?.[0] ?? '')?.content ?? '', 'base64');
};

/** Types `imagine`. Resolves with the thread that it starts, and the card with the price. */
async function imagineInSlack(words: string, title: RegExp): Promise<{ thread: string; card: Message }> {
  const { slack } = harness.journey();
  const before = messagesIn(harness.journey().slack).length;
  await slack.command('ada', `/parley imagine ${words}`);
  const { ts: thread } = await slack.core.until(() =>
    messagesIn(harness.journey().slack)
      .slice(before)
      .find((one) => /requested a/u.test(JSON.stringify([one.text, one.blocks]))),
  );
  return { thread, card: await cardSays(thread, title) };
}

describe('in Slack', () => {
  test('`imagine` shows the price first, then makes one picture of the words, though the button is pressed twice', async () => {
    service(200);
    const { slack } = harness.journey();
    const before = mediaCount('picture');
    const { thread, card } = await imagineInSlack('A red boat.', /A picture could be made.*about \$0\.04/su);
    expect(mediaCount('picture')).toBe(before);
    await Promise.all([
      slack.press('ada', card.ts, 'Make it (about $0.04)'),
      slack.press('ada', card.ts, 'Make it (about $0.04)'),
    ]);
    const file = await slackFile(thread);
    expect(file.equals(paintingOf({ prompt: 'A red boat.' }))).toBe(true);
    await cardSays(thread, /A picture was made/u);
    expect(mediaCount('picture') - before).toBe(1);
    expect(inputOf('text-to-image')).toMatchObject({ input: { prompt: 'A red boat.' } });
    expect(botMessages(slack, thread).filter(({ files }) => files !== undefined)).toHaveLength(1);
  });

  test('“Edit this picture” in “More actions” shows the price, takes a prompt and posts the edited picture', async () => {
    service(200);
    const { slack } = harness.journey();
    const thread = await slack.say('ada', 'Look at this.', { files: [{ name: 'sea.png', content }] });
    await slack.shortcut('ada', 'more-actions', thread);
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('ada', { action: 'edit-form' });
    const card = await toldAda(/A picture could be made.*about \$0\.05/su, thread);
    await slack.press('ada', card.ts, 'Change prompt');
    const form = await slack.core.until(() =>
      [...slack.core.state.views.values()].find(({ view }) => JSON.stringify(view).includes('"Edit"')),
    );
    expect(JSON.stringify(form)).toContain('about $0.05');
    await slack.submit('ada', { prompt: 'Make it night.' });
    const file = await slackFile(thread);
    await cardSays(thread, /A picture was made/u);
    const body = inputOf('edit');
    expect(body).toMatchObject({ input: { prompt: 'Make it night.', image_url: /\/inputs\// } });
    expect(file.subarray(1, 4).toString()).toBe('PNG');
  });

  test('a video of words is made for the price on its card', async () => {
    service(200);
    const { slack } = harness.journey();
    const before = mediaCount('video');
    const { thread, card } = await imagineInSlack(
      'Waves. video:yes',
      /A video could be made.*model-a-film.*about \$0\.5/su,
    );
    await slack.press('ada', card.ts, 'Make it (about $0.50)');
    expect((await slackFile(thread)).equals(clipBytes())).toBe(true);
    expect(mediaCount('video') - before).toBe(1);
  });

  test('a picture that is cancelled is cancelled at the service, and costs nothing', async () => {
    service(60_000);
    const { slack } = harness.journey();
    const { thread, card } = await imagineInSlack('A cancelled boat.', /A picture could be made/u);
    await slack.press('ada', card.ts, 'Make it (about $0.04)');
    const submitted = await cardSays(thread, /A picture was submitted/u);
    await slack.press('ada', submitted.ts, 'Cancel');
    await cardSays(thread, /The picture was cancelled/u);
    expect(upstream().journal.some(({ path }) => path.endsWith('/cancel'))).toBe(true);
    expect(botMessages(slack, thread).some(({ files }) => files !== undefined)).toBe(false);
  });

  test('a failure of the service is shown with its reason', async () => {
    service(200);
    const { slack } = harness.journey();
    const { thread, card } = await imagineInSlack(
      '[[sim:fail=Too dark.]] A boat.',
      /A picture could be made/u,
    );
    await slack.press('ada', card.ts, 'Make it (about $0.04)');
    const failed = await cardSays(thread, /The picture failed/u);
    expect(JSON.stringify(failed.blocks)).toContain('The picture service says: Too dark.');
  });
});

const discordFile = async (channel: string | undefined): Promise<Buffer> => {
  const posted = await harness.once(ADA, /"filename":"(?:picture|video)-/u, channel);
  const [file] = readList(posted.one, 'attachments');
  return Buffer.from(await (await fetch(readString(file, 'url') ?? '')).arrayBuffer());
};
const buttonId = (card: unknown, name: string): string =>
  new RegExp(`"custom_id":"(${name.replace('.', '\\.')}[^"]*)"`, 'u').exec(JSON.stringify(card))?.[1] ?? '';

/** Calls /imagine. Resolves with the thread that it starts, and the card with the price. */
async function imagineInDiscord(options: Record<string, string | boolean>, title: RegExp) {
  const discord = harness.discord();
  const before = harness.visibleMessages(ADA).length;
  await discord.slash('ada', undefined, 'imagine', options);
  const card = await discord.core.until(() =>
    harness
      .visibleMessages(ADA)
      .slice(before)
      .find(({ one }) => /requested a/u.test(JSON.stringify(one))),
  );
  return { thread: card.id, card: (await harness.once(ADA, title, card.id)).one };
}

describe('in Discord', () => {
  test('/imagine shows the price first, then makes one picture of the words, though the button is pressed twice', async () => {
    service(200);
    const discord = harness.discord();
    const before = mediaCount('picture');
    const { thread, card } = await imagineInDiscord(
      { prompt: 'A blue boat.' },
      /A picture could be made.*about \$0\.04/su,
    );
    expect(mediaCount('picture')).toBe(before);
    const [id, make] = [readId(card, 'id') ?? '', buttonId(card, 'video.make')];
    await Promise.all([discord.press('ada', id, make), discord.press('ada', id, make)]);
    expect((await discordFile(thread)).equals(paintingOf({ prompt: 'A blue boat.' }))).toBe(true);
    await harness.once(ADA, /A picture was made/u, thread);
    expect(mediaCount('picture') - before).toBe(1);
  });

  test('“Edit this picture” opens a modal with the price, and posts the edited picture', async () => {
    service(200);
    const discord = harness.discord();
    const files = [{ name: 'sea.png', content, contentType: 'image/png' }];
    const message = discord.say('ada', undefined, 'Look at this.', { files });
    const outcome = await discord.menu('ada', message, 'Edit this picture');
    const form = await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    expect(JSON.stringify(form)).toContain('about $0.05');
    const before = mediaCount('picture');
    await discord.submit('ada', outcome.id, { prompt: 'Make it night.', model: 'model-a-edit' });
    expect((await discordFile(message)).subarray(1, 4).toString()).toBe('PNG');
    await harness.once(ADA, /A picture was made/u, message);
    expect(mediaCount('picture') - before).toBe(1);
    expect(JSON.stringify(inputOf('edit'))).not.toContain(discord.apiUrl);
  });

  test('a picture above the budget is refused with the reason, and nothing is submitted', async () => {
    const discord = harness.discord();
    const files = [{ name: 'sea.png', content, contentType: 'image/png' }];
    const message = discord.say('ada', undefined, 'Too dear.', { files });
    const outcome = await discord.menu('ada', message, 'Edit this picture');
    await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    const before = mediaCount('picture');
    await discord.submit('ada', outcome.id, { prompt: 'Make it gold.', model: 'model-b-edit' });
    await harness.once(ADA, /budget/u);
    expect(mediaCount('picture')).toBe(before);
  });

  test('a video of words is made, and one that is cancelled costs nothing', async () => {
    service(200);
    const discord = harness.discord();
    const title = /A video could be made.*about \$0\.5/su;
    const first = await imagineInDiscord({ prompt: 'Waves.', video: true }, title);
    await discord.press('ada', readId(first.card, 'id') ?? '', buttonId(first.card, 'video.make'));
    expect((await discordFile(first.thread)).equals(clipBytes())).toBe(true);
    service(60_000);
    const second = await imagineInDiscord({ prompt: 'Gulls.', video: true }, title);
    await discord.press('ada', readId(second.card, 'id') ?? '', buttonId(second.card, 'video.make'));
    const running = (await harness.once(ADA, /A video was submitted/u, second.thread)).one;
    await discord.press('ada', readId(running, 'id') ?? '', buttonId(running, 'video.cancel'));
    await harness.once(ADA, /The video was cancelled/u, second.thread);
  });
});
