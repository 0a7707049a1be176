import * as v from 'valibot';
import { channelId, type ChatEvent, type WorkspaceId, workspaceId } from '../../../domain/index.ts';
import { type ParsedChange, readChange, readDeletion, readStop } from './message-changes.ts';
import {
  id,
  installationFields,
  optionalId,
  type EventInstallation,
  readInstallation,
  ts,
} from '../api/payload-fields.ts';
import { mentionsUser } from './plain-text.ts';
import { type DropReason, readMessage, messageSchema, getLocation } from './message.ts';

export type ParsedEventCallback =
  | { readonly kind: 'chatEvent'; readonly chatEvent: ChatEvent }
  | { readonly kind: 'drop'; readonly reason: DropReason }
  /** A field is missing or has another type. */
  | { readonly kind: 'unreadable' };

export type ParseOptions = {
  /** The bot's own user id, for events that do not name it. */
  readonly botUserId?: string | undefined;
};

const routed = v.object({
  event: v.looseObject({ type: v.string(), subtype: v.nullish(v.string()) }),
  is_ext_shared_channel: v.nullish(v.boolean()),
});

/** Fits into any task; those of Slack have about 65 characters. Without one that can be used the message is a question all the same. */
const actionToken = v.fallback(v.nullish(v.pipe(v.string(), v.maxLength(512))), undefined);

const posted = v.object({
  ...messageSchema.entries,
  action_token: actionToken,
  assistant_thread: v.fallback(v.nullish(v.object({ action_token: actionToken })), undefined),
  type: v.picklist(['message', 'app_mention']),
  hidden: v.nullish(v.boolean()),
  channel: id,
  channel_type: v.nullish(v.string()),
  ts,
});

/**
 * Parses an event into a chat event, or the reason for which it is dropped. Slack sends a mention as `app_mention` and
 * as `message`; both give the same chat event, so their order does not matter. Never throws.
 */
export function parseEvent(body: object, { botUserId }: ParseOptions): ParsedEventCallback {
  const envelope = v.safeParse(installationFields, body);
  const inner = v.safeParse(routed, body);
  const recipient = envelope.success ? readInstallation(envelope.output, botUserId) : undefined;
  if (!inner.success || !recipient) return { kind: 'unreadable' };
  const { event, is_ext_shared_channel: isShared } = inner.output;
  const read =
    readRemovedAccess(event.type, body, recipient.workspace) ??
    readDeletedChannel(event, recipient.workspace) ??
    readEvent(event, recipient, isShared === true);
  if (read === undefined) return { kind: 'unreadable' };
  return typeof read === 'string' ? { kind: 'drop', reason: read } : { kind: 'chatEvent', chatEvent: read };
}

const authored = v.object({ user_team: optionalId, text: v.nullish(v.string()) });
const shared = v.object({
  is_ext_shared_channel: v.literal(true),
  authorizations: v.tuple([v.object({ team_id: optionalId, enterprise_id: optionalId, user_id: id })]),
  event: v.object({
    ...authored.entries,
    type: v.string(),
    message: v.nullish(authored),
    previous_message: v.nullish(authored),
  }),
});

/** Returns the bot of the installation of a workspace or organization, if it has one. */
export type FindBot = (workspace: WorkspaceId) => Promise<string | undefined>;

/**
 * In a channel of companies that both have the app, Slack sends each event once, for one of the installations, whichever bot
 * it names (slackapi/bolt-js#2008). Returns the event as for the installation of the author's own workspace, and whether it
 * names the bot of that. Undefined if there is no such other one, or the event is for the bot that Slack says.
 */
export async function toAuthorsInstallation(
  body: object,
  findBot: FindBot,
): Promise<{ readonly body: object; readonly isNamed: boolean } | undefined> {
  const { success, output: data } = v.safeParse(shared, body);
  if (!success) return undefined;
  const { event, authorizations } = data;
  const [to] = authorizations;
  const message = [event.message, event.previous_message, event].find((one) => one?.user_team);
  const { user_team: team, text } = message ?? {};
  if (!team || team === to.team_id || team === to.enterprise_id || mentionsUser(text ?? '', to.user_id))
    return undefined;
  const bot = await findBot(workspaceId(team));
  const isNamed = bot !== undefined && mentionsUser(text ?? '', bot);
  if (!bot || (event.type === 'app_mention' && !isNamed)) return undefined;
  return { isNamed, body: { ...body, authorizations: [{ team_id: team, user_id: bot, is_bot: true }] } };
}

