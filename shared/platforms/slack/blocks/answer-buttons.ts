import * as v from 'valibot';
import { type MessageId, messageId, type ButtonAction, type TurnRef } from '../../../domain/index.ts';

/** Slack's own limit for the value of a button. */
const MAX_VALUE_LENGTH = 2_000;
const PREFIX = 'parley:';
const ACTION_ID = /^parley:(stop|feedback|regenerate|continue)(?::\d{1,2})?$/;

// `#` separates the parts of a key, so an id may not contain it.
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

const clickedAction = v.object({
  action_id: v.pipe(v.string(), v.regex(ACTION_ID)),
  action_ts: v.pipe(v.string(), v.regex(/^[\w.-]{1,64}$/)),
  value: v.pipe(v.string(), v.maxLength(MAX_VALUE_LENGTH)),
});

/** A clicked button below an answer. */
export type ParsedButton = {
  /** The root message of the thread. */
  readonly root: MessageId;
  /** The question of the answer. */
  readonly message: MessageId;
  readonly action: ButtonAction;
  /** Slack's timestamp of the click, the same in a retry. */
  readonly at: string;
};

/**
 * The id and value of a button, for `parseButtonValue` to parse when it is clicked, maybe days later in another process.
 * `nth` makes ids of one kind distinct, as Slack allows each `action_id` once per block. Requests are signed by Slack, but
 * people may forward a message with its buttons: who may click is checked where the action is carried out.
 */
export function buttonValue(
  turn: TurnRef,
  action: ButtonAction,
  nth = 0,
): { action_id: string; value: string } {
  return {
    action_id: `${PREFIX}${action.kind}${nth > 0 ? `:${nth}` : ''}`,
    value: JSON.stringify({ t: turn.thread.root, m: turn.message, ...action }),
  };
}

/** Parses an entry of `actions` of a `block_actions` payload. Undefined if it is not a button of ours. */
export function parseButtonValue(clicked: unknown): ParsedButton | undefined {
  const outer = v.safeParse(clickedAction, clicked);
  if (!outer.success) return undefined;
  const { action_id: id, action_ts: at, value: text } = outer.output;
  const inner = v.safeParse(value, json(text));
  if (!inner.success || ACTION_ID.exec(id)?.[1] !== inner.output.kind) return undefined;
  const { t: root, m: message, ...action } = inner.output;
  return { root, message, action: action, at };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
