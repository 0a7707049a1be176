import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type LocalSystem, startLocal } from '../../../infra/local/system.ts';
import { dataFolder } from '../../journeys/harness.ts';
import { APP, type EmulatedSlack, startEmulatedSlack, type Stored } from './emulated.ts';
import type { ProxiedCall, UnknownMethods } from './recording-proxy.ts';

const POLL_MS = 20;

/** The visible text of a message. */
const contentOf = ({ text, blocks }: Stored): string => JSON.stringify([text, blocks]);

/** Whether an answer is complete, by its buttons, and has this text. */
const finished = (message: Stored | undefined, words: RegExp): boolean =>
  message !== undefined && words.test(contentOf(message)) && contentOf(message).includes('parley:regenerate');

/** Polls until the value is as expected. */
async function eventually<T>(look: () => T | Promise<T>, wanted: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (wanted(seen)) return seen;
    await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
  }
}

describe.each<UnknownMethods>(['not-found', 'unknown-method'])(
  'with unknown methods reported as %s',
  (unknownMethods) => {
    const folder = dataFolder();
    let slack: EmulatedSlack;
    let system: LocalSystem;

    beforeAll(async () => {
      slack = await startEmulatedSlack(unknownMethods);
      const variables = {
        SLACK_API_URL: slack.proxy.apiUrl,
        SLACK_BOT_TOKEN: APP.botToken,
        SLACK_SIGNING_SECRET: APP.signingSecret,
      };
      system = await startLocal({ data: folder.path, port: 0, variables, upstream: { paceMs: 0 } });
      slack.deliverTo = `${system.local.api}/slack/events`;
    });
    afterAll(async () => {
      await system.close();
      await slack.close();
      folder.remove();
    });

    /** Resolves with the bot's messages in a thread once they are as expected. */
    const until = (
      thread: string,
      wanted: (messages: Stored[]) => boolean,
      channel?: string,
    ): Promise<Stored[]> => eventually(() => slack.botMessages(thread, channel), wanted);
    /** Resolves with the first request of a method. */
    const called = (method: string): Promise<ProxiedCall | undefined> =>
      eventually(
        () => slack.proxy.calls.find((call) => call.method === method),
        (call) => call !== undefined,
      );

    test('a mention is answered in its thread, and a follow-up has the history', async () => {
      const thread = await slack.say('@parley My name is Ada. What is 20 + 3?');
      await until(thread, ([first]) => finished(first, /23/));
      await slack.say('What is my name?', thread);
      const messages = await until(thread, ([, second]) => finished(second, /Ada/));
      expect(messages).toHaveLength(2);
    });

    test('a long answer grows by edits where there are no streams', async () => {
      const thread = await slack.say('@parley Tell me everything. [[sim:tokens=150]] [[sim:slow=10]]');
      const messages = await until(thread, ([first]) => finished(first, /./));
      expect(messages).toHaveLength(1);
      expect(slack.proxy.calls.filter(({ method }) => method === 'chat.update').length).toBeGreaterThan(1);
    });

    test('an edited question is answered again in place', async () => {
      const thread = await slack.say('@parley What is 2 + 3?');
      const [before] = await until(thread, ([first]) => finished(first, /5/));
      await slack.edit(thread, '@parley What is 20 + 30?');
      const after = await until(thread, ([first]) => finished(first, /50/));
      expect(after.map(({ ts }) => ts)).toEqual([before?.ts]);
    });

    test('a deleted question deletes its answer', async () => {
      const thread = await slack.say('@parley My name is Ada.');
      await until(thread, ([first]) => finished(first, /Ada/));
      const second = await slack.say('What is 4 + 5?', thread);
      await until(thread, (messages) => finished(messages[1], /9/));
      await slack.remove(second);
      const left = await until(thread, (messages) => messages.length === 1);
      expect(left.map(contentOf).join()).toContain('Ada');
    });

    test('a direct message is answered', async () => {
      const channel = await slack.directMessages();
      const thread = await slack.say('What is 40 + 5?', undefined, channel);
      const messages = await until(thread, ([first]) => finished(first, /45/), channel);
      expect(messages).toHaveLength(1);
    });

    test('App Home is published when it is opened', async () => {
      await slack.openHome();
      const view = { type: 'home', blocks: expect.any(Array) };
      expect(await called('views.publish')).toMatchObject({ ok: true, response: { view } });
    });

    test('a shortcut opens its modal while its trigger is valid', async () => {
      const ts = await slack.say('The launch is in May.');
      await slack.chooseShortcut('more-actions', ts);
      expect(await called('views.open')).toMatchObject({ ok: true, response: { view: { type: 'modal' } } });
    });

    test('only methods that emulate lacks are refused', () => {
      const rejectedCalls = slack.proxy.calls.filter(({ ok }) => !ok);
      expect(rejectedCalls.map(({ method }) => method)).toContain('chat.startStream');
      const errors = new Set(rejectedCalls.map(({ status, error = '' }) => `${status} ${error}`));
      expect([...errors]).toEqual([unknownMethods === 'not-found' ? '404 ' : '200 unknown_method']);
    });
  },
);
