import { NOTHING_DUE } from '../fakes/no-schedules.ts';
import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { FakeQueue, FakeMessenger } from '../fakes/messenger.ts';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { bareContext } from '../fakes/bare-context.ts';
import { settingsStoresIn } from '../fakes/settings-stores.ts';
import {
  serveBatch,
  serveDeadLetters,
  serveIsolated,
} from '../../functions/composition/process/sqs-batch.ts';
import {
  handleDeadLetter,
  refuseLateWrites,
  requeueStuckTasks,
  dispatchTask,
  type ProcessContext,
} from '../../shared/worker/index.ts';
import type { TaskMessage } from '../../shared/task-queue/index.ts';
import type { QueueDelivery } from '../../shared/domain/index.ts';
import { DEFAULTS } from '../../shared/ports/index.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { createSlackPlatform, type SlackCall } from '../../shared/platforms/slack/index.ts';
import {
  Breakers,
  type Dynamo,
  TurnSignals,
  Recordings,
  TaskAttempts,
  Turns,
} from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createDirectClient } from '../simulators/slack/direct-client.ts';
import { createWorkspace, type Workspace } from '../simulators/slack/workspace.ts';
import { END, EVENT_LATE_MS, MINUTE, SLACK_RETRIES, SLACK_WAITS_MS, T0 } from './times.ts';
import { front, signingAt } from './front.ts';
import { ignore, onDuplicatePut, platformWith, storeWith } from './seeded-bugs.ts';
import { chatIn, dynamoIn, type Model, slackIn, slotsIn, spendingIn, storeIn } from './process-ports.ts';
import type { ScenarioResult, ScenarioOptions } from './options.ts';
import { SimulatedUsers } from './user-actions.ts';
import { Queues, queuesIn } from './queues.ts';
import { createSeededRandom } from './seeded-random.ts';
import { sharedWorkerContext } from './shared-worker.ts';
import { toNextVersion, toThisVersion } from './versions.ts';
import { type Statuses, isInQueue, observeStatuses, newEffects, observeWrites } from './observe-effects.ts';
import { type FaultPlan, type Process, FaultHarness } from './harness.ts';

export { T0 };

/** Runs the front, the worker, the sweeper and the dead letters on questions of one thread under a plan of faults. */
export async function runScenario(options: ScenarioOptions): Promise<ScenarioResult> {
  const scenario = new Scenario(options);
  await scenario.play();
  return scenario.result();
}

class Scenario {
  readonly #options: ScenarioOptions;
  readonly #harness: FaultHarness;
  readonly #workspace: Workspace;
  readonly #slack: SlackCall;
  readonly #memory = createMemoryDynamo();
  readonly #store: Dynamo;
  readonly #queues: Queues;
  readonly #model: Model;
  readonly #counts = newEffects();
  readonly #waiterIds = createSeededRandom(1);
  readonly #people: SimulatedUsers;
  readonly #statuses: Statuses = { notices: [], clearedAt: new Map() };
  #heldMs = 0;
  readonly #workers = new Set<Process>();

