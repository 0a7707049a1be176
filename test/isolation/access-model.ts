/**
 * Who may read what, written a second time and as simply as possible: the behavior of the handlers is compared with it.
 * `change-model.ts` says who may change what. A tenant is a Slack workspace (or an organization with an organization-wide install), a Discord
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
  /** The conversations in which a search of messages found the text. */
  readonly foundIn?: ReadonlySet<string> | undefined;
  /** The direct channels in which its person added a copy to the knowledge, such as a file of their export. */
  readonly copiedTo?: ReadonlySet<string> | undefined;
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
  { audience, owner, quotedBy, quotedIn, foundIn, copiedTo }: Content,
  reader: Reader,
  members: Members,
): string | undefined {
  if (audience.kind === 'nobody') return 'a secret is shown';
  if (audience.tenant !== reader.tenant)
    return isOwnInDirectMessage({ audience, owner }, reader)
      ? undefined
      : `a text of ${audience.tenant} is read in ${reader.tenant}`;
  if (reader.kind === 'export') {
    // Everybody may save a shared text again, and a quoted text is part of the question.
    const isTheirs = audience.kind === 'tenant' || owner === reader.user || quotedBy?.has(reader.user);
    return isTheirs ? undefined : `${reader.user} is given what ${owner} wrote`;
  }
  if (reader.kind === 'integration') return forIntegration(audience, reader);
  if (isOpenTo(reader, { audience, owner, foundIn, copiedTo })) return undefined;
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

/** Whether a search of messages found the text for this prompt, a copy is there, or only its author reads it. */
const isOpenTo = (
  reader: HumanReader,
  { audience, owner, foundIn, copiedTo }: Pick<Content, 'audience' | 'owner' | 'foundIn' | 'copiedTo'>,
): boolean => wasFound(reader, foundIn) || isCopied(reader, copiedTo) || isOwn(audience, owner, reader);

const isOfChannel = ({ kind }: Audience): boolean => kind === 'channel' || kind === 'conversation';

/** Whether only its author reads a text of a channel, who may have lost the channel since. */
const isOwn = (audience: Audience, owner: string, reader: Reader): boolean =>
  isOfChannel(audience) && reader.kind === 'person' && reader.user === owner;

/** Whether a text is in a direct message of Discord, which belongs to no guild: the bot answers there where it may not write. */
export const isOwnInDirectMessage = (
  { audience, owner }: Pick<Content, 'audience' | 'owner'>,
  place: { readonly tenant: string; readonly user?: string },
): boolean => place.tenant === '@me' && isOfChannel(audience) && place.user === owner;

/** Whether a search of messages found the text for this prompt. */
const wasFound = (reader: Reader, foundIn: Content['foundIn']): boolean =>
  reader.kind === 'prompt' && foundIn?.has(reader.conversation) === true;

/** Whether the text is also in the knowledge of the direct channel in which it is read. */
const isCopied = (reader: HumanReader, copiedTo: Content['copiedTo']): boolean =>
  reader.kind !== 'person' && copiedTo?.has(reader.channel) === true;

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
  /** The message that they add to the knowledge of the channel. */
  readonly addedMessage?: string | undefined;
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

/** The end of a sign-in at an MCP server. The bot tells the person in a direct message, which has no guild. */
export const SIGNED_IN = 'tools signed in';

/** The user of requests that no authentication holds for. */
export const NOBODY_ID = 'nobody';

/** A guest administers nothing here, whatever they administer at home. */
export const isAdmin = ({ admin, guest = false }: Actor): boolean => admin && !guest;
