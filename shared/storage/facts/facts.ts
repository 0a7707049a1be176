import * as v from 'valibot';
import { type Fact, type FactOwner, MAX_FACTS } from '../../domain/index.ts';
import { type Dynamo, retryConflict } from '../dynamodb/dynamo.ts';
import { factsKey, type Item, numberValue } from '../keys/item-keys.ts';

/**
 * The facts about a person in a workspace, in the `conversations` table.
 *
 *    pk     FACTS# platform # workspace   sk    PERSON# user
 *    by     the person (person index)     rev   counts the changes
 *    facts  as JSON, oldest first         ttl   with `days` only: when the newest expires
 *
 * Erasing the person or the workspace removes it.
 */

export type FactsConfig = {
  readonly dynamo: Pick<Dynamo, 'get' | 'update' | 'delete'>;
  readonly table: string;
  readonly now: () => number;
  readonly createId: () => string;
};

/** A fact that is to be stored. `at`: when the person said it (ms since 1970), now by default. */
export type NewFact = Pick<Fact, 'text' | 'isPrivate'> & Partial<Pick<Fact, 'at'>>;

/** The stored fact; or why it was not stored: there are `MAX_FACTS`, or none has that id. */
export type FactResult =
  | { readonly kind: 'stored'; readonly fact: Fact }
  | { readonly kind: 'full' | 'unknown' };

const DAY_MS = 86_400_000;

const factsSchema = v.array(
  v.object({ id: v.string(), text: v.string(), isPrivate: v.boolean(), at: v.number() }),
);
const itemSchema = v.object({ facts: v.object({ S: v.string() }), rev: v.object({ N: v.string() }) });

type State = { readonly facts: readonly Fact[]; readonly revision: number };

/**
 * The facts of people. Each person has one item in a workspace, which only their id leads to. `days` is the retention there; without it,
 * facts do not expire. All methods reject if the table is unavailable. Writes present the revision that they were decided on.
 */
export class Facts {
  readonly #config: FactsConfig;

  constructor(config: FactsConfig) {
    this.#config = config;
  }

  /** Returns the facts of a person, oldest first (consistent read: a deleted one is not used again). */
  async list(owner: FactOwner, days: number | undefined): Promise<readonly Fact[]> {
    return (await this.#read(owner, days)).facts;
  }

  /** Stores a fact. The same text again is the same fact, which becomes public where it was private and is now learned publicly. */
  add(owner: FactOwner, { text, isPrivate, at }: NewFact, days: number | undefined): Promise<FactResult> {
    const { now, createId } = this.#config;
    return this.#change<FactResult>(owner, days, (facts) => {
      const known = facts.find((one) => isSameText(one.text, text));
      if (known && (isPrivate || !known.isPrivate)) return { result: { kind: 'stored', fact: known } };
      const others = facts.filter((one) => one !== known);
      if (others.length >= MAX_FACTS) return { result: { kind: 'full' } };
      const fact = { id: known?.id ?? createId(), text, isPrivate, at: at ?? now() };
      return { facts: [...others, fact], result: { kind: 'stored', fact } };
    });
  }

  /** Changes the text of a fact. It is used where it was used before. */
  edit(owner: FactOwner, id: string, text: string, days: number | undefined): Promise<FactResult> {
    const { now } = this.#config;
    return this.#change<FactResult>(owner, days, (facts) => {
      const before = facts.find((one) => one.id === id);
      if (!before) return { result: { kind: 'unknown' } };
      const fact = { ...before, text, at: now() };
      return {
        facts: facts.map((one) => (one.id === id ? fact : one)),
        result: { kind: 'stored', fact },
      };
    });
  }

  /** Deletes a fact. Idempotent. */
  async remove(owner: FactOwner, id: string, days: number | undefined): Promise<void> {
    await this.#change(owner, days, (facts) => ({
      facts: facts.some((one) => one.id === id) ? facts.filter((one) => one.id !== id) : undefined,
      result: undefined,
    }));
  }

  /** Deletes all facts of a person in a workspace. Idempotent. */
  async clear(owner: FactOwner): Promise<void> {
    await this.#config.dynamo.delete({ TableName: this.#config.table, Key: factsKey(owner) });
  }

  #change<R>(
    owner: FactOwner,
    days: number | undefined,
    change: (facts: readonly Fact[]) => { readonly facts?: readonly Fact[] | undefined; readonly result: R },
  ): Promise<R> {
    return retryConflict(async () => {
      const before = await this.#read(owner, days);
      const { facts, result } = change(before.facts);
      if (facts) await this.#write(owner, { facts, revision: before.revision }, days);
      return result;
    });
  }

  async #read(owner: FactOwner, days: number | undefined): Promise<State> {
    const { dynamo, table: TableName, now } = this.#config;
    const { Item: stored } = await dynamo.get({ TableName, Key: factsKey(owner), ConsistentRead: true });
    const { success, output } = v.safeParse(itemSchema, stored);
    if (!success) return { facts: [], revision: 0 };
    const since = days === undefined ? -Infinity : now() - days * DAY_MS;
    const facts = v.parse(factsSchema, JSON.parse(output.facts.S)).filter(({ at }) => at > since);
    return { facts, revision: Number(output.rev.N) };
  }

  /** An empty list is stored too: the revision has to go on. */
  async #write(owner: FactOwner, { facts, revision }: State, days: number | undefined): Promise<void> {
    const newest = Math.max(0, ...facts.map(({ at }) => at));
    const canExpire = days !== undefined && facts.length > 0;
    const values: Item = {
      ':facts': { S: JSON.stringify(facts) },
      ':after': numberValue(revision + 1),
      ':by': { S: owner.user },
      ...(revision > 0 && { ':before': numberValue(revision) }),
      ...(canExpire && { ':ttl': numberValue((newest + days * DAY_MS) / 1_000) }),
    };
    await this.#config.dynamo.update({
      TableName: this.#config.table,
      Key: factsKey(owner),
      UpdateExpression: `SET #facts = :facts, #rev = :after, #by = :by${canExpire ? ', #ttl = :ttl' : ' REMOVE #ttl'}`,
      ConditionExpression: revision === 0 ? 'attribute_not_exists(#rev)' : '#rev = :before',
      ExpressionAttributeNames: { '#facts': 'facts', '#rev': 'rev', '#by': 'by', '#ttl': 'ttl' },
      ExpressionAttributeValues: values,
    });
  }
}

/** When the newest fact of an item was learned or changed (ms since 1970); undefined for other items, and without facts. */
export function getNewestFactTime({ pk, facts }: Item): number | undefined {
  if (pk?.S?.startsWith('FACTS#') !== true || facts?.S === undefined) return undefined;
  const times = v.parse(factsSchema, JSON.parse(facts.S)).map(({ at }) => at);
  return times.length > 0 ? Math.max(...times) : undefined;
}

const isSameText = (a: string, b: string): boolean => toComparable(a) === toComparable(b);

const toComparable = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[.!。]+$/u, '');
