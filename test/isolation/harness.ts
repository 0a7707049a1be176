import { applicationKeys } from '../platforms/discord/keys.ts';
import { parseTranscriptionTask, parseTask } from '../../shared/domain/index.ts';
import { handleDeadLetter, dispatchTask } from '../../shared/worker/index.ts';
import { runTranscriptionTask } from '../../shared/voice/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom, type Random } from '../faults/seeded-random.ts';
import type { Discord } from '../simulators/discord/index.ts';
import type { Json } from '../simulators/discord/json.ts';
import { BlockedUsers } from './blocked-users.ts';
import { ACTOR, AccessChecker } from './access-checker.ts';
import { awsClientFor } from './simulated-aws.ts';
import * as discordPlaces from './discord-tenants.ts';
import { type Actor, payerOf } from './access-model.ts';
import { type Asked, modelsIn } from './model-services.ts';
import type { SeededBug } from './bug-parts.ts';
import { discordCalls, fetchOutside, sendFile, slackCalls } from './checked-requests.ts';
import { REPEATED_UPDATE, type Sent } from './operation.ts';
import { PayingKeys } from './paying-keys.ts';
import { CLIENT_SECRET, DEPLOYMENT_KEY, SIGNING_SECRET } from './secrets.ts';
import { SimulatedTime } from './simulated-time.ts';
import * as slackPlaces from './slack-tenants.ts';
import type { SlackTenant } from './slack-tenants.ts';
import { BOT_TOKEN } from './gateway.ts';
import { AddedMessages } from './features/added-messages.ts';
import { ApiKeys } from './features/api-keys.ts';
import { FoundMessages } from './features/found-messages.ts';
import { ScheduleRecords } from './features/schedule-records.ts';
import { ToolServers } from './features/tool-servers.ts';
import { WebhookReceivers } from './features/webhook-receivers.ts';
import { MAX_TOKENS, SETTINGS, type System, systemOn } from './system.ts';
import { findChangeableVideo, findVideo, type Ids, watchedTables } from './tables.ts';
import { type Serving, TaskQueue } from './task-queue.ts';
import { VideoService } from './video-service.ts';
import { observeDiscord, observeSlack } from './observe-platforms.ts';

const START = 1_790_000_000_000;
/** The delay between effects while operations run concurrently. */
const MAX_JITTER_MS = 40;
const MAX_ENTRIES = 60;

