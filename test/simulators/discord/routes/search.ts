import { CHANNEL, MESSAGE, PERMISSION } from '../flags.ts';
import { may, mayConnect, mayView } from '../permissions.ts';
import { presentChannel, presentMessage } from '../present.ts';
import { type Fault, RefusalError, refuseFaults } from '../refusal.ts';
import { bot, type Answer, type Call, ok, type Routes } from '../route.ts';
import { isSnowflake, momentOf } from '../snowflakes.ts';
import type { Channel, Message } from '../state.ts';
import { guildOf } from './users.ts';
import { isThread, type SimulatorContext } from '../context.ts';

const INDEX_NOT_READY = 110000;
const PEOPLE_MESSAGES: ReadonlySet<number> = new Set([MESSAGE.plain, MESSAGE.reply]);
/** The parameters that the simulator understands, with whether a value is valid. The documentation has more. */
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
  content: (value) => value.length <= 1_024,
  limit: (value) => /^\d+$/u.test(value) && Number(value) >= 1 && Number(value) <= 25,
  channel_id: isSnowflake,
  author_type: (value) => /^-?(?:user|bot|webhook)$/u.test(value),
  sort_by: (value) => value === 'relevance' || value === 'timestamp',
};
const MAX_CHANNELS = 500;

/** The guilds whose index is ready. */
const indexed = new WeakMap<SimulatorContext, Set<string>>();

export const SEARCH: Routes = {
  'GET /guilds/{guild_id}/messages/search': bot(5, 5_000, search),
};

/** Source: docs:resources/message#search-guild-messages. */
function search(call: Call): Answer {
  const { context, at, query } = call;
  const guild = guildOf(context, at('guild_id'));
  refuseFaults(faultsOf(query));
  // "Restricted according to whether the intent is enabled".
  if (!context.portal.messageContent) throw new RefusalError(50001);
  const channels = query.getAll('channel_id').map((id) => readableChannel(context, id, guild.id));
  if (!isIndexed(context, guild.id)) {
    const message = 'Index not yet available. Try again later';
    return { status: 202, body: { message, code: INDEX_NOT_READY, documents_indexed: 0, retry_after: 0 } };
  }
  const hits = [...context.state.channels.values()]
    .filter((one) => one.guild === guild.id && isSearched(context, one, channels))
    .flatMap((channel) => findIn(context, channel, query))
    .toSorted((a, b) => b.score - a.score || momentOf(b.message.id) - momentOf(a.message.id));
  const page = hits.slice(0, Number(query.get('limit') ?? 25));
  const threads = new Set(page.map(({ channel }) => channel).filter((one) => isThread(one)));
  return ok({
    messages: page.map(({ message }) => {
      const { reactions: _, ...shown } = presentMessage(context, message);
      return [{ ...shown, hit: true }];
    }),
    doing_deep_historical_index: false,
    total_results: hits.length,
    threads: [...threads].map((one) => presentChannel(context, one)),
    members: [],
  });
}

function faultsOf(query: URLSearchParams): Fault[] {
  const faults = [...query].flatMap(([name, value]): Fault[] => {
    const isValid = PARAMETERS[name];
    const code = isValid === undefined ? 'UNKNOWN_FIELD' : 'BASE_TYPE_BAD_VALUE';
    return isValid?.(value) === true ? [] : [{ at: [name], code, message: 'This value is not valid.' }];
  });
  const channels = query.getAll('channel_id');
  const isTooLong = channels.length > MAX_CHANNELS || new Set(channels).size < channels.length;
  return isTooLong
    ? [...faults, { at: ['channel_id'], code: 'BASE_TYPE_BAD_LENGTH', message: 'At most 500, each once.' }]
    : faults;
}

/** Refuses a channel that the bot may not read. What Discord does is not documented: a guess. */
function readableChannel(context: SimulatorContext, id: string, guild: string): string {
  const channel = context.state.channels.get(id);
  if (channel?.guild !== guild || !mayRead(context, channel)) throw new RefusalError(50001);
  return id;
}

const mayRead = (context: SimulatorContext, channel: Channel): boolean =>
  mayView(context, channel) && mayConnect(context, channel) && may(context, channel, PERMISSION.readHistory);

/** The first search of a guild makes Discord prepare its index. */
function isIndexed(context: SimulatorContext, guild: string): boolean {
  const guilds = indexed.get(context) ?? new Set();
  indexed.set(context, guilds);
  const isReady = guilds.has(guild);
  guilds.add(guild);
  return isReady;
}

/** A thread is found with its channel, as in Discord's own search; for the API that is a guess. */
const isSearched = (context: SimulatorContext, channel: Channel, channels: readonly string[]): boolean =>
  channel.type !== CHANNEL.dm &&
  mayRead(context, channel) &&
  (channels.length === 0 || channels.includes(channel.id) || channels.includes(channel.parent ?? ''));

type Hit = { readonly channel: Channel; readonly message: Message; readonly score: number };

function findIn(context: SimulatorContext, channel: Channel, query: URLSearchParams): Hit[] {
  const words = (query.get('content') ?? '').toLowerCase().split(/\s+/u);
  const types = query.getAll('author_type');
  return [...(context.state.messages.get(channel.id)?.values() ?? [])].flatMap((message) => {
    if (message.ephemeralTo !== undefined || !PEOPLE_MESSAGES.has(message.type)) return [];
    const type = context.state.users.get(message.author)?.bot === true ? 'bot' : 'user';
    if (types.includes(`-${type}`) || types.some((one) => !one.startsWith('-') && one !== type)) return [];
    const text = message.content.toLowerCase();
    const score = words.filter((word) => text.includes(word)).length;
    return score > 0 ? [{ channel, message, score }] : [];
  });
}
