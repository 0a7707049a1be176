import * as v from 'valibot';
import { SECRET_PLACEHOLDER } from '../../../shared/runtime/index.ts';
import { getKeyFingerprint } from '../../../shared/aws/index.ts';
import { OperatorError } from '../operator-error.ts';

/** `models`: the API keys of the upstream. `slack`: the signing secret of the Slack app. */
export const KEY_KINDS = ['models', 'slack'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export type KeyRow = {
  readonly kind: KeyKind;
  /** `current`, or one that counts besides it. */
  readonly role: 'current' | 'additional' | 'previous';
  /** The start of its hash. Logs call it `keyName`. */
  readonly fingerprint: string;
  /** Until when it counts (ms since 1970); undefined: until it is removed. */
  readonly until: number | undefined;
};

const text = v.pipe(v.string(), v.minLength(1));
const modelsSchema = v.looseObject({
  apiKey: v.optional(text),
  more: v.optional(v.array(text), []),
  until: v.optional(v.record(v.string(), v.number()), {}),
});
const slackSchema = v.looseObject({
  current: v.optional(text),
  previous: v.optional(text),
  previousUntil: v.optional(v.number()),
});
const SIGNING_SECRET = /^[0-9a-f]{32}$/u;

export type SecretContent = Readonly<Record<string, unknown>>;

/** Parses the content of a secret. Throws OperatorError without any of it: valibot's message would have the value, so a key. */
function parseContent<T>(schema: v.GenericSchema<unknown, T>, content: SecretContent): T {
  const parsed = v.safeParse(schema, content);
  if (parsed.success) return parsed.output;
  throw new OperatorError(
    'The secret does not have the form that docs/runbook.md#change-a-credential describes. Correct it by hand.',
  );
}

/** Returns the keys in the content of a secret. Placeholders are none. Throws OperatorError if it is malformed. */
export function listKeys(kind: KeyKind, content: SecretContent): KeyRow[] {
  if (kind === 'slack') {
    const { current, previous, previousUntil } = parseContent(slackSchema, content);
    return [
      // A deployment starts with a random secret of another form.
      ...toRows(kind, 'current', current !== undefined && SIGNING_SECRET.test(current) ? [current] : []),
      ...toRows(kind, 'previous', previous === undefined ? [] : [previous], () => previousUntil),
    ];
  }
  const { apiKey, more, until } = parseContent(modelsSchema, content);
  return [
    ...toRows(kind, 'current', apiKey === undefined ? [] : [apiKey]),
    ...toRows(kind, 'additional', more, (fingerprint) => until[fingerprint]),
  ];
}

const toRows = (
  kind: KeyKind,
  role: KeyRow['role'],
  keys: readonly string[],
  untilOf: (fingerprint: string) => number | undefined = () => undefined,
): KeyRow[] =>
  keys
    .filter((key) => key !== SECRET_PLACEHOLDER && key !== '')
    .map((key) => {
      const fingerprint = getKeyFingerprint(key);
      return { kind, role, fingerprint, until: untilOf(fingerprint) };
    });

/** Checks the form of a key. Throws OperatorError. */
function checkKey(kind: KeyKind, key: string): void {
  if (kind === 'slack' && !SIGNING_SECRET.test(key))
    throw new OperatorError(
      'This is no signing secret: it has 32 characters from 0-9 and a-f. Copy it from api.slack.com/apps > your app > Basic Information > App Credentials.',
    );
  if (!/^[!-~]{8,512}$/u.test(key))
    throw new OperatorError('This is no API key: it has 8 to 512 characters, without spaces.');
}

/** Adds an API key, which shares the requests with the others. Each has its own rate limits. Throws OperatorError. */
export function addKey(kind: KeyKind, content: SecretContent, key: string): SecretContent {
  checkKey(kind, key);
  if (kind === 'slack')
    throw new OperatorError(
      'A Slack app has one signing secret. "npx parley keys rotate slack" replaces it.',
    );
  const { apiKey, more, until, ...rest } = parseContent(modelsSchema, content);
  if (apiKey === undefined || apiKey === SECRET_PLACEHOLDER)
    return toModels({ ...rest, apiKey: key, more, until });
  if (apiKey === key) return content;
  // Added again, a key that was to end counts without end.
  const { [getKeyFingerprint(key)]: _, ...others } = until;
  return toModels({ ...rest, apiKey, more: [...more.filter((one) => one !== key), key], until: others });
}

/**
 * Replaces the current key. The former one counts until `untilMs` (ms since 1970), so that nothing fails while both services change.
 * Repeated with the same key it changes nothing. Throws OperatorError.
 */
export function rotateKey(
  kind: KeyKind,
  content: SecretContent,
  key: string,
  untilMs: number,
): SecretContent {
  checkKey(kind, key);
  if (kind === 'slack') {
    const { current, previous: _, previousUntil: __, ...rest } = parseContent(slackSchema, content);
    if (current === key) return content;
    const former =
      current !== undefined && SIGNING_SECRET.test(current)
        ? { previous: current, previousUntil: untilMs }
        : {};
    return { ...rest, current: key, ...former };
  }
  const { apiKey, more, until, ...rest } = parseContent(modelsSchema, content);
  if (apiKey === key) return content;
  const others = more.filter((one) => one !== key && one !== apiKey);
  if (apiKey === undefined || apiKey === SECRET_PLACEHOLDER)
    return toModels({ ...rest, apiKey: key, more: others, until });
  return toModels({
    ...rest,
    apiKey: key,
    more: [...others, apiKey],
    until: { ...until, [getKeyFingerprint(apiKey)]: untilMs },
  });
}

/** Removes a key by its fingerprint. Throws OperatorError if there is none, or nothing would be left. */
export function removeKey(kind: KeyKind, content: SecretContent, fingerprint: string): SecretContent {
  const isIt = (key: string | undefined): boolean =>
    key !== undefined && getKeyFingerprint(key) === fingerprint;
  if (kind === 'slack') {
    const { previous, previousUntil: _, ...rest } = parseContent(slackSchema, content);
    if (isIt(rest.current))
      throw new OperatorError('The current signing secret cannot be removed: rotate it instead.');
    if (isIt(previous)) return rest;
    throw new OperatorError(NO_SUCH_KEY);
  }
  const { apiKey, more, until, ...rest } = parseContent(modelsSchema, content);
  const keys = [...(apiKey === undefined ? [] : [apiKey]), ...more];
  const left = keys.filter((key) => !isIt(key));
  if (left.length === keys.length) throw new OperatorError(NO_SUCH_KEY);
  const [first, ...others] = left;
  if (first === undefined)
    throw new OperatorError('This is the only API key. Rotate it, or add another one before you remove it.');
  // The first key counts without end.
  return toModels({ ...rest, apiKey: first, more: others, until });
}

const NO_SUCH_KEY = 'There is no key with this fingerprint. "npx parley keys list" shows them.';

type Models = {
  readonly apiKey: string;
  readonly more: readonly string[];
  readonly until: Readonly<Record<string, number>>;
};

/** Leaves out what is empty, and ends of keys that are gone or are the first one. */
function toModels({ apiKey, more, until, ...rest }: Models & SecretContent): SecretContent {
  const names = new Set(more.map(getKeyFingerprint));
  const ends = Object.entries(until).filter(([name]) => names.has(name));
  return {
    ...rest,
    apiKey,
    ...(more.length > 0 && { more }),
    ...(ends.length > 0 && { until: Object.fromEntries(ends) }),
  };
}
