import { formatMoment } from '../../shared/i18n/index.ts';
import type { Message } from '../simulators/slack/index.ts';
import { type Commands, contentOf } from './commands.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';

/** A command that is taken in time is done before its run is due, unless a kill interrupts it. */
const LEAD_MS = 10_000;
const MINUTE_MS = 60_000;
const ZONE = 'UTC';

/** Prompts that people schedule in the simulated Slack. */
export class ScheduleLoad {
  readonly #services: Services;
  readonly #commands: Commands;

  constructor(services: Services, commands: Commands) {
    this.#services = services;
    this.#commands = commands;
  }

  /** What administrators turn on first. */
  async prepare(): Promise<void> {
    await this.#commands.need('ada', 'settings schedules all for:workspace', /Settings of the workspace/u);
  }

  /**
   * A prompt whose first run is due at one of the next full minutes, in this round or a later one, whatever is killed then: if the person was shown that
   * time, it is posted and answered once.
   */
  async schedule(mark: string): Promise<Expectation> {
    const person = this.#services.newcomer();
    const dueAt = Math.ceil((Date.now() + LEAD_MS) / MINUTE_MS) * MINUTE_MS;
    const at = new Date(dueAt).toISOString().slice(11, 16);
    const words = `schedule ${question(mark)} days:every-day at:${at} zone:${ZONE}`;
    const isTaken = await this.#commands.type(person, words);
    const next = formatMoment(dueAt, ZONE, 'en');
    return {
      what: `schedule ${mark} of ${person} (${at})`,
      later: { mark, dueAt },
      accepted: () => Number(isTaken),
      wrong: () => {
        const posts = this.#posted().filter((one) => contentOf(one).includes(`begin-${mark}.`));
        const runs = posts.filter(({ thread }) => thread === undefined).length;
        const replies = posts.filter(({ thread }) => thread !== undefined).map(({ text }) => text);
        const { whole, half } = answersTo(replies, mark);
        const facts = `${runs} runs, ${whole} whole and ${half} half answers`;
        if (runs > 1 || whole > 1 || half > 0) return facts;
        const isScheduled = this.#commands.shows(person, `${at} (${ZONE})`);
        if (isTaken && !isScheduled) return 'not scheduled';
        // Of a command that a worker read only after that minute, the first run is on the next day.
        if (!this.#commands.shows(person, next)) return undefined;
        return runs === 1 && whole === 1 ? undefined : facts;
      },
    };
  }

  #posted(): Message[] {
    const { core, channel, botUserId } = this.#services.slack;
    const all = [...(core.state.messages.get(channel)?.values() ?? [])];
    return all.filter(({ user, ephemeralTo }) => user === botUserId && ephemeralTo === undefined);
  }
}
