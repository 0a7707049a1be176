import type { Json } from './json.ts';

/** One violation in a body: its path, and Discord's code. */
export type Fault = {
  readonly at: readonly (string | number)[];
  readonly code: string;
  readonly message: string;
};

/** A refusal: an HTTP status, and a JSON body with one of Discord's codes. */
export class RefusalError extends Error {
  override readonly name = 'RefusalError';
  readonly code: number;
  readonly status: number;
  readonly faults: readonly Fault[];
  constructor(code: number, faults: readonly Fault[] = []) {
    const { status, message } = KNOWN[code] ?? { status: 400, message: `Error ${code}` };
    super(message);
    this.code = code;
    this.status = status;
    this.faults = faults;
  }

  body(): Json {
    const errors = this.faults.length > 0 ? { errors: tree(this.faults) } : {};
    // A rate limit with a code of its own: docs:topics/rate-limits#exceeding-a-rate-limit.
    const wait = this.status === 429 ? { retry_after: OLD_EDITS_RETRY_S, global: false } : {};
    return { message: this.message, code: this.code, ...wait, ...errors };
  }

  headers(): Readonly<Record<string, string>> {
    return this.status === 429
      ? { 'retry-after': String(OLD_EDITS_RETRY_S), 'x-ratelimit-scope': 'user' }
      : {};
  }
}

/** How long Discord asks to wait after too many edits of old messages. A guess: it is not documented. */
const OLD_EDITS_RETRY_S = 20;

/** A failure: HTTP 500 with an unspecific body. */
export class ServerFailureError extends Error {
  override readonly name = 'ServerFailureError';
}

/** The code of a field that no document of Discord names. Discord itself ignores such fields. */
export const UNKNOWN_FIELD = 'SIMULATOR_UNKNOWN_FIELD';

/** 50035 with its tree, if there are violations. Unknown fields are one, unless the simulator ignores them. */
export function refuseFaults(
  faults: readonly Fault[],
  { ignoresUnknownFields = false }: { readonly ignoresUnknownFields?: boolean } = {},
): void {
  const violations = ignoresUnknownFields ? faults.filter(({ code }) => code !== UNKNOWN_FIELD) : faults;
  if (violations.length > 0) throw new RefusalError(50035, violations);
}

/** Discord's tree of errors: the fields of the body, with `_errors` at the leaves. */
function tree(faults: readonly Fault[]): Json {
  const root: Json = {};
  for (const { at, code, message } of faults) {
    let node = root;
    for (const step of at) {
      const below = node[String(step)];
      const next: Json = typeof below === 'object' && below !== null && !Array.isArray(below) ? below : {};
      node[String(step)] = next;
      node = next;
    }
    const errors = node['_errors'];
    node['_errors'] = [...(Array.isArray(errors) ? errors : []), { code, message }];
  }
  return root;
}

const rejection = (status: number, message: string) => ({ status, message });

/** Codes of Discord's documentation of opcodes and status codes, with their HTTP status. */
const KNOWN: Readonly<Record<number, { status: number; message: string }>> = {
  0: rejection(401, '401: Unauthorized'),
  10002: rejection(404, 'Unknown Application'),
  10003: rejection(404, 'Unknown Channel'),
  10004: rejection(404, 'Unknown Guild'),
  10007: rejection(404, 'Unknown Member'),
  10008: rejection(404, 'Unknown Message'),
  10013: rejection(404, 'Unknown User'),
  10014: rejection(400, 'Unknown Emoji'),
  10015: rejection(404, 'Unknown Webhook'),
  10062: rejection(404, 'Unknown interaction'),
  10063: rejection(404, 'Unknown application command'),
  30046: rejection(429, 'Maximum number of edits to messages older than 1 hour reached. Try again later'),
  40005: rejection(413, 'Request entity too large'),
  40060: rejection(400, 'Interaction has already been acknowledged.'),
  40067: rejection(400, 'A tag is required to create a forum post in this channel'),
  40094: rejection(400, 'This interaction has hit the maximum number of follow up messages'),
  40333: rejection(403, 'internal network error'),
  50001: rejection(403, 'Missing Access'),
  50003: rejection(403, 'Cannot execute action on a DM channel'),
  50005: rejection(403, 'Cannot edit a message authored by another user'),
  50006: rejection(400, 'Cannot send an empty message'),
  50007: rejection(403, 'Cannot send messages to this user'),
  50008: rejection(400, 'Cannot send messages in a non-text channel'),
  50013: rejection(403, 'Missing Permissions'),
  50021: rejection(403, 'Cannot execute action on a system message'),
  50024: rejection(400, 'Cannot execute action on this channel type'),
  50027: rejection(401, 'Invalid Webhook Token'),
  50035: rejection(400, 'Invalid Form Body'),
  50083: rejection(400, 'Thread is archived'),
  50109: rejection(400, 'The request body contains invalid JSON.'),
  50159: rejection(400, 'Voice messages do not support additional content.'),
  50160: rejection(400, 'Voice messages must have a single audio attachment.'),
  50161: rejection(400, 'Voice messages must have supporting metadata.'),
  50162: rejection(400, 'Voice messages cannot be edited.'),
  50173: rejection(403, 'You cannot send voice messages in this channel.'),
  50240: rejection(
    400,
    "You cannot remove this app's Entry Point command in a bulk update operation. Please include the Entry Point command in your update request or delete it separately.",
  ),
  160002: rejection(400, 'Cannot reply without permission to read message history'),
  160004: rejection(400, 'A thread has already been created for this message'),
  160005: rejection(400, 'Thread is locked'),
  160009: rejection(400, 'Cannot reference a message without permission to read message history'),
  160006: rejection(400, 'Maximum number of active threads reached'),
  160007: rejection(400, 'Maximum number of active announcement threads reached'),
  200000: rejection(400, 'Message was blocked by automatic moderation'),
  200001: rejection(400, 'Title was blocked by automatic moderation'),
};
