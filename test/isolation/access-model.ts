/**
 * Who may read and change what, written a second time and as simply as possible: the behavior of the handlers is
 * compared with it. A tenant is a Slack workspace (or an organization with an organization-wide install), a Discord
 * guild, or a Discord chat without a guild.
 */
export type Content = {
  /** A word that occurs in this text only. */
  readonly marker: string;
  /** The author, or the person whom the text answers. */
  readonly owner: string;
  /** People who made the text part of their own question. */
  readonly quotedBy?: ReadonlySet<string>;
  /** The conversations of those questions. */
  readonly quotedIn?: ReadonlySet<string>;
  readonly audience: Audience;
};

/** Who may read a text. */
export type Audience =
  /** Nobody: an API key. */
  | { readonly kind: 'nobody'; readonly tenant: string }
  /** Everybody in the tenant: a persona, instructions. */
  | { readonly kind: 'tenant'; readonly tenant: string }
  /** Everybody in the channel; in prompts, only in its own conversation. */
  | { readonly kind: 'conversation'; readonly tenant: string; readonly channel: string; conversation: string }
  /** Everybody in the channel, in each of its conversations: a document of its knowledge. */
  | { readonly kind: 'channel'; readonly tenant: string; readonly channel: string }
  /** One person in that tenant. */
  | { readonly kind: 'person'; readonly tenant: string; readonly user: string }
  /** One person in that tenant; in prompts, only in their direct messages. */
  | { readonly kind: 'direct'; readonly tenant: string; readonly user: string }
  /** Everybody in the chats of this person: what the person showed there. */
  | { readonly kind: 'chats'; readonly tenant: string; readonly user: string };

/** Where a text arrived. */
export type Reader =
  /** A message that everybody in a channel sees. */
  | {
      readonly kind: 'channel';
      readonly tenant: string;
      readonly channel: string;
      readonly members: readonly string[];
    }
  /** What only one person sees: an ephemeral message, a modal, the App Home. */
  | { readonly kind: 'person'; readonly tenant: string; readonly user: string }
  /** A program that asks over the API, with the channels where it may ask, and its own. */
  | {
      readonly kind: 'integration';
      readonly tenant: string;
      readonly user: string;
      readonly channels: readonly string[];
    }
  /** The data of one person, exported to them. */
  | { readonly kind: 'export'; readonly tenant: string; readonly user: string }
  /** A model request. `whole`: its task was to read the messages of the channel. */
  | {
      readonly kind: 'prompt';
      readonly tenant: string;
      readonly channel: string;
      readonly conversation: string;
      readonly user: string;
      readonly whole: boolean;
    };

/** Returns the members of a channel. */
export type Members = (tenant: string, channel: string) => readonly string[];

/** Returns why a text may not be read there, or undefined. */
export function forbidden(
  { audience, owner, quotedBy, quotedIn }: Content,
  reader: Reader,
  members: Members,
): string | undefined {
  if (audience.kind === 'nobody') return 'a secret is shown';
  if (audience.tenant !== reader.tenant) return `a text of ${audience.tenant} is read in ${reader.tenant}`;
  if (reader.kind === 'export') {
    // Everybody may save a shared text again, and a quoted text is part of the question.
    const isTheirs = audience.kind === 'tenant' || owner === reader.user || quotedBy?.has(reader.user);
    return isTheirs ? undefined : `${reader.user} is given what ${owner} wrote`;
  }
  if (reader.kind === 'integration') return forIntegration(audience, reader);
  switch (audience.kind) {
    case 'tenant':
      return undefined;
    case 'channel':
      return ofChannel(audience, reader, members);
    case 'conversation':
      return ofConversation(audience, quotedIn, reader, members);
    case 'person':
      return ofPerson(audience.user, reader);
    case 'direct':
      if (reader.kind === 'prompt' && !reader.channel.startsWith('D'))
        return `what ${audience.user} said in private is in a prompt of ${reader.channel}`;
      return ofPerson(audience.user, reader);
    case 'chats':
      return isInChannel(audience.user, reader, members) ? undefined : ofPerson(audience.user, reader);
  }
}

type HumanReader = Exclude<Reader, { kind: 'export' | 'integration' }>;

/** An integration reads the conversations of its channels. */
function forIntegration(
  audience: Exclude<Audience, { kind: 'nobody' }>,
  { user, channels }: Extract<Reader, { kind: 'integration' }>,
): string | undefined {
  switch (audience.kind) {
    case 'tenant':
      return undefined;
    case 'channel':
    case 'conversation':
      return channels.includes(audience.channel)
        ? undefined
        : `a text of ${audience.channel} is read by ${user}`;
    case 'person':
    case 'direct':
    case 'chats':
      return audience.user === user ? undefined : `${user} reads what is for ${audience.user} alone`;
  }
}

