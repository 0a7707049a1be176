import * as v from 'valibot';
import { type MessageId, messageId, type ButtonAction, type TurnRef } from '../../../domain/index.ts';

/** Slack's own limit for the value of a button. */
const MAX_VALUE_LENGTH = 2_000;
const PREFIX = 'parley:';
const ACTION_ID = /^parley:(stop|feedback|regenerate|continue)(?::\d{1,2})?$/;

// `#` joins ids to keys, so none may hold one.
const ts = v.pipe(v.string(), v.regex(/^\d{1,15}\.\d{1,10}$/), v.transform(messageId));
const where = { t: ts, m: ts };

const value = v.variant('kind', [
  v.strictObject({ ...where, kind: v.literal('stop') }),
  v.strictObject({ ...where, kind: v.literal('feedback'), good: v.boolean() }),
  v.strictObject({
    ...where,
    kind: v.literal('regenerate'),
    model: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(256))),
  }),
  v.strictObject({ ...where, kind: v.literal('continue') }),
]);

const action = v.object({
  action_id: v.pipe(v.string(), v.regex(ACTION_ID)),
  action_ts: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
  value: v.pipe(v.string(), v.maxLength(MAX_VALUE_LENGTH)),
});

/** What a pressed button of ours asks for, and about which answer. */
export type ParsedButton = {
  /** The message that the thread hangs on. */
  readonly root: MessageId;
  /** The question under whose answer the button is. */
  readonly message: MessageId;
  readonly press: ButtonAction;
  /** Slack's moment of the press: the same in a repeated delivery. */
  readonly at: string;
};

/**
 * What a button carries, for `readPress` to read when it is pressed: days later, in another process. `nth` tells
 * buttons of one kind apart, since Slack wants each `action_id` once in a block. Nobody but Slack can make a press, but
 * anyone may forward a message: who may press is decided where the press is acted upon.
 */
export function buttonValue(
  turn: TurnRef,
  press: ButtonAction,
  nth = 0,
): { action_id: string; value: string } {
  return {
    action_id: `${PREFIX}${press.kind}${nth > 0 ? `:${nth}` : ''}`,
    value: JSON.stringify({ t: turn.thread.root, m: turn.message, ...press }),
  };
}

/** Reads an entry of the `actions` of a `block_actions` payload. Undefined for what is no button of ours. */
export function parseButtonValue(pressed: unknown): ParsedButton | undefined {
  const outer = v.safeParse(action, pressed);
  if (!outer.success) return undefined;
  const { action_id: id, action_ts: at, value: text } = outer.output;
  const inner = v.safeParse(value, json(text));
  if (!inner.success || ACTION_ID.exec(id)?.[1] !== inner.output.kind) return undefined;
  const { t: root, m: message, ...press } = inner.output;
  return { root, message, press, at };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
