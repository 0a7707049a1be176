import * as v from 'valibot';
import { personOfToken } from '../action-tokens.ts';
import { type Args, flag, only, optional, whole } from '../args.ts';
import { type ApiSuccess, RefusalError, type SimulatorContext } from '../context.ts';
import { personOf, teamOf } from '../identity.ts';
import type { Channel, Json, Message } from '../state.ts';
import { linkOf } from './posting.ts';

/** The arguments by the reference of the method. */
const ARGUMENTS: ReadonlySet<string> = new Set([
  'action_token',
  'after',
  'before',
  'channel_types',
  'content_types',
  'context_channel_id',
  'cursor',
  'disable_semantic_search',
  'highlight',
  'include_archived_channels',
  'include_bots',
  'include_context_messages',
  'include_deleted_users',
  'include_message_blocks',
  'limit',
  'modifiers',
  'query',
  'sort',
  'sort_dir',
  'term_clauses',
]);
const CHANNEL_TYPES = v.array(v.picklist(['public_channel', 'private_channel', 'mpim', 'im']));
const CONTENT_TYPES = v.array(v.picklist(['messages', 'files', 'channels', 'users']));
const MAX_QUERY_LENGTH = 1_000;

/**
 * Searches the messages of public channels for the person of the token. Slack also finds by meaning; here a message has to have one of the words.
 * Source: docs.slack.dev/reference/methods/assistant.search.context.
 */
export function searchContext(context: SimulatorContext, args: Args): ApiSuccess {
  only(args, ARGUMENTS);
  const query = optional(args, 'query');
  if (query === undefined) throw new RefusalError('missing_query');
  if (query.length > MAX_QUERY_LENGTH) throw new RefusalError('query_too_long');
  const types = list(args, 'channel_types', CHANNEL_TYPES) ?? ['public_channel'];
  // Those need a token of a person.
  if (types.some((type) => type !== 'public_channel')) throw new RefusalError('missing_scope');
  const contents = list(args, 'content_types', CONTENT_TYPES) ?? ['messages'];
  personOfToken(context, optional(args, 'action_token'));
  const limit = whole(args, 'limit', 1, 20, 20);
  const words = query.toLowerCase().split(/\s+/u);
  const hits = contents.includes('messages')
    ? [...context.state.channels.values()]
        .filter(({ kind, connected }) => kind === 'channel' && connected === undefined)
        .flatMap((channel) => findIn(context, channel, words, flag(args, 'include_bots')))
        .toSorted((a, b) => b.score - a.score || (a.message.ts < b.message.ts ? 1 : -1))
        .slice(0, limit)
    : [];
  const messages = hits.map(({ channel, message }) => present(context, channel, message));
  return { ok: true, results: { messages }, response_metadata: { next_cursor: '' } };
}

type Hit = { readonly channel: Channel; readonly message: Message; readonly score: number };

function findIn(
  { state, identity }: SimulatorContext,
  channel: Channel,
  words: readonly string[],
  withBots: boolean,
): Hit[] {
  return [...(state.messages.get(channel.id)?.values() ?? [])].flatMap((message) => {
    const isHidden = message.ephemeralTo !== undefined || message.tombstone === true;
    if (isHidden || (message.user === identity.botUserId && !withBots)) return [];
    const text = message.text.toLowerCase();
    const score = words.filter((word) => text.includes(word)).length;
    return score > 0 ? [{ channel, message, score }] : [];
  });
}

function present({ identity }: SimulatorContext, channel: Channel, message: Message): Json {
  return {
    author_name: personOf(identity, message.user)?.realName ?? identity.botName,
    author_user_id: message.user,
    team_id: teamOf(identity, message.user),
    channel_id: channel.id,
    channel_name: channel.name,
    message_ts: message.ts,
    ...(message.thread === undefined ? {} : { thread_ts: message.thread }),
    content: message.text,
    is_author_bot: message.user === identity.botUserId,
    permalink: linkOf(channel, message),
  };
}

/** A list, as an array or separated by commas. */
function list<const T>(args: Args, name: string, shape: v.GenericSchema<unknown, T>): T | undefined {
  const value = args[name];
  if (value === undefined || value === '') return undefined;
  const parsed = v.safeParse(shape, typeof value === 'string' ? value.split(',') : value);
  if (parsed.success) return parsed.output;
  throw new RefusalError('invalid_arguments', {
    response_metadata: { messages: [`[ERROR] invalid value: ${name}`] },
  });
}
