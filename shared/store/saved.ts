import * as v from 'valibot';
import { MOST_SAVED, type SavedKind } from '../settings/index.ts';
import { ConditionFailed, type Dynamo } from './dynamo.ts';
import { Recent } from './recent.ts';
import { namesKey, settingsPartition, type Whereabouts } from './settings-keys.ts';
import { numeral } from './turn-keys.ts';

export type Saved = {
  readonly name: string;
  readonly text: string;
  readonly by: string;
  /** ms since 1970. */
  readonly at: number;
};

export type SavedConfig = { readonly dynamo: Dynamo; readonly table: string; readonly now: () => number };

const KEPT_MS = 30_000;
const MOST_KEPT = 200;

const text = v.object({ S: v.string() });
const shape = v.object({ name: text, text, by: text, at: v.object({ N: v.string() }) });

/** Personas and schemas of each workspace, beside its settings. */
export class SavedTexts {
  readonly #config: SavedConfig;
  readonly #recent: Recent<Saved | undefined>;

  constructor(config: SavedConfig) {
    this.#config = config;
    this.#recent = new Recent({ now: config.now, keptMs: KEPT_MS, most: MOST_KEPT });
  }

  /** As it was up to 30 s ago, unless this process changed it since. */
  get(of: Whereabouts, kind: SavedKind, name: string): Promise<Saved | undefined> {
    const { dynamo, table } = this.#config;
    return this.#recent.get(keyText(of, kind, name), async () => {
      const { Item } = await dynamo.get({ TableName: table, Key: keyOf(of, kind, name) });
      return read(Item);
    });
  }

  /** All of a kind, by name. */
  async list(of: Whereabouts, kind: SavedKind): Promise<Saved[]> {
    const { dynamo, table } = this.#config;
    const { Items = [] } = await dynamo.query({
      TableName: table,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': { S: settingsPartition(of) },
        ':first': { S: prefixOf(kind) },
        ':last': { S: `SAVED#${kind}$` },
      },
      Limit: 2 * MOST_SAVED,
    });
    return Items.flatMap((found) => read(found) ?? []);
  }

  /** Saves it, in place of one of the same name. Safe to repeat. */
  async save(of: Whereabouts, kind: SavedKind, { name, text: words, by }: Omit<Saved, 'at'>): Promise<void> {
    const { dynamo, table, now } = this.#config;
    await dynamo.put({
      TableName: table,
      Item: {
        ...keyOf(of, kind, name),
        name: { S: name },
        text: { S: words },
        by: { S: by },
        at: numeral(now()),
      },
    });
    this.#recent.forget(keyText(of, kind, name));
    await nameSaved(this.#config, namesKey(of, kind), name, 'ADD');
  }

  /** Removes it. Safe to repeat. */
  async remove(of: Whereabouts, kind: SavedKind, name: string): Promise<void> {
    const { dynamo, table } = this.#config;
    await dynamo.delete({ TableName: table, Key: keyOf(of, kind, name) });
    this.#recent.forget(keyText(of, kind, name));
    await nameSaved(this.#config, namesKey(of, kind), name, 'DELETE');
  }
}

/** Adds a name to those of a kind, or takes it out. Safe to repeat. */
export async function nameSaved(
  { dynamo, table: TableName }: Pick<SavedConfig, 'table'> & { readonly dynamo: Pick<Dynamo, 'update'> },
  Key: ReturnType<typeof namesKey>,
  name: string,
  how: 'ADD' | 'DELETE',
): Promise<void> {
  await dynamo
    .update({
      TableName,
      Key,
      UpdateExpression: `${how} #names :name`,
      ExpressionAttributeNames: { '#names': 'names' },
      ExpressionAttributeValues: { ':name': { SS: [name] } },
      // What is forgotten whole does not come back.
      ...(how === 'DELETE' && { ConditionExpression: 'attribute_exists(pk)' }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof ConditionFailed)) throw error;
    });
}

const prefixOf = (kind: SavedKind): string => `SAVED#${kind}#`;
const keyOf = (of: Whereabouts, kind: SavedKind, name: string) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `${prefixOf(kind)}${name}` },
});

const keyText = (of: Whereabouts, kind: SavedKind, name: string): string =>
  `${settingsPartition(of)} ${prefixOf(kind)}${name}`;

function read(found: Readonly<Record<string, unknown>> | undefined): Saved | undefined {
  const { success, output: data } = v.safeParse(shape, found);
  if (!success) return undefined;
  return { name: data.name.S, text: data.text.S, by: data.by.S, at: Number(data.at.N) };
}
