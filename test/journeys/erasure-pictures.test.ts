import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ADA, GRACE } from '../simulators/discord/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { findTraces, PICTURE, VIDEOS } from './erasure-traces.ts';
import { botMessages, queuesAreEmpty } from './harness.ts';

/** Grace's pictures, of which Ada has videos made, are erased with Grace. Their names are searched for everywhere. */
let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ variables: VIDEOS });
  harness.journey().upstream.control.change({ queueMs: 0, runMs: 100 });
});
afterAll(() => harness.close());

const tracesOf = (canary: string): Promise<string[]> =>
  findTraces(harness.journey().system, harness.folder, [canary]);
const done = (): Promise<void> => queuesAreEmpty(harness.journey().system);
const countSubmissions = (): number =>
  harness.journey().upstream.journal.filter(({ path }) => path.endsWith('/image-to-video')).length;

const text = ({ text: words, blocks }: Message): string => JSON.stringify([words, blocks]);

test('Slack: a picture of an erased person leaves no name, and is not downloaded for another video', async () => {
  const { slack } = harness.journey();
  const idOf = (name: string) => slack.users.find((one) => one.name === name)?.id;
  const notice = (name: string, words: RegExp) =>
    slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].findLast(
        (one) => one.ephemeralTo === idOf(name) && words.test(text(one)),
      ),
    );
  const picture = await slack.say('grace', 'Look.', { files: [{ ...PICTURE, name: 'canary-slack.png' }] });
  await slack.shortcut('ada', 'animate-form', picture);
  await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
  await slack.submit('ada', { prompt: 'Waves roll in.' });
  const video = await slack.core.until(() =>
    botMessages(slack, picture).find((one) => text(one).includes('A video was made')),
  );
  await done();

  await slack.command('grace', '/parley forget me');
  const card = await notice('grace', /Everything about me/u);
  await slack.press('grace', card.ts, 'Everything about me');
  await notice('grace', /Done: I have forgotten/u);
  await done();
  expect(await tracesOf('canary-slack')).toEqual([]);
  const before = countSubmissions();
  await slack.press('ada', video.ts, 'Again (about $0.35)');
  await notice('ada', /There is no picture/u);
  await done();
  expect(countSubmissions()).toBe(before);
});

test('Discord: a picture of an erased person leaves no address, and is not downloaded for another video', async () => {
  const discord = harness.discord();
  const files = [{ ...PICTURE, name: 'canary-discord.png', contentType: 'image/png' }];
  const picture = discord.say('grace', undefined, 'Look.', { files });
  const form = await discord.menu('ada', picture, 'Animate');
  await discord.submit('ada', form.id, { prompt: 'Waves roll in.' });
  const video = await harness.once(ADA, /A video was made/u, picture);
  await done();
  expect(await tracesOf('canary-discord')).not.toEqual([]);

  await discord.slash('grace', undefined, 'forget', { what: 'me' });
  const card = await harness.once(GRACE, /forget\.me/u);
  await discord.press('grace', card.id, button(card.one, 'forget.me'));
  await harness.once(GRACE, /forgotten everything about you/u);
  await done();
  expect(await tracesOf('canary-discord')).toEqual([]);
  const before = countSubmissions();
  await discord.press('ada', video.id, button(video.one, 'video.again'));
  await harness.once(ADA, /There is no picture/u, picture);
  await done();
  expect(countSubmissions()).toBe(before);
});
