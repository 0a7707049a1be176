import { type Actor, isAdmin, SIGNED_IN } from './access-model.ts';

/** A change, derived from the key of the stored item. */
export type Changed =
  | { readonly kind: 'level'; readonly level: string; readonly of: string }
  | { readonly kind: 'saved'; readonly by: string | undefined; readonly admins: boolean }
  | { readonly kind: 'key' }
  | { readonly kind: 'budgets' }
  | { readonly kind: 'install' }
  | { readonly kind: 'integrations' }
  /** A question in an erased thread: its asker, and the people who have started the thread. */
  | { readonly kind: 'thread'; readonly asker: string; readonly begunBy: ReadonlySet<string> }
  /** A video and its requester. */
  | { readonly kind: 'video'; readonly of: string }
  /** A schedule: whose, where it posts, and what it does. */
  | {
      readonly kind: 'schedule';
      readonly of: string;
      readonly channel: string | undefined;
      readonly content: string;
    }
  /** A document and its owner; the message that it is from, if any. */
  | { readonly kind: 'document'; readonly of: string; readonly message: string | undefined }
  /** An MCP server or its key, or the sign-in of a person. */
  | { readonly kind: 'tools'; readonly of: string | undefined }
  /** A call that a person decides about. */
  | { readonly kind: 'tool call'; readonly of: string }
  | { readonly kind: 'answer'; readonly asker: string };

/** Returns why a person may not make this change, or undefined. */
export function unchangeable(actor: Actor, changed: Changed): string | undefined {
  const what = forbiddenChange(actor, changed);
  return what === undefined ? undefined : `${actor.user} changes ${what} by ${actor.operation}`;
}

/** Returns the name of the change that they may not make, or undefined. */
function forbiddenChange(actor: Actor, changed: Changed): string | undefined {
  switch (changed.kind) {
    case 'install':
      return /^(?:un)?install$/u.test(actor.operation) ? undefined : 'an install';
    // Also administrators do not change these for others.
    case 'answer':
      return changed.asker === actor.user ? undefined : `the answer to ${changed.asker}`;
    case 'tool call':
      return changed.of === actor.user ? undefined : `the tool call of ${changed.of}`;
    case 'level':
      return levelOf(actor, changed);
    case 'schedule':
      return scheduleOf(actor, changed);
    case 'saved':
    case 'tools':
    case 'document':
    case 'key':
    case 'budgets':
    case 'integrations':
    case 'thread':
    case 'video':
      return isAdmin(actor) ? undefined : forbiddenForMembers(actor, changed);
  }
}

type MemberChange = Exclude<Changed, { kind: 'install' | 'answer' | 'tool call' | 'level' | 'schedule' }>;

/** Returns the name of the change that only administrators and some people may make, or undefined. */
function forbiddenForMembers(actor: Actor, changed: MemberChange): string | undefined {
  const { user, operation } = actor;
  switch (changed.kind) {
    case 'saved':
      return !changed.admins && (changed.by === undefined || changed.by === user)
        ? undefined
        : 'a saved text';
    case 'tools':
      // The first sign-in reads the list of a server, whose tools stay off.
      return changed.of === user || (changed.of === undefined && operation === SIGNED_IN)
        ? undefined
        : 'the tools';
    case 'key':
      return 'the key of the workspace';
    case 'integrations':
      return 'the integrations';
    case 'budgets':
      return 'budgets';
    case 'thread':
      return changed.asker === user || changed.begunBy.has(user)
        ? undefined
        : `the thread of ${[...changed.begunBy].join()}`;
    case 'document':
      return mayChangeDocument(actor, changed) ? undefined : `the document of ${changed.of}`;
    case 'video':
      return changed.of === user ? undefined : `the video of ${changed.of}`;
  }
}

/** Its owner; and a message that somebody adds again replaces what it said before. */
const mayChangeDocument = (
  { user, addedMessage }: Actor,
  { of, message }: Extract<Changed, { kind: 'document' }>,
): boolean => of === user || (message !== undefined && message === addedMessage);

/** Its author, and administrators where it posts. Weekly summaries, which have totals of the whole tenant, are for administrators. */
function scheduleOf(
  actor: Actor,
  { of, channel, content }: Extract<Changed, { kind: 'schedule' }>,
): string | undefined {
  const isRun = actor.operation.startsWith('scheduled run');
  const mayHave = content !== 'weekly-summary' || isRun || actor.operation.startsWith('forget');
  const isTheirs = of === actor.user && mayHave;
  const administers = isAdmin(actor) && (content === 'weekly-summary' || channel === actor.channel);
  return isTheirs || administers ? undefined : `the schedule of ${of}`;
}

/** Nobody changes settings of the deployment; everybody may change those of a thread. */
function levelOf(actor: Actor, { level, of }: Extract<Changed, { kind: 'level' }>): string | undefined {
  if (level === 'deployment') return 'the settings of the deployment';
  if (level === 'thread' || isAdmin(actor) || (level === 'person' && of === actor.user)) return undefined;
  return `the settings of ${level} ${of}`;
}
