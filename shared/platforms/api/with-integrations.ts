import { isIntegration, type TurnRef } from '../../domain/index.ts';
import type { Time } from '../../runtime/index.ts';
import type { Messenger, Platform, Reply } from '../ports/index.ts';
import { conversationMessenger, conversationPlatform } from './conversations.ts';

/** Where the words of an answer are stored while it is made. */
export type LiveText = {
  readonly write: (turn: TurnRef, text: string) => Promise<void>;
  /** Stores why the asker was refused. */
  readonly refuse: (turn: TurnRef, text: string) => Promise<void>;
};

/** The shortest time between two writes of one answer: each costs a request to the table. */
const LIVE_INTERVAL_MS = 400;
/** A write costs a unit for each KB, so long answers are written less often: one of 25,000 characters every second. */
const MS_PER_CHARACTER = 1 / 25;

/** What all platforms together offer a worker. */
type Adapter = {
  readonly platform: Platform;
  readonly messenger: Messenger;
};

/**
 * Adds integrations to the platforms. Their own conversations are on none of them. Their questions in a channel are shown there like those of people, but
 * an integration has no user there: it gets no message, and reads its answers and notices over the API.
 */
export function withIntegrations<A extends Adapter>(
  { platform, messenger, ...others }: A,
  live: LiveText,
  time: Time,
): Omit<A, 'platform' | 'messenger'> & Adapter {
  const choosePlatform = ({ thread: { channel } }: TurnRef): Platform =>
    isIntegration(channel) ? conversationPlatform : platform;
  return {
    ...others,
    platform: {
      ...platform,
      showStatus: (turn, ...rest) => choosePlatform(turn).showStatus(turn, ...rest),
      acknowledge: (turn) => choosePlatform(turn).acknowledge(turn),
      findOrphanedMessages: (turn) => choosePlatform(turn).findOrphanedMessages(turn),
      deleteAnswer: (turn, ...rest) => choosePlatform(turn).deleteAnswer(turn, ...rest),
      isSuperseded: (turn, token) => choosePlatform(turn).isSuperseded(turn, token),
      fetchEarlierMessages: (turn) => choosePlatform(turn).fetchEarlierMessages(turn),
      findRecordings: (turn) => choosePlatform(turn).findRecordings(turn),
      // What an integration is told leaves the platform.
      prepareMessageSearch: (turn, token) =>
        isIntegration(turn.asker) ? undefined : choosePlatform(turn).prepareMessageSearch(turn, token),
      isDeleted: (turn) => choosePlatform(turn).isDeleted(turn),
      getLocale: (turn, user) =>
        isIntegration(user) ? conversationPlatform.getLocale(turn, user) : platform.getLocale(turn, user),
      reply(turn, ...rest) {
        const reply = choosePlatform(turn).reply(turn, ...rest);
        return isIntegration(turn.asker) ? withLiveText(reply, new LiveWriter(turn, live, time)) : reply;
      },
      async postEphemeral(turn, recipient, text, replacesAnswer) {
        if (!isIntegration(recipient))
          return choosePlatform(turn).postEphemeral(turn, recipient, text, replacesAnswer);
        if (replacesAnswer === true) await live.refuse(turn, text);
        return replacesAnswer === true;
      },
    },
    messenger: {
      ...messenger,
      canPost: (thread) =>
        (isIntegration(thread.channel) ? conversationMessenger : messenger).canPost(thread),
      postCard: (thread, ...rest) =>
        (isIntegration(thread.channel) ? conversationMessenger : messenger).postCard(thread, ...rest),
      removeCard: (thread, ...rest) =>
        (isIntegration(thread.channel) ? conversationMessenger : messenger).removeCard(thread, ...rest),
      showWorking: (thread, ...rest) =>
        (isIntegration(thread.channel) ? conversationMessenger : messenger).showWorking(thread, ...rest),
      sendDirectMessage: (to, user, ...rest) =>
        (isIntegration(user) ? conversationMessenger : messenger).sendDirectMessage(to, user, ...rest),
    },
  };
}

/** Stores what is shown of an answer, too. What is stored at the end is the turn. */
const withLiveText = (reply: Reply, writer: LiveWriter): Reply => ({
  write(words) {
    writer.add(words);
    reply.write(words);
  },
  step: (step) => reply.step(step),
  enableStopButton: () => reply.enableStopButton(),
  stopStreaming(keepsStop) {
    writer.end();
    return reply.stopStreaming(keepsStop);
  },
  posted: () => reply.posted(),
  stopped: reply.stopped,
  get hasUnconfirmedPosts() {
    return reply.hasUnconfirmedPosts;
  },
  publish(text, actions) {
    writer.end();
    return reply.publish(text, actions);
  },
});

/** Writes the words of one answer, at most one write at a time. Its failures cost a reader the words so far, not the answer. */
class LiveWriter {
  readonly #turn: TurnRef;
  readonly #live: LiveText;
  readonly #time: Time;
  readonly #ended = new AbortController();
  #text = '';
  #written = '';
  #isRunning = false;

  constructor(turn: TurnRef, live: LiveText, time: Time) {
    this.#turn = turn;
    this.#live = live;
    this.#time = time;
  }

  add(words: string): void {
    this.#text += words;
    if (!this.#isRunning && !this.#ended.signal.aborted) void this.#run();
  }

  end(): void {
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    const { signal } = this.#ended;
    while (!signal.aborted && this.#text !== this.#written) {
      const text = this.#text;
      await this.#live.write(this.#turn, text).catch(() => undefined);
      this.#written = text;
      await this.#time
        .sleep(Math.max(LIVE_INTERVAL_MS, text.length * MS_PER_CHARACTER), signal)
        .catch(() => undefined);
    }
    this.#isRunning = false;
  }
}
