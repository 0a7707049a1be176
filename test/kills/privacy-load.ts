import { setTimeout as wait } from 'node:timers/promises';
import type { Message } from '../simulators/slack/index.ts';
import type { Random } from '../simulators/upstream/random.ts';
import { type Commands, contentOf } from './commands.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';
import { soon, untilTaken } from './waiting.ts';

/**
 * As long as the person index is incomplete, exports and erasures read the whole table, one at a time: one that finds another at work looks again after half
 * a minute. So nobody waits for their result within the round.
 */
const ERASURE_TIMEOUT_MS = 90_000;
/** For so long somebody waits for the end of their erasure. */
const FORGET_MS = 300_000;
/** The button of an erasure. */
const EVERYTHING = 'Everything about me';

/** People in the simulated Slack who want a copy of their data, or its erasure. */
export class PrivacyLoad {
  readonly #services: Services;
  readonly #commands: Commands;

  constructor(services: Services, commands: Commands) {
    this.#services = services;
    this.#commands = commands;
  }

  /** A person who asks a question and then has their data exported: a file with the question is sent to them, and only whole files. */
  async export(mark: string): Promise<Expectation> {
    const person = this.#services.newcomer();
    const { ts, own } = await this.#ask(person, mark);
    const isAnswered = await soon(
      () =>
        answersTo(
          this.#messages(ts).map(({ text }) => text),
          own,
        ).whole === 1,
    );
    const isTaken = await this.#commands.typeUntilTaken(person, 'export');
    return {
      what: `export ${mark} of ${person} (${ts})`,
      later: { mark: own, dueAt: Date.now() + ERASURE_TIMEOUT_MS },
      accepted: () => Number(isTaken),
      wrong: () => {
        const files = this.#filesFor(person);
        const broken = files.filter((content) => !isWhole(content)).length;
        if (broken > 0) return `${broken} of ${files.length} files are not whole`;
        if (!isTaken) return undefined;
        const has = files.filter((content) => content.includes(`begin-${own}.`)).length;
        return files.length > 0 && (has > 0 || !isAnswered)
          ? undefined
          : `${files.length} files, ${has} with it`;
      },
    };
  }

  /**
   * A person who has their data erased, some time after they asked a question: they are told when it is done, an export has nothing of it then, and no
   * answer stays unfinished. Finished answers stay in the channel.
   */
  async forget(mark: string, random: Random): Promise<Expectation> {
    const { slack } = this.#services;
    const person = this.#services.newcomer();
    const { ts, own, isAccepted } = await this.#ask(person, mark);
    await wait(random() * 5_000);
    await this.#commands.typeUntilTaken(person, 'forget me');
    const card = () => this.#commands.cards(person).find((one) => contentOf(one).includes(EVERYTHING));
    const isShown = await soon(() => card() !== undefined);
    const isTaken = isShown && (await untilTaken(() => slack.press(person, card()?.ts ?? '', EVERYTHING)));
    const isTold = (): boolean => this.#commands.shows(person, 'I have forgotten everything about you');
    if (isTaken) void this.#exportAfter(person, isTold);
    return {
      what: `forget ${mark} of ${person} (${ts})`,
      later: { mark: own, dueAt: Date.now() + ERASURE_TIMEOUT_MS },
      accepted: () => Number(isAccepted) + Number(isTaken),
      wrong: () => {
        if (!isTaken) return undefined;
        if (!isTold()) return 'they are not told';
        if (this.#messages(ts).some(({ stream }) => stream?.open === true)) return 'an answer is unfinished';
        const files = this.#filesFor(person);
        const left = files.filter((content) => content.includes(`begin-${own}.`)).length;
        return files.length > 0 && left === 0
          ? undefined
          : `${left} of ${files.length} files have the question`;
      },
    };
  }

  async #exportAfter(person: string, isTold: () => boolean): Promise<void> {
    if (!(await soon(isTold, FORGET_MS))) return;
    for (const end = performance.now() + FORGET_MS; performance.now() < end;)
      if (await this.#commands.typeUntilTaken(person, 'export')) return;
  }

  /** A question with a marker of its own in each attempt. */
  async #ask(
    person: string,
    mark: string,
  ): Promise<{ readonly ts: string; readonly own: string; readonly isAccepted: boolean }> {
    let own = mark;
    const { ts, isAccepted } = await this.#commands.ask(person, (attempt) => {
      own = `${mark}q${attempt}`;
      return question(own);
    });
    return { ts, own, isAccepted };
  }

  /** What the bot wrote below a question. */
  #messages(thread: string): Message[] {
    const { core, channel, botUserId } = this.#services.slack;
    return [...(core.state.messages.get(channel)?.values() ?? [])].filter(
      (one) => one.thread === thread && one.user === botUserId && one.ephemeralTo === undefined,
    );
  }

  /** The files in the direct messages of a person. */
  #filesFor(person: string): string[] {
    const { core, botToken, users } = this.#services.slack;
    const id = users.find(({ name }) => name === person)?.id ?? '';
    const direct = [...core.state.channels.values()].find(
      ({ kind, members }) => kind === 'im' && members.includes(id),
    );
    return [...(core.state.messages.get(direct?.id ?? '')?.values() ?? [])]
      .flatMap(({ files = [] }) => files)
      .map((file) => core.download(file, botToken))
      .map((read) => (read.kind === 'file' ? read.content.toString() : ''));
  }
}

/** Whether a file is the only part of an export, from its begin to its end. */
const isWhole = (content: string): boolean => /^\{[^]*"complete": true[^]*\}\n$/u.test(content);
