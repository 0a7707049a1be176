import * as v from 'valibot';
import { integrationChannel, integrationUser } from '../../../shared/domain/index.ts';
import { type ChooseCommand, chooseWeighted, type Given, pick, type Writer } from '../commands.ts';
import type { IsolationHarness } from '../harness.ts';
import { slackName } from '../observe-platforms.ts';
import type { Operation } from '../operation.ts';
import { NOBODY, someOperation } from '../operations.ts';
import { addDeniedChannels } from '../denied-channels.ts';
import { commandBy } from '../slack-operations.ts';
import { administers } from '../slack-tenants.ts';
import { API_BUGS } from './api-bugs.ts';
import type { Accepted, ShownKey } from './api-keys.ts';
import { asking, everyAdmin, type Feature, type MakeOperation, typing, typingAsAdmin } from './feature.ts';
import { webhookAddress } from './webhook-receivers.ts';

const integrations = (options: Given['options']): Given => ({
  name: 'integrations',
  options,
  secret: true,
  operation: 'integrations',
});

const NAMES = ['alerts', 'deploys'];

/** A channel of a Slack tenant, as it may be typed: by its name, or by the id of any channel. */
const channels: ChooseCommand = ({ random, own, channels: all }) =>
  integrations({
    do: pick(random, ['change', 'change', 'add']) ?? 'change',
    name: pick(random, NAMES) ?? '',
    channels: own.tenant === '@me' ? 'none' : (pick(random, ['none', ...all]) ?? 'none'),
  });
/** Where an integration is told about answers, and about which. */
const webhook =
  (name: string, events: string): ChooseCommand =>
  ({ own }) =>
    integrations({ do: 'webhook', name, url: webhookAddress(own.tenant, name), events });

const COMMANDS: readonly (readonly [number, ChooseCommand])[] = [
  [6, channels],
  [3, ({ random }) => integrations({ do: 'add', name: pick(random, NAMES) ?? '' })],
  [2, ({ random }) => integrations({ do: 'rotate', name: pick(random, NAMES) ?? '' })],
  [2, ({ random }) => integrations({ do: 'remove', name: pick(random, NAMES) ?? '' })],
  [
    2,
    ({ random }) =>
      integrations({
        do: 'change',
        name: pick(random, NAMES) ?? '',
        budget: pick(random, ['0/day', '5/day', '$1/week']) ?? '0/day',
      }),
  ],
  [
    3,
    (of) =>
      webhook(
        pick(of.random, NAMES) ?? '',
        pick(of.random, ['channels', 'channels', 'all', 'answers', 'feedback']) ?? 'all',
      )(of),
  ],
  [1, ({ random }) => integrations({ do: 'webhook', name: pick(random, NAMES) ?? '', url: 'none' })],
  [1, () => integrations({ do: 'list' })],
];
const command: ChooseCommand = (of) => chooseWeighted(of.random, COMMANDS)(of);

async function setUp(
  harness: IsolationHarness,
  perform: (operation: Operation) => Promise<void>,
): Promise<void> {
  addDeniedChannels(harness);
  for (const type of everyAdmin(harness))
    for (const name of NAMES)
      for (const choose of [
        ({ channel }: Writer) =>
          integrations({ do: 'add', name, ...(name === 'alerts' && { channels: channel }) }),
        webhook(name, 'channels'),
      ]) {
        const operation = type(choose);
        if (operation) await perform(operation);
      }
  for (const operation of allowingPrivately(harness)) await perform(operation);
}

/** In each workspace an administrator lets an integration ask in a private channel, of which they are a member. */
const allowingPrivately = (harness: IsolationHarness): readonly Operation[] =>
  harness.slack.flatMap((of) =>
    [...of.sim.state.channels.values()]
      .filter(({ name }) => name === 'secret')
      .map(({ id, members }) => {
        const user = members.find((one) => administers(of, one)) ?? '';
        return commandBy(harness, { of, user, channel: id }, ({ channel }) =>
          integrations({ do: 'change', name: 'deploys', channels: channel }),
        );
      }),
  );

