import { applicationKeys } from '../platforms/discord/keys.ts';
import { createMemoryDynamo, type MemoryDynamo } from '../fakes/dynamo.ts';
import type { Item } from '../fakes/dynamo-parser.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { refuseLateWrites, dispatchTask } from '../../shared/worker/index.ts';
import type { RateLimit } from '../../shared/rate-limits/index.ts';
import { TASKS } from '../../shared/runtime/shared-names.ts';
import { KeyRateLimiter, TokenBuckets, TaskAttempts } from '../../shared/storage/index.ts';
import { TaskService } from '../../shared/task-queue/index.ts';
import { AccessChecker } from '../isolation/access-checker.ts';
import { awsClientFor } from '../isolation/simulated-aws.ts';
import { sendFile, slackCalls } from '../isolation/checked-requests.ts';
import { CLIENT_SECRET, DEPLOYMENT_KEY, SIGNING_SECRET } from '../isolation/secrets.ts';
import { signedBySlack } from '../isolation/signing.ts';
import { SimulatedTime } from '../isolation/simulated-time.ts';
import { ENV } from '../isolation/environment.ts';
import { type System, systemOn } from '../isolation/system.ts';
import { DEFAULT_IDENTITY, type Person } from '../simulators/slack/identity.ts';
import { createWorkspace, type Workspace } from '../simulators/slack/workspace.ts';
import { TaskQueue } from './task-queue.ts';
import { type Asked, modelsOf } from './models.ts';
import { CHANNELS, PEOPLE } from './plan.ts';

const START = 1_790_000_000_000;
/** Worker processes; here they are loops of one process, and share its memory. */
const LOOPS = 60;

/** A rate limit of the models that is higher than the load. */
const AMPLE_LIMIT: RateLimit = { perMinute: 60_000, burst: 2_000 };

const atOnce = (): Promise<void> => Promise.resolve();

const people = Array.from({ length: PEOPLE }, (_, n): Person => ({
  id: `U0SOAK${1_000 + n}`,
  name: `person${n}`,
  realName: `Person ${n}`,
}));
export const personOf = (nth: number): string => people[nth]?.id ?? '';
export const channelOf = (nth: number): string => `C0SOAK${1_000 + nth}`;

const copied = (item: Item | undefined): Item | undefined =>
  item &&
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, value.B ? { B: new Uint8Array(value.B) } : value]),
  );

/** Tables that copy the stored bytes, since slices would keep larger buffers of the process alive. */
function compact(memory: MemoryDynamo): MemoryDynamo {
  return {
    ...memory,
    put: (input) => memory.put({ ...input, Item: copied(input.Item) }),
    update: (input) =>
      memory.update({ ...input, ExpressionAttributeValues: copied(input.ExpressionAttributeValues) }),
  };
}

/**
 * One process with the real front and the real worker, on a simulated Slack, simulated models, and a simulated clock.
 */
export class SoakHarness {
  readonly time = new SimulatedTime(START);
  readonly random;
  readonly memory = compact(createMemoryDynamo());
  readonly line = new TaskQueue(this.time);
  readonly slack: Workspace;
  /** The workspace of each Slack request. */
  readonly checker = new AccessChecker(() => []);
  /** Unexpected events. */
  readonly failures: string[] = [];
  readonly #limit: RateLimit;
  readonly #system: System;
  readonly #stopped = new AbortController();

  /** `limit`: the rate limit of the models. */
  constructor(
    seed: number,
    onRequest: (one: Asked) => void,
    limit: RateLimit = AMPLE_LIMIT,
    mentionFirst = true,
  ) {
    this.#limit = limit;
    this.random = createSeededRandom(seed);
    const members = [...people.map(({ id }) => id), DEFAULT_IDENTITY.botUserId];
    this.slack = createWorkspace({
      clock: this.time.now,
      mentionFirst: () => mentionFirst,
      identity: { users: people },
      channels: Array.from({ length: CHANNELS }, (_, n) => ({
        id: channelOf(n),
        name: `channel${n}`,
        kind: 'channel' as const,
        members,
      })),
    });
    this.#system = this.#build(onRequest);
    this.slack.onEvent((envelope) => void this.#deliver(JSON.stringify(envelope)));
  }

  #build(onRequest: (one: Asked) => void): System {
    const tenant = { kind: 'slack', tenant: this.slack.identity.teamId, sim: this.slack } as const;
    const secrets = {
      'slack-signing': { current: SIGNING_SECRET },
      'slack-bot': { botToken: this.slack.identity.botToken },
      'slack-oauth': { clientId: 'client', clientSecret: CLIENT_SECRET },
      'discord-bot': { botToken: 'none' },
      upstream: { apiKey: DEPLOYMENT_KEY },
    };
    let count = 0;
    return systemOn({
      time: this.time,
      random: this.random,
      dynamo: this.memory,
      cloud: (tables) => awsClientFor({ tables, send: (_, ...sent) => this.line.send(...sent), secrets }),
      scan: async () => ({ Items: this.memory.items('conversations') }),
      queues: { tasks: this.line, voice: { send: () => Promise.resolve() } },
      webCall: slackCalls([tenant], this.checker, atOnce),
      sendBytes: sendFile,
      restCall: () => () => Promise.reject(new Error('no Discord here')),
      upstream: modelsOf(this.time, onRequest),
      publicKey: applicationKeys().publicKey,
      applicationId: '1',
      unique: () => `unique-${(count += 1)}`,
    });
  }

  /** Slack sends an event to the front, once: the front always accepts it. */
  async #deliver(body: string): Promise<void> {
    try {
      const answer = await this.#system.slack(signedBySlack(body, 'application/json', this.time.now()));
      if (answer.statusCode !== 200) this.failures.push(`the front answered ${answer.statusCode}`);
    } catch (error) {
      this.failures.push(`the front threw ${String(error)}`);
    }
  }

  /** Starts to receive tasks. */
  start(): void {
    for (let n = 0; n < LOOPS; n += 1) void this.#loop().run(this.#stopped.signal);
  }

  /** Stops receiving tasks. */
  stop(): void {
    this.#stopped.abort();
  }

  #loop(): TaskService {
    const { now } = this.time;
    const tokens = { dynamo: this.memory, table: ENV.TOKENS_TABLE, now };
    const { context: whole } = this.#system;
    const permits = new KeyRateLimiter({
      buckets: new TokenBuckets(this.memory, ENV.TOKENS_TABLE, now),
      random: this.random,
      family: 'chat',
      limit: this.#limit,
      keys: () => Promise.resolve(['1']),
      now,
      onTableUnavailable: () => this.failures.push('a request without a permit'),
    });
    const context = { ...whole, permits, settings: { ...whole.settings, followUpModel: undefined } };
    return new TaskService({
      serve: (body, delivery) => dispatchTask(body, context, delivery),
      refuseLateWrites: (message) => refuseLateWrites(message, context),
      queue: this.line.port,
      isolate: async ({ body }) => void this.failures.push(`isolated: ${body}`),
      refill: {
        receive: (max, seconds) => this.line.receive(max, seconds, TASKS.serviceReceiveWaitSeconds),
        maxTasks: TASKS.maxTasks,
      },
      attempts: new TaskAttempts(tokens),
      limits: { maxReceives: TASKS.maxReceives, maxWaitMs: 1_000 * TASKS.maxWaitSeconds },
      time: this.time,
      random: this.random,
      taskMs: 600_000,
      drainMs: 60_000,
      alive: () => undefined,
      log: (event, facts) => void this.failures.push(`${event} ${JSON.stringify(facts)}`),
    });
  }
}