  constructor(options: ScenarioOptions) {
    this.#options = options;
    const { goesOn, searches, faultsUntilMs = Infinity } = options;
    this.#model = { requests: 0, questions: [], now: () => this.#harness.now, goesOn, searches };
    const plan: FaultPlan = (...point) =>
      this.#harness.now < T0 + faultsUntilMs ? options.plan(...point) : undefined;
    this.#harness = new FaultHarness(T0, plan, options.random);
    const { identity = {} } = options;
    const clock = (): number => this.#harness.now;
    this.#workspace = createWorkspace({ clock, identity });
    this.#slack = observeStatuses(createDirectClient(this.#workspace), this.#statuses, clock);
    const watched = observeWrites(this.#memory, this.#counts, () => this.#harness.now);
    this.#store = storeWith(options.mutant, watched);
    const shared = (process: Process) =>
      sharedWorkerContext(options.large, this.#context(process), (context) =>
        this.#workerContext(process, context),
      );
    const serve: ConstructorParameters<typeof Queues>[1] = {
      tasks: (process, event, lambda) => serveBatch(event, lambda, shared(process)),
      isolated: (process, event, lambda) => serveIsolated(event, lambda, this.#workerContext(process)),
      dead: (process, event) => this.#deadLetters(process, event),
    };
    this.#queues = new Queues(this.#harness, serve, options.groupLock);
    this.#people = new SimulatedUsers({
      workspace: this.#workspace,
      now: () => this.#harness.now,
      at: (ms, then) => this.#harness.at(ms, then),
      pressed: (body) => this.#pressed(body),
      hasEnded: (ts) => this.#counts.endedAt.has(ts),
      isInQueue: (root, ts) => isInQueue(this.#memory, this.#workspace, root, ts),
    });
    this.#workspace.onEvent((envelope) => this.#deliver(JSON.stringify(envelope)));
  }

  async play(): Promise<void> {
    let at = T0;
    for (const question of this.#options.questions) {
      at += question.afterMs;
      this.#harness.at(at, () => this.#people.ask(question));
    }
    for (const afterMs of this.#options.kills ?? []) {
      this.#harness.at(T0 + afterMs, () => {
        for (const process of this.#workers) process.die();
      });
    }
    for (const act of this.#options.acts ?? [])
      this.#harness.at(T0 + act.afterMs, () => this.#people.act(act));
    this.#sweepAt(T0 + MINUTE);
    await this.#harness.run(END);
  }

  result(): ScenarioResult {
    return {
      harness: this.#harness,
      workspace: this.#workspace,
      store: this.#memory,
      questionIds: this.#people.questionIds,
      standing: this.#people.standing,
      prompts: this.#model.questions,
      isPlain: (this.#options.acts ?? []).length === 0,
      done: this.#people.done,
      ...this.#statuses,
      heldMs: this.#heldMs,
      requests: this.#model.requests,
      ...this.#counts,
    };
  }

  #pressed(body: string): void {
    const process = this.#harness.spawn('front');
    void this.#front(process, body, 'application/x-www-form-urlencoded').finally(() => process.die());
  }

  /** Slack delivers an event, and again until it is acknowledged in time. */
  #deliver(envelope: string): void {
    const again = (): void => this.#attempt(envelope, SLACK_RETRIES.length);
    const fault = this.#harness.fault('the network', 'deliver the event', 'delivery');
    if (fault === 'late') this.#harness.at(this.#harness.now + EVENT_LATE_MS, again);
    this.#attempt(envelope, 0);
    if (fault === 'double') again();
  }

