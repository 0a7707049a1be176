import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { slackAudioClip, voiceMessage } from '../journeys/recordings.ts';
import { answersIn, dataFolder, type JourneyHarness, startJourneyHarness } from '../journeys/harness.ts';
import { PICTURES } from '../image-files/pictures.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import type { SlackSimulator } from '../simulators/slack/index.ts';
import { violations } from './axe.ts';
import { openPage } from './open-page.ts';

const folder = dataFolder();
let browser: Browser;
let journey: JourneyHarness;
let slack: SlackSimulator;
let discord: DiscordSimulator;
let problems: string[];

const PHONE = { width: 390, height: 844 };
const FORUM = '301000000000000003';
const picture = { name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64'), contentType: 'image/png' };

const LOOKS = [
  ['light', PHONE, 'all'],
  ['light', { width: 1_280, height: 800 }, 'all'],
  ['dark', { width: 1_280, height: 800 }, 'colors'],
] as const;

/** Checks the page at the width of a phone, and in light and dark colors. */
async function look(tab: Tab, state: string): Promise<void> {
  for (const [theme, { width, height }, rules] of LOOKS) {
    await tab.resize(width, height);
    await tab.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    const wrong = await violations(tab, rules);
    problems.push(...wrong.map((one) => `${state}, ${theme}, ${width} px: ${one}`));
  }
}

const shows = (tab: Tab, words: string) =>
  tab.until(`document.querySelector('main').innerText.includes('${words}')`);

/** Every sent message is lost. */
async function loseMessages(tab: Tab): Promise<void> {
  await tab.page.route('**/page/say', (route) => route.abort('connectionreset'));
}

async function fillSlack(): Promise<string> {
  const thread = await slack.say('ada', '@parley show me markdown');
  await answersIn(slack, thread);
  await slack.say('ada', 'See this.', {
    files: [picture, await slackAudioClip([1, 2]), { name: 'a.txt', content: 'x' }],
  });
  await slack.command('ada', '/parley help');
  await slack.command('ada', '/parley settings');
  await slack.command('ada', '/parley model');
  await slack.core.until(() =>
    [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter((one) => one.ephemeralTo)
      .length === 3
      ? true
      : undefined,
  );
  return thread;
}

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, journey] = await Promise.all([
      startBrowser(),
      startJourneyHarness(folder.path, {
        relay: true,
        variables: { VIDEO_MODELS: 'model-a-video:image_url:0.35' },
      }),
    ]);
    slack = journey.slack;
    const { simulator } = journey.system.discord;
    if (!simulator) throw new Error('Discord is real');
    discord = simulator;
  });
  beforeEach(() => {
    problems = [];
  });
  afterAll(async () => {
    await browser.close();
    await journey.system.close();
    folder.remove();
  });

  test('Slack: channel, thread, menus, dialogs, App Home, modals and the drawer pass axe', async () => {
    const tab = await openPage(browser, `${slack.url}/#ada`);
    await look(tab, 'first visit');
    const thread = await fillSlack();
    await shows(tab, 'My settings');
    await look(tab, 'channel');
    await tab.hover('#channel-log article');
    await look(tab, 'menu of a message');
    await tab.click('#channel-log [data-key="edit"]');
    await look(tab, 'box for changing a message');
    await tab.press('Escape');
    await tab.evaluate(`location.hash = '#ada/${slack.channel}/${thread}'`);
    await tab.until(`!document.querySelector('#thread').hidden`);
    await look(tab, 'thread');
    await tab.click('#composer [data-voice]');
    await look(tab, 'form for a voice message');
    await tab.type('We meet at ten.');
    await tab.click('#voice [type=submit]');
    await look(tab, 'a voice message that waits');
    await loseMessages(tab);
    await tab.click('#composer-text');
    await tab.type('lost');
    await tab.press('Enter');
    await tab.until(`document.querySelector('.failed')`);
    await tab.evaluate(`document.querySelector('#channel-log').scrollTop = 0`);
    await slack.say('grace', 'something new');
    await tab.until(`document.querySelector('.pill:not([hidden])')`);
    await look(tab, 'failed message and mark of a new one');
    await tab.evaluate(`location.hash = '#ada/home'`);
    await shows(tab, 'What you spent');
    await look(tab, 'App Home');
    await tab.evaluate(`location.hash = '#ada/${slack.channel}'`);
    await tab.resize(PHONE.width, PHONE.height);
    await tab.click('#side-open');
    await tab.until(`document.activeElement.closest('#side')`);
    problems.push(...(await violations(tab)).map((one) => `drawer: ${one}`));
    expect(problems).toEqual([]);
    await tab.close();
  });

  test('Slack: each modal passes axe', async () => {
    const ts = await slack.say('ada', 'Animate this.', { files: [picture] });
    const tab = await openPage(browser, `${slack.url}/#ada`);
    for (const open of [
      () => slack.shortcut('ada', 'animate-form', ts),
      () => slack.shortcut('ada', 'ask-about', ts),
      () => slack.command('ada', '/parley persona save'),
      () => slack.command('ada', '/parley schema save'),
    ]) {
      const opened = open();
      await tab.until(`document.querySelector('dialog[open]')`);
      await opened;
      await look(tab, `form ${String(await tab.evaluate(`document.querySelector('dialog h2').innerText`))}`);
      await slack.dismiss('ada');
      await tab.until(`!document.querySelector('dialog[open]')`);
    }
    expect(problems).toEqual([]);
    await tab.close();
  });

  test('Discord: channel, thread, commands, modals, forum and the drawer pass axe', async () => {
    const tab = await openPage(browser, `${discord.url}/#ada`);
    await look(tab, 'first visit');
    await discord.slash('ada', undefined, 'ask', { question: 'show me markdown' });
    await discord.slash('ada', undefined, 'help');
    await discord.slash('ada', undefined, 'settings');
    const message = discord.say('ada', undefined, 'See this.', { files: [picture] });
    discord.say('ada', undefined, '', await voiceMessage([1, 2, 3]));
    await shows(tab, 'My settings');
    await tab.until(`document.querySelector('.command')`);
    await look(tab, 'channel');
    await tab.hover('#log article:last-child');
    await tab.click('#log article:last-child [data-key="reply"]');
    await look(tab, 'menu of a message and reply');
    await tab.press('Escape');
    await tab.click('[data-slash]');
    await tab.until(`document.querySelector('.choices button')`);
    await look(tab, 'commands');
    await tab.click('.choices button');
    await tab.until(`document.querySelector('#slash .field')`);
    await look(tab, 'a command with its fields');
    await tab.press('Escape');
    await discord.menu('ada', message, 'Animate');
    await tab.until(`document.querySelector('dialog[open]')`);
    await look(tab, 'form');
    await tab.press('Escape');
    await tab.evaluate(`location.hash = '#ada/${FORUM}'`);
    await tab.until(`document.querySelector('.forum .send')`);
    await look(tab, 'forum without posts');
    const post = discord.core.thread('grace', FORUM, 'How?', 'I wonder.');
    await tab.until(`document.querySelector('.post')`);
    await look(tab, 'forum');
    await tab.evaluate(`location.hash = '#ada/${post}'`);
    await shows(tab, 'I wonder.');
    await look(tab, 'thread');
    await tab.evaluate(`location.hash = '#ada/${FORUM}'`);
    await tab.click('.forum .send');
    await look(tab, 'form for a post');
    await tab.press('Escape');
    await tab.resize(PHONE.width, PHONE.height);
    await tab.click('#side-open');
    await tab.until(`document.activeElement.closest('#side')`);
    problems.push(...(await violations(tab)).map((one) => `drawer: ${one}`));
    expect(problems).toEqual([]);
    expect(tab.errors).toEqual([]);
    await tab.close();
  });
});
