import { BARE_INTAKE } from '../fakes/bare-intake.ts';
import { EMPTY_QUEUE } from '../fakes/empty-queue.ts';
import { handleEvent } from '../../shared/intake/handle-event.ts';
import { parseGatewayEvent } from '../../shared/platforms/discord/gateway/events/events.ts';
import { ChannelDirectory } from '../../shared/platforms/discord/gateway/events/channel-directory.ts';
import { rawGuild, rawReady } from '../../shared/platforms/discord/gateway/events/payload-schemas.ts';
import { createSqsQueue } from '../../shared/aws/sqs-queue.ts';
import { fetchDynamo } from '../../shared/storage/dynamodb/fetch-client.ts';
import { TurnSignals, Recordings, SettingsStore, Turns } from '../../shared/storage/index.ts';
import * as v from 'valibot';
import type { EntryPoint, Try } from './entry-point.ts';
import { asJson, type Json } from './json.ts';
import { chance, mutated, pick } from './mutate.ts';
import { strictAws } from './strict-aws.ts';

const NOW = 1_790_000_000_000;
const now = (): number => NOW;
const [BOT, GUILD, GENERAL, THREAD] = ['901', '201', '301', '302'];
const ME = {
  id: BOT,
  role: (guild: string) => (guild === GUILD ? '701' : undefined),
  mayConcern: () => true,
  acceptEdit: () => true,
};

const FILE = {
  id: '8',
  filename: 'a.ogg',
  size: 5,
  url: 'https://cdn.discordapp.com/attachments/301/8/a.ogg',
  content_type: 'audio/ogg',
};
const BUTTONS = [{ type: 1, components: [{ type: 2, custom_id: 'parley:regenerate|91|91' }] }];
const message = (more: object): Json =>
  asJson({
    id: '1290000000000000001',
    channel_id: GENERAL,
    guild_id: GUILD,
    type: 0,
    content: `<@${BOT}> why is the sky <:blue:1> <@101>?`,
    author: { id: '101', username: 'ada', global_name: 'Ada' },
    mentions: [{ id: BOT, username: 'parley', bot: true }],
    mention_roles: [],
    attachments: [],
    edited_timestamp: null,
    flags: 0,
    ...more,
  });

type Sample = readonly [t: string, d: Json];
const SAMPLES: readonly [Sample, ...Sample[]] = [
  ['MESSAGE_CREATE', message({})],
  ['MESSAGE_CREATE', message({ attachments: [FILE], flags: 8_192 })],
  ['MESSAGE_CREATE', message({ guild_id: undefined, content: 'directly', mentions: [] })],
  ['MESSAGE_CREATE', message({ channel_id: THREAD, content: 'and then?', mentions: [] })],
  [
    'MESSAGE_CREATE',
    message({
      type: 19,
      content: 'more?',
      message_reference: { type: 0, message_id: '91', channel_id: GENERAL },
      referenced_message: {
        id: '91',
        author: { id: BOT, username: 'parley', bot: true },
        attachments: [],
        components: BUTTONS,
        message_reference: { message_id: '90' },
      },
    }),
  ],
  [
    'MESSAGE_CREATE',
    message({
      webhook_id: '5',
      author: { id: '5', bot: true, username: 'hook' },
      message_snapshots: [{ message: { content: 'said', attachments: [FILE] } }],
    }),
  ],
  ['MESSAGE_UPDATE', message({ edited_timestamp: '2026-10-18T14:42:53.064834+00:00' })],
  ['MESSAGE_DELETE', { id: '1290000000000000001', channel_id: GENERAL, guild_id: GUILD }],
  ['MESSAGE_DELETE_BULK', { ids: ['1', '2'], channel_id: GENERAL, guild_id: GUILD }],
  ['CHANNEL_DELETE', { id: GENERAL, type: 0, guild_id: GUILD }],
  ['THREAD_CREATE', { id: THREAD, type: 11, guild_id: GUILD, parent_id: GENERAL }],
  ['THREAD_DELETE', { id: THREAD, type: 11, guild_id: GUILD, parent_id: GENERAL }],
  ['GUILD_DELETE', { id: GUILD }],
  [
    'GUILD_CREATE',
    {
      id: GUILD,
      joined_at: '2026-10-18T14:42:53.064834+00:00',
      channels: [{ id: GENERAL, type: 0 }],
      threads: [{ id: THREAD, type: 11, parent_id: GENERAL }],
      roles: [{ id: '701', tags: { bot_id: BOT } }],
    },
  ],
  [
    'READY',
    {
      user: { id: BOT },
      session_id: 's',
      resume_gateway_url: 'wss://gateway.discord.gg',
      guilds: [{ id: GUILD }],
    },
  ],
];

/** Gateway events of Discord through the relay, up to the table and the queue. */
export const relayEntry: EntryPoint = {
  name: 'relay',
  share: 10,
  open: (random): Try => {
    const harness = strictAws();
    const dynamo = fetchDynamo(harness.aws);
    const store = { dynamo, table: 'conversations', days: 30, now };
    const queue = createSqsQueue('https://sqs.us-east-1.amazonaws.com/1/tasks.fifo', harness.aws);
    const context = {
      turns: new Turns(store),
      signals: new TurnSignals(store),
      queue,
      showMessage: EMPTY_QUEUE,
      ...BARE_INTAKE,
      transcriptionQueue: queue,
      settingsStore: new SettingsStore(store),
      recordings: new Recordings(store),
      now,
    };
    const odd = (sample: Json): Json => (chance(random, 0.5) ? sample : mutated(random, sample));
    const places = new ChannelDirectory({
      gateway: () => Promise.reject(new Error('nobody asks')),
      channel: async (id) => odd({ id, type: 0, guild_id: GUILD }),
      message: async () => odd(message({ id: '90' })),
      messages: async () => [],
    });
    return async () => {
      const [t, sample] = pick(random, SAMPLES);
      // The event after it was serialized and parsed.
      const d: unknown = JSON.parse(JSON.stringify(mutated(random, sample)));
      if (t === 'GUILD_CREATE') v.safeParse(rawGuild, d);
      if (t === 'READY') v.safeParse(rawReady, d);
      const read = parseGatewayEvent(t, d, ME, places, NOW);
      if (read.kind === 'drop') return undefined;
      const chatEvents = await read.chatEvents(places);
      for (const chatEvent of typeof chatEvents === 'string' ? [] : chatEvents)
        await handleEvent(chatEvent, context);
      return harness.rejections.splice(0)[0];
    };
  },
};
