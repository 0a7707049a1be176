import type { Args } from './args.ts';
import { optional } from './args.ts';
import { type Persons, personsOf } from './persons.ts';
import { tellAccessRevoked, tellRemoval } from './events.ts';
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
  RefusalError,
  type SimulatorContext,
} from './context.ts';

export type WorkspaceOptions = {
  /** ms since 1970; Date.now unless told. Time moves nothing by itself: it is read when something is asked. */
  readonly clock?: () => number;
  readonly identity?: Partial<Identity>;
  /** Tells the ids of several workspaces apart; 0 unless told. */
  readonly nth?: number;
  /** Channels besides general, the private one and the DMs. */
  readonly channels?: readonly Channel[];
  /** Refuse what goes beyond Slack's rate tiers; off unless told. */
  readonly enforceTiers?: boolean;
  /** Who may install the app: where that is others than its own company, outside of Slack's Marketplace, it may hardly read history. */
  readonly distribution?: Distribution;
  /** Asked at each mention: does `app_mention` come before its `message` copy? Yes unless told. */
  readonly mentionFirst?: () => boolean;
  /** Age at which Slack seals a stream, in ms; five minutes unless told. */
  readonly sealAfterMs?: number;
  /** The origin that files are fetched from; Slack's own unless told. */
  readonly filesUrl?: () => string;
  /** The origin that answers to presses are sent to; Slack's own unless told. */
  readonly hooksUrl?: () => string;
  /** What happened before, as `changes()` gave it. */
  readonly past?: readonly Change[];
};

/** A Slack workspace in one object: no network, no timers. */
export type Workspace = Persons & {
  readonly identity: Identity;
  /** The public channel `general`. */
  readonly channel: string;
  readonly state: State;
  /** One call of the Web API with the given bot token. Never throws. */
  call(method: string, args: Args, token: string | undefined): ApiResponse;
  /** As if a minute had passed since the app read history: see `distribution`. */
  allowHistoryReads(): void;
  /** Fetches a file's content with the given bot token. */
  download(file: string, token: string | undefined): Download;
  /**
   * A person presses a button of a message: the answer is what the app is to be sent. `what` is a label, an
   * `action_id`, or a place. Throws for what the person cannot see or press.
   */
  press(user: string, ts: string, what: Pressed, channel?: string): Interaction;
  /** As `press`, in the person's App Home. */
  pressHome(user: string, what: Pressed): Interaction;
  /** A person types a command, slash and all. */
  command(user: string, typed: string, channel: string): Interaction;
  /** A person chooses a shortcut of the app in the menu of a message. */
  shortcut(user: string, callback: string, ts: string, channel?: string): Interaction;
  /** What a person sends by the modal that they have on top. `closeView` then takes it away. */
  submission(user: string, filled: Filled): Interaction;
  closing(user: string): Interaction | undefined;
  closeView(user: string): void;
  /** A person opens the Home tab of the app. */
  openHome(user: string): void;
  /** The app answers a press by its `response_url`, of which `id` is the last part. */
  respond(id: string, body: unknown): ApiResponse;
  /** The app is removed from the workspace: both events say so, `first` first. */
  uninstall(first?: 'app_uninstalled' | 'tokens_revoked'): void;
  /** The organisation that has the app takes it from these of its workspaces. */
  revokeAccess(teamIds: readonly string[]): void;
  /** Takes over the message that an event made elsewhere tells of. */
  learn(envelope: unknown): void;
  /** Everything the app would be sent. The answer ends the listening. */
  onEvent(listener: (envelope: Envelope) => void): () => void;
  /** Everything that changes in the workspace. The answer ends the listening. */
  onChange(listener: (change: Change) => void): () => void;
  /** Resolves with the first answer of `read` that is not undefined: asked at once, then after every change. */
  until<T>(read: () => T | undefined, signal?: AbortSignal): Promise<T>;
  /** Changes that make this workspace again. */
  changes(): Change[];
  /** Back to the beginning: channels alone, no messages. */
  reset(): void;
};

/** Builds a workspace: `general`, one private channel, a DM per person and one for all, the bot a member everywhere. */
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
      sealAfterMs: options.sealAfterMs ?? SEAL_AFTER_MS,
      distribution: options.distribution ?? 'internal',
      filesUrl: options.filesUrl ?? (() => 'https://files.slack.com'),
      hooksUrl: options.hooksUrl ?? (() => 'https://hooks.slack.com'),
    },
    responses: new Map(),
    triggers: new Map(),
    filesAskedFor: new Set(),
    onChange: new Set(),
    onEvent: new Set(),
  };
  const historyLimits = createHistoryLimits(now);
  const limits = [
    ...(options.enforceTiers ? [createTierLimits(now)] : []),
    ...(context.options.distribution === 'internal' ? [] : [historyLimits]),
  ];
  return {
    identity,
    channel: general,
    state,
    call: (method, args, token) => call(context, limits, method, args, token),
    allowHistoryReads: () => historyLimits.reset(),
    download: (file, token) => download(context, file, token),
    uninstall: (first = 'app_uninstalled') => tellRemoval(context, first),
    revokeAccess: (teamIds) => tellAccessRevoked(context, teamIds),
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

/** Ids that events took are not kept: a second's margin steps over them. */
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
  const refused = refusalOfApi(context.identity, method);
  if (refused !== undefined) return { ok: false, error: refused };
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

/** What the workspace answers to all methods of an API that it does not have. */
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
      const found = read();
      if (found === undefined) return;
      context.onChange.delete(look);
      resolve(found);
    };
    context.onChange.add(look);
    signal?.addEventListener('abort', () => {
      context.onChange.delete(look);
      reject(signal.reason);
    });
  });
}
