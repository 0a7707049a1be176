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

/** What an expression is evaluated on. */
export type Scope = { readonly item: Item; readonly names: Names; readonly values: Values };
export type Name = (scope: Scope) => string;
type Operand = (scope: Scope) => AttributeValue | undefined;
export type Condition = (scope: Scope) => boolean;

/** Reads an expression into functions. Both sides of a condition are always evaluated, since DynamoDB checks the names in both. */
export class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(expression: string) {
    this.#tokens = split(expression);
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
    if (this.peek?.toUpperCase() !== token) return false;
    this.#at += 1;
    return true;
  }

  name(): Name {
    const token = this.next();
    if (!token.startsWith('#')) return () => token;
    return ({ names }) => {
      const name = names?.[token];
      if (!name) throw new Error(`no attribute name ${token}`);
      return name;
    };
  }

  operand(): Operand {
    if (this.peek?.startsWith(':')) {
      const token = this.next();
      return ({ values }) => {
        const value = values?.[token];
        if (!value) throw new Error(`no value ${token}`);
        return value;
      };
    }
    if (this.takes('SIZE')) {
      this.expect('(');
      const set = this.operand();
      this.expect(')');
      return (scope) => {
        const members = set(scope);
        return members && { N: String(membersOf(members).length) };
      };
    }
    if (this.takes('IF_NOT_EXISTS')) {
      this.expect('(');
      const present = this.#attribute();
      this.expect(',');
      const other = this.operand();
      this.expect(')');
      return (scope) => {
        const [first, second] = [present(scope), other(scope)];
        return first ?? second;
      };
    }
    return this.#attribute();
  }

  #attribute(): Operand {
    const name = this.name();
    return (scope) => scope.item[name(scope)];
  }

  or(): Condition {
    const first = this.and();
    if (!this.takes('OR')) return first;
    const rest = this.or();
    return (scope) => {
      const [left, right] = [first(scope), rest(scope)];
      return left || right;
    };
  }

  and(): Condition {
    const first = this.test();
    if (!this.takes('AND')) return first;
    const rest = this.and();
    return (scope) => {
      const [left, right] = [first(scope), rest(scope)];
      return left && right;
    };
  }

  test(): Condition {
    if (this.takes('NOT')) {
      const inner = this.test();
      return (scope) => !inner(scope);
    }
    if (this.takes('(')) {
      const inner = this.or();
      this.expect(')');
      return inner;
    }
    if (this.takes('ATTRIBUTE_EXISTS')) return this.#existence(true);
    if (this.takes('ATTRIBUTE_NOT_EXISTS')) return this.#existence(false);
    if (this.takes('CONTAINS')) return this.#membership();
    return this.comparison();
  }

  #existence(wanted: boolean): Condition {
    this.expect('(');
    const attribute = this.#attribute();
    this.expect(')');
    return (scope) => (attribute(scope) !== undefined) === wanted;
  }

  #membership(): Condition {
    this.expect('(');
    const set = this.operand();
    this.expect(',');
    const one = this.operand();
    this.expect(')');
    return (scope) => {
      const [members, value] = [set(scope), one(scope)];
      const member = value?.N ?? value?.S;
      return members !== undefined && member !== undefined && membersOf(members).includes(member);
    };
  }

  comparison(): Condition {
    const left = this.operand();
    const operator = this.next().toUpperCase();
    const right = this.operand();
    if (operator !== 'BETWEEN') {
      const holds = comparisonOf(operator);
      return (scope) => holds(scalar(left(scope)), scalar(right(scope)));
    }
    this.expect('AND');
    const high = this.operand();
    const [isAtLeast, isAtMost] = [comparisonOf('>='), comparisonOf('<=')];
    return (scope) => {
      const value = scalar(left(scope));
      const [from, to] = [scalar(right(scope)), scalar(high(scope))];
      return isAtLeast(value, from) && isAtMost(value, to);
    };
  }

  sum(): (scope: Scope) => AttributeValue {
    const left = this.operand();
    const sign = this.takes('+') ? 1 : this.takes('-') ? -1 : 0;
    if (sign === 0) {
      return (scope) => {
        const value = left(scope);
        if (!value) throw new Error('SET from an attribute that is not there');
        return value;
      };
    }
    const right = this.operand();
    return (scope) => add(scalar(left(scope)), scalar(right(scope)), sign);
  }
}

function add(a: Scalar, b: Scalar, sign: 1 | -1): AttributeValue {
  if (typeof a === 'bigint' || typeof b === 'bigint')
    return { N: String(BigInt(a ?? 0) + BigInt(sign) * BigInt(b ?? 0)) };
  if (typeof a !== 'number' || typeof b !== 'number') throw new Error('only numbers are added');
  return { N: String(a + sign * b) };
}

/** A value of an item and another one; neither an absent value nor one of another type compares. */
type Comparison = (left: Scalar, right: Scalar) => boolean;

const comparable =
  (holds: (left: NonNullable<Scalar>, right: NonNullable<Scalar>) => boolean): Comparison =>
  (left, right) =>
    left !== undefined &&
    right !== undefined &&
    (typeof left === 'string') === (typeof right === 'string') &&
    holds(left, right);

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  // oxlint-disable-next-line eqeqeq -- a number and a bigint
  '=': comparable((left, right) => left == right),
  // oxlint-disable-next-line eqeqeq -- a number and a bigint
  '<>': comparable((left, right) => left != right),
  '<': comparable((left, right) => left < right),
  '<=': comparable((left, right) => left <= right),
  '>': comparable((left, right) => left > right),
  '>=': comparable((left, right) => left >= right),
};

function comparisonOf(operator: string): Comparison {
  const comparison = COMPARISONS[operator];
  if (!comparison) throw new Error(`unknown operator ${operator}`);
  return comparison;
}

/** The members of a set; none of anything else. */
export const membersOf = (set: AttributeValue | undefined): readonly string[] => set?.SS ?? set?.NS ?? [];
