import type { Message } from '../simulators/slack/index.ts';
import type { Services } from './services.ts';
import { soon, untilTaken } from './waiting.ts';

/** How long a command may take that is needed before the first kill, on a machine that other programs use. */
const NEEDED_MS = 60_000;
const AGAIN_MS = 300;
const SHOWN_MS = 20_000;

/** Slack has given an event up by then. */
const GIVEN_UP_MS = 6_000;
const ASK_MS = 20_000;

/** What people type in the simulated Slack, and the cards that only they see. */
export class Commands {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Asks in new threads until a question is accepted, or for some seconds. Resolves with the `ts` and the words of the last one. */
  async ask(
    user: string,
    wordsOf: (attempt: number) => string,
  ): Promise<{ readonly ts: string; readonly words: string; readonly isAccepted: boolean }> {
    const { slack, acceptedKeys } = this.#services;
    const end = performance.now() + ASK_MS;
    for (let attempt = 0; ; attempt += 1) {
      const words = wordsOf(attempt);
      const ts = await slack.say(user, `@parley ${words}`);
      const isAccepted = await soon(() => acceptedKeys.has(ts), GIVEN_UP_MS);
      if (isAccepted || performance.now() > end) return { ts, words, isAccepted };
    }
  }

  /** Types a command once. Resolves with whether the app acknowledged it. */
  async type(user: string, words: string): Promise<boolean> {
    return (await this.#services.slack.command(user, `/parley ${words}`)).acknowledged;
  }

  /** Types a command until the app acknowledges it, for some seconds: one that had no response may have had its effect. */
  typeUntilTaken(user: string, words: string): Promise<boolean> {
    return untilTaken(() => this.#services.slack.command(user, `/parley ${words}`));
  }

  /** Types a command until a new card has these words. Resolves with them. Rejects if it has none within a minute. */
  async need(user: string, words: string, shows: RegExp): Promise<string> {
    const before = this.cards(user).length;
    const find = (): string | undefined =>
      this.cards(user)
        .slice(before)
        .map((card) => shows.exec(contentOf(card))?.[0])
        .find((one) => one !== undefined);
    // A function that is loaded for the first time may acknowledge a command too late.
    for (const end = performance.now() + NEEDED_MS; find() === undefined;) {
      if (performance.now() > end) throw new Error(`“${words}” has no effect`);
      const isTaken = await this.type(user, words);
      await soon(() => find() !== undefined, isTaken ? SHOWN_MS : AGAIN_MS);
    }
    return find() ?? '';
  }

  /** What only this person sees in the channel, oldest first. */
  cards(user: string): Message[] {
    const { core, channel, users } = this.#services.slack;
    const id = users.find(({ name }) => name === user)?.id;
    return [...(core.state.messages.get(channel)?.values() ?? [])].filter((one) => one.ephemeralTo === id);
  }

  /** Whether this person sees a card with these words. */
  shows(user: string, words: string): boolean {
    return this.cards(user).some((one) => contentOf(one).includes(words));
  }
}

/** All words of a message, as JSON. */
export const contentOf = ({ text, blocks }: Message): string => JSON.stringify([text, blocks]);
