import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ApiLoad } from './api-load.ts';
import { Commands } from './commands.ts';
import { DiscordLoad } from './discord-load.ts';
import { type Expectation, isDue } from './expectation.ts';
import { KnowledgeLoad } from './knowledge-load.ts';
import { findLostReceives } from './lost-receives.ts';
import { Payments } from './payments.ts';
import { actionsNamed, type Kill, planRound, type PlannedUserAction } from './plan.ts';
import { PrivacyLoad } from './privacy-load.ts';
import { ScheduleLoad } from './schedule-load.ts';
import { type Services, servicesFolder, startServices } from './services.ts';
import { SlackLoad } from './slack-load.ts';
import { type KilledSystem, killedSystem } from './system.ts';

export type KillsOptions = {
  /** The folder of all data. */
  readonly directory: string;
  readonly kills: number;
  readonly seed: number;
  /** The number of kills before everything must end. */
  readonly perRound: number;
  /** How long that may take after the last start (ms). */
  readonly withinMs: number;
  /**
   * Everything is checked once more this long after the last round (ms): a reconcile pass may repair or break what is
   * shown.
   */
  readonly afterwardsMs: number;
  /** The first round; earlier ones are skipped. */
  readonly first?: number;
  /** The names of the actions of people and programs; all by default. */
  readonly only?: readonly string[];
  readonly say: (line: string) => void;
};

export type KillsReport = {
  readonly kills: number;
  readonly expectations: number;
  /** How many requests of these actions the system accepted. */
  readonly accepted: number;
  /** The longest time from the last start to the end of everything, over all rounds (ms). */
  readonly slowestMs: number;
  /** The number of completed model responses, and how many of them repeated one that had not been stored. */
  readonly answers: number;
  readonly answeredAgain: number;
  /**
   * The number of rounds after which the system was started again, because a worker was killed between Lambda's receive and its first
   * request. On AWS the messages wait for their visibility timeout (docs/delivery.md).
   */
  readonly startedAgain: number;
  /** What was lost, duplicated, truncated, out of order, late or paid twice. */
  readonly wrong: readonly string[];
};

const POLL_INTERVAL_MS = 100;
const QUIET_MS = 1_000;

/** Runs all rounds on one system. */
export async function killInRounds(options: KillsOptions): Promise<KillsReport> {
  const { directory, kills, perRound, say } = options;
  const services = await startServices(servicesFolder(directory));
  const system = await killedSystem(join(directory, 'system'), services.variables);
  services.setTarget(system.api);
  const run = new Run(services, system, options);
  try {
    say(`started in ${Math.round(await system.start())} ms`);
    await run.prepare(services);
    const rounds = Math.ceil(kills / perRound);
    for (let nth = options.first ?? 0; nth < rounds; nth += 1) {
      await run.round(nth, Math.min(perRound, kills - nth * perRound));
    }
    return await run.end();
  } finally {
    await system.close();
    await services.close();
  }
}

class Run {
  readonly #system: KilledSystem;
  readonly #options: KillsOptions;
  readonly #slack: SlackLoad;
  readonly #discord: DiscordLoad;
  readonly #api: ApiLoad;
  readonly #schedules: ScheduleLoad;
  readonly #knowledge: KnowledgeLoad;
  readonly #privacy: PrivacyLoad;
  readonly #all: Expectation[] = [];
  readonly #wrong: string[] = [];
  /** Those whose result is due in a later round. */
  #later: readonly Expectation[] = [];
  /** The results that had not come in time, by their lines in `#wrong`. */
  readonly #late = new Map<string, Expectation>();
  readonly #payments: Payments;
  readonly #pending: () => number;
  #kills = 0;
  #startedAgain = 0;
  /** When killed workers had ended, since the last start of the system (ms since 1970). */
  #workersKilledAt: number[] = [];
  #deeds = 0;
  #slowestMs = 0;

  constructor(services: Services, system: KilledSystem, options: KillsOptions) {
    this.#system = system;
    this.#pending = () => services.pending();
    this.#payments = new Payments(services.upstream);
    this.#options = options;
    this.#slack = new SlackLoad(services);
    this.#discord = new DiscordLoad(services);
    const commands = new Commands(services);
    this.#api = new ApiLoad(services, commands, system.api);
    this.#schedules = new ScheduleLoad(services, commands);
    this.#knowledge = new KnowledgeLoad(services, commands);
    this.#privacy = new PrivacyLoad(services, commands);
  }

  /** What is needed before the first kill: Discord delivers no events before the relay has a session. */
  async prepare({ gateway }: Services): Promise<void> {
    while (gateway.connected === 0) await wait(POLL_INTERVAL_MS);
    await this.#api.prepare();
    await this.#schedules.prepare();
    await this.#knowledge.prepare();
  }

