import type { Args } from './args.ts';
import { optional } from './args.ts';
import { type Persons, personsOf } from './persons.ts';
import { emitAccessRevoked, emitChannelDeleted, emitUninstall } from './events.ts';
import { type Download, download } from './files.ts';
import { type Identity, identityOf, nthId } from './identity.ts';
import { command, type Interaction, shortcut } from './interaction-payloads.ts';
import { find, type Pressed, press, pressHome, respond } from './interactions.ts';
import { registerUnknownIds } from './register-unknown-ids.ts';
import { directChannel, groupChannel } from './methods/conversations.ts';
import { ROUTES } from './methods/routes.ts';
import { SEAL_AFTER_MS } from './methods/streams.ts';
import {
  applyChange,
  type Change,
  type Channel,
  changesOf,
  clearTalk,
  emptyState,
  type State,
} from './state.ts';
import { createTicks, tickOf } from './ticks.ts';
import { createHistoryLimits, createTierLimits, type TierLimits } from './tiers.ts';
import { closeView, closing, type Filled, openHome, submission } from './views.ts';
import {
  type ApiResponse,
  channelNamed,
  type Distribution,
  type Envelope,
  record,
  RefusalError,
  type SimulatorContext,
} from './context.ts';

export type WorkspaceOptions = {
  /** ms since 1970; Date.now by default. The clock triggers nothing: it is read on demand. */
  readonly clock?: () => number;
  readonly identity?: Partial<Identity>;
  /** Distinguishes the ids of several workspaces; 0 by default. */
  readonly nth?: number;
  /** Channels besides general, the private one and the DMs. */
  readonly channels?: readonly Channel[];
  /** Refuses requests above Slack's rate limits; off by default. */
  readonly enforceTiers?: boolean;
  /** Window of the tiers; default: a minute, as at Slack. With a longer one a slow machine reaches the limits too. */
  readonly tierWindowMs?: number;
  /** Who may install the app: with distribution outside of Slack's Marketplace it may hardly read history. */
  readonly distribution?: Distribution;
  /** Called at each mention: whether `app_mention` is sent before its `message` event. Yes by default. */
  readonly mentionFirst?: () => boolean;
  /** Called at each mention: whether `app_mention` lists them, as some have seen; the list may be empty. No by default. */
  readonly mentionHasFiles?: () => boolean;
  /** The age at which Slack closes a stream (ms); five minutes by default. */
  readonly sealAfterMs?: number;
  /** The origin of files; Slack's own by default. */
  readonly filesUrl?: () => string;
  /** The origin of response URLs; Slack's own by default. */
  readonly hooksUrl?: () => string;
  /** Earlier changes, as `changes()` returned them. */
  readonly past?: readonly Change[];
};

/** A Slack workspace in one object, without network and timers. */
export type Workspace = Persons & {
  readonly identity: Identity;
  /** The public channel `general`. */
  readonly channel: string;
  readonly state: State;
  /** One Web API request with this bot token, which has these scopes, by default those of `identity`. Never throws. */
  call(method: string, args: Args, token: string | undefined, scopes?: readonly string[]): ApiResponse;
  /** As if a minute had passed since the last history read: see `distribution`. */
  allowHistoryReads(): void;
  /** Downloads a file's content with this bot token. */
  download(file: string, token: string | undefined, scopes?: readonly string[]): Download;
  /**
   * A person clicks a button of a message: returns the payload for the app. `what` is a label, an `action_id`, or a
   * position. Throws for an element that the person cannot see or click.
   */
  press(user: string, ts: string, what: Pressed, channel?: string): Interaction;
  /** As `press`, in the person's App Home. */
  pressHome(user: string, what: Pressed): Interaction;
  /** A person sends a command, with its slash. */
  command(user: string, typed: string, channel: string): Interaction;
  /** A person runs a message shortcut. */
  shortcut(user: string, callback: string, ts: string, channel?: string): Interaction;
  /** The payload of the person's top modal. `closeView` then removes it. */
  submission(user: string, filled: Filled): Interaction;
  closing(user: string): Interaction | undefined;
  closeView(user: string): void;
  /** A person opens the Home tab of the app. */
  openHome(user: string): void;
  /** A response to a click by `response_url`, of which `id` is the last part. */
  respond(id: string, body: unknown): ApiResponse;
  /** The app is removed from the workspace: its tokens are refused, and both events are sent if it subscribed to them, `first` first. */
  uninstall(first?: 'app_uninstalled' | 'tokens_revoked'): void;
  /** How often the app has been removed. */
  removals(): number;
  /** The app is installed again: a token is accepted. */
  install(): void;
  /** Somebody archives a channel: nobody writes there any more. */
  archiveChannel(channel: string): void;
  /** An administrator deletes a channel with all its messages. Throws for a direct message, which cannot be deleted. */
  deleteChannel(channel: string): void;
  /** The organization removes the app from these workspaces, of which its token then reads nothing. */
  revokeAccess(teamIds: readonly string[]): void;
  /** Records the unknown message of an event that was made elsewhere. */
  learn(envelope: unknown): void;
  /** Everything that is sent to the app. Returns a function that stops listening. */
  onEvent(listener: (envelope: Envelope) => void): () => void;
  /** Every change of the workspace. Returns a function that stops listening. */
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first defined result of `read`, called at once and after every change. */
  until<T>(read: () => T | undefined, signal?: AbortSignal): Promise<T>;
  /** The changes that rebuild this workspace. */
  changes(): Change[];
  /** Resets to the initial state: channels without messages. */
  reset(): void;
};

