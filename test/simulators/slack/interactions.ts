import * as z from 'zod/mini';
import { type Pressable, pressable } from './block-ids.ts';
import { personOf, teamOf } from './identity.ts';
import { respondTo } from './methods/posting.ts';
import { blocksAhead, blocksOf, presentMessage } from './present.ts';
import { type Channel, isJson, type Json, type Message, stringOf } from './state.ts';
import { hashOf, tsOf } from './ticks.ts';
import { type Answer, messageAt, Refusal, type World } from './world.ts';

/** What the app is sent when a person presses a button: the form field `payload`, before it is written as JSON. */
export type Interaction = Json;

/** A button: by label or `action_id`, or by where it stands. `value` tells the two thumbs of one pair apart. */
export type Pressed =
  | string
  | { readonly block: number; readonly element: number; readonly value?: string | undefined };

const RESPONSES = 5;
const RESPONSES_FOR_MS = 30 * 60_000;

/** Makes the `block_actions` payload of a press. Throws for what this person cannot see or press. */
export function press(
  world: World,
  user: string,
  ts: string,
  what: Pressed,
  channelId?: string,
): Interaction {
  const { channel, message } = find(world, user, ts, channelId);
  const found = chosen(pressable(blocksOf(message)), what, blocksAhead(message));
  if (!found) throw new Error(`No such button: ${typeof what === 'string' ? what : JSON.stringify(what)}`);
  const person = personOf(world.identity, user);
  const now = world.now();
  const tick = world.ticks.next();
  const id = hashOf(`${world.identity.teamId}/${tick}`, 24);
  world.responses.set(id, { channel: channel.id, ts, user, until: now + RESPONSES_FOR_MS, left: RESPONSES });
  const ephemeral = message.ephemeralTo !== undefined;
  const inThread: Json = message.thread === undefined ? {} : { thread_ts: message.thread };
  return {
    type: 'block_actions',
    user: {
      id: user,
      username: person?.name ?? '',
      name: person?.name ?? '',
      team_id: teamOf(world.identity, user),
    },
    api_app_id: world.identity.appId,
    token: 'simulated-verification-token',
    container: {
      type: 'message',
      message_ts: ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...inThread,
    },
    trigger_id: `${tick}.${hashOf(world.identity.teamId, 12)}.${hashOf(id, 32).toLowerCase()}`,
    ...installation(world),
    channel: { id: channel.id, name: NAMES[channel.kind] ?? channel.name },
    ...(ephemeral ? {} : { message: presentMessage(world, message) }),
    state: { values: {} },
    response_url: `${world.options.hooksUrl()}/actions/${world.identity.teamId}/${tick}/${id}`,
    actions: [{ ...found, action_ts: tsOf(tick) }],
  };
}

/** Slack does not tell the names of what is not public. */
const NAMES: Readonly<Partial<Record<Channel['kind'], string>>> = {
  im: 'directmessage',
  group: 'privategroup',
};

function installation({ identity }: World): Json {
  const { enterprise, teamId, teamName } = identity;
  const domain = teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  if (!enterprise) return { team: { id: teamId, domain }, enterprise: null, is_enterprise_install: false };
  const { id, name, orgInstall } = enterprise;
  const team = orgInstall ? null : { id: teamId, domain, enterprise_id: id, enterprise_name: name };
  return { team, enterprise: { id, name }, is_enterprise_install: orgInstall };
}

function find(
  world: World,
  user: string,
  ts: string,
  channelId?: string,
): { channel: Channel; message: Message } {
  for (const channel of world.state.channels.values()) {
    if (channelId !== undefined && channel.id !== channelId) continue;
    const message = world.state.messages.get(channel.id)?.get(ts);
    if (!message || !channel.members.includes(user)) continue;
    if (message.ephemeralTo === undefined || message.ephemeralTo === user) return { channel, message };
  }
  throw new Error(`${user} sees no message ${ts}`);
}

/** The entry for `actions`, or undefined if nothing there is meant. */
function chosen(elements: readonly Pressable[], what: Pressed, before: number): Json | undefined {
  for (const { block, element, shown, blockId } of elements) {
    const here = typeof what === 'string' || (what.block + before === block && what.element === element);
    for (const option of here ? optionsOf(shown) : []) {
      const meant =
        typeof what === 'string' ? [option.label, option.id].includes(what) : valued(option, what.value);
      if (meant) return { ...option.action, block_id: blockId };
    }
  }
  return undefined;
}

type Option = { readonly id: string; readonly label: string; readonly action: Json };

const valued = (option: Option, value: string | undefined): boolean =>
  value === undefined || option.action['value'] === value;

/** What of an element can be pressed: itself, or one of two thumbs. */
function optionsOf(shown: Json): Option[] {
  const id = stringOf(shown['action_id']);
  if (shown['type'] !== 'feedback_buttons') return [{ id, label: labelOf(shown), action: shown }];
  return ['positive_button', 'negative_button'].flatMap((name) => {
    const thumb = shown[name];
    if (!isJson(thumb)) return [];
    const value = thumb['value'] ?? '';
    return [{ id, label: labelOf(thumb), action: { type: 'feedback_buttons', action_id: id, value } }];
  });
}

const labelOf = ({ text }: Json): string => (isJson(text) ? stringOf(text['text']) : '');

const responseShape = z.object({
  response_type: z._default(z.enum(['ephemeral', 'in_channel']), 'ephemeral'),
  replace_original: z.optional(z.union([z.boolean(), z.literal('true'), z.literal('false')])),
  delete_original: z.optional(z.union([z.boolean(), z.literal('true'), z.literal('false')])),
  thread_ts: z.optional(z.string()),
});

/**
 * What the app says by a `response_url`: seen by the one who pressed, or by all, or in place of the message. Five times
 * within half an hour; then `used_url` or `expired_url`.
 */
export function respond(world: World, id: string, body: unknown): Answer {
  const allowed = world.responses.get(id);
  if (!allowed || allowed.until <= world.now()) return { ok: false, error: 'expired_url' };
  if (allowed.left === 0) return { ok: false, error: 'used_url' };
  const options = responseShape.safeParse(body);
  if (!options.success || !isJson(body)) return { ok: false, error: 'invalid_payload' };
  const channel = world.state.channels.get(allowed.channel);
  if (!channel) return { ok: false, error: 'channel_not_found' };
  world.responses.set(id, { ...allowed, left: allowed.left - 1 });
  const {
    replace_original: replace,
    delete_original: remove,
    response_type: type,
    thread_ts: thread,
  } = options.data;
  const how = isYes(remove) ? 'delete' : isYes(replace) ? 'replace' : type;
  try {
    const original =
      world.state.messages.get(channel.id)?.get(allowed.ts) ?? messageAt(world, channel, allowed.ts);
    respondTo(world, channel, { original, how, body, user: allowed.user, thread });
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, error: error.code, ...error.detail };
    throw error;
  }
}

const isYes = (value: boolean | 'true' | 'false' | undefined): boolean => value === true || value === 'true';
