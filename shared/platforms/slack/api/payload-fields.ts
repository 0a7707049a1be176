import * as v from 'valibot';
import {
  channelId,
  messageId,
  type TargetMessage,
  type Thread,
  userId,
  workspaceId,
  type WorkspaceId,
} from '../../../domain/index.ts';

/**
 * An id of Slack, without `#`, which separates the parts of a key. A deduplication id with two of them and three timestamps
 * must fit into the 128 characters of SQS. Slack's own have about eleven.
 */
export const id = v.pipe(v.string(), v.regex(/^[\w.-]{1,24}$/));
export const optionalId = v.nullish(id);

/** A timestamp, which is also the id of a message in its channel. */
export const ts = v.pipe(v.string(), v.regex(/^\d{1,11}\.\d{1,6}$/));
export const optionalTs = v.nullish(ts);

/** The fields of an event that name the installation that it was sent to. */
export const installationFields = v.object({
  team_id: optionalId,
  enterprise_id: optionalId,
  context_team_id: optionalId,
  context_enterprise_id: optionalId,
  api_app_id: optionalId,
  authorizations: v.nullish(
    v.array(
      v.object({
        enterprise_id: optionalId,
        team_id: optionalId,
        user_id: optionalId,
        is_bot: v.nullish(v.boolean()),
        is_enterprise_install: v.nullish(v.boolean()),
      }),
    ),
    [],
  ),
});

/** The installation that an event was sent to. */
export type EventInstallation = {
  readonly workspace: WorkspaceId;
  /** The bot's user, if known. */
  readonly bot: string | undefined;
  readonly app: string | undefined;
  /** The workspace that the event came from. */
  readonly sender: string | undefined;
  /** Workspaces that the event names, by their organizations. */
  readonly teams: ReadonlyMap<string | null | undefined, string | null | undefined>;
};

/** Undefined if the event names no workspace. `bot` is used where the event does not name the bot. */
export function readInstallation(
  envelope: v.InferOutput<typeof installationFields>,
  bot: string | undefined,
): EventInstallation | undefined {
  const { authorizations, context_team_id, context_enterprise_id, team_id, enterprise_id, api_app_id } =
    envelope;
  const authorization = authorizations.find(({ is_bot }) => is_bot) ?? authorizations[0];
  // Not `team_id`: in a channel shared between companies it is the company that the event came from.
  const workspaceOfEvent =
    getInstallationId(authorization, authorization?.is_enterprise_install) ?? context_team_id ?? team_id;
  // A removal from a whole organization names only the organization. Source: bolt-python's scenario tests of org apps.
  const workspace = workspaceOfEvent ?? enterprise_id;
  if (!workspace) return undefined;
  return {
    workspace: workspaceId(workspace),
    bot: (authorization?.is_bot && authorization.user_id) || bot,
    app: api_app_id ?? undefined,
    sender: team_id ?? undefined,
    teams: new Map([
      [context_enterprise_id, context_team_id],
      [enterprise_id, team_id],
    ]),
  };
}

type InstallationIds = {
  readonly team_id?: string | null | undefined;
  readonly enterprise_id?: string | null | undefined;
};

/** The id of the workspace. An org-wide installation is one workspace, with the id of the organization. */
export function getInstallationId(place: InstallationIds | undefined, orgWide: boolean | null | undefined) {
  return (orgWide ? place?.enterprise_id : undefined) ?? place?.team_id ?? undefined;
}

/** Ids of organizations begin with `E`. */
export const isOrganization = (workspace: WorkspaceId): boolean => workspace.startsWith('E');

type OptionalId = string | null | undefined;

/** The fields of an interaction that name who it is from, and the installation. */
export type InteractionCaller = {
  readonly user: { readonly id: string; readonly team_id?: OptionalId };
  readonly team?: { readonly id?: OptionalId } | null | undefined;
  readonly enterprise?: { readonly id?: OptionalId } | null | undefined;
  /** Slack sends a string in some payloads. */
  readonly is_enterprise_install?: boolean | 'true' | 'false' | null | undefined;
  /** `private_metadata`: the workspace of the installation, as the app stored it in the view. */
  readonly view?:
    | { readonly app_installed_team_id?: OptionalId; readonly private_metadata?: OptionalId }
    | null
    | undefined;
};

/** The installation that an interaction is for. Undefined if it names no workspace. */
export function getInstallationOfCaller({
  team: of,
  enterprise,
  is_enterprise_install: orgWide,
  view,
}: InteractionCaller): WorkspaceId | undefined {
  const isOrgWide = orgWide === true || orgWide === 'true';
  // For a person of another company Slack gives their organization, and in an organization with several installations the
  // workspace of the first (slackapi/bolt-python#1229).
  const stored = view?.private_metadata;
  if (stored && isOrganization(workspaceId(stored)) === isOrgWide) return workspaceId(stored);
  const team_id = view?.app_installed_team_id ?? of?.id;
  const workspace = getInstallationId({ team_id, enterprise_id: enterprise?.id }, isOrgWide);
  return workspace === undefined ? undefined : workspaceId(workspace);
}

/** The thread of the root message `root`. */
export function toThread(workspace: WorkspaceId, channel: string, root: string): Thread {
  return { platform: 'slack', workspace, channel: channelId(channel), root: messageId(root) };
}

/** The author of a message, with their workspace: in a shared channel Slack sends it beside that of the channel. */
export const authorFields = {
  subtype: v.nullish(v.string()),
  user: optionalId,
  bot_id: optionalId,
  bot_profile: v.nullish(v.object({})),
  user_team: optionalId,
  source_team: optionalId,
  team: optionalId,
};

/** Whether a bot or Slack itself wrote a message. */
export const isBot = ({
  subtype,
  user,
  bot_id: bot,
  bot_profile: profile,
}: {
  readonly subtype?: string | null | undefined;
  readonly user?: string | null | undefined;
  readonly bot_id?: string | null | undefined;
  readonly bot_profile?: object | null | undefined;
}): boolean => Boolean(bot ?? profile) || subtype === 'bot_message' || user === 'USLACKBOT';

/** Returns the author of a message, their workspace if Slack sent it, and whether it is a bot. */
export function getAuthor(message: {
  readonly [Field in keyof typeof authorFields]?: v.InferOutput<(typeof authorFields)[Field]>;
}): Pick<TargetMessage, 'author' | 'authorWorkspace' | 'isBot'> {
  const workspace = message.user_team ?? message.source_team ?? message.team;
  return {
    author: userId(message.user ?? message.bot_id ?? 'unknown'),
    ...(workspace && { authorWorkspace: workspaceId(workspace) }),
    ...(isBot(message) && { isBot: true }),
  };
}