/** Builds a workspace: `general`, one private channel, a DM per person and one for all, with the bot in each. */
export function createWorkspace(options: WorkspaceOptions = {}): Workspace {
  const nth = options.nth ?? 0;
  const identity: Identity = { ...identityOf(nth), ...options.identity };
  const general = nthId(GENERAL, nth);
  const now = options.clock ?? Date.now;
  const state = emptyState();
  for (const channel of firstChannels(identity, nth, options.channels ?? []))
    state.channels.set(channel.id, channel);
  for (const change of options.past ?? []) applyChange(state, change);
  const context: SimulatorContext = {
    nth,
    identity,
    now,
    state,
    ticks: createTicks(now, lastTick(state)),
    options: {
      mentionFirst: options.mentionFirst ?? (() => true),
      mentionHasFiles: options.mentionHasFiles ?? (() => false),
      sealAfterMs: options.sealAfterMs ?? SEAL_AFTER_MS,
      distribution: options.distribution ?? 'internal',
      filesUrl: options.filesUrl ?? (() => 'https://files.slack.com'),
      hooksUrl: options.hooksUrl ?? (() => 'https://hooks.slack.com'),
    },
    responses: new Map(),
    actionTokens: new Map(),
    access: { refusal: undefined, removals: 0 },
    triggers: new Map(),
    filesAskedFor: new Set(),
    onChange: new Set(),
    onEvent: new Set(),
  };
  const historyLimits = createHistoryLimits(now);
  const limits = [
    ...(options.enforceTiers ? [createTierLimits(now, options.tierWindowMs)] : []),
    ...(context.options.distribution === 'internal' ? [] : [historyLimits]),
  ];
  return {
    identity,
    channel: general,
    state,
    call: (method, args, token, scopes) => call(withScopes(context, scopes), limits, method, args, token),
    allowHistoryReads: () => historyLimits.reset(),
    download: (file, token, scopes) => download(withScopes(context, scopes), file, token),
    uninstall(first = 'app_uninstalled') {
      context.access.refusal = 'account_inactive';
      context.access.removals += 1;
      emitUninstall(context, first);
    },
    removals: () => context.access.removals,
    install: () => void (context.access.refusal = undefined),
    archiveChannel: (channel) =>
      record(context, { kind: 'channel', channel: { ...channelNamed(context, channel), archived: true } }),
    deleteChannel: (channel) => emitChannelDeleted(context, channelNamed(context, channel)),
    revokeAccess(teamIds) {
      if (identity.enterprise?.orgInstall && teamIds.includes(identity.teamId))
        context.access.refusal = 'team_access_not_granted';
      emitAccessRevoked(context, teamIds);
    },
    press: (user, ts, what, channel) => press(context, user, ts, what, channel),
    respond: (id, body) => respond(context, id, body),
    pressHome: (user, what) => pressHome(context, user, what),
    command: (user, typed, channel) =>
      command(context, user, channelNamed(context, channel === 'dm' ? user : channel), typed),
    shortcut: (user, callback, ts, channel) =>
      shortcut(context, user, callback, find(context, user, ts, channel)),
    submission: (user, filled) => submission(context, user, filled),
    closing: (user) => closing(context, user),
    closeView: (user) => closeView(context, user),
    openHome: (user) => openHome(context, user),
    learn: (envelope) => registerUnknownIds(context, envelope),
    ...personsOf(context),
    onEvent: (listener) => listen(context.onEvent, listener),
    onChange: (listener) => listen(context.onChange, listener),
    until: (read, signal) => until(context, read, signal),
    changes: () => changesOf(state),
    reset() {
      clearTalk(state);
      context.access.refusal = undefined;
    },
  };
}

