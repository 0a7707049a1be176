import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import {
  type Condition,
  type Item,
  membersOf,
  type Name,
  type Names,
  Parser,
  type Scope,
  type Values,
} from './dynamo-parser.ts';

const conditions = new Map<string, Condition>();

/** Whether a condition (or key condition) holds for an item; an absent item is an empty one. */
export function matchesCondition(condition: string, item: Item, names: Names, values: Values): boolean {
  return conditionOf(condition)({ item, names, values });
}

/** Expressions are few, and evaluated over and over: each is read once. */
function conditionOf(expression: string): Condition {
  const known = conditions.get(expression);
  if (known) return known;
  const parser = new Parser(expression);
  const condition = parser.or();
  if (parser.peek !== undefined) throw new Error(`more than a condition: ${expression}`);
  conditions.set(expression, condition);
  return condition;
}

/** One change of an attribute. Undefined removes it. */
type Change = {
  readonly name: Name;
  readonly value: (scope: Scope, before: AttributeValue | undefined) => AttributeValue | undefined;
};

const changes = new Map<string, readonly Change[]>();

/** The item after an update expression. */
export function applyUpdate(expression: string, item: Item, names: Names, values: Values): Item {
  const scope = { item, names, values };
  const result = { ...item };
  const removed = new Set<string>();
  for (const { name, value } of changesOf(expression)) {
    const attribute = name(scope);
    const after = value(scope, result[attribute]);
    if (after !== undefined) result[attribute] = after;
    else if (result[attribute] !== undefined) removed.add(attribute);
  }
  return removed.size === 0 ? result : without(result, removed);
}

/** A copy: deletions would turn the object into one that is slow to read. */
function without(item: Item, removed: ReadonlySet<string>): Item {
  const rest: Item = {};
  for (const [name, value] of Object.entries(item)) if (!removed.has(name)) rest[name] = value;
  return rest;
}

function changesOf(expression: string): readonly Change[] {
  const known = changes.get(expression);
  if (known) return known;
  const parser = new Parser(expression);
  const read: Change[] = [];
  while (parser.peek !== undefined) {
    const clause = parser.next().toUpperCase();
    do read.push(changeOf(clause, parser));
    while (parser.takes(','));
  }
  changes.set(expression, read);
  return read;
}

function changeOf(clause: string, parser: Parser): Change {
  const name = parser.name();
  if (clause === 'REMOVE') return { name, value: () => undefined };
  if (clause === 'SET') {
    parser.expect('=');
    return { name, value: parser.sum() };
  }
  if (clause !== 'ADD' && clause !== 'DELETE') throw new Error(`unknown clause ${clause}`);
  const operand = parser.operand();
  if (clause === 'ADD') return { name, value: (scope, before) => union(before, operand(scope)) };
  return { name, value: (scope, before) => difference(before, operand(scope)) };
}

/** A set without members is no attribute. */
function difference(
  before: AttributeValue | undefined,
  taken: AttributeValue | undefined,
): AttributeValue | undefined {
  const members = membersOf(taken);
  const left = membersOf(before).filter((one) => !members.includes(one));
  if (left.length === 0) return undefined;
  return before?.SS ? { SS: left } : { NS: left };
}

/** Two sets of numbers, or of strings, as one. */
function union(a: AttributeValue | undefined, b: AttributeValue | undefined): AttributeValue {
  const members = [...new Set([...membersOf(a), ...membersOf(b)])];
  return b?.SS ? { SS: members } : { NS: members };
}
