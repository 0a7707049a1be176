import * as v from 'valibot';
import { removeRejectedCharacters, parsePlatformJson } from '../../../domain/index.ts';

/** A request body of Slack as JSON. The parsers validate its fields. */
export type Body = Readonly<Record<string, unknown>>;

/** The kind of a request. */
export type Envelope =
  /** Slack checks that the address belongs to the app. */
  | { readonly kind: 'url-verification'; readonly challenge: string }
  /** Slack checks the certificate of a command's address. */
  | { readonly kind: 'ssl-check' }
  /** An event, command, action, submission and so on, for a listener. */
  | { readonly kind: 'listen'; readonly type: string; readonly body: Body }
  /** A type that no listener can be added for. */
  | { readonly kind: 'unknown'; readonly type: string };

const object = v.record(v.string(), v.unknown());
const typed = v.looseObject({ type: v.string() });
const verification = v.object({ challenge: v.string() });
/** The fields that Bolt reads of any event and interaction; a parser validates the rest. */
const event = v.looseObject({
  event: v.looseObject({ type: v.string() }),
  authorizations: v.optional(v.array(v.looseObject({}))),
});
const command = v.looseObject({ command: v.string(), team_id: v.string() });
const interaction = v.looseObject({
  user: v.looseObject({ id: v.string() }),
  team: v.nullish(v.looseObject({ id: v.string() })),
  actions: v.optional(v.array(v.looseObject({ action_id: v.optional(v.string()) }))),
  action_id: v.optional(v.string()),
});

const INTERACTIONS = new Set([
  'block_actions',
  'block_suggestion',
  'message_action',
  'shortcut',
  'view_closed',
  'view_submission',
]);

/**
 * Parses the body of a verified request. Undefined if it is not UTF-8 or not JSON, or if a field that Bolt reads is missing
 * or has another type. Never throws.
 */
export function readEnvelope(bytes: Uint8Array, contentType: string | undefined): Envelope | undefined {
  const body = read(bytes, contentType);
  if (!body) return undefined;
  if ('ssl_check' in body) return { kind: 'ssl-check' };
  if ('command' in body) return toEnvelope(command, body, 'command');
  const { success, output: data } = v.safeParse(typed, body);
  if (!success) return undefined;
  if (data.type === 'url_verification') {
    const { success: isValid, output } = v.safeParse(verification, body);
    return isValid ? { kind: 'url-verification', challenge: output.challenge } : undefined;
  }
  if (data.type === 'event_callback') {
    const callback = v.safeParse(event, body);
    if (!callback.success) return undefined;
    return { kind: 'listen', type: data.type, body: { ...body, event: withoutNulls(callback.output.event) } };
  }
  if (INTERACTIONS.has(data.type)) return toEnvelope(interaction, body, data.type);
  return { kind: 'unknown', type: data.type };
}

function toEnvelope(shape: v.GenericSchema, body: Body, type: string): Envelope | undefined {
  return v.safeParse(shape, body).success ? { kind: 'listen', type, body } : undefined;
}

/** The fields that are not null. Bolt throws for a `user`, `channel` or `item` that is null; for us it is as if absent. */
const withoutNulls = (fields: Body): Body =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** Commands are a form, interactions JSON in the field `payload` of a form, everything else is JSON. */
function read(bytes: Uint8Array, contentType = 'application/json'): Body | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  const text = utf8(bytes);
  if (text === undefined) return undefined;
  if (type === 'application/json') return json(text);
  if (type !== 'application/x-www-form-urlencoded') return undefined;
  const form = new URLSearchParams(text);
  const payload = form.get('payload');
  if (payload !== null) return json(payload);
  return Object.fromEntries([...form].map(([name, value]) => [name, removeRejectedCharacters(value)]));
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function json(text: string): Body | undefined {
  try {
    const body = parsePlatformJson(text);
    return v.is(object, body) ? body : undefined;
  } catch {
    return undefined;
  }
}