  /** Kills while people act, then waits until all their actions have ended. */
  async round(nth: number, kills: number): Promise<void> {
    const { seed, say, only = [] } = this.#options;
    const plan = planRound(seed, nth, kills, actionsNamed(only));
    const startedAt = performance.now();
    const doing = plan.deeds.map(async (one) => {
      await wait(one.atMs);
      return this.#do(one);
    });
    for (const kill of plan.kills) {
      await wait(Math.max(0, startedAt + kill.atMs - performance.now()));
      await this.#kill(kill);
    }
    // An exit without a kill counts as a violation.
    if (!this.#system.isRunning()) await this.#start();
    const restarted = performance.now();
    const restartedAt = Date.now();
    const actions = await Promise.all(doing);
    this.#all.push(...actions);
    const open = [...this.#later, ...actions];
    const expected = open.filter((one) => isDue(one, restartedAt));
    this.#later = open.filter((one) => !isDue(one, restartedAt));
    const isOver = (): boolean => this.#pending() === 0 && wrongOf(expected).length === 0;
    let tookMs = await this.#waitFor(isOver, restarted);
    const lost = isOver() ? [] : findLostReceives(this.#system.queueLog(), this.#workersKilledAt, Date.now());
    if (lost.length > 0) {
      say(
        `round ${nth}: a worker was killed between Lambda's receive of ${lost.length} messages and its first request. Starting again, instead of waiting for their visibility timeout`,
      );
      this.#startedAgain += 1;
      await this.#system.killAll();
      await this.#start();
      tookMs = await this.#waitFor(isOver, performance.now());
    }
    await wait(QUIET_MS);
    const paid = this.#payments.wrongIn(
      plan.kills.filter(({ victim }) => /system|Worker/u.test(victim)).length,
      new Map(expected.flatMap(({ regenerated: one }) => (one ? [[one.mark, one.clicks]] : []))),
      new Set(this.#later.flatMap(({ later }) => (later ? [later.mark] : []))),
    );
    const relays = this.#system.relays();
    const doubled = relays === 1 ? [] : [`${relays} relays run`];
    for (const one of expected)
      for (const line of wrongOf([one])) this.#late.set(`round ${nth}: ${line}`, one);
    const wrong = [...wrongOf(expected), ...paid, ...doubled, ...this.#system.crashes()].map(
      (line) => `round ${nth}: ${line}`,
    );
    this.#wrong.push(...wrong);
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    const victims = plan.kills.map(({ victim }) => victim).join(' ');
    say(
      `round ${nth}: ${victims}; ${expected.length} deeds ended ${(tookMs / 1_000).toFixed(1)} s after the last kill${wrong.length > 0 ? `, but\n${wrong.join('\n')}` : ''}`,
    );
  }

  /** Waits until everything is over, or for the maximum time. Resolves with the time since `from` (ms). */
  async #waitFor(isOver: () => boolean, from: number): Promise<number> {
    const { withinMs } = this.#options;
    while (!isOver() && performance.now() < from + withinMs) await wait(POLL_INTERVAL_MS);
    return performance.now() - from;
  }

  async #start(): Promise<void> {
    await this.#system.start();
    this.#workersKilledAt = [];
  }

  async end(): Promise<KillsReport> {
    await wait(this.#options.afterwardsMs);
    const lastDueAt = Math.max(0, ...this.#later.map(({ later }) => later?.dueAt ?? 0));
    await wait(Math.max(0, lastDueAt - Date.now()));
    await this.#waitFor(() => wrongOf(this.#later).length === 0, performance.now());
    const stillWrong = wrongOf(this.#all);
    const known = (line: string): boolean => this.#wrong.some((one) => one.includes(line));
    const isRightNow = (line: string): boolean => {
      const late = this.#late.get(line);
      return late !== undefined && late.wrong() === undefined;
    };
    const wrong = [
      ...this.#wrong.map((line) => (isRightNow(line) ? `${line} (right at the end)` : line)),
      ...stillWrong.filter((line) => !known(line)).map((line) => `at the end: ${line}`),
    ];
    return {
      kills: this.#kills,
      expectations: this.#all.length,
      accepted: this.#all.reduce((sum, one) => sum + one.accepted(), 0),
      slowestMs: this.#slowestMs,
      ...this.#payments.counts(),
      startedAgain: this.#startedAgain,
      wrong,
    };
  }

  async #kill({ victim, downMs }: Kill): Promise<void> {
    this.#kills += 1;
    if (victim === 'relay') return this.#system.killRelay();
    if (victim !== 'system') {
      const endedAt = await this.#system.killFunction(victim);
      if (victim === 'Worker') this.#workersKilledAt.push(endedAt);
      return;
    }
    await this.#system.killAll();
    await wait(downMs);
    await this.#start();
  }

  async #do({ deed, random }: PlannedUserAction): Promise<Expectation> {
    const nth = (this.#deeds += 1);
    const mark = `k${nth}x`;
    switch (deed) {
      case 'thread':
        return this.#slack.thread(mark, random);
      case 'edit':
        return this.#slack.edit(mark, random);
      case 'stop':
        return this.#slack.stop(mark, random);
      case 'continue':
        return this.#slack.goOn(mark, random);
      case 'regenerate':
        return this.#slack.regenerate(mark);
      case 'api':
        return this.#api.ask(mark);
      case 'api-stream':
        return this.#api.stream(mark);
      case 'schedule':
        return this.#schedules.schedule(mark);
      case 'document':
        return this.#knowledge.document(mark);
      case 'fact':
        return this.#knowledge.fact(mark);
      case 'export':
        return this.#privacy.export(mark);
      case 'forget':
        return this.#privacy.forget(mark, random);
      case 'voice':
        return this.#slack.voice(nth);
      case 'video':
        return this.#slack.video(mark);
      case 'discord-ask':
        return this.#discord.ask(mark);
      case 'discord-thread':
        return this.#discord.thread(mark, random);
      case 'discord-voice':
        return this.#discord.voice(nth);
      case 'discord-video':
        return this.#discord.video(mark);
    }
  }
}

const wrongOf = (expected: readonly Expectation[]): string[] =>
  expected.flatMap((one) => {
    const wrong = one.wrong();
    return wrong === undefined ? [] : [`${one.what}: ${wrong}`];
  });
