import { createHash } from 'node:crypto';
import * as v from 'valibot';
import {
  type CardAction,
  type InteractionPayload,
  channelId,
  type Interaction,
  messageId,
  parseAction,
  RATING_ACTION,
  userId,
  isModalRequest,
  workspaceId,
} from '../../../domain/index.ts';
import { listMessageFiles, contentFields, getDisplayedText } from './message-content.ts';
import { readFormValues, MODAL_CALLBACK_ID, readOrigin } from '../blocks/modal-view.ts';
import { parseButtonValue } from '../blocks/answer-blocks.ts';
import { HOME, REPLACE } from '../blocks/surfaces.ts';
import { readText, readTypedText } from './plain-text.ts';
import {
  authorFields,
  getAuthor,
  id,
  installationFields,
  getInstallationOfCaller,
  type InteractionCaller,
  optionalId,
  optionalTs,
  readInstallation,
  toThread,
  ts,
} from '../api/payload-fields.ts';

/** An interaction, and the `trigger_id` with which a modal can be opened for it within 3 s. */
export type ParsedInteraction = { readonly interaction: Interaction; readonly trigger: string };

/** How long a `response_url` is valid. */
const RESPONSE_URL_TTL_MS = 30 * 60_000;
const MAX_TEXT_LENGTH = 12_000;

const trigger = v.pipe(v.string(), v.minLength(1), v.maxLength(500));
const words = v.pipe(v.string(), v.maxLength(2_000));
const url = v.optional(words, '');
const team = v.nullish(v.object({ id: optionalId }));
/** The workspace that has the app. In channels shared between companies, `team` is that of the person. See bolt-js#1615. */
const view = { app_installed_team_id: optionalId };
/** Slack sends a string in some payloads. */
const flag = v.nullish(v.union([v.boolean(), v.picklist(['true', 'false'])]));
const person = v.object({ id, team_id: optionalId });

const command = v.object({
  command: v.pipe(v.string(), v.regex(/^\/[\w-]{1,32}$/)),
  text: v.optional(v.string(), ''),
  team_id: optionalId,
  enterprise_id: optionalId,
  is_enterprise_install: flag,
  channel_id: id,
  user_id: id,
  trigger_id: trigger,
  response_url: url,
});

const interactionFields = {
  user: person,
  team,
  enterprise: team,
  is_enterprise_install: flag,
  trigger_id: trigger,
};

const shortcut = v.object({
  ...interactionFields,
  callback_id: v.pipe(v.string(), v.regex(/^[a-z][a-z-]{0,31}$/)),
  channel: v.object({ id }),
  response_url: url,
  message: v.object({
    ts,
    thread_ts: optionalTs,
    ...authorFields,
    files: v.nullish(v.array(v.unknown())),
    ...contentFields,
  }),
});

const buttonPayload = v.object({
  ...interactionFields,
  channel: v.nullish(v.object({ id })),
  container: v.object({
    type: v.string(),
    message_ts: optionalTs,
    thread_ts: optionalTs,
    is_ephemeral: v.nullish(v.boolean()),
  }),
  message: v.nullish(v.object({ thread_ts: optionalTs })),
  // Of App Home: see `homeView`.
  view: v.nullish(v.object({ ...view, private_metadata: v.fallback(optionalId, undefined) })),
  response_url: url,
  actions: v.pipe(
    v.array(
      v.object({
        action_id: v.pipe(v.string(), v.maxLength(255)),
        action_ts: v.optional(v.string()),
        value: v.optional(words),
        selected_option: v.nullish(v.object({ value: words })),
      }),
    ),
    v.minLength(1),
  ),
});

const submission = v.object({
  ...interactionFields,
  view: v.object({
    ...view,
    callback_id: v.string(),
    private_metadata: v.pipe(v.string(), v.maxLength(3_000)),
    state: v.object({ values: v.record(v.string(), v.record(v.string(), v.unknown())) }),
  }),
});

const home = v.object({
  event_id: v.pipe(v.string(), v.minLength(1), v.maxLength(64)),
  event: v.object({ user: id, tab: v.literal('home') }),
});

/** Parses a slash command. Like the other parsers here it returns undefined for a payload that is not ours and never throws. */
export function parseCommand(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(command, body);
  if (!success) return undefined;
  const { team_id, enterprise_id, user_id } = data;
  const caller = {
    user: { id: user_id, team_id },
    team: { id: team_id },
    enterprise: { id: enterprise_id },
    is_enterprise_install: data.is_enterprise_install,
  };
  const payload: InteractionPayload = {
    kind: 'command',
    name: data.command,
    options: { text: readTypedText(data.text) },
    attachments: [],
  };
  const place = { channel: channelId(data.channel_id), responseToken: data.response_url };
  return toInteraction(caller, data.trigger_id, payload, place, now);
}

/** Parses a shortcut in the menu of a message. */
export function parseShortcut(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(shortcut, body);
  const workspace = success ? getInstallationOfCaller(data) : undefined;
  if (!success || !workspace) return undefined;
  const { message, channel } = data;
  const thread = toThread(workspace, channel.id, message.thread_ts ?? message.ts);
  const payload: InteractionPayload = {
    kind: 'on-message',
    name: data.callback_id,
    message: {
      thread,
      id: messageId(message.ts),
      ...getAuthor(message),
      text: readText(getDisplayedText(message), undefined).slice(0, MAX_TEXT_LENGTH),
      attachments: listMessageFiles(message),
    },
  };
  const inThread = message.thread_ts ? { thread } : {};
  const place = { channel: channelId(channel.id), responseToken: data.response_url, ...inThread };
  return toInteraction(data, data.trigger_id, payload, place, now);
}