/** Slack workspaces and Discord guilds of one deployment, with everything that was sent so far. */
export class IsolationHarness {
  readonly random: Random;
  readonly time = new SimulatedTime(START);
  readonly slack: readonly SlackTenant[] = slackPlaces.createSlackTenants(this.time.now);
  readonly discord: Discord = discordPlaces.createDiscordTenants(this.time.now);
  readonly keys = applicationKeys();
  readonly checker = new AccessChecker((tenant, channel) => this.members(tenant, channel));
  readonly schedules = new ScheduleRecords(this.checker, this.time.now);
  readonly foundMessages = new FoundMessages(this.checker, {
    isOpen: (tenant, channel) =>
      slackPlaces.isOpen(this.slack, tenant, channel) ?? discordPlaces.isOpen(this.discord, channel),
    isShared: (tenant, channel) => slackPlaces.isShared(this.slack, tenant, channel),
    mayUse: (actor) => this.tools.enabled.mayUse(actor, 'messages', this.time.now()),
  });
  readonly line = new TaskQueue(this.time, (body) => this.schedules.actorOf(body));
  readonly voiceLine = new TaskQueue(this.time);
  readonly videos = new VideoService((one) => this.#checkRequest(one));
  readonly ownKeys = new PayingKeys();
  readonly tools = new ToolServers(this.checker, {
    now: this.time.now,
    gate: (): Promise<void> => this.#gate(),
    onWebhook: (url, body) => this.webhooks.receive(url, body),
  });
  readonly apiKeys = new ApiKeys(this.checker, (tenant, channel) => this.members(tenant, channel));
  readonly webhooks = new WebhookReceivers(this.checker, this.apiKeys, {
    isPublic: (tenant, channel) =>
      slackPlaces.isPublic(this.slack, tenant, channel) ?? discordPlaces.isOpen(this.discord, channel),
    races: () => this.races,
  });
  readonly addedMessages = new AddedMessages(this.checker, (actor) =>
    this.tools.enabled.mayUse(actor, 'knowledge', this.time.now()),
  );
  readonly barred = new BlockedUsers();
  /** The bots that an administrator has allowed, by tenant. */
  readonly allowedBots = new Set<string>();
  readonly system: System;
  /** Whether effects take time, so that concurrent operations interleave. */
  races = false;
  /** The conversation of each message of the bot, by its id. */
  readonly conversations = new Map<string, string>();
  /** Who caused a message or modal of the bot to be shown. */
  readonly origins = new Map<string, Actor>();
  /** The latest requests, for replays; and the values of controls, for forged ones. */
  readonly requests: Sent[] = [];
  readonly actions: Json[] = [];
  /** The latest MESSAGE_UPDATE of Discord that were delivered, with who caused them. */
  readonly updates: { readonly actor: Actor; readonly data: unknown }[] = [];
  readonly fetch: typeof fetch;
  readonly #memory = createMemoryDynamo();
  #ids = 0;

  /** `apiUrl`: the address of the API; without one, channels have no webhooks. */
  constructor(seed: number, mutant?: SeededBug, apiUrl?: string) {
    this.random = createSeededRandom(seed);
    this.checker.onRead = (text, reader) => {
      this.apiKeys.noteShown(text, reader, this.time.now());
      this.schedules.noteRead(text, reader, this.races);
    };
    const gate = (): Promise<void> => this.#gate();
    const memory = this.#memory;
    const ids: Ids = {
      stored: (old, after) => {
        this.tools.note(old, after);
        this.apiKeys.noteStored(old, after);
        this.schedules.noteStored(old, after);
      },
      laid: (tenant, book) => this.barred.setPolicy(tenant, book, this.time.now()),
      tenants: new Set([...this.slack.map(({ tenant }) => tenant), ...discordPlaces.GUILDS, '@me']),
      // The opt-out of a recording's author is read, and the author may be the bot itself.
      people: new Set(
        [...this.discord.state.users.values()].flatMap(({ id, bot }) => (bot === true ? [] : [id])),
      ),
    };
    const dynamo = watchedTables(memory, this.checker, ids, gate);
    const send = (queue: 'tasks' | 'voice', body: string, group: string, dedup: string): Promise<void> =>
      (queue === 'tasks' ? this.line : this.voiceLine).send(body, group, dedup);
    const secrets = {
      'slack-signing': { current: SIGNING_SECRET },
      'slack-bot': { botToken: this.slack[0]?.sim.identity.botToken },
      'slack-oauth': { clientId: 'client', clientSecret: CLIENT_SECRET },
      'discord-bot': { botToken: BOT_TOKEN },
      upstream: { apiKey: DEPLOYMENT_KEY },
    };
    this.fetch = fetchOutside(this.slack, this.discord, this.checker, gate);
    let count = 0;
    const ground = {
      time: this.time,
      random: this.random,
      dynamo,
      cloud: (tables: Dynamo) => awsClientFor({ tables, send, secrets, invoke: this.tools.invoke }),
      scan: async () => ({ Items: memory.items('conversations') }),
      queues: { tasks: this.line, voice: this.voiceLine },
      webCall: slackCalls(this.slack, this.checker, gate),
      sendBytes: sendFile,
      restCall: discordCalls(this.discord, gate),
      upstream: modelsIn(
        this.time,
        this.checker,
        gate,
        this.random,
        (one) => this.#checkRequest(one),
        (tool) => this.tools.argumentsFor(tool),
      ),
      videos: this.videos,
      settings: SETTINGS,
      apiUrl,
      publicKey: this.keys.publicKey,
      applicationId: this.discord.identity.applicationId,
      unique: () => `unique-${(count += 1)}`,
    };
    const system = systemOn(mutant?.ground?.(ground) ?? ground);
    this.system = mutant?.system?.(system, this.time.now) ?? system;
    for (const tenant of this.slack) observeSlack(tenant, this);
    observeDiscord(this);
  }

  /** Effects take time while operations run concurrently. */
  #gate(): Promise<void> {
    return this.races ? this.time.sleep(this.random() * MAX_JITTER_MS) : Promise.resolve();
  }

  members(tenant: string, channel: string): readonly string[] {
    const slack = this.slack.find((one) => one.tenant === tenant);
    return slack ? slackPlaces.membersIn(slack, channel) : discordPlaces.membersIn(this.discord, channel);
  }