function isInChannel(user: string, reader: HumanReader, members: Members): boolean {
  return reader.kind !== 'person' && members(reader.tenant, reader.channel).includes(user);
}

function ofChannel(
  { tenant, channel }: Extract<Audience, { kind: 'channel' }>,
  reader: HumanReader,
  members: Members,
): string | undefined {
  if (reader.kind === 'person')
    return members(tenant, channel).includes(reader.user) ? undefined : `${reader.user} is not in ${channel}`;
  return reader.channel === channel ? undefined : `a document of ${channel} is read in ${reader.channel}`;
}

function ofConversation(
  { tenant, channel, conversation }: Extract<Audience, { kind: 'conversation' }>,
  quotedIn: ReadonlySet<string> = new Set(),
  reader: HumanReader,
  members: Members,
): string | undefined {
  if (reader.kind === 'person')
    return members(tenant, channel).includes(reader.user) ? undefined : `${reader.user} is not in ${channel}`;
  if (reader.channel !== channel) return `a text of ${channel} is read in ${reader.channel}`;
  if (reader.kind === 'channel' || reader.whole) return undefined;
  if (reader.conversation === conversation || quotedIn.has(reader.conversation)) return undefined;
  return `a text of the conversation ${conversation} is in a prompt of ${reader.conversation}`;
}

function ofPerson(user: string, reader: HumanReader): string | undefined {
  if (reader.kind === 'channel')
    return reader.members.every((one) => one === user)
      ? undefined
      : `everybody sees what is for ${user} alone`;
  return reader.user === user ? undefined : `${reader.user} reads what is for ${user} alone`;
}

/** The person who acts, and where. `conversation` is a thread, or what represents one in Discord. */
export type Actor = {
  readonly tenant: string;
  readonly channel: string;
  readonly conversation: string;
  readonly user: string;
  readonly admin: boolean;
  /** Only they see the result. */
  readonly secret: boolean;
  /** Names in a forged control. The bot may repeat them to its sender. */
  readonly forgedNames?: readonly string[] | undefined;
  /** The video job that a forged control names. */
  readonly video?: string | undefined;
  /** The proposed video that a control starts. */
  readonly startedVideo?: string | undefined;
  /** A member of another organization, in a shared channel. */
  readonly guest?: boolean;
  /** The id of the bot, if the author is another bot. */
  readonly bot?: string | undefined;
  /** The name of the operation in the trace. */
  readonly operation: string;
};

/**
 * The person on whose budgets a request counts, who therefore may not be blocked: the actor. An administrator may start a
 * video that was proposed to another person, who still pays (docs/video.md): `proposedTo` is that person. Nobody else may
 * start it.
 */
export function payerOf(actor: Actor, proposedTo: string | undefined): string {
  return proposedTo !== undefined && isAdmin(actor) ? proposedTo : actor.user;
}

/** The end of a sign-in at a server of tools. The bot tells the person in a direct message, which has no guild. */
export const SIGNED_IN = 'tools signed in';

/** The user of requests that no authentication holds for. */
export const NOBODY_ID = 'nobody';

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
  /** A document and its owner. */
  | { readonly kind: 'document'; readonly of: string }
  /** A server of tools or its key, or the sign-in of a person. */
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

type MemberChange = Exclude<Changed, { kind: 'install' | 'answer' | 'tool call' | 'level' }>;

/** Returns the name of the change that only administrators and some people may make, or undefined. */
function forbiddenForMembers({ user, operation }: Actor, changed: MemberChange): string | undefined {
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
      return changed.of === user ? undefined : `the document of ${changed.of}`;
    case 'video':
      return changed.of === user ? undefined : `the video of ${changed.of}`;
  }
}

/** A guest administers nothing here, whatever they administer at home. */
const isAdmin = ({ admin, guest = false }: Actor): boolean => admin && !guest;

/** Nobody changes settings of the deployment; everybody may change those of a thread. */
function levelOf(actor: Actor, { level, of }: Extract<Changed, { kind: 'level' }>): string | undefined {
  if (level === 'deployment') return 'the settings of the deployment';
  if (level === 'thread' || isAdmin(actor) || (level === 'person' && of === actor.user)) return undefined;
  return `the settings of ${level} ${of}`;
}
