import { type Check, fail, warn } from './check.ts';
import { sourceOf, valueOf, VARIABLES, type Variables } from './variables.ts';

/** Takes values one by one and collects what is wrong with them. */
export class VariableReader {
  readonly checks: Check[] = [];
  readonly #variables: Variables;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  has(name: string): boolean {
    return valueOf(this.#variables, name) !== undefined;
  }

  /** Whether it has a value of this form. */
  fits(name: string, form: RegExp): boolean {
    return form.test(valueOf(this.#variables, name) ?? '');
  }

  /** The value, or '' with a check that failed. */
  required(name: string, form: RegExp = /./): string {
    if (!this.has(name)) this.fail(name, 'is missing');
    return this.optional(name, form) ?? '';
  }

  optional(name: string, form: RegExp): string | undefined {
    const value = valueOf(this.#variables, name);
    if (value !== undefined && !form.test(value)) {
      const held = kindOf(value);
      this.fail(name, held === undefined ? 'is malformed' : `is malformed: it holds ${held}`);
    }
    return value;
  }

  /** As `optional`, of a form that the real service keeps to (`strict`), while a test server may not: then it warns. */
  usual(name: string, form: RegExp, strict: boolean): string | undefined {
    const value = valueOf(this.#variables, name);
    if (value === undefined || form.test(value)) return value;
    if (strict || TOKEN.test(value) || !WORD.test(value)) return this.optional(name, form);
    this.checks.push(warn(name, 'is not of the usual form.', `Usual is: ${VARIABLES[name]}.`));
    return value;
  }

  /** Credentials in an address would end up in logs, so they are not taken. `protocol` is how it may begin. */
  address(name: string, protocol: RegExp = /^https?:$/): string | undefined {
    const value = valueOf(this.#variables, name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    const fits = url !== null && protocol.test(url.protocol) && url.username === '' && url.password === '';
    if (!fits) this.fail(name, 'is malformed');
    return value;
  }

  /** `what` is wrong with a variable; `fix` is where its value is to be found unless it is given. */
  fail(name: string, what: string, fix = sourceOf(name)): void {
    this.checks.push(fail(name, `${what}.`, fix));
  }
}

/** Anything that can stand in a header. */
export const WORD = /^[\x21-\x7e]+$/;
const TOKEN = /^(?:xox|xapp-)/;

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^xoxb-/, 'a bot token (xoxb-)'],
  [/^xapp-/, 'an app-level token (xapp-)'],
  [/^xoxp-/, 'a user token (xoxp-)'],
  [/^xoxe-/, 'a refresh token (xoxe-)'],
  [/^xox/, 'another kind of token'],
  [/^[0-9a-f]{32}$/i, 'something like a signing secret (32 hex digits)'],
  [/^[0-9a-f]{64}$/i, 'something like a public key (64 hex digits)'],
  [/^https?:/i, 'an address'],
];

/** What a misplaced value looks like, for people; never the value itself. */
function kindOf(value: string): string | undefined {
  return KINDS.find(([form]) => form.test(value))?.[1];
}