/** Parses a click or a choice on a card that `renderCard` made, or a rating below an answer. */
export function parseControl(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(buttonPayload, body);
  if (!success) return undefined;
  const workspace = getInstallationOfCaller(data);
  const [control] = data.actions;
  if (!workspace || !control) return undefined;
  const action = toCardAction(control) ?? parseRating(control, data.container.thread_ts);
  if (!action) return undefined;
  const chosen = control.selected_option ? [control.selected_option.value] : [];
  const { container, channel } = data;
  const { message_ts: card, is_ephemeral: isEphemeral } = container;
  const payload: InteractionPayload = {
    kind: 'action',
    action,
    chosen,
    ...(card && !isEphemeral ? { card: messageId(card) } : {}),
  };
  if (!channel) return toInteraction(data, data.trigger_id, payload, { responseToken: HOME }, now);
  const root = container.thread_ts ?? (isEphemeral ? undefined : card);
  const inThread = Boolean(container.thread_ts ?? data.message?.thread_ts);
  const thread = root
    ? { thread: toThread(workspace, channel.id, root), ...(inThread ? {} : NO_REPLIES) }
    : {};
  // The response replaces an ephemeral message.
  const responseToken = data.response_url === '' ? '' : `${data.response_url}${isEphemeral ? REPLACE : ''}`;
  return toInteraction(
    data,
    data.trigger_id,
    payload,
    { channel: channelId(channel.id), responseToken, ...thread },
    now,
  );
}

/** Parses a submitted modal. */
export function parseSubmission(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(submission, body);
  if (!success || data.view.callback_id !== MODAL_CALLBACK_ID) return undefined;
  const origin = readOrigin(data.view.private_metadata);
  const caller = { ...data, view: { ...data.view, private_metadata: origin?.workspace } };
  const workspace = getInstallationOfCaller(caller);
  if (!workspace || !origin) return undefined;
  const payload: InteractionPayload = {
    kind: 'form',
    action: origin.action,
    values: readFormValues(data.view.state.values),
  };
  const { channel, root, responseToken, noReplies } = origin;
  const thread =
    channel && root ? { thread: toThread(workspace, channel, root), ...(noReplies && NO_REPLIES) } : {};
  const place = { responseToken, ...(channel && { channel: channelId(channel) }), ...thread };
  return toInteraction(caller, data.trigger_id, payload, place, now);
}

/** Parses an `app_home_opened` of the Home tab. */
export function parseHome(body: object, now: number): ParsedInteraction | undefined {
  const { success, output: data } = v.safeParse(home, body);
  const envelope = v.safeParse(installationFields, body);
  const workspace = envelope.success ? readInstallation(envelope.output, undefined)?.workspace : undefined;
  if (!success || !workspace) return undefined;
  const caller = { user: { id: data.event.user, team_id: workspace }, team: { id: workspace } };
  return toInteraction(caller, data.event_id, { kind: 'home' }, { responseToken: HOME }, now);
}

const NO_REPLIES = { noReplies: true } as const;

/** A rating below an answer. Undefined if the button was moved to another thread. */
function parseRating(clicked: unknown, inThread: string | null | undefined): CardAction | undefined {
  const { root, message, action: rating } = parseButtonValue(clicked) ?? {};
  if (rating?.kind !== 'feedback' || root === undefined || message === undefined) return undefined;
  if (inThread && inThread !== root) return undefined;
  return { name: RATING_ACTION, args: [root, message, rating.good ? 'good' : 'bad'] };
}

function toCardAction({
  action_id: name,
  value,
}: {
  readonly action_id: string;
  readonly value?: string | undefined;
}) {
  const [, inId] = /^card:\d{1,3}-\d{1,3}(?::(.+))?$/u.exec(name) ?? [];
  const text = inId ?? (name.startsWith('card:') ? value : undefined);
  return text === undefined ? undefined : parseAction(text);
}

/** Builds the interaction. `unique` is an id that Slack gives once, such as the `trigger_id`. */
export function toInteraction(
  caller: InteractionCaller,
  unique: string,
  payload: InteractionPayload,
  place: Pick<Interaction, 'channel' | 'thread' | 'noReplies' | 'responseToken'>,
  now: number,
): ParsedInteraction | undefined {
  const workspace = getInstallationOfCaller(caller);
  if (!workspace) return undefined;
  const { user } = caller;
  const interaction: Interaction = {
    // A `trigger_id` is longer than a deduplication id of SQS may be.
    id: createHash('sha256').update(unique).digest('hex').slice(0, 20),
    platform: 'slack',
    workspace,
    ...place,
    by: { user: userId(user.id), workspace: workspaceId(user.team_id ?? workspace), roles: [] },
    ...(isModalRequest(payload) && { triggerId: unique }),
    tokenExpiresAtMs: now + RESPONSE_URL_TTL_MS,
    receivedAt: now,
    payload,
  };
  return { interaction, trigger: unique };
}
