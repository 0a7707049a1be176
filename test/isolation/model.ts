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
  | { readonly kind: 'person'; readonly tenant: string; readonly user: string };

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
  }
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
  | { readonly kind: 'answer'; readonly asker: string };

/** Why somebody may not change that; undefined where they may. */
export function unchangeable(actor: Actor, changed: Changed): string | undefined {
  const refused = (what: string): string => `${actor.user} changes ${what} by ${actor.operation}`;
  switch (changed.kind) {
    case 'level':
      if (changed.level === 'thread' || actor.admin) return undefined;
      return changed.level === 'person' && changed.of === actor.user
        ? undefined
        : refused(`the settings of ${changed.level} ${changed.of}`);
    case 'saved':
      if (actor.admin) return undefined;
      return !changed.admins && (changed.by === undefined || changed.by === actor.user)
        ? undefined
        : refused('a saved text');
    case 'key':
      return actor.admin ? undefined : refused('the key of the workspace');
    case 'budgets':
      return actor.admin ? undefined : refused('budgets');
    case 'install':
      return actor.operation === 'install' || actor.operation === 'uninstall'
        ? undefined
        : refused('an install');
    case 'answer':
      return changed.asker === actor.user ? undefined : refused(`the answer to ${changed.asker}`);
  }
}