type SentRequest = {
  readonly key: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string | undefined;
  readonly query?: string;
};

async function send(harness: IsolationHarness, sent: SentRequest): Promise<{ status: number; text: string }> {
  const { key, method, path: rawPath, body, idempotencyKey, query: rawQueryString = '' } = sent;
  const response = await harness.system.api({
    rawPath,
    rawQueryString,
    requestContext: { http: { method } },
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  });
  let text = '';
  for await (const part of response.body) text += part;
  return { status: response.status, text };
}

/** What an integration is told: nothing but what is in its conversations and channels. */
function check(harness: IsolationHarness, key: ShownKey, text: string, asked: string): void {
  const { tenant } = key;
  const own = integrationChannel(key);
  const allowed = [...(harness.apiKeys.channelsOf(key) ?? []), asked, own];
  harness.checker.read(
    text,
    { kind: 'integration', tenant, user: integrationUser(key), channels: allowed },
    'response of the API',
  );
}

const acceptedSchema = v.object({ id: v.string(), conversation: v.nullable(v.string()) });

/** Where an integration asks: in its own conversation, or in a channel where it may or may not. */
type Place = {
  readonly channel: string | undefined;
  /** The root of a thread of the channel. */
  readonly thread: string | undefined;
  /** The request whose conversation goes on. It may be that of another integration. */
  readonly continued: Accepted | undefined;
  readonly conversation: string;
};

function choosePlace(harness: IsolationHarness, { tenant }: ShownKey): Place {
  const { random, apiKeys } = harness;
  const before = random() < 0.5 ? pick(random, apiKeys.accepted) : undefined;
  const channel = random() < 0.6 ? pick(random, channelsIn(harness, tenant)) : undefined;
  const fresh = `api-${harness.nextId()}`;
  if (channel === undefined) {
    const continued = before?.root === undefined ? undefined : before;
    return { channel, thread: undefined, continued, conversation: continued?.conversation ?? fresh };
  }
  const of = harness.slack.find((one) => one.tenant === tenant);
  const roots = [...(of?.sim.state.messages.get(channel)?.values() ?? [])].filter(
    (one) => one.thread === undefined && one.ephemeralTo === undefined && !one.tombstone,
  );
  const thread = random() < 0.5 ? pick(random, roots.slice(-14))?.ts : undefined;
  const rootName = thread && (harness.conversations.get(slackName(tenant, channel, thread)) ?? thread);
  return { channel, thread, continued: undefined, conversation: rootName ?? fresh };
}

const ask: MakeOperation = (harness) => {
  const { random, apiKeys, checker } = harness;
  const key = pick(random, apiKeys.keys);
  if (!key) return undefined;
  const { tenant } = key;
  const allowed = apiKeys.channelsOf(key);
  const isInvalid = apiKeys.isInvalid(key, harness.time.now());
  const { channel, thread, continued, conversation } = choosePlace(harness, key);
  const place = channel ?? integrationChannel(key);
  const user = integrationUser(key);
  const marker = checker.plant({ kind: 'conversation', tenant, channel: place, conversation }, user);
  const actor = { ...NOBODY, tenant, channel: place, conversation, user, operation: 'ask over the API' };
  const body = {
    question: `What about ${marker}?`,
    wait: 0,
    ...(continued && { conversation: continued.root }),
    ...(channel !== undefined && { channel, ...(thread !== undefined && { thread }) }),
  };
  const idempotencyKey = random() < 0.3 ? pick(random, ['deploy-1', 'deploy-2', 'deploy-3']) : undefined;
  const mayNotAsk = !harness.races && channel !== undefined && allowed?.includes(channel) === false;
  const isForeign = continued !== undefined && continued.of.id !== key.id;
  const act = async (): Promise<void> => {
    const sent = { key: key.key, method: 'POST', path: '/v1/ask', body, idempotencyKey } as const;
    const { status, text } = await send(harness, sent);
    if (isInvalid && status !== 401) checker.fail(`an invalid API key is answered with ${status}`);
    if (mayNotAsk && status < 400)
      checker.fail(`an integration asks in ${channel}, where it may not: ${status}`);
    if (isForeign && status < 400)
      checker.fail(`the conversation of ${continued.of.id} is continued by ${key.id}`);
    check(harness, key, text, place);
    if (status !== 202 && status !== 200) return;
    const { id, conversation: root } = v.parse(acceptedSchema, JSON.parse(text));
    // After 24 hours the same idempotency key is another question, with the same id.
    const before = apiKeys.accepted.findIndex(({ request }) => request === id);
    if (before >= 0) apiKeys.accepted.splice(before, 1);
    apiKeys.accepted.push({ of: key, request: id, channel: place, root: root ?? undefined, conversation });
  };
  return { actor, act, detail: `${key.id} ${JSON.stringify(body)} ${idempotencyKey ?? ''}` };
};

