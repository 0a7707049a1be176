/**
 * Who may read and change what, told once more and as simply as can be: what the handlers do is held against this. A tenant is
 * a Slack workspace (or an organisation that installed the app as one), a guild of Discord's, or a chat of Discord's without one.
 */
export type Content = {
  /** A word that stands in the text and nowhere else. */
  readonly marker: string;
  /** Who wrote it, or whom it answers. */
  readonly owner: string;
  /** Who made it part of a question of their own. */
  readonly quotedBy?: ReadonlySet<string>;
  readonly audience: Audience;
};

/** Whom a text is for. */
export type Audience =
  /** Nobody may read it anywhere: a key. */
  | { readonly kind: 'nobody'; readonly tenant: string }
  /** Everybody in the tenant: a persona, instructions. */
  | { readonly kind: 'tenant'; readonly tenant: string }
  /** Everybody in the channel; in prompts of its own conversation alone. */
  | { readonly kind: 'conversation'; readonly tenant: string; readonly channel: string; conversation: string }
  /** One person, in that tenant. */
  | { readonly kind: 'person'; readonly tenant: string; readonly user: string }
  /** Everybody in the chats that this person is in: what they have shown there. */
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
  /** What one person alone sees: a private answer, a form, the App Home. */
  | { readonly kind: 'person'; readonly tenant: string; readonly user: string }
  /** What is kept of one person, handed to them. */
  | { readonly kind: 'export'; readonly tenant: string; readonly user: string }
  /** A request to the models. `whole`: what was asked for is what was said in the channel. */
  | {
      readonly kind: 'prompt';
      readonly tenant: string;
      readonly channel: string;
      readonly conversation: string;
      readonly user: string;
      readonly whole: boolean;
    };

/** Who is in a channel. */
export type Members = (tenant: string, channel: string) => readonly string[];

/** Why a text may not be read there; undefined where it may. */
export function forbidden(
  { audience, owner, quotedBy }: Content,
  reader: Reader,
  members: Members,
): string | undefined {
  if (audience.kind === 'nobody') return 'a secret is shown';
  if (audience.tenant !== reader.tenant) return `a text of ${audience.tenant} is read in ${reader.tenant}`;
  if (reader.kind === 'export') {
    // What is saved for all may be saved again by anybody, and what one asks about is part of one's question.
    const isTheirs = audience.kind === 'tenant' || owner === reader.user || quotedBy?.has(reader.user);
    return isTheirs ? undefined : `${reader.user} is given what ${owner} wrote`;
  }
  switch (audience.kind) {
    case 'tenant':
      return undefined;
    case 'conversation':
      return ofConversation(audience, reader, members);
    case 'person':
      return ofPerson(audience.user, reader);
    case 'chats':
      return isInChannel(audience.user, reader, members) ? undefined : ofPerson(audience.user, reader);
  }
}

function isInChannel(user: string, reader: Exclude<Reader, { kind: 'export' }>, members: Members): boolean {
  return reader.kind !== 'person' && members(reader.tenant, reader.channel).includes(user);
}

function ofConversation(
  { tenant, channel, conversation }: Extract<Audience, { kind: 'conversation' }>,
  reader: Exclude<Reader, { kind: 'export' }>,
  members: Members,
): string | undefined {
  if (reader.kind === 'person')
    return members(tenant, channel).includes(reader.user) ? undefined : `${reader.user} is not in ${channel}`;
  if (reader.channel !== channel) return `a text of ${channel} is read in ${reader.channel}`;
  if (reader.kind === 'channel' || reader.whole || reader.conversation === conversation) return undefined;
  return `a text of the conversation ${conversation} is in a prompt of ${reader.conversation}`;
}

function ofPerson(user: string, reader: Exclude<Reader, { kind: 'export' }>): string | undefined {
  if (reader.kind === 'channel')
    return reader.members.every((one) => one === user)
      ? undefined
      : `everybody sees what is for ${user} alone`;
  return reader.user === user ? undefined : `${reader.user} reads what is for ${user} alone`;
}

/** Who does something, and where. `conversation` is a thread, or what Discord's places stand for. */
export type Actor = {
  readonly tenant: string;
  readonly channel: string;
  readonly conversation: string;
  readonly user: string;
  readonly admin: boolean;
  /** Only they see what comes of it. */
  readonly secret: boolean;
  /** Names that a changed control gives, as they stand there. The bot may repeat them to whoever changed it. */
  readonly given?: readonly string[] | undefined;
  /** Of another organisation, in a channel that both share. */
  readonly guest?: boolean;
  /** By which id it asks where it is no person but another bot. */
  readonly bot?: string | undefined;
  /** What the operation is, by its name in the trace. */
  readonly operation: string;
};

/** What is changed, as the key of an item tells. */
export type Changed =
  | { readonly kind: 'level'; readonly level: string; readonly of: string }
  | { readonly kind: 'saved'; readonly by: string | undefined; readonly admins: boolean }
  | { readonly kind: 'key' }
  | { readonly kind: 'budgets' }
  | { readonly kind: 'install' }
  /** A question of a thread that is forgotten: who asked it, and who has begun the thread. */
  | { readonly kind: 'thread'; readonly asker: string; readonly begunBy: ReadonlySet<string> }
  /** A video, and who wanted it. */
  | { readonly kind: 'video'; readonly of: string }
  | { readonly kind: 'answer'; readonly asker: string };

/** Why somebody may not change that; undefined where they may. */
export function unchangeable(actor: Actor, changed: Changed): string | undefined {
  const what = forbiddenChange(actor, changed);
  return what === undefined ? undefined : `${actor.user} changes ${what} by ${actor.operation}`;
}

/** What it is that they may not change; undefined where they may. */
function forbiddenChange(actor: Actor, changed: Changed): string | undefined {
  if (changed.kind === 'install') return /^(?:un)?install$/u.test(actor.operation) ? undefined : 'an install';
  if (changed.kind === 'answer')
    return changed.asker === actor.user ? undefined : `the answer to ${changed.asker}`;
  if (changed.kind === 'level') return levelOf(actor, changed);
  if (isAdmin(actor)) return undefined;
  switch (changed.kind) {
    case 'saved':
      return !changed.admins && (changed.by === undefined || changed.by === actor.user)
        ? undefined
        : 'a saved text';
    case 'key':
      return 'the key of the workspace';
    case 'budgets':
      return 'budgets';
    case 'thread':
      return changed.asker === actor.user || changed.begunBy.has(actor.user)
        ? undefined
        : `the thread of ${[...changed.begunBy].join()}`;
    case 'video':
      return changed.of === actor.user ? undefined : `the video of ${changed.of}`;
  }
}

/** A guest administers nothing here, whatever they administer at home. */
const isAdmin = ({ admin, guest = false }: Actor): boolean => admin && !guest;

/** What whoever deploys has set nobody changes; what holds in a thread is everybody's. */
function levelOf(actor: Actor, { level, of }: Extract<Changed, { kind: 'level' }>): string | undefined {
  if (level === 'deployment') return 'the settings of the deployment';
  if (level === 'thread' || isAdmin(actor) || (level === 'person' && of === actor.user)) return undefined;
  return `the settings of ${level} ${of}`;
}
