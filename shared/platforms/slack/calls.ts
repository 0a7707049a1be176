import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import {
  type Call,
  channelId,
  type Invocation,
  messageId,
  parseAction,
  userId,
  wantsForm,
  workspaceId,
} from '../../conversation/index.ts';
import { attachmentsOf } from './attachments.ts';
import type { Body } from './envelope.ts';
import { formValues, readOrigin } from './form.ts';
import { HOME, REPLACE } from './ticket.ts';
import {
  id,
  installation,
  installedIn,
  maybeId,
  maybeTs,
  recipientOf,
  threadAt,
  ts,
} from './installation.ts';

/** A call as it came, and by what a form may be opened for it, within 3 s. */
export type ParsedCall = { readonly invocation: Invocation; readonly trigger: string };

/** How long a `response_url` is worth something. */
const TICKET_MS = 30 * 60_000;
const LONGEST_TEXT = 12_000;

const trigger = z.string().check(z.minLength(1), z.maxLength(500));
const words = z.string().check(z.maxLength(2_000));
const url = z._default(words, '');
const team = z.nullish(z.object({ id: maybeId }));
/** Slack writes it as a word in forms of its own. */
const yes = z.nullish(z.union([z.boolean(), z.enum(['true', 'false'])]));
const person = z.object({ id, team_id: maybeId });

const command = z.object({
  command: z.string().check(z.regex(/^\/[\w-]{1,32}$/)),
  text: z._default(z.string().check(z.maxLength(LONGEST_TEXT)), ''),
  team_id: maybeId,
  enterprise_id: maybeId,
  is_enterprise_install: yes,
  channel_id: id,
  user_id: id,
  trigger_id: trigger,
  response_url: url,
});

const interaction = {
  user: person,
  team,
  enterprise: team,
  is_enterprise_install: yes,
  trigger_id: trigger,
};

const shortcut = z.object({
  ...interaction,
  callback_id: z.string().check(z.regex(/^[a-z][a-z-]{0,31}$/)),
  channel: z.object({ id }),
  response_url: url,
  message: z.object({
    ts,
    thread_ts: maybeTs,
    user: maybeId,
    bot_id: maybeId,
    text: z.nullish(z.string()),
    files: z.nullish(z.array(z.unknown())),
  }),
});

const press = z.object({
  ...interaction,
  channel: z.nullish(z.object({ id })),
  container: z.object({
    type: z.string(),
    message_ts: maybeTs,
    thread_ts: maybeTs,
    is_ephemeral: z.nullish(z.boolean()),
  }),
  response_url: url,
  actions: z
    .array(
      z.object({
        action_id: z.string().check(z.maxLength(255)),
        value: z.optional(words),
        selected_option: z.nullish(z.object({ value: words })),
      }),
    )
    .check(z.minLength(1)),
});