/** Undefined for an event of another type. */
function readRemovedAccess(type: string, body: object, workspace: WorkspaceId): ParsedChange {
  if (type === 'app_uninstalled') return readRemoval(body, workspace);
  return type === 'team_access_revoked' ? readRevocation(body, workspace) : undefined;
}

const removal = v.object({ event_time: v.number() });

/**
 * Parses a removal of the app. Slack also sends `tokens_revoked` then, but also where a token alone is revoked, so that a leaked
 * one is replaced: nothing is erased at it. Source: docs.slack.dev/reference/events/app_uninstalled.
 */
function readRemoval(body: object, workspace: WorkspaceId): ParsedChange {
  const { success, output: data } = v.safeParse(removal, body);
  if (!success) return undefined;
  // Slack gives the second. An install in the same second was before the removal.
  return { kind: 'app-uninstalled', platform: 'slack', workspace, at: data.event_time * 1_000 + 999 };
}

const revocation = v.object({
  enterprise_id: optionalId,
  event_time: v.number(),
  event: v.object({
    type: v.literal('team_access_revoked'),
    team_ids: v.pipe(v.array(id), v.minLength(1)),
  }),
});

/**
 * Parses that an organization removed the app from some of its workspaces. Source:
 * docs.slack.dev/reference/events/team_access_revoked.
 */
function readRevocation(body: object, recipient: WorkspaceId): ParsedChange {
  const { success, output: data } = v.safeParse(revocation, body);
  if (!success) return undefined;
  const organization = data.enterprise_id ?? undefined;
  const workspace = organization === undefined ? recipient : workspaceId(organization);
  const teams = [...new Set(data.event.team_ids)].map((team) => workspaceId(team));
  return { kind: 'access-revoked', platform: 'slack', workspace, teams, at: data.event_time * 1_000 };
}

const deletedChannel = v.object({ type: v.picklist(['channel_deleted', 'group_deleted']), channel: id });

/** Parses that a public or private channel was deleted. Sources: docs.slack.dev/reference/events/channel_deleted, group_deleted. */
function readDeletedChannel(event: object, workspace: WorkspaceId): ParsedChange {
  const { success, output: data } = v.safeParse(deletedChannel, event);
  if (!success) return undefined;
  return { kind: 'channel-deleted', platform: 'slack', workspace, channel: channelId(data.channel) };
}

function readEvent(
  event: v.InferOutput<typeof routed>['event'],
  reader: EventInstallation,
  isShared: boolean,
): ParsedChange {
  if (event.type === 'agent_session_stopped') return readStop(event, reader);
  if (event.subtype === 'message_changed') return readChange(event, reader);
  if (event.subtype === 'message_deleted') return readDeletion(event, reader);
  const { success, output: data } = v.safeParse(posted, event);
  if (!success) return undefined;
  if (data.hidden) return 'hidden';
  // Slack sends a mention again when its message is edited (slackapi/bolt-js#960): where the app listens to mentions alone, nothing else tells.
  const editedAt = data.type === 'app_mention' ? data.edited?.ts : undefined;
  const location = getLocation(data.channel, data.channel_type, data.ts);
  const message = readMessage(data, location, reader, editedAt ? null : undefined);
  if (typeof message === 'string') return message;
  // As `readChange` does, with the same key: the two events are one edit.
  if (editedAt) return message.bot ? 'bot' : { kind: 'message-edited', message, at: editedAt };
  // Not where people of other companies read the answer. The token is in one of two places; source: docs.slack.dev, Real-time Search API.
  const token = isShared ? undefined : (data.assistant_thread?.action_token ?? data.action_token);
  return { kind: 'message', message: token ? { ...message, searchToken: token } : message };
}
