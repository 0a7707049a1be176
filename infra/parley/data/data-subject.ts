import {
  channelId,
  isPlatformName,
  messageId,
  type PlatformName,
  type Thread,
  type UserId,
  userId,
  type WorkspaceId,
  workspaceId,
} from '../../../shared/domain/index.ts';
import { parseMessageReference } from '../operator/message-reference.ts';

/** Whose data it is about. */
export type DataSubject =
  | {
      readonly kind: 'person';
      readonly platform: PlatformName;
      readonly workspace: WorkspaceId;
      readonly user: UserId;
    }
  | { readonly kind: 'workspace'; readonly platform: PlatformName; readonly workspace: WorkspaceId }
  | { readonly kind: 'thread'; readonly thread: Thread };

export const SUBJECT_KINDS = ['person', 'thread', 'workspace'] as const;
export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export const SUBJECT_HELP: Readonly<Record<SubjectKind, string>> = {
  person:
    'A person is platform:workspace:user, such as slack:T0123456789:U0123456789 or discord:201000000000000001:101000000000000001.',
  thread:
    'A thread is a link to its first message (or, in Slack, to any), or its key as "npx parley redrive" shows it, such as slack#T0123456789#C0123456789#1700000000.000100.',
  workspace: 'A workspace is platform:id, such as slack:T0123456789 or discord:201000000000000001.',
};

const ID = /^(?:[A-Z0-9]{3,24}|\d{17,20}|@me)$/u;

/**
 * Parses what a person names. `slackTeam` is the workspace of Slack links, which do not contain it. Undefined if it is not such a
 * name.
 */
export function parseSubject(
  kind: SubjectKind,
  input: string,
  slackTeam: string | undefined,
): DataSubject | undefined {
  if (kind === 'thread') {
    const thread = parseThread(input, slackTeam);
    return thread && { kind, thread };
  }
  const [platform, workspace = '', user, ...more] = input.split(':');
  if (!isPlatformName(platform) || !ID.test(workspace) || more.length > 0) return undefined;
  const place = { platform, workspace: workspaceId(workspace) };
  if (kind === 'workspace') return user === undefined ? { kind, ...place } : undefined;
  return user !== undefined && ID.test(user) ? { kind, ...place, user: userId(user) } : undefined;
}

function parseThread(input: string, slackTeam: string | undefined): Thread | undefined {
  const [platform, workspace, channel, root, ...more] = input.split('#');
  if (isPlatformName(platform) && workspace && channel && root && more.length === 0)
    return toThread(platform, workspace, channel, root);
  const reference = parseMessageReference(input);
  if (!reference?.platform || !reference.channel || !reference.message) return undefined;
  const place = reference.platform === 'slack' ? slackTeam : reference.workspace;
  return place === undefined
    ? undefined
    : toThread(reference.platform, place, reference.channel, reference.root ?? reference.message);
}

const toThread = (platform: PlatformName, workspace: string, channel: string, root: string): Thread => ({
  platform,
  workspace: workspaceId(workspace),
  channel: channelId(channel),
  root: messageId(root),
});

/** Names it for people. */
export function describeSubject(subject: DataSubject): string {
  if (subject.kind === 'thread') {
    const { platform, workspace, channel, root } = subject.thread;
    return `the thread ${root} in ${channel} (${platform} ${workspace})`;
  }
  const { platform, workspace } = subject;
  return subject.kind === 'person'
    ? `${subject.user} in ${platform} ${workspace}`
    : `all of the workspace ${workspace} (${platform})`;
}
