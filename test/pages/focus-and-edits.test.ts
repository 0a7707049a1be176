import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Browser, CHROMIUM, NEEDS_CHROMIUM, startBrowser } from '../browser/chromium.ts';
import type { Tab } from '../browser/tab.ts';
import { voiceMessage } from '../journeys/recordings.ts';
import { type SlackSimulator, startSlackSimulator } from '../simulators/slack/index.ts';
import { openPage } from './open-page.ts';

let browser: Browser;
let slack: SlackSimulator;
let tab: Tab;
let root: string;
let answer: string;
let grace: string;

const plain = (text: string) => ({ type: 'plain_text', text });
const button = (text: string) => ({ type: 'button', action_id: text, text: plain(text) });

/** The bot's card: text, a select menu, two buttons. */
const card = (words: string) => [
  { type: 'section', text: { type: 'mrkdwn', text: words } },
  {
    type: 'section',
    text: plain('Language'),
    accessory: {
      type: 'static_select',
      action_id: 'language',
      placeholder: plain('…'),
      options: ['de', 'en'].map((value) => ({ text: plain(value), value })),
    },
  },
  { type: 'actions', elements: [button('First'), button('Second')] },
];

const call = (method: string, args: object) => slack.core.call(method, { ...args }, slack.botToken);
const says = (words: string) =>
  tab.until(`document.querySelector('#thread-log').textContent.includes('${words}')`);

/** Renders the whole thread again in another form. */
async function redraw(words: string): Promise<void> {
  call('chat.update', { channel: slack.channel, ts: answer, text: 'x', blocks: card(words) });
  slack.core.react(grace, slack.channel, root, `sign_${words}`);
  await says(words);
  await tab.until(`document.querySelector('#thread-log').textContent.includes('sign_${words}')`);
}

(CHROMIUM === undefined ? describe.skip : describe)(`in Chromium${NEEDS_CHROMIUM}`, () => {
  beforeAll(async () => {
    [browser, slack] = await Promise.all([startBrowser(), startSlackSimulator()]);
    grace = slack.users.find(({ name }) => name === 'grace')?.id ?? '';
  });
  beforeEach(async () => {
    const { files } = await voiceMessage([1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
    root = await slack.say('ada', '@parley hi', {
      files: files.map((file) => ({ ...file, mimetype: file.contentType })),
    });
    const posted = call('chat.postMessage', {
      channel: slack.channel,
      thread_ts: root,
      text: 'x',
      blocks: card('before'),
    });
    answer = String(posted['ts']);
    tab = await openPage(browser, `${slack.url}/#ada/${slack.channel}/${root}`);
    await says('before');
  });
  afterEach(() => tab.close());
  afterAll(async () => {
    await browser.close();
    await slack.close();
  });

  test.each([
    ['a button of a card', '#thread-log [data-key="2/1"]'],
    ['a menu of a card', '#thread-log select[data-key="1/0"]'],
    ['a button in the menu of a message', '#thread-log [data-key="delete"]'],
    ['the name of a file', '#thread-log a.file'],
    ['the button that opens a thread', '#channel-log [data-key="replies"]'],
    ['a channel in the list', '#channels button[aria-current]'],
    ['the selected person', '#persons [aria-checked="true"]'],
  ])('the focus stays on %s while everything is rendered again', async (_what, selector) => {
    await tab.evaluate(`{
      const element = [...document.querySelectorAll('${selector}')].at(-1);
      element.focus();
      window.focused = document.activeElement === element ? element : 'nothing';
    }`);
    await redraw('anew');
    await slack.say('grace', 'and another reply', { thread: root });
    await says('another reply');
    expect(await tab.evaluate('document.activeElement === window.focused')).toBe(true);
  });

  test('a recording continues to play, and open or selected elements stay so', async () => {
    await tab.evaluate(`document.querySelector('#thread-log audio').play()`);
    await tab.evaluate(`getSelection().selectAllChildren(document.querySelector('#thread-log .body'))`);
    const selected = await tab.evaluate('String(getSelection())');
    await redraw('later');
    expect(await tab.evaluate(`document.querySelector('#thread-log audio').paused`)).toBe(false);
    expect([selected, await tab.evaluate('String(getSelection())')]).toEqual(['@parley hi', '@parley hi']);
  });

  test('a select menu shows the current value, also after a refused change', async () => {
    const menu = '#thread-log select[data-key="1/0"]';
    await tab.evaluate(`document.querySelector('${menu}').value = 'en'`);
    await redraw('refused');
    expect(await tab.evaluate(`document.querySelector('${menu}').value`)).toBe('');
  });

  test('an edit in the place of a message stays, and the focus returns to its start', async () => {
    await tab.hover('#thread-log article');
    await tab.click('#thread-log [data-key="edit"]');
    await tab.until(`document.activeElement.matches('.edit textarea')`);
    await tab.type(' and more');
    await redraw('meanwhile');
    expect(await tab.evaluate(`document.activeElement.value`)).toBe('@parley hi and more');
    await tab.press('Escape');
    await tab.until(`document.activeElement.matches('#thread-log [data-key="edit"]')`);
  });

  test('the focus stays on the suggestions for a first visitor, and in a text box', async () => {
    const lab = await openPage(browser, `${slack.url}/#ada`);
    await lab.click('#channels li:nth-child(2) button');
    await lab.until(`document.querySelector('.welcome')`);
    await lab.evaluate(`document.querySelector('.welcome button').focus()`);
    await slack.say('grace', 'elsewhere');
    await lab.until(`document.querySelector('#channels .fresh')`);
    expect(await lab.evaluate(`document.activeElement.matches('.welcome button')`)).toBe(true);
    await lab.click('#composer-text');
    await lab.type('@parley one');
    // Both in one event loop turn of the page: before any response.
    await lab.evaluate(`(() => {
      const enter = { key: 'Enter', bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', enter));
      document.execCommand('insertText', false, 'and the next');
    })()`);
    await lab.until(`!document.querySelector('#thread').hidden`);
    expect(await lab.evaluate(`[document.activeElement.id, document.activeElement.value]`)).toEqual([
      'composer-text',
      'and the next',
    ]);
    await lab.close();
  });

  test('when the focused message is deleted, its list has the focus', async () => {
    await tab.evaluate(`document.querySelector('#thread-log [data-key="2/0"]').focus()`);
    call('chat.delete', { channel: slack.channel, ts: answer });
    await tab.until(`document.activeElement.id === 'thread-log'`);
    expect(tab.errors).toEqual([]);
  });
});