const GENERAL = 'C0GENERAL0';

function firstChannels(identity: Identity, nth: number, more: readonly Channel[]): Channel[] {
  const own = identity.users.filter((user) => user.teamId === undefined).map((user) => user.id);
  const everyone = [...own, identity.botUserId];
  return [
    { id: nthId(GENERAL, nth), name: 'general', kind: 'channel', members: everyone },
    { id: nthId('C0LAB00000', nth), name: 'lab', kind: 'group', members: everyone },
    ...own.map((user): Channel => directChannel({ identity }, user)),
    ...(own.length > 1 ? [groupChannel({ identity }, own)] : []),
    ...more,
  ];
}

/** Ids of events are not stored: a second's margin skips them. */
function lastTick(state: State): number {
  let last = 0;
  for (const inChannel of state.messages.values()) {
    for (const message of inChannel.values()) last = Math.max(last, tickOf(message.editedAt ?? message.ts));
  }
  return last === 0 ? 0 : last + 1_000_000;
}

function call(
  context: SimulatorContext,
  limits: readonly TierLimits[],
  method: string,
  args: Args,
  token: string | undefined,
): ApiResponse {
  const route = ROUTES.get(method);
  if (!route) return { ok: false, error: 'unknown_method', req_method: method };
  if (token === undefined || token === '') return { ok: false, error: 'not_authed' };
  if (token !== context.identity.botToken) return { ok: false, error: 'invalid_auth' };
  const { refusal: removed } = context.access;
  // The token of an organization is valid for its other workspaces.
  if (removed !== undefined && !(removed === 'team_access_not_granted' && method === 'auth.test'))
    return { ok: false, error: removed };
  const refusal = refusalOfApi(context.identity, method);
  if (refusal !== undefined) return { ok: false, error: refusal };
  if (route.scopes.length > 0 && !route.scopes.some((scope) => context.identity.scopes.includes(scope))) {
    const [needed] = route.scopes;
    return { ok: false, error: 'missing_scope', needed, provided: context.identity.scopes.join(',') };
  }
  for (const limit of limits) {
    const retryAfter = limit.take(method, route.tier, optional(args, 'channel'));
    if (retryAfter !== undefined) return { ok: false, error: 'ratelimited', retryAfter };
  }
  try {
    return route.run(context, args);
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, error: error.code, ...error.detail };
    throw error;
  }
}

const withScopes = (context: SimulatorContext, scopes?: readonly string[]): SimulatorContext =>
  scopes ? { ...context, identity: { ...context.identity, scopes } } : context;

/** The response of the workspace to all methods of an API that it does not have. */
function refusalOfApi({ refusedApis = {} }: Identity, method: string): string | undefined {
  if (method.startsWith('agents.sessions.')) return refusedApis['agents.sessions'];
  return method.startsWith('assistant.threads.') ? refusedApis['assistant.threads'] : undefined;
}

function listen<T>(listeners: Set<(value: T) => void>, listener: (value: T) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function until<T>(context: SimulatorContext, read: () => T | undefined, signal?: AbortSignal): Promise<T> {
  const first = read();
  if (first !== undefined) return Promise.resolve(first);
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const value = read();
      if (value === undefined) return;
      context.onChange.delete(look);
      resolve(value);
    };
    context.onChange.add(look);
    signal?.addEventListener('abort', () => {
      context.onChange.delete(look);
      reject(signal.reason);
    });
  });
}
