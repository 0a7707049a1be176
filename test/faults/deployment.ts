import { NOTHING_DUE } from '../fakes/no-schedules.ts';
import { FakeQueue } from '../fakes/messenger.ts';
import { applicationKeys } from '../platforms/discord/keys.ts';
import { handleDeadLetter, requeueStuckTasks, dispatchTask } from '../../shared/worker/index.ts';
import { installState } from '../fakes/install-state.ts';
import { type Dynamo, Schedules } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { AccessChecker } from '../isolation/access-checker.ts';
import { awsClientFor } from '../isolation/simulated-aws.ts';
import { createDiscordTenants } from '../isolation/discord-tenants.ts';
import { discordCalls, fetchOutside, sendFile, slackCalls } from '../isolation/checked-requests.ts';
import { CLIENT_SECRET, DEPLOYMENT_KEY, SIGNING_SECRET } from '../isolation/secrets.ts';
import { signedBySlack } from '../isolation/signing.ts';
import { SimulatedTime } from '../isolation/simulated-time.ts';
import { createSlackTenants } from '../isolation/slack-tenants.ts';
import { countBytes } from '../isolation/environment.ts';
import { BOT_TOKEN } from '../isolation/gateway.ts';
import { type System, systemOn } from '../isolation/system.ts';
import type { Json } from '../simulators/slack/state.ts';
import { takeAnswer } from '../simulators/discord/inline-answer.ts';
import type { Asked as Interaction } from '../simulators/discord/interaction-payloads.ts';
import { featureClients, type Features } from './deployment-features.ts';
import { faultyDiscord, faultySlack } from './faulty-platforms.ts';
import { faultyModels, type Request } from './faulty-models.ts';
import { FaultyQueue } from './faulty-queue.ts';
import { FaultySearch } from './faulty-search.ts';
import { faultyTables } from './faulty-tables.ts';
import { FaultyTracker } from './faulty-tracker.ts';
import { type SeededBug, verdictWith } from './seeded-bugs.ts';
import { Processes } from './processes.ts';
import { createSeededRandom, type Random } from './seeded-random.ts';
import type { FaultPlan } from './harness.ts';

const START = 1_790_000_000_000;
/** When Slack retries, and the relay resumes an event. */
const atOnce = (): Promise<void> => Promise.resolve();
/** A request is answered or aborted within this time. */
const DISCORD_WAITS_MS = 3_000;
const RETRIES_MS = [0, 60_000, 300_000];

/** Generating a key pair takes longer than most requests of a run. */
const KEYS = applicationKeys();

type DeploymentOptions = {
  readonly mutant?: SeededBug | undefined;
  readonly features?: Features | undefined;
  readonly order?: Random | undefined;
};

/** The whole deployment on simulated platforms, composed as in production: each of its requests is a point of a plan. */
export class Deployment {
  readonly time = new SimulatedTime(START);
  readonly processes: Processes;
  readonly memory = createMemoryDynamo();
  readonly tenants = createSlackTenants(this.time.now);
  readonly discord = createDiscordTenants(this.time.now);
  readonly requests: Request[] = [];
  /** The messages of each request that reached the models, as JSON. */
  readonly prompts: string[] = [];
  /** The permissions with which messages were searched in Slack, also those of failed requests. */
  readonly searchTokens: string[] = [];
  /** Slack requests for a workspace with a token of another one. */
  readonly checker = new AccessChecker(() => []);
  readonly secrets: Record<string, object>;
  /** The MCP server that a workspace may add. */
  readonly tracker: FaultyTracker;
  readonly search: FaultySearch;
  /** A platform gave up an event. */
  gaveUp = false;
  readonly #keys = KEYS;
  readonly #line: FaultyQueue;
  readonly #tables: () => Dynamo;
  #late = 0;
  readonly #randomBytes = countBytes();

  readonly #mutant: SeededBug | undefined;
  readonly #features: Features;

