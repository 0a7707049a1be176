import { generateKeyPairSync, sign } from 'node:crypto';
import {
  createDiscordFront,
  createDiscordFrontDeps,
} from '../../functions/composition/discord/discord-front.ts';
import { createDiscordEventHandler } from '../../functions/composition/discord/webhook-events.ts';
import { createSqsQueue } from '../../shared/aws/sqs-queue.ts';
import { ask, idNow, interaction, NOW_S } from '../functions/discord.ts';
import { type EntryPoint, faultOf, type Try } from './entry-point.ts';
import { type Headers, requestFrom, type Signatures } from './gateway.ts';
import { asJson, type Json } from './json.ts';
import { pick } from './mutate.ts';
import { strictAws } from './strict-aws.ts';

const [ours, another] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const PUBLIC_KEY = ours.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');

const signAt =
  (seconds: number, { privateKey } = ours) =>
  (bytes: Buffer): Headers => ({
    'x-signature-timestamp': String(seconds),
    'x-signature-ed25519': sign(
      null,
      Buffer.concat([Buffer.from(String(seconds)), bytes]),
      privateKey,
    ).toString('hex'),
  });

const SIGNATURES: Signatures = {
  good: signAt(NOW_S),
  bad: [
    signAt(NOW_S, another),
    signAt(NOW_S - 181),
    signAt(NOW_S + 61),
    () => ({ 'x-signature-timestamp': String(NOW_S), 'x-signature-ed25519': '0'.repeat(128) }),
    () => ({ 'x-signature-timestamp': '', 'x-signature-ed25519': 'z'.repeat(128) }),
  ],
};

const PICTURE = {
  id: '71',
  filename: 'a.png',
  content_type: 'image/png',
  size: 5,
  url: 'https://cdn.discordapp.com/attachments/31/71/a.png',
};
const MESSAGE = {
  id: '91',
  channel_id: '31',
  type: 0,
  content: 'The **sky** is <:blue:1>. <@41>',
  author: { id: '42', username: 'grace' },
  attachments: [PICTURE],
  mentions: [],
};

const command = (name: string, options: object[], more: object = {}): object =>
  interaction({
    type: 2,
    data: { id: '61', type: 1, name, options, resolved: { attachments: { '71': PICTURE } } },
    ...more,
  });
const option = (name: string, value: string | number | boolean, type = 3): object => ({ name, value, type });
const component = (id: string): object =>
  interaction({ type: 3, message: MESSAGE, data: { custom_id: id, component_type: 3, values: ['de'] } });
const form = (id: string, fields: Readonly<Record<string, string>>): object =>
  interaction({
    type: 5,
    message: MESSAGE,
    data: {
      custom_id: id,
      components: Object.entries(fields).map(([name, value]) => ({
        type: 18,
        component: { type: 4, custom_id: name, value },
      })),
    },
  });
const menu = (name: string, type: number): object =>
  interaction({
    type: 2,
    data: { id: '62', type, name, target_id: '91', resolved: { messages: { '91': MESSAGE } } },
  });
const thread = { channel_id: '32', channel: { id: '32', type: 11, parent_id: '31' } };
const direct = {
  guild_id: undefined,
  member: undefined,
  user: { id: '41' },
  context: 1,
  channel: { id: '33', type: 1 },
};