const submission = z.object({
  ...interaction,
  view: z.object({
    callback_id: z.string(),
    private_metadata: z.string().check(z.maxLength(3_000)),
    state: z.object({ values: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  }),
});

const home = z.object({
  event_id: z.string().check(z.minLength(1), z.maxLength(64)),
  event: z.object({ user: id, tab: z.literal('home') }),
});

type Caller = {
  readonly user: z.infer<typeof person>;
  readonly team?: z.infer<typeof team>;
  readonly enterprise?: z.infer<typeof team>;
  readonly is_enterprise_install?: z.infer<typeof yes>;
};

/** Reads a slash command. Undefined if it is none, like the others here. Never throws. */
export function parseCommand(body: Body, now: number): ParsedCall | undefined {
  const { success, data } = command.safeParse(body);
  if (!success) return undefined;
  const { team_id, enterprise_id, user_id } = data;
  const caller = {
    user: { id: user_id, team_id },
    team: { id: team_id },
    enterprise: { id: enterprise_id },
    is_enterprise_install: data.is_enterprise_install,
  };
  const call: Call = { kind: 'command', name: data.command, options: { text: data.text }, attachments: [] };
  const place = { channel: channelId(data.channel_id), ticket: data.response_url };
  return called(caller, data.trigger_id, call, place, now);
}

/** Reads a command of a message's menu. */
export function parseShortcut(body: Body, now: number): ParsedCall | undefined {
  const { success, data } = shortcut.safeParse(body);
  const workspace = success ? workspaceOf(data) : undefined;
  if (!success || !workspace) return undefined;
  const { message, channel } = data;
  const thread = threadAt(workspace, channel.id, message.thread_ts ?? message.ts);
  const call: Call = {
    kind: 'on-message',
    name: data.callback_id,
    message: {
      thread,
      id: messageId(message.ts),
      author: userId(message.user ?? message.bot_id ?? 'unknown'),
      text: (message.text ?? '').slice(0, LONGEST_TEXT),
      attachments: attachmentsOf(message.files),
    },
  };
  const inThread = message.thread_ts ? { thread } : {};
  const place = { channel: channelId(channel.id), ticket: data.response_url, ...inThread };
  return called(data, data.trigger_id, call, place, now);
}

/** Reads what was pressed or chosen on a card. Whatever is not a control as `drawCard` makes them is not ours. */
export function parseControl(body: Body, now: number): ParsedCall | undefined {
  const { success, data } = press.safeParse(body);
  const workspace = success ? workspaceOf(data) : undefined;
  const [pressed] = data?.actions ?? [];
  if (!success || !workspace || !pressed) return undefined;
  const action = actionOf(pressed);
  if (!action) return undefined;
  const chosen = pressed.selected_option ? [pressed.selected_option.value] : [];
  const { container, channel } = data;
  const { message_ts: card, is_ephemeral: passing } = container;
  const call: Call = {
    kind: 'action',
    action,
    chosen,
    ...(card && !passing ? { card: messageId(card) } : {}),
  };
  if (!channel) return called(data, data.trigger_id, call, { ticket: HOME }, now);
  const root = container.thread_ts ?? (passing ? undefined : card);
  const thread = root ? { thread: threadAt(workspace, channel.id, root) } : {};
  // What was seen by one person alone is answered in its place.
  const ticket = data.response_url === '' ? '' : `${data.response_url}${passing ? REPLACE : ''}`;
  return called(data, data.trigger_id, call, { channel: channelId(channel.id), ticket, ...thread }, now);
}

/** Reads a form that was sent. */
export function parseSubmission(body: Body, now: number): ParsedCall | undefined {
  const { success, data } = submission.safeParse(body);
  if (!success || data.view.callback_id !== 'form') return undefined;
  const workspace = workspaceOf(data);
  const origin = readOrigin(data.view.private_metadata);
  if (!workspace || !origin) return undefined;
  const call: Call = { kind: 'form', action: origin.action, values: formValues(data.view.state.values) };
  const { channel, root, ticket } = origin;
  const thread = channel && root ? { thread: threadAt(workspace, channel, root) } : {};
  const place = { ticket, ...(channel && { channel: channelId(channel) }), ...thread };
  return called(data, data.trigger_id, call, place, now);
}

/** Reads an `app_home_opened` of the Home tab. */
export function parseHome(body: Body, now: number): ParsedCall | undefined {
  const { success, data } = home.safeParse(body);
  const envelope = installation.safeParse(body);
  const workspace = envelope.success ? recipientOf(envelope.data, undefined)?.workspace : undefined;
  if (!success || !workspace) return undefined;
  const caller = { user: { id: data.event.user, team_id: workspace }, team: { id: workspace } };
  return called(caller, data.event_id, { kind: 'home' }, { ticket: HOME }, now);
}

function actionOf({
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

function workspaceOf({ team: of, enterprise, is_enterprise_install: orgWide }: Caller) {
  const wide = orgWide === true || orgWide === 'true';
  const workspace = installedIn({ team_id: of?.id, enterprise_id: enterprise?.id }, wide);
  return workspace === undefined ? undefined : workspaceId(workspace);
}

export function called(
  caller: Caller,
  unique: string,
  call: Call,
  place: Pick<Invocation, 'channel' | 'thread' | 'ticket'>,
  now: number,
): ParsedCall | undefined {
  const workspace = workspaceOf(caller);
  if (!workspace) return undefined;
  const { user } = caller;
  const invocation: Invocation = {
    // A trigger is longer than a key of the queue may be.
    id: createHash('sha256').update(unique).digest('hex').slice(0, 20),
    platform: 'slack',
    workspace,
    ...place,
    by: { user: userId(user.id), workspace: workspaceId(user.team_id ?? workspace), roles: [] },
    ...(wantsForm(call) && { trigger: unique }),
    until: now + TICKET_MS,
    call,
  };
  return { invocation, trigger: unique };
}