  /** `order` chooses the order of concurrent requests. */
  constructor(plan: FaultPlan, { mutant, features = {}, order }: DeploymentOptions = {}) {
    this.#mutant = mutant;
    this.#features = features;
    this.processes = new Processes(plan, this.time, order);
    this.#tables = faultyTables(this.processes, this.memory, mutant);
    this.tracker = new FaultyTracker(this.processes);
    this.search = new FaultySearch(this.processes, this.time);
    this.secrets = {
      'slack-signing': { current: SIGNING_SECRET },
      'slack-bot': { botToken: this.tenants[0]?.sim.identity.botToken },
      'slack-oauth': { clientId: 'client', clientSecret: CLIENT_SECRET },
      'discord-bot': { botToken: BOT_TOKEN },
      upstream: { apiKey: DEPLOYMENT_KEY },
    };
    this.#line = new FaultyQueue(this.time, this.processes);
  }

  /** The state of one process: nothing is shared with another, which may die at any point. */
  system(): System {
    const { processes, time, tenants, discord, memory } = this;
    const { clock } = processes;
    const web = slackCalls(tenants, this.checker, atOnce);
    const rest = discordCalls(discord, atOnce);
    const dynamo = this.#tables();
    let count = 0;
    return systemOn({
      time: clock,
      random: createSeededRandom(1),
      dynamo,
      cloud: (tables) =>
        awsClientFor({
          tables,
          send: (_, ...sent) => this.#line.send(...sent),
          secrets: this.secrets,
          invoke: (event) => this.tracker.serve(event),
        }),
      scan: async () => ({ Items: memory.items('conversations') }),
      queues: { tasks: this.#line, voice: { send: () => Promise.resolve() } },
      webCall: faultySlack(processes, web, (token) => void this.searchTokens.push(token), this.#mutant),
      sendBytes: sendFile,
      restCall: faultyDiscord(processes, rest, this.#mutant),
      upstream: faultyModels({
        time,
        processes,
        onRequest: (one) => {
          this.requests.push(one);
          this.#features.onRequest?.(memory);
        },
        onPrompt: (one) => void this.prompts.push(one),
        hasTools: this.#features.hasTools ?? this.#features.tools !== undefined,
      }),
      ...featureClients(this.#features, this.search),
      publicKey: this.#keys.publicKey,
      applicationId: discord.identity.applicationId,
      unique: () => `unique-${(count += 1)}`,
      randomBytes: this.#randomBytes,
    });
  }

  /** Another program sends a request to the API. Resolves with the whole response; undefined if the process dies. */
  api(event: unknown): Promise<{ readonly status: number; readonly text: string } | undefined> {
    return this.processes.run('api', async () => {
      const { status, body } = await this.system().api(event);
      let text = '';
      for await (const part of body) text += part;
      return { status, text };
    });
  }

  /** Slack sends the event to the front, and again until it is acknowledged. */
  async slackTells(envelopes: readonly Json[]): Promise<void> {
    for (const one of envelopes) {
      const body = JSON.stringify(one);
      await this.#told('front', async () => {
        const event = signedBySlack(body, 'application/json', this.time.now());
        return (await this.system().slack(event)).statusCode === 200;
      });
    }
  }

  /** Slack sends a click or command once, whatever the response. Late: it is lost. */
  async slackForm(fields: Readonly<Record<string, string>>): Promise<void> {
    const body = new URLSearchParams(fields).toString();
    const type = 'application/x-www-form-urlencoded';
    const fault = this.processes.fault('press', 'delivery');
    const press = () =>
      this.processes.run('front', () => this.system().slack(signedBySlack(body, type, this.time.now())));
    if (fault !== 'late') void press();
    if (fault === 'double') void press();
    await Promise.resolve();
  }

  /** The gateway sends the event to the relay, which resumes after an interruption. */
  async gatewayTells(dispatches: readonly { readonly t: string; readonly d: unknown }[]): Promise<void> {
    for (const { t, d } of dispatches)
      await this.#told('relay', async () => {
        await this.system().gateway(t, d);
        return true;
      });
  }

