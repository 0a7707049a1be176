import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * The part of DynamoDB's expression language that this system uses, for the in-memory table. It throws on
 * anything else. A test compares it with dynalite on random writes.
 */
export type Item = Record<string, AttributeValue>;
export type Names = Record<string, string> | undefined;
export type Values = Record<string, AttributeValue> | undefined;

export type Scalar = string | number | bigint | undefined;

const TOKEN = /\s*(<=|>=|<>|[()=<>+,-]|[#:]?\w+)/uy;

/** The tokens of an expression, and the same in capitals, in which keywords are compared. */
type Tokens = { readonly parts: readonly string[]; readonly capitals: readonly string[] };

const cache = new Map<string, Tokens>();

/** Expressions are few, and read over and over. */
function tokens(expression: string): Tokens {
  const known = cache.get(expression);
  if (known) return known;
  const parts = split(expression);
  const read = { parts, capitals: parts.map((part) => part.toUpperCase()) };
  cache.set(expression, read);
  return read;
}

function split(expression: string): readonly string[] {
  const parts: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.trimEnd().length) {
    const match = TOKEN.exec(expression);
    if (!match?.[1]) throw new Error(`cannot read the expression: ${expression}`);
    parts.push(match[1]);
  }
  if (hasDoubleParentheses(parts)) throw new Error(`redundant parentheses: ${expression}`);
  return parts;
}

/** DynamoDB refuses parentheses around parentheses. */
function hasDoubleParentheses(parts: readonly string[]): boolean {
  const open: number[] = [];
  const ends = new Map<number, number>();
  for (const [at, token] of parts.entries()) {
    if (token === '(') open.push(at);
    if (token === ')') ends.set(open.pop() ?? -1, at);
  }
  return [...ends].some(([from, to]) => parts[from + 1] === '(' && ends.get(from + 1) === to - 1);
}

export function scalar(value: AttributeValue | undefined): Scalar {
  if (value === undefined) return undefined;
  if (value.N !== undefined) return numberOf(value.N);
  if (value.S !== undefined) return value.S;
  // In hexadecimal digits, binary values sort as their bytes do.
  if (value.B !== undefined) return Buffer.from(value.B).toString('hex');
  throw new Error('only strings, numbers and binary values are compared');
}

/** DynamoDB's numbers have 38 digits; whole ones that are too long for ours are kept exactly. */
function numberOf(text: string): number | bigint {
  return text.length > 15 && /^-?\d+$/u.test(text) ? BigInt(text) : Number(text);
}

/** One expression being read against one item. */
class Reader {
  readonly #tokens: readonly string[];
  readonly #capitals: readonly string[];
  readonly #item: Item;
  readonly #names: Names;
  readonly #values: Values;
  #at = 0;

  constructor(expression: string, item: Item, names: Names, values: Values) {
    ({ parts: this.#tokens, capitals: this.#capitals } = tokens(expression));
    this.#item = item;
    this.#names = names;
    this.#values = values;
  }

  get peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error('the expression ends too early');
    return token;
  }

  expect(token: string): void {
    const got = this.next();
    if (got.toUpperCase() !== token) throw new Error(`expected ${token}, not ${got}`);
  }

  takes(token: string): boolean {
    if (this.#capitals[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }

  name(): string {
    const token = this.next();
    if (!token.startsWith('#')) return token;
    const name = this.#names?.[token];
    if (!name) throw new Error(`no attribute name ${token}`);
    return name;
  }

  operand(): AttributeValue | undefined {
    if (this.peek?.startsWith(':')) {
      const token = this.next();
      const value = this.#values?.[token];
      if (!value) throw new Error(`no value ${token}`);
      return value;
    }
    if (this.takes('SIZE')) {
      this.expect('(');
      const set = this.operand();
      this.expect(')');
      return set && { N: String(membersOf(set).length) };
    }
    if (this.takes('IF_NOT_EXISTS')) {
      this.expect('(');
      const present = this.#item[this.name()];
      this.expect(',');
      const other = this.operand();
      this.expect(')');
      return present ?? other;
    }
    return this.#item[this.name()];
  }

  or(): boolean {
    let result = this.and();
    while (this.takes('OR')) {
      const right = this.and();
      result = result || right;
    }
    return result;
  }

  and(): boolean {
    let result = this.test();
    while (this.takes('AND')) {
      const right = this.test();
      result = result && right;
    }
    return result;
  }

  test(): boolean {
    if (this.takes('NOT')) return !this.test();
    if (this.takes('(')) {
      const inner = this.or();
      this.expect(')');
      return inner;
    }
    for (const [word, wanted] of [
      ['ATTRIBUTE_EXISTS', true],
      ['ATTRIBUTE_NOT_EXISTS', false],
    ] as const) {
      if (this.takes(word)) {
        this.expect('(');
        const there = this.#item[this.name()] !== undefined;
        this.expect(')');
        return there === wanted;
      }
    }
    if (this.takes('CONTAINS')) {
      this.expect('(');
      const set = this.operand();
      this.expect(',');
      const one = this.operand();
      this.expect(')');
      const member = one?.N ?? one?.S;
      return set !== undefined && member !== undefined && membersOf(set).includes(member);
    }
    return this.comparison();
  }

  comparison(): boolean {
    const left = scalar(this.operand());
    const operator = this.next().toUpperCase();
    const right = scalar(this.operand());
    if (operator === 'BETWEEN') {
      this.expect('AND');
      const high = scalar(this.operand());
      return compare(left, '>=', right) && compare(left, '<=', high);
    }
    return compare(left, operator, right);
  }

  sum(): AttributeValue {
    const left = this.operand();
    const sign = this.takes('+') ? 1 : this.takes('-') ? -1 : 0;
    if (sign === 0) {
      if (!left) throw new Error('SET from an attribute that is not there');
      return left;
    }
    const [a, b] = [scalar(left), scalar(this.operand())];
    if (typeof a === 'bigint' || typeof b === 'bigint') {
      return { N: String(BigInt(a ?? 0) + BigInt(sign) * BigInt(b ?? 0)) };
    }
    if (typeof a !== 'number' || typeof b !== 'number') throw new Error('only numbers are added');
    return { N: String(a + sign * b) };
  }
}

function compare(left: Scalar, operator: string, right: Scalar): boolean {
  if (left === undefined || right === undefined) return false;
  if ((typeof left === 'string') !== (typeof right === 'string')) return false;
  switch (operator) {
    case '=':
      // oxlint-disable-next-line eqeqeq -- a number and a bigint
      return left == right;
    case '<>':
      // oxlint-disable-next-line eqeqeq -- a number and a bigint
      return left != right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      throw new Error(`unknown operator ${operator}`);
  }
}

/** Whether a condition (or key condition) holds for an item; an absent item is an empty one. */
export function matchesCondition(condition: string, item: Item, names: Names, values: Values): boolean {
  const reader = new Reader(condition, item, names, values);
  const result = reader.or();
  if (reader.peek !== undefined) throw new Error(`more than a condition: ${condition}`);
  return result;
}

/** The item after an update expression. */
export function applyUpdate(expression: string, item: Item, names: Names, values: Values): Item {
  const reader = new Reader(expression, item, names, values);
  const result = { ...item };
  while (reader.peek !== undefined) {
    const clause = reader.next().toUpperCase();
    do {
      const name = reader.name();
      if (clause === 'REMOVE') delete result[name];
      else if (clause === 'SET') {
        reader.expect('=');
        result[name] = reader.sum();
      } else if (clause === 'ADD') {
        result[name] = union(result[name], reader.operand());
      } else if (clause === 'DELETE') {
        const before = result[name];
        const members = membersOf(reader.operand());
        const left = membersOf(before).filter((one) => !members.includes(one));
        // A set without members is no attribute.
        if (left.length === 0) delete result[name];
        else result[name] = before?.SS ? { SS: left } : { NS: left };
      } else throw new Error(`unknown clause ${clause}`);
    } while (reader.takes(','));
  }
  return result;
}

const membersOf = (set: AttributeValue | undefined): readonly string[] => set?.SS ?? set?.NS ?? [];

/** Two sets of numbers, or of strings, as one. */
function union(a: AttributeValue | undefined, b: AttributeValue | undefined): AttributeValue {
  const members = [...new Set([...membersOf(a), ...membersOf(b)])];
  return b?.SS ? { SS: members } : { NS: members };
}