  nextId(): number {
    return (this.#ids += 1);
  }

  keepRequest(sent: Sent): void {
    this.requests.push(sent);
    if (this.requests.length > MAX_ENTRIES) this.requests.shift();
  }

  keepAction(action: Json): void {
    this.actions.push(action);
    if (this.actions.length > MAX_ENTRIES) this.actions.shift();
  }

  keepUpdate(data: unknown): void {
    const actor = ACTOR.getStore();
    if (actor) this.updates.push({ actor, data });
    if (this.updates.length > MAX_ENTRIES) this.updates.shift();
  }

  /** The effect of a click on the model: its sender shows a text to all, or removes a key. */
  foresee(actor: Actor, action: string, content: string): void {
    const { tenant, channel, conversation, admin } = actor;
    if (/summarise\.show|schema\.send|follow\.ask/u.test(action))
      this.checker.publish(content, { kind: 'conversation', tenant, channel, conversation });
    this.schedules.notePress(actor, action);
    // A forged control with this value may be a rating, which erases nothing.
    if (actor.forgedNames === undefined && /forget\.me\b/u.test(action)) {
      this.schedules.forget(actor);
      this.foundMessages.forget(actor);
    }
    if (admin && action.includes('key.remove')) this.ownKeys.set(tenant, undefined, this.time.now());
  }

  /** From now on this bot may ask in the tenant. */
  allowBots({ tenant, admin, operation }: Actor, bot: string): void {
    if (admin && operation === 'setting of bots') this.allowedBots.add(`${tenant} ${bot}`);
  }

  /** The text that a person enters in a modal; `about` says which modal. */
  fillIn(actor: Actor, about: string): string {
    const { tenant, channel, conversation, user, secret, admin } = actor;
    if (about.includes('key.set|')) return this.tools.keyOf(tenant);
    if (about.includes('key.set')) {
      const key = `sk-${this.checker.plant({ kind: 'nobody', tenant }, user)}-0123456789abcdef`;
      if (admin && tenant !== '@me') this.ownKeys.set(tenant, key, this.time.now());
      return key;
    }
    const own = { kind: 'person', tenant, user } as const;
    // Another video is shown in the thread of the first, wherever its modal was opened.
    if (tenant === '@me' && about.includes('video.'))
      return `Text ${this.checker.plant({ ...own, kind: 'chats' }, user)}`;
    // A fact keeps its audience when it is edited: a public one may be used everywhere.
    if (/persona|schema|settings|feedback|memory|video\./u.test(about))
      return `Text ${this.checker.plant(tenant === '@me' ? own : { kind: 'tenant', tenant }, user)}`;
    const here = secret ? own : ({ kind: 'conversation', tenant, channel, conversation } as const);
    return `And ${this.checker.plant(here, user)}?`;
  }

  /** Runs this as production would, until no work is left. */
  async settle(act: () => Promise<unknown>): Promise<void> {
    const original = globalThis.fetch;
    globalThis.fetch = this.fetch;
    try {
      await this.time.until(act().then(() => this.#drain()));
    } finally {
      globalThis.fetch = original;
    }
  }

  /** Works until both queues are empty: a transcript can cause a question, and a question a transcription. */
  async #drain(): Promise<void> {
    const { context } = this.system;
    const width = this.races ? 4 : 1;
    const asks: Serving = {
      serve: async (body, delivery) =>
        parseTask(body) ? dispatchTask(body, context, delivery) : { kind: 'done' },
      giveUp: (body) => handleDeadLetter(body, context),
    };
    const hears: Serving = {
      serve: async (body, delivery) => {
        const task = parseTranscriptionTask(body);
        return task ? runTranscriptionTask(task, context.voice, delivery) : { kind: 'done' };
      },
      giveUp: (body) => handleDeadLetter(body, context),
    };
    while (!this.line.isEmpty || !this.voiceLine.isEmpty)
      await Promise.all([this.line.drain(asks, width), this.voiceLine.drain(hears, width)]);
  }

  /** Checks a model request: the API key and the texts must belong to the actor's tenant. */
  #checkRequest({ key, text, maxTokens = 0, foundTexts = '' }: Asked): void {
    const actor = ACTOR.getStore();
    if (!actor) return this.checker.fail('the models are asked for nobody');
    const { tenant, conversation, user, operation, bot } = actor;
    // A video is made again in its own thread, from wherever its owner or an administrator names it.
    const channel = findChangeableVideo(actor, this.#memory)?.thread.channel ?? actor.channel;
    if (operation === REPEATED_UPDATE) this.checker.fail('prompt: a repeated update asks');
    // In Discord a conversation may start with another message of the channel. A forged button may name any answer of
    // the channel, whose members could click it themselves.
    const whole = /^\d|@me/u.test(tenant) || /summar|about|reply|forged/u.test(operation);
    this.foundMessages.note(foundTexts, this.races);
    this.checker.read(text, { kind: 'prompt', tenant, channel, conversation, user, whole }, 'prompt');
    // What a person asks about, including transcripts, is part of their question.
    if (/about|form/u.test(operation)) this.checker.quote(text, user, conversation);
    if (maxTokens > MAX_TOKENS)
      this.checker.fail(
        `prompt: ${maxTokens} tokens are asked for where the deployment allows ${MAX_TOKENS}`,
      );
    this.checker.checks += 1;
    const now = this.time.now();
    // Another bot is in no list of members.
    const payer = payerOf(actor, findVideo(actor.startedVideo, this.#memory)?.by.user);
    if (bot === undefined && this.barred.isBlocked(tenant, payer, now))
      this.checker.fail(`prompt: ${payer} is kept out, and asks`);
    if (bot !== undefined && !this.allowedBots.has(`${tenant} ${bot}`))
      this.checker.fail(`prompt: the bot ${bot} asks, which nobody allowed`);
    if (!this.ownKeys.mayPay(tenant, key, now, DEPLOYMENT_KEY))
      this.checker.fail(`prompt: ${tenant} is asked for by the key ${key}`);
  }
}