  /** Discord sends an interaction once. */
  async interacts(request: Interaction): Promise<void> {
    const body = JSON.stringify(request.payload);
    const headers = this.#keys.headers(body, Math.floor(this.time.now() / 1_000));
    const event = {
      headers: { 'content-type': 'application/json', ...headers },
      body,
      isBase64Encoded: false,
    };
    const over = this.time.now() + DISCORD_WAITS_MS;
    let isTaken = false;
    const answering = this.processes.run('discord', () => this.system().discord(event));
    const take = async (): Promise<void> => {
      const answer = await answering;
      if (answer?.statusCode !== 200 || this.time.now() > over) return;
      // A response that reports an error: the person asks again, which is another interaction.
      isTaken = !answer.body.startsWith('{"type":4');
      const type = answer.headers?.['content-type'] ?? '';
      await takeAnswer(this.discord.context, request.interaction.id, type, Buffer.from(answer.body));
    };
    void take();
    await this.pass(DISCORD_WAITS_MS);
    if (!isTaken) this.gaveUp = true;
  }

  /** A person installs the app in the workspace of this number, again if they are told that it failed. */
  async install(nth: number): Promise<void> {
    const code = this.tenants[nth]?.code ?? '';
    await this.#told('install', async () => {
      const state = await installState(CLIENT_SECRET, this.time.now());
      const { statusCode } = await this.system().install({
        routeKey: 'GET /slack/oauth_redirect',
        cookies: [`__Host-parley-install=${state}`],
        queryStringParameters: { code, state },
        requestContext: { domainName: 'bot.example.com' },
      });
      return statusCode === 200;
    });
  }

  async #told(what: string, tell: () => Promise<boolean>): Promise<void> {
    const fault = this.processes.fault(`tell the ${what}`, 'delivery');
    const attempt = async (): Promise<void> => {
      for (const wait of [...RETRIES_MS, undefined]) {
        if ((await this.processes.run(what, tell)) === true) return;
        if (wait === undefined) return void (this.gaveUp = true);
        await this.time.sleep(wait);
      }
    };
    this.#late += 1;
    const ended = (): void => void (this.#late -= 1);
    if (fault === 'late') this.time.at(this.time.now() + 400_000, () => void attempt());
    void attempt().finally(ended);
    if (fault === 'double') void attempt();
    await Promise.resolve();
  }

  /** Advances time by this much (ms), with all work that is due. */
  async pass(ms: number): Promise<void> {
    const original = globalThis.fetch;
    const outside = fetchOutside(this.tenants, this.discord, this.checker, atOnce);
    globalThis.fetch = (input, init) => this.processes.call('fetch', () => outside(input, init));
    try {
      await this.time.pass(this.time.now() + ms);
    } finally {
      globalThis.fetch = original;
    }
  }

  /** Starts to receive tasks. */
  start(): void {
    const plain = (): System['context'] => {
      const { context } = this.system();
      return { ...context, settings: { ...context.settings, followUpModel: undefined } };
    };
    this.#line.serve({
      work: async (body, delivery) =>
        verdictWith(this.#mutant, body, await dispatchTask(body, plain(), delivery)),
      bury: (body) => handleDeadLetter(body, plain()),
    });
  }

  /** Whether a turn needs a reconcile pass, or a schedule is due. A sweep without these changes nothing. */
  get needsSweep(): boolean {
    const seconds = this.time.now() / 1_000;
    return this.memory.hasItem(
      'conversations',
      ({ open, due }) => open !== undefined && (open.S !== 'schedule' || Number(due?.N) <= seconds),
    );
  }

  /** Queues stuck tasks, as every minute. */
  async sweep(): Promise<void> {
    if (!this.needsSweep) return;
    const { turns } = this.system().context;
    const { now } = this.processes.clock;
    const schedules = new Schedules({ dynamo: this.#tables(), table: 'conversations', now });
    const parts = {
      ...NOTHING_DUE,
      ...(this.#features.schedules && { schedules }),
      queue: this.#line,
      transcriptionQueue: new FakeQueue(),
      now,
      log: () => undefined,
    };
    void this.processes.run('sweeper', () => requeueStuckTasks({ turns, ...parts }));
  }

  /** A task used up its deliveries: its person is told so instead of being answered. */
  get hasDeadLetters(): boolean {
    return this.#line.deadLetters > 0;
  }

  get isIdle(): boolean {
    return this.#line.isEmpty && this.#late === 0;
  }
}
