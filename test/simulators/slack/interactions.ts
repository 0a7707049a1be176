import * as v from 'valibot';
import { type Pressable, pressable } from './block-ids.ts';
import {
  channelIn,
  installationOf,
  type Interaction,
  personIn,
  responseUrl,
  trigger,
} from './interaction-payloads.ts';
import { respondTo } from './methods/posting.ts';
import { blocksAhead, blocksOf, presentMessage } from './present.ts';
import { type Channel, isJson, type Json, type Message, stringOf } from './state.ts';
import { tsOf } from './ticks.ts';
import { type ApiResponse, messageAt, RefusalError, type SimulatorContext } from './context.ts';

/** A button: by label or `action_id`, or by position. `value` selects one of two feedback buttons. */
export type Pressed =
  | string
  | { readonly block: number; readonly element: number; readonly value?: string | undefined };

/** Builds the `block_actions` payload of a click. Throws for an element that this person cannot see or click. */
export function press(
  context: SimulatorContext,
  user: string,
  ts: string,
  what: Pressed,
  channelId?: string,
): Interaction {
  const { channel, message } = find(context, user, ts, channelId);
  const element = chosen(pressable(blocksOf(message)), what, blocksAhead(message));
  if (!element) throw new Error(`No such button: ${typeof what === 'string' ? what : JSON.stringify(what)}`);
  const ephemeral = message.ephemeralTo !== undefined;
  const inThread: Json = message.thread === undefined ? {} : { thread_ts: message.thread };
  return {
    type: 'block_actions',
    ...personIn(context, user),
    container: {
      type: 'message',
      message_ts: ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...inThread,
    },
    trigger_id: trigger(context, user),
    ...installationOf(context),
    channel: channelIn(channel),
    ...(ephemeral ? {} : { message: presentMessage(context, message) }),
    state: { values: {} },
    response_url: responseUrl(context, user, channel.id, ts),
    actions: [{ ...element, action_ts: tsOf(context.ticks.next()) }],
  };
}

/** A click in a person's App Home. */
export function pressHome(context: SimulatorContext, user: string, what: Pressed): Interaction {
  const home = [...context.state.views.values()].find((one) => one.kind === 'home' && one.user === user);
  if (!home) throw new Error(`${user} has no App Home`);
  const blocks = Array.isArray(home.view['blocks']) ? home.view['blocks'].filter(isJson) : [];
  const element = chosen(pressable(blocks), what, 0);
  if (!element) throw new Error(`No such button: ${typeof what === 'string' ? what : JSON.stringify(what)}`);
  return {
    type: 'block_actions',
    ...personIn(context, user),
    container: { type: 'view', view_id: home.id },
    trigger_id: trigger(context, user),
    ...installationOf(context),
    view: home.view,
    actions: [{ ...element, action_ts: tsOf(context.ticks.next()) }],
  };
}

export function find(
  context: SimulatorContext,
  user: string,
  ts: string,
  channelId?: string,
): { channel: Channel; message: Message } {
  for (const channel of context.state.channels.values()) {
    if (channelId !== undefined && channel.id !== channelId) continue;
    const message = context.state.messages.get(channel.id)?.get(ts);
    if (!message || !channel.members.includes(user)) continue;
    if (message.ephemeralTo === undefined || message.ephemeralTo === user) return { channel, message };
  }
  throw new Error(`${user} sees no message ${ts}`);
}

/** The entry for `actions`, or undefined if no element matches. */
function chosen(elements: readonly Pressable[], what: Pressed, before: number): Json | undefined {
  for (const { block, element, json, blockId } of elements) {
    const here = typeof what === 'string' || (what.block + before === block && what.element === element);
    for (const option of here ? optionsOf(json) : []) {
      const meant =
        typeof what === 'string' ? [option.label, option.id].includes(what) : valued(option, what.value);
      if (meant) return { ...option.action, block_id: blockId };
    }
  }
  return undefined;
}

type Option = { readonly id: string; readonly label: string; readonly action: Json };

const valued = ({ action, id }: Option, value: string | undefined): boolean =>
  value === undefined || (action['type'] === 'static_select' ? id : action['value']) === value;

/** The clickable part of an element: itself, one of two feedback buttons, or an option of a menu, by its value. */
function optionsOf(element: Json): Option[] {
  const id = stringOf(element['action_id']);
  if (element['type'] === 'static_select') {
    const options = Array.isArray(element['options']) ? element['options'].filter(isJson) : [];
    return options.map((option) => ({
      id: stringOf(option['value']),
      label: labelOf(option),
      action: { type: 'static_select', action_id: id, selected_option: option },
    }));
  }
  if (element['type'] !== 'feedback_buttons') return [{ id, label: labelOf(element), action: element }];
  return ['positive_button', 'negative_button'].flatMap((name) => {
    const thumb = element[name];
    if (!isJson(thumb)) return [];
    const { text = {}, value = '' } = thumb;
    return [{ id, label: labelOf(thumb), action: { type: 'feedback_buttons', action_id: id, text, value } }];
  });
}

const labelOf = ({ text }: Json): string => (isJson(text) ? stringOf(text['text']) : '');

const responseShape = v.object({
  response_type: v.optional(v.picklist(['ephemeral', 'in_channel']), 'ephemeral'),
  replace_original: v.optional(v.union([v.boolean(), v.literal('true'), v.literal('false')])),
  delete_original: v.optional(v.union([v.boolean(), v.literal('true'), v.literal('false')])),
  thread_ts: v.optional(v.string()),
});

/**
 * A response by `response_url`: ephemeral, public, or replacing the message. Five times within half an hour; then
 * `used_url` or `expired_url`.
 */
export function respond(context: SimulatorContext, id: string, body: unknown): ApiResponse {
  const allowed = context.responses.get(id);
  if (!allowed || allowed.until <= context.now()) return { ok: false, error: 'expired_url' };
  if (allowed.left === 0) return { ok: false, error: 'used_url' };
  const options = v.safeParse(responseShape, body);
  if (!options.success || !isJson(body)) return { ok: false, error: 'invalid_payload' };
  const channel = context.state.channels.get(allowed.channel);
  if (!channel) return { ok: false, error: 'channel_not_found' };
  context.responses.set(id, { ...allowed, left: allowed.left - 1 });
  const {
    replace_original: replace,
    delete_original: remove,
    response_type: type,
    thread_ts: thread,
  } = options.output;
  const { ts } = allowed;
  const how = ts === undefined ? type : isYes(remove) ? 'delete' : isYes(replace) ? 'replace' : type;
  try {
    const original =
      ts === undefined
        ? undefined
        : (context.state.messages.get(channel.id)?.get(ts) ?? messageAt(context, channel, ts));
    respondTo(context, channel, { original, how, body, user: allowed.user, thread });
    return { ok: true };
  } catch (error) {
    if (error instanceof RefusalError) return { ok: false, error: error.code, ...error.detail };
    throw error;
  }
}

const isYes = (value: boolean | 'true' | 'false' | undefined): boolean => value === true || value === 'true';
