import { setTimeout as wait } from 'node:timers/promises';
import { getDiscordText } from '../../shared/i18n/discord/index.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { voiceMessage } from '../journeys/recordings.ts';
import { FLAG } from '../simulators/discord/flags.ts';
import type { Message } from '../simulators/discord/state.ts';
import type { Random } from '../simulators/upstream/random.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';
import { recordingOf } from './slack-load.ts';
import { soon, untilTaken } from './waiting.ts';

const REFUSALS = [getDiscordText('busy', 'en'), getDiscordText('unsure', 'en')];

/** Actions of people in the simulated Discord. Each resolves after the action, with its expected result. */
export class DiscordLoad {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** `/ask`, which counts if Discord got its response in time. */
  async ask(mark: string): Promise<Expectation> {
    const { discord } = this.#services;
    const options = { question: question(mark), private: true };
    const { acknowledged, id } = await discord.slash('ada', undefined, 'ask', options);
    return {
      what: `/ask ${mark} (${id})`,
      accepted: () => Number(acknowledged && !this.#isRefused(id)),
      wrong: () => {
        const { whole, half } = answersTo(this.#texts(), mark);
        if (whole > 1 || (half > 0 && acknowledged)) return `${whole} whole and ${half} half answers`;
        if (!acknowledged || this.#isRefused(id)) return undefined;
        if (whole === 0) return 'no answer';
        return this.#messages().some((one) => one.interaction === id && isLoading(one))
          ? 'is still being answered'
          : undefined;
      },
    };
  }

  /** A mention received by the relay, and more questions in the thread that the bot opens below it. */
  async thread(mark: string, random: Random): Promise<Expectation> {
    const { discord } = this.#services;
    const marks = [`${mark}q0`];
    const id = discord.say('grace', undefined, `@Parley ${question(`${mark}q0`)}`);
    const opened = await soon(() => discord.core.state.channels.has(id));
    for (let n = opened ? Math.floor(random() * 3) : 0; n > 0; n -= 1) {
      const own = `${mark}q${marks.length}`;
      discord.say('grace', id, `@Parley ${question(own, 8)}`);
      marks.push(own);
      await wait(random() * 1_500);
    }
    return {
      what: `Discord thread ${mark} (${id})`,
      accepted: () => marks.length,
      wrong: () => {
        const texts = this.#messages(id).map(({ content }) => content);
        const wrong = marks.find((one) => {
          const { whole, half } = answersTo(texts, one);
          return whole !== 1 || half > 0;
        });
        if (wrong !== undefined) return `${wrong} is not answered once: ${texts.join(' | ').slice(0, 300)}`;
        const at = marks.map((one) => texts.join('\n').indexOf(`begin-${one}.`));
        return at.every((place, n) => n === 0 || place > (at[n - 1] ?? 0)) ? undefined : 'not in order';
      },
    };
  }

  /** A voice message whose transcription a person requests. */
  async voice(nth: number): Promise<Expectation> {
    const { discord } = this.#services;
    const { digits, words } = recordingOf(nth);
    const id = discord.say('ada', undefined, '', await voiceMessage(digits));
    const isSent = await untilTaken(() => discord.menu('grace', id, 'Transcribe'));
    return {
      what: `Discord voice ${words} (${id})`,
      accepted: () => Number(isSent),
      wrong: () => {
        const mentionsCount = this.#messages(id).filter((one) => JSON.stringify(one).includes(words)).length;
        return mentionsCount > 1 || (isSent && mentionsCount === 0)
          ? `written out ${mentionsCount} times`
          : undefined;
      },
    };
  }

  /** The message command Animate, whose modal shows the price. */
  async video(mark: string): Promise<Expectation> {
    const { discord, upstream } = this.#services;
    const content = Buffer.from(PICTURES.png, 'base64');
    const image = { name: 'sea.png', content, contentType: 'image/png' };
    const message = discord.say('ada', undefined, 'Look.', { files: [image] });
    const opened = await discord.menu('ada', message, 'Animate');
    const isOpen = discord.core.state.interactions.get(opened.id)?.shown !== undefined;
    const { acknowledged, id } = isOpen
      ? await discord.submit('ada', opened.id, { prompt: `Gulls of ${mark}.` })
      : { acknowledged: false, id: opened.id };
    return {
      what: `Animate ${mark} (${id})`,
      accepted: () => Number(acknowledged && !this.#isRefused(id)),
      wrong: () => {
        const jobs = [...upstream.core.state.jobs.values()];
        const paid = jobs.filter(({ input }) => JSON.stringify(input).includes(`Gulls of ${mark}.`)).length;
        if (paid > 1) return `paid ${paid} times`;
        if (!acknowledged || this.#isRefused(id)) return undefined;
        const below = this.#messages().filter((one) => JSON.stringify(one).includes(`Gulls of ${mark}.`));
        const posted = below.filter(({ files }) => files.length > 0).length;
        const cards = below.filter((one) => JSON.stringify(one).includes('A video was made')).length;
        const facts = `paid ${paid} times, posted ${posted} times, ${cards} cards that say so; ${this.#shownTexts(id)}`;
        return paid === 1 && posted === 1 && cards === 1 ? undefined : facts;
      },
    };
  }

  /** The front responded in time that it could not accept the interaction, or does not know whether it did. */
  #isRefused(interaction: string): boolean {
    return REFUSALS.some((words) => this.#shownTexts(interaction).includes(words));
  }

  /** The text of the response to an interaction. */
  #shownTexts(interaction: string): string {
    return JSON.stringify(this.#messages().filter((one) => one.interaction === interaction)).slice(0, 600);
  }

  /** The bot's messages in one channel or thread, or in all, oldest first. */
  #messages(channel?: string): Message[] {
    const { core, applicationId } = this.#services.discord;
    const { messages } = core.state;
    const all =
      channel === undefined ? [...messages.values()] : [messages.get(channel) ?? new Map<string, Message>()];
    return all.flatMap((one) => [...one.values()]).filter(({ author }) => author === applicationId);
  }

  #texts(): string[] {
    return this.#messages().map(({ content }) => content);
  }
}

const isLoading = ({ flags }: Message): boolean => (flags & FLAG.loading) !== 0;