const INTERACTIONS: readonly [Json, ...Json[]] = [
  asJson(ask({ question: 'Why is the sky blue?', model: 'maker/other', attachment: '71' })),
  asJson(ask({ question: 'Why?', private: true }, thread)),
  asJson(ask({ question: 'Why?' }, direct)),
  ...[
    command('settings', [option('model', 'maker/other'), option('for', 'channel')]),
    command(
      'persona',
      [option('do', 'save'), option('name', 'pirate'), option('text', 'Talk like one.')],
      thread,
    ),
    command('video', [option('prompt', 'waves'), option('picture', '71', 11)]),
    command('summarise', [option('from', 'yesterday')], thread),
    command('usage', [option('person', '42', 6)]),
    command('help', []),
    component('settings.set|model'),
    component('voice.translate|5'),
    component('persona.save-form|'),
    component('schema.edit-form|1|1'),
    component(`parley:regenerate|91|91`),
    component('rate|91|91|good'),
    form('persona.save', { name: 'pirate', text: 'Talk.' }),
    form('ask.about|91|301000000000000001|92', { question: 'What is it?' }),
    form('video.make|71', { prompt: 'waves' }),
    menu('Ask about this', 3),
    menu('Make a video', 3),
    interaction({
      type: 4,
      data: { id: '61', name: 'ask', options: [{ name: 'model', type: 3, value: 'ma', focused: true }] },
    }),
    interaction({
      type: 4,
      data: { id: '61', name: 'persona', options: [{ name: 'name', type: 3, value: '', focused: true }] },
    }),
    { type: 1, id: idNow() },
  ].map(asJson),
];

const CONFIG = {
  logLevel: 'error',
  aws: { region: 'us-east-1', credentials: { accessKeyId: 'A', secretAccessKey: 'S' }, endpoints: {} },
  taskQueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/tasks.fifo',
  publicKey: PUBLIC_KEY,
  conversationsTable: 'conversations',
  days: 30,
  models: ['usual', 'maker/other'],
  videoModels: 'model-v:image:0.35',
} as const;

const json = 'application/json';
const now = (): number => NOW_S * 1_000;
const never = new AbortController().signal;
const quiet = (): void => undefined;

export const discordEntry: EntryPoint = {
  name: 'discord',
  share: 14,
  open: (random): Try => {
    const harness = strictAws();
    const wrong: string[] = [];
    const error = (event: string, facts: object = {}): void =>
      void wrong.push(`${event} ${JSON.stringify(facts)}`);
    const handle = createDiscordFront({
      ...createDiscordFrontDeps(CONFIG, now, harness.aws, () => never),
      log: { error },
    });
    return async () => {
      const { event, signed } = requestFrom(random, pick(random, INTERACTIONS), json, SIGNATURES);
      const before = harness.calls;
      const answer = await handle(event);
      if (answer.statusCode === 200 && typeOf(answer.body) === undefined)
        wrong.push(`answered ${answer.body}`);
      return (
        harness.rejections.splice(0)[0] ??
        wrong.splice(0)[0] ??
        faultOf(answer, signed, harness.calls - before)
      );
    };
  },
};

/** The type of an interaction response, if Discord knows it. */
function typeOf(body: string): number | undefined {
  const parsed: unknown = JSON.parse(body);
  const types = [1, 4, 5, 6, 7, 8, 9];
  return types.find(
    (type) => typeof parsed === 'object' && parsed !== null && 'type' in parsed && parsed.type === type,
  );
}

const install = (type: string): Json => ({
  version: 1,
  application_id: '11',
  type: 1,
  event: {
    type,
    timestamp: '2026-10-18T14:42:53.064834',
    data: { user: { id: '41' }, guild: { id: '21' }, scopes: [] },
  },
});
const INSTALLS: readonly [Json, ...Json[]] = [
  install('APPLICATION_DEAUTHORIZED'),
  install('APPLICATION_AUTHORIZED'),
  install('ENTITLEMENT_CREATE'),
  { version: 1, application_id: '11', type: 0 },
];

export const discordEventsEntry: EntryPoint = {
  name: 'discord-events',
  share: 6,
  open: (random): Try => {
    const harness = strictAws();
    const handle = createDiscordEventHandler({
      publicKey: PUBLIC_KEY,
      queue: createSqsQueue(CONFIG.taskQueueUrl, harness.aws),
      now,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    return async () => {
      const { event, signed } = requestFrom(random, pick(random, INSTALLS), json, SIGNATURES);
      const before = harness.calls;
      const answer = await handle(event);
      return harness.rejections.splice(0)[0] ?? faultOf(answer, signed, harness.calls - before);
    };
  },
};
