import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { longRecording } from '../journeys/recordings.ts';
import { ADA, type DiscordSimulator, startDiscordSimulator } from '../simulators/discord/index.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { clipBytes } from '../simulators/upstream/vision/clip.ts';
import { writeWav } from '../simulators/upstream/speech/wav.ts';
import { openPage } from './open-page.ts';

const MINUTES = 19;
/** More than the six connections that a browser opens to one server. */
const RECORDINGS = 8;

let browser: Browser;
let slack: SlackSimulator;
let discord: DiscordSimulator;
let recordings: { name: string; content: Uint8Array; mimetype: string; contentType: string }[];

async function makeRecordings() {
  const samples = new Float32Array(MINUTES * 60 * 16_000);
  samples.set(speakDigits([1, 2, 3]));
  const wav = { content: writeWav(samples, 16_000), type: 'audio/wav', ending: 'wav' };
  const digits = Array.from({ length: MINUTES * 30 }, (_, n) => n % 10);
  const ogg = { content: await longRecording(digits, 2), type: 'audio/ogg', ending: 'ogg' };
  return Array.from({ length: RECORDINGS }, (_, n) => {
    const { content, type, ending } = n % 2 === 0 ? wav : ogg;
    return { name: `talk-${n}.${ending}`, content, mimetype: type, contentType: type };
  });
}

/** The files that a page has requested so far. */
const filesOf = ({ requests }: Tab): string[] => requests.filter((url) => url.includes('/page/file/'));

/** Plays the nth recording from a position far after its start, and pauses it there. */
async function playAndPause(tab: Tab, nth: number): Promise<unknown> {
  return tab.evaluate(`(async () => {
    const audio = document.querySelectorAll('audio')[${nth}];
    const happens = (name) => new Promise((resolve) => audio.addEventListener(name, resolve, { once: true }));
    const playing = happens('playing');
    await audio.play();
    await playing;
    const seeked = happens('seeked');
    audio.currentTime = 1000;
    await seeked;
    audio.pause();
    return [Math.round(audio.duration / 60), audio.currentTime >= 1000, audio.error];
  })()`);
}

const RECORDING_OF_19_MINUTES = [MINUTES, true, null];

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, slack, discord, recordings] = await Promise.all([
      startBrowser(),
      startSlackSimulator(),
      startDiscordSimulator(),
      makeRecordings(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await slack.close();
    await discord.close();
  });

  test('Slack: recordings of 19 minutes keep no connection busy, and a message arrives meanwhile', async () => {
    const root = await slack.say('ada', '@parley listen', { files: recordings });
    const tab = await openPage(browser, `${slack.url}/#ada/${slack.channel}/${root}`);
    await tab.until(`document.querySelectorAll('#thread-log audio').length === ${RECORDINGS}`);
    // Each is shown twice, in the channel and in the thread. Nothing is loaded before a person plays one.
    expect(filesOf(tab)).toEqual([]);
    for (let nth = 0; nth < RECORDINGS; nth += 1)
      expect(await playAndPause(tab, nth)).toEqual(RECORDING_OF_19_MINUTES);
    await tab.click('#thread-text');
    await tab.type('still there?');
    await tab.press('Enter');
    await slack.core.until(() =>
      [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].find(
        ({ text }) => text === 'still there?',
      ),
    );
    await tab.until(`document.querySelector('#thread-log').textContent.includes('still there?')`);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  test('Discord: recordings of 19 minutes keep no connection busy, and a message arrives meanwhile', async () => {
    discord.say('ada', undefined, 'listen', { files: recordings });
    const tab = await openPage(browser, discord.url);
    await tab.until(`document.querySelectorAll('audio').length === ${RECORDINGS}`);
    expect(filesOf(tab)).toEqual([]);
    for (let nth = 0; nth < RECORDINGS; nth += 1)
      expect(await playAndPause(tab, nth)).toEqual(RECORDING_OF_19_MINUTES);
    await tab.click('#composer-text');
    await tab.type('still there?');
    await tab.press('Enter');
    await discord.core.until(() =>
      discord.core.messages(undefined, ADA).find(({ content }) => content === 'still there?'),
    );
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  test('small videos show their first frame, and keep no connection busy', async () => {
    // The maximum size of a video that is loaded completely: the rest is a padding box that players skip.
    const film = clipBytes();
    const rest = Buffer.alloc(1_000_000 - film.length);
    rest.writeUInt32BE(rest.length);
    rest.write('free', 4);
    const content = Buffer.concat([film, rest]);
    const files = Array.from({ length: RECORDINGS }, (_, n) => ({ name: `film-${n}.mp4`, content }));
    const root = await slack.say('ada', '@parley look', { files });
    const tab = await openPage(browser, `${slack.url}/#ada/${slack.channel}/${root}`);
    await tab.until(`(() => {
      const films = [...document.querySelectorAll('#thread-log video')];
      return films.length === ${RECORDINGS} && films.every(({ readyState }) => readyState >= 1);
    })()`);
    await tab.click('#thread-text');
    await tab.type('seen them');
    await tab.press('Enter');
    await tab.until(`document.querySelector('#thread-log').textContent.includes('seen them')`);
    await tab.until(`!document.querySelector('.pending')`);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  test('eight windows of one page all show each change, and each can send', async () => {
    const tabs: Tab[] = [];
    for (let nth = 0; nth < 8; nth += 1) tabs.push(await openPage(browser, slack.url));
    for (const [nth, tab] of tabs.entries()) {
      await tab.click('#composer-text');
      await tab.type(`window ${nth}`);
      await tab.press('Enter');
    }
    for (const tab of tabs)
      await tab.until(`document.querySelector('#channel-log').textContent.includes('window 7')`);
    expect(tabs.flatMap(({ errors }) => errors)).toEqual([]);
    for (const tab of tabs) await tab.close();
  });
});
