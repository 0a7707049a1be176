import type { SlackEvent } from '@slack/types';
import { WebClient } from '@slack/web-api';
import { createEmulator } from 'emulate';
import { createServer } from 'node:net';
import * as v from 'valibot';
import {
  changedEvent,
  deletedEvent,
  deliver,
  deliverShortcut,
  homeEvent,
  mentionEvents,
  messageEvent,
  type Recipient,
  type Written,
} from './events.ts';
import { type RecordingProxy, startRecordingProxy, type UnknownMethods } from './recording-proxy.ts';

/** The app as it is installed there. */
export const APP = {
  appId: 'A0PARLEY00',
  botId: 'B0PARLEY00',
  botUserId: 'U0PARLEY00',
  botToken: 'xoxb-emulated',
  signingSecret: '0123456789abcdef0123456789abcdef',
} as const;
/** emulate's own workspace. */
const TEAM = 'T000000001';
const CHANNEL = 'workshop';

/** A method of emulate's own, for tests of modals. */
const triggerResponse = v.object({ trigger_id: v.string() });

/** A message as emulate returns it. */
export type Stored = NonNullable<
  Awaited<ReturnType<WebClient['conversations']['replies']>>['messages']
>[number];

/**
 * Vercel's `emulate` as a Slack: it keeps channels, messages and views, and answers the Web API. A person writes, edits and deletes
 * through that with a token of their own. emulate offers no way to subscribe to its events, so the app is told of what
 * these calls made from here: in the official types, signed.
 */
export class EmulatedSlack {
  readonly proxy: RecordingProxy;
  readonly channel: string;
  /** The person's id and client. */
  readonly userId: string;
  readonly client: WebClient;
  /** Request URL of the app. */
  deliverTo = '';
  readonly #written = new Map<string, Written>();
  readonly #close: () => Promise<void>;

  constructor(
    { proxy, channel, userId, client }: Pick<EmulatedSlack, 'proxy' | 'channel' | 'userId' | 'client'>,
    close: () => Promise<void>,
  ) {
    this.proxy = proxy;
    this.channel = channel;
    this.userId = userId;
    this.client = client;
    this.#close = close;
  }

  /** The person writes; `@parley` mentions the bot. Resolves with the timestamp once the app has acknowledged it. */
  async say(words: string, thread?: string, channel = this.channel): Promise<string> {
    const text = words.replaceAll('@parley', `<@${APP.botUserId}>`);
    const { ts = '' } = await this.client.chat.postMessage({
      channel,
      text,
      ...(thread === undefined ? {} : { thread_ts: thread }),
    });
    const written = { channel, ts, user: this.userId, text, thread_ts: thread };
    this.#written.set(ts, written);
    await this.#tell(text === words ? [messageEvent(written)] : mentionEvents(written));
    return ts;
  }

  async edit(ts: string, words: string): Promise<void> {
    const before = this.#of(ts);
    const after = { ...before, text: words.replaceAll('@parley', `<@${APP.botUserId}>`) };
    const { message } = await this.client.chat.update({ channel: before.channel, ts, text: after.text });
    this.#written.set(ts, after);
    await this.#tell([
      changedEvent({ channel: before.channel, at: message?.edited?.ts ?? '' }, before, after),
    ]);
  }

  async remove(ts: string): Promise<void> {
    const before = this.#of(ts);
    await this.client.chat.delete({ channel: before.channel, ts });
    const at = `${Math.floor(Date.now() / 1_000)}.999999`;
    await this.#tell([deletedEvent({ channel: before.channel, at }, before)]);
  }

  async openHome(): Promise<void> {
    await this.#tell([
      homeEvent(this.userId, await this.directMessages(), `${Math.floor(Date.now() / 1_000)}.000000`),
    ]);
  }

  /** The person chooses a shortcut of the app in the menu of a message. */
  async chooseShortcut(callback: string, ts: string): Promise<void> {
    const trigger = v.parse(triggerResponse, await this.client.apiCall('views.generateTriggerId'));
    const { text } = this.#of(ts);
    const message = { type: 'message' as const, user: this.userId, ts, text };
    await deliverShortcut(
      { callback_id: callback, trigger_id: trigger.trigger_id, message_ts: ts, message },
      { user: this.userId, channel: this.channel },
      this.#app(),
    );
  }

  /** The channel of direct messages between the person and the bot. */
  async directMessages(): Promise<string> {
    const { channel } = await this.client.conversations.open({ users: APP.botUserId });
    return channel?.id ?? '';
  }

  /** The bot's messages in a thread, as the person reads them. */
  async botMessages(thread: string, channel = this.channel): Promise<Stored[]> {
    const { messages = [] } = await this.client.conversations.replies({ channel, ts: thread });
    return messages.filter(({ user }) => user === APP.botUserId);
  }

  async close(): Promise<void> {
    await this.proxy.close();
    await this.#close();
  }

  #of(ts: string): Written {
    const written = this.#written.get(ts);
    if (!written) throw new Error(`nobody wrote ${ts}`);
    return written;
  }

  async #tell(events: readonly SlackEvent[]): Promise<void> {
    for (const event of events) await deliver(event, this.#app());
  }

  #app(): Recipient {
    return { ...APP, url: this.deliverTo, teamId: TEAM };
  }
}

export async function startEmulatedSlack(unknownMethods: UnknownMethods): Promise<EmulatedSlack> {
  const emulator = await createEmulator({
    service: 'slack',
    port: await freePort(),
    seed: {
      slack: {
        users: [{ name: 'ada', real_name: 'Ada' }],
        channels: [{ name: CHANNEL }],
        oauth_apps: [
          {
            app_id: APP.appId,
            client_id: '1.2',
            client_secret: 'emulated',
            name: 'Parley',
            redirect_uris: [],
            bot_id: APP.botId,
            bot_user_id: APP.botUserId,
            bot_name: 'parley',
          },
        ],
        tokens: [
          { token: APP.botToken, type: 'bot', user_id: APP.botUserId, app_id: APP.appId, bot_id: APP.botId },
          { token: 'xoxp-ada', type: 'user', user: 'ada' },
        ],
      },
    },
  });
  const client = new WebClient('xoxp-ada', {
    slackApiUrl: `${emulator.url}/api/`,
    retryConfig: { retries: 0 },
  });
  const { user_id: userId = '' } = await client.auth.test();
  const { channels = [] } = await client.conversations.list();
  const channel = channels.find(({ name }) => name === CHANNEL)?.id ?? '';
  // By the bot's own token: the app is a member of the channel.
  await new WebClient(APP.botToken, { slackApiUrl: `${emulator.url}/api/` }).conversations.join({ channel });
  const proxy = await startRecordingProxy(emulator.url, unknownMethods);
  return new EmulatedSlack({ proxy, channel, userId, client }, () => emulator.close());
}

/** emulate takes no port of 0. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