  #attempt(envelope: string, tries: number): void {
    const process = this.#harness.spawn('front');
    let over = false;
    const settle = (arrived: boolean): void => {
      if (over) return;
      over = true;
      process.die();
      const wait = SLACK_RETRIES[tries];
      if (!arrived && wait !== undefined) {
        this.#harness.at(this.#harness.now + wait, () => this.#attempt(envelope, tries + 1));
      } else if (!arrived) this.#counts.gaveUp = true;
    };
    process.onDeath(() => settle(false));
    this.#harness.at(this.#harness.now + SLACK_WAITS_MS, () => settle(false));
    this.#front(process, envelope).then(
      (status) => settle(status >= 200 && status < 300),
      () => settle(false),
    );
  }

  #front(process: Process, body: string, type?: string): Promise<number> {
    const { mutant } = this.#options;
    let onRecord = false;
    const marks = mutant === 'a recorded message is not queued again';
    const store = marks ? onDuplicatePut(this.#store, () => (onRecord = true)) : this.#store;
    const context = {
      ...BARE_INTAKE,
      turns: new Turns(storeIn(process, store)),
      signals: new TurnSignals(storeIn(process, store)),
      queue: {
        send: async (task: string, group: string, dedup: string) => {
          const written = this.#isNew('frontAfterMs') ? toNextVersion(task) : task;
          const send = () => process.effect('send', () => this.#queues.send(written, group, dedup));
          if (!onRecord) await (mutant === 'a refused task is acknowledged' ? send().catch(ignore) : send());
        },
      },
      showMessage: (receipt: string) =>
        process.effect('show', () => void this.#queues.hide([{ receipt, seconds: 0 }])),
      now: process.time.now,
      sentAt: this.#harness.now,
    };
    return front(body, context, type, signingAt(this.#harness.now - T0, this.#options.rotatesAfterMs));
  }

  /** Whether this part has the new version. */
  #isNew(part: 'frontAfterMs' | 'workerAfterMs'): boolean {
    return this.#harness.now >= T0 + (this.#options.deployment?.[part] ?? Infinity);
  }

  #workerContext(process: Process, context = this.#context(process)) {
    this.#workers.add(process);
    process.onDeath(() => this.#workers.delete(process));
    const { poison } = this.#options;
    // A running invocation ends with the old code.
    const read = this.#isNew('workerAfterMs') ? toThisVersion : (body: string): string => body;
    return {
      serve: (body: string, delivery: QueueDelivery) => {
        if (poison && body.includes(poison.text)) {
          if (poison.afterMs === 0) process.die();
          else this.#harness.at(this.#harness.now + poison.afterMs, () => process.die());
        }
        const startedAt = this.#harness.now;
        const ended = (): void => void (this.#heldMs += this.#harness.now - startedAt);
        return dispatchTask(read(body), context, delivery).finally(ended);
      },
      refuseLateWrites: ({ id, body }: TaskMessage) => refuseLateWrites({ id, body: read(body) }, context),
      ...queuesIn(process, this.#queues),
      attempts: new TaskAttempts(this.#tokens(process)),
      limits: { maxReceives: TASKS.maxReceives, maxWaitMs: 1_000 * TASKS.maxWaitSeconds },
      time: process.time,
      random: this.#options.random ?? (() => 0.5),
      log: () => undefined,
    };
  }

  #deadLetters(process: Process, event: SQSEvent): Promise<SQSBatchResponse> {
    const context = this.#context(process);
    const send = (body: string, group: string, dedup: string): Promise<void> =>
      process.effect('send', () => this.#queues.send(body, group, dedup));
    const recordings = new Recordings(storeIn(process, this.#store));
    const read = this.#isNew('workerAfterMs') ? toThisVersion : (body: string): string => body;
    const serve = (body: string, sentAtMs: number) =>
      handleDeadLetter(read(body), { ...context, recordings, queue: { send } }, sentAtMs);
    return serveDeadLetters(event, serve, () => undefined);
  }

  /** Sweeps every minute while there is something to sweep, or more may come. */
  #sweepAt(time: number): void {
    this.#harness.at(time, () => {
      // A sweep without findings changes nothing: omitting it keeps the number of points, and so of plans, small.
      const marked = this.#memory.hasItem('conversations', ({ open }) => open !== undefined);
      if (marked) void this.#sweep();
      if (marked || this.#harness.busy) this.#sweepAt(time + MINUTE);
    });
  }

  async #sweep(): Promise<void> {
    if (this.#options.mutant === 'no reconcile pass') return;
    const process = this.#harness.spawn('sweeper');
    const queue = {
      send: (body: string, group: string, dedup: string) =>
        process.effect('send', () => this.#queues.send(body, group, dedup)),
    };
    const { turns, log } = this.#context(process);
    // Videos have a simulation of their own: test/video/crash-recovery.test.ts.
    const sweep = { turns, ...NOTHING_DUE, queue, transcriptionQueue: queue, now: process.time.now, log };
    await requeueStuckTasks(sweep).catch(() => undefined);
    process.die();
  }

  #context(process: Process): ProcessContext {
    const { botUserId } = this.#workspace.identity;
    const call = slackIn(process, this.#slack);
    const platform = createSlackPlatform({ call, time: process.time, botUserId });
    return {
      ...bareContext(storeIn(process, this.#store)),
      turns: new Turns(storeIn(process, this.#store)),
      signals: new TurnSignals(storeIn(process, this.#store)),
      platform: platformWith(this.#options.mutant, platform),
      messenger: new FakeMessenger(),
      queue: new FakeQueue(),
      showMessage: EMPTY_QUEUE,
      chat: chatIn(process, this.#model),
      permits: this.#permits(process),
      budgets: this.#options.budgets
        ? spendingIn(process, this.#store, this.#options.budgets === 'several')
        : unlimitedBudget,
      breakers: new Breakers({ ...this.#tokens(process), random: () => 0.5 }),
      time: process.time,
      settings: DEFAULTS,
      ...settingsStoresIn(storeIn(process, this.#store)),
      log: () => undefined,
    };
  }

  #tokens(process: Process) {
    return { dynamo: dynamoIn(process, this.#store), table: 'tokens', now: process.time.now };
  }

  #permits(process: Process): ProcessContext['permits'] {
    const counted = () => (this.#counts.tokens += 1);
    return slotsIn(process, this.#store, this.#waiterIds, counted, this.#options.limit);
  }
}
