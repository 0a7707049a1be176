import { type Check, fail, warn } from './check.ts';
import { describeSource, getValue, VARIABLES, type Variables } from './variables.ts';

/** Reads variables and collects checks for invalid ones. */
export class VariableReader {
  readonly checks: Check[] = [];
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  has(name: string): boolean {
    return getValue(this.#variables, name) !== undefined;
  }

  /** Whether the value has this form. */
  fits(name: string, form: RegExp): boolean {
    return form.test(getValue(this.#variables, name) ?? '');
  }

  /** Returns the value, or '' with a failed check. */
  required(name: string, form: RegExp = /./): string {
    if (!this.has(name)) this.fail(name, 'is missing');
    return this.optional(name, form) ?? '';
  }

  optional(name: string, form: RegExp): string | undefined {
    const value = getValue(this.#variables, name);
    if (value !== undefined && !form.test(value)) {
      const valueKind = describeValue(value);
      this.fail(name, valueKind === undefined ? 'is malformed' : `is malformed: it holds ${valueKind}`);
    }
    return value;
  }

  /** Like `optional`, for a form that the real service always uses (`strict`); for a test server, only warns. */
  optionalUsual(name: string, form: RegExp, strict: boolean): string | undefined {
    const value = getValue(this.#variables, name);
    if (value === undefined || form.test(value)) return value;
    if (strict || TOKEN.test(value) || !WORD.test(value)) return this.optional(name, form);
    this.checks.push(warn(name, 'is not of the usual form.', `Usual is: ${VARIABLES[name]}.`));
    return value;
  }

  /** Reads a URL. Rejects credentials in it, because they would end up in logs. */
  url(name: string, protocol: RegExp = /^https?:$/): string | undefined {
    const value = getValue(this.#variables, name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    const isValid = url !== null && protocol.test(url.protocol) && url.username === '' && url.password === '';
    if (!isValid) this.fail(name, 'is malformed');
    return value;
  }

  /** Adds a failed check; `what` is the problem, `fix` defaults to the source of the value. */
  fail(name: string, what: string, fix = describeSource(name)): void {
    this.checks.push(fail(name, `${what}.`, fix));
  }
}

/** Characters that are valid in a header. */
export const WORD = /^[\x21-\x7e]+$/;
const TOKEN = /^(?:xox|xapp-)/;

const VALUE_KINDS: readonly (readonly [RegExp, string])[] = [
  [/^xoxb-/, 'a bot token (xoxb-)'],
  [/^xapp-/, 'an app-level token (xapp-)'],
  [/^xoxp-/, 'a user token (xoxp-)'],
  [/^xoxe-/, 'a refresh token (xoxe-)'],
  [/^xox/, 'another kind of token'],
  [/^[0-9a-f]{32}$/i, 'something like a signing secret (32 hex digits)'],
  [/^[0-9a-f]{64}$/i, 'something like a public key (64 hex digits)'],
  [/^https?:/i, 'an address'],
];

/** Describes a misplaced value, without showing it. */
function describeValue(value: string): string | undefined {
  return VALUE_KINDS.find(([form]) => form.test(value))?.[1];
}
