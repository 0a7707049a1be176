import * as z from 'zod/mini';
import { channelId, type IncomingMessage, messageId, userId, workspaceId } from '../../conversation/index.ts';
import type { Body } from './envelope.ts';
import { names, readWords } from './words.ts';

/** Why a message is not for us. */
export type DropReason = 'hidden' | 'subtype' | 'own' | 'bot' | 'no-author' | 'unaddressed' | 'empty';

export type Parsed =
  | { readonly kind: 'message'; readonly message: IncomingMessage }
  | { readonly kind: 'drop'; readonly reason: DropReason }
  /** Not a message as Slack sends them. */
  | { readonly kind: 'unreadable' };

export type ParseOptions = {
  /** The bot's own user id, for envelopes that do not name it. */
  readonly botUserId?: string | undefined;
  /** Bots that may ask: ids of the bot, of its user or of its app. */
  readonly allowedBots: ReadonlySet<string>;
};

// `#` joins ids to keys, so none may hold one.
const id = z.string().check(z.regex(/^[\w.-]{1,64}$/));
const maybe = z.nullish(id);

const envelope = z.object({
  team_id: maybe,
  context_team_id: maybe,
  api_app_id: maybe,
  authorizations: z._default(
    z.array(
      z.object({
        enterprise_id: maybe,
        team_id: maybe,
        user_id: maybe,
        is_bot: z.nullish(z.boolean()),
        is_enterprise_install: z.nullish(z.boolean()),
      }),
    ),
    [],
  ),
  event: z.object({
    type: z.enum(['message', 'app_mention']),
    subtype: z.nullish(z.string()),
    hidden: z.nullish(z.boolean()),
    user: maybe,
    bot_id: maybe,
    app_id: maybe,
    bot_profile: z.nullish(z.object({ app_id: maybe })),
    channel: id,
    channel_type: z.nullish(z.string()),
    ts: id,
    thread_ts: maybe,
    text: z.nullish(z.string()),
    files: z.nullish(z.array(z.unknown())),
    user_team: maybe,
    source_team: maybe,
    team: maybe,
  }),
});
type MessageEnvelope = z.infer<typeof envelope>;
type MessageEvent = MessageEnvelope['event'];

/** What people write; all other subtypes tell of changes, arrivals and the like. */
const SUBTYPES = new Set(['file_share', 'thread_broadcast', 'me_message']);

/**
 * Makes a message of a `message` or `app_mention` event, or says why it is not for the bot. Both events of one mention
 * give the same message, so their order does not matter. Never throws.
 */
export function parse(body: Body, options: ParseOptions): Parsed {
  const parsed = envelope.safeParse(body);
  if (!parsed.success) return { kind: 'unreadable' };
  const { event, authorizations, api_app_id } = parsed.data;
  const bot = authorizations.find(({ is_bot }) => is_bot)?.user_id ?? options.botUserId;
  const workspace = workspaceOf(parsed.data);
  if (!workspace) return { kind: 'unreadable' };
  const noise = noiseOf(event, api_app_id ?? undefined, bot, options.allowedBots);
  if (noise) return { kind: 'drop', reason: noise };
  const author = event.user ?? event.bot_id;
  if (!author) return { kind: 'drop', reason: 'no-author' };
  const text = readWords(event.text ?? '', bot);
  if (text === '' && !event.files?.length) return { kind: 'drop', reason: 'empty' };
  const addressed = isBot(event) ? byBot(event, bot) : byPerson(event, bot);
  if (!addressed) return { kind: 'drop', reason: 'unaddressed' };
  const message: IncomingMessage = {
    thread: {
      platform: 'slack',
      workspace: workspaceId(workspace),
      channel: channelId(event.channel),
      root: messageId(event.thread_ts ?? event.ts),
    },
    id: messageId(event.ts),
    author: userId(author),
    authorWorkspace: workspaceId(authorTeam(parsed.data) ?? workspace),
    text,
    attachments: [],
    addressed,
  };
  return { kind: 'message', message };
}

function noiseOf(
  event: MessageEvent,
  app: string | undefined,
  bot: string | undefined,
  allowed: ReadonlySet<string>,
): DropReason | undefined {
  if (event.hidden) return 'hidden';
  if (event.subtype && !SUBTYPES.has(event.subtype) && event.subtype !== 'bot_message') return 'subtype';
  const apps = [event.app_id, event.bot_profile?.app_id];
  if (bot !== undefined && event.user === bot) return 'own';
  // The app that an event is sent to is us; a person's message names the app of no bot.
  if (app !== undefined && event.bot_id && apps.includes(app)) return 'own';
  const known = [event.bot_id, event.user, ...apps].some((who) => who && allowed.has(who));
  return isBot(event) && !known ? 'bot' : undefined;
}

function isBot(event: MessageEvent): boolean {
  return (
    Boolean(event.bot_id ?? event.bot_profile) ||
    event.subtype === 'bot_message' ||
    event.user === 'USLACKBOT'
  );
}

function byPerson(event: MessageEvent, bot: string | undefined): IncomingMessage['addressed'] | undefined {
  if (event.channel_type === 'im' || event.channel.startsWith('D')) return 'direct';
  if (namesBot(event, bot)) return 'mention';
  return isReply(event) ? 'if-member' : undefined;
}

/** Two bots that answer each other would never end: a bot may begin a thread by naming ours, and no more. */
function byBot(event: MessageEvent, bot: string | undefined): 'mention' | undefined {
  return namesBot(event, bot) && !isReply(event) && !event.channel.startsWith('D') ? 'mention' : undefined;
}

function namesBot(event: MessageEvent, bot: string | undefined): boolean {
  return event.type === 'app_mention' || (bot !== undefined && names(event.text ?? '', bot));
}

function isReply(event: MessageEvent): boolean {
  return Boolean(event.thread_ts) && event.thread_ts !== event.ts;
}

/**
 * The workspace whose installation the event was sent to. Not simply `team_id`: in a channel shared between companies
 * that is whichever company the event came from. An org-wide installation is one workspace, named by the enterprise.
 */
function workspaceOf({ authorizations, context_team_id, team_id }: MessageEnvelope): string | undefined {
  const ours = authorizations.find(({ is_bot }) => is_bot) ?? authorizations[0];
  const org = ours?.is_enterprise_install ? ours.enterprise_id : undefined;
  return org ?? ours?.team_id ?? context_team_id ?? team_id ?? undefined;
}

function authorTeam({ event, team_id }: MessageEnvelope): string | undefined {
  return event.user_team ?? event.source_team ?? event.team ?? team_id ?? undefined;
}