/** An integration reads the answer to a question, of itself or of another integration. */
const readOn: MakeOperation = (harness) => {
  const { random, apiKeys } = harness;
  const one = pick(random, apiKeys.accepted.slice(-14));
  const key = random() < 0.5 ? one?.of : pick(random, apiKeys.keys);
  if (!one || !key) return undefined;
  const isInvalid = apiKeys.isInvalid(key, harness.time.now());
  const { tenant, id } = key;
  const [channel, user] = [integrationChannel(key), integrationUser(key)];
  const isOwn = one.of.tenant === tenant && one.of.id === id;
  const place = isOwn ? one.channel : channel;
  const actor = {
    ...NOBODY,
    tenant,
    channel: place,
    conversation: one.conversation,
    user,
    operation: 'read over the API',
  };
  const act = async (): Promise<void> => {
    const query = random() < 0.3 ? 'stream=true' : '';
    const path = `/v1/ask/${one.request}`;
    const { status, text } = await send(harness, { key: key.key, method: 'GET', path, query });
    if (isInvalid && status !== 401) harness.checker.fail(`an invalid API key is answered with ${status}`);
    if (!isOwn && status < 400)
      harness.checker.fail(`the request of ${one.of.id} is read by ${id}: ${status}`);
    check(harness, key, text, place);
  };
  return { actor, act, detail: one.request };
};

/** A key with another secret, of another integration or of another tenant. Nothing may be written for it. */
const forge: MakeOperation = (harness) => {
  const { random, apiKeys } = harness;
  const [one, other] = [pick(random, apiKeys.keys), pick(random, apiKeys.keys)];
  if (!one || !other) return undefined;
  const key = pick(random, [
    one.key.replace(/.$/u, (last) => (last === '0' ? '1' : '0')),
    one.key.replace(one.id, other.id === one.id ? '0123456789abcdef' : other.id),
    one.key.replace(`_${one.tenant}_`, `_${other.tenant === one.tenant ? 'T9OTHER000' : other.tenant}_`),
  ]);
  if (key === undefined || apiKeys.keys.some((known) => known.key === key)) return undefined;
  const act = async (): Promise<void> => {
    const sent = {
      key,
      method: 'POST',
      path: '/v1/ask',
      body: { question: 'What?', wait: 0 },
    } as const;
    const { status } = await send(harness, sent);
    if (status !== 401) harness.checker.fail(`a forged API key is answered with ${status}`);
  };
  return { actor: NOBODY, act, detail: key };
};

/** The channels of a tenant, those of other people and direct messages too. */
const channelsIn = (harness: IsolationHarness, tenant: string): readonly string[] => {
  const of = harness.slack.find((one) => one.tenant === tenant);
  if (of) return [...of.sim.state.channels.keys()];
  return [...harness.discord.state.channels.values()]
    .filter(({ guild }) => guild === tenant)
    .map(({ id }) => id);
};

/** Integrations: whose keys work, where they may ask, and what they are told. */
export const API: Feature = {
  setUp,
  apiUrl: 'https://api.example.com',
  operations: [
    [30, ask],
    [16, readOn],
    [5, forge],
    [6, typingAsAdmin(command)],
    [4, typing(command)],
    [15, asking],
    [12, someOperation],
  ],
  bugs: API_BUGS,
};
