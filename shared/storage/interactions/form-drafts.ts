import * as v from 'valibot';
import type { Modal, Thread, UserId } from '../../domain/index.ts';
import { ConditionFailedError, type Dynamo, isConditionMet } from '../dynamodb/dynamo.ts';
import {
  createPersonPointer,
  draftPointerKey,
  draftKey,
  type SettingsLocation,
  numberValue,
} from '../keys/item-keys.ts';

/**
 * A draft that one person sees until they publish it: a form that was filled in from an answer, or a summary.
 */
export type FormDraft = {
  /** The interaction that created it. */
  readonly id: string;
  readonly by: string;
  /** The name of the form; `#summary` for a summary. */
  readonly name: string;
  /** Its source as JSON: the schema of the form at that time, or the thread. */
  readonly frame: string;
  /** Its content as JSON. */
  readonly value: string;
  readonly sent: boolean;
  /** Counts its changes. */
  readonly revision: number;
};

export type FormDraftsConfig = {
  readonly dynamo: Dynamo;
  readonly table: string;
  readonly now: () => number;
};

/** Drafts expire after a week. */
const TTL_SECONDS = 7 * 86_400;

const text = v.object({ S: v.string() });
const number = v.object({ N: v.string() });
const shape = v.object({
  id: text,
  by: text,
  name: text,
  frame: text,
  value: text,
  sent: v.object({ BOOL: v.boolean() }),
  rev: number,
  ttl: number,
});

/** Drafts, in the settings partition of their workspace. */
export class FormDrafts {
  readonly #config: FormDraftsConfig;

  constructor(config: FormDraftsConfig) {
    this.#config = config;
  }

  /** Stores a new draft. Idempotent. `forms` is for `FrontStore.findDraftModal`. */
  async create(
    of: SettingsLocation,
    draft: Omit<FormDraft, 'sent' | 'revision'>,
    forms: readonly Modal[] = [],
  ): Promise<void> {
    const { dynamo, table, now } = this.#config;
    const { id, by, name, frame, value } = draft;
    const Item = {
      ...draftKey(of, id),
      id: { S: id },
      by: { S: by },
      name: { S: name },
      frame: { S: frame },
      value: { S: value },
      forms: { S: JSON.stringify(forms) },
      sent: { BOOL: false },
      rev: numberValue(1),
      ttl: numberValue(now() / 1_000 + TTL_SECONDS),
    };
    await dynamo
      .put({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' })
      .catch(ignoreExisting);
  }

  /**
   * Links a draft to its sources before it is stored: it is erased with each of these threads, and with each of
   * these people whose text it summarizes. The same holds for drafts whose id starts with this one and a dot.
   */
  async addSources(
    of: SettingsLocation,
    id: string,
    {
      threads = [],
      people = [],
    }: { readonly threads?: readonly Thread[]; readonly people?: Iterable<UserId> },
  ): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    const key = draftKey(of, id);
    const ttl = numberValue(now() / 1_000 + TTL_SECONDS);
    const items = [
      ...threads.map((thread) => ({ ...draftPointerKey(thread, key), ttl })),
      ...[...new Set(people)].map((user) => createPersonPointer(key, user, ttl)),
    ];
    await Promise.all(items.map((Item) => dynamo.put({ TableName, Item })));
  }

  /** Undefined if it has expired. */
  async find(of: SettingsLocation, id: string): Promise<FormDraft | undefined> {
    const { dynamo, table, now } = this.#config;
    const { Item } = await dynamo.get({ TableName: table, Key: draftKey(of, id), ConsistentRead: true });
    const { success, output: data } = v.safeParse(shape, Item);
    if (!success || Number(data.ttl.N) <= now() / 1_000) return undefined;
    const { by, name, frame, value, sent, rev } = data;
    return {
      id,
      by: by.S,
      name: name.S,
      frame: frame.S,
      value: value.S,
      sent: sent.BOOL,
      revision: Number(rev.N),
    };
  }

  /** Changes a draft that was read. Resolves with false if it was changed or deleted since. */
  async change(
    of: SettingsLocation,
    { id, revision }: FormDraft,
    to: Pick<FormDraft, 'value' | 'sent'>,
    forms: readonly Modal[] = [],
  ): Promise<boolean> {
    const { dynamo, table } = this.#config;
    return isConditionMet(
      dynamo.update({
        TableName: table,
        Key: draftKey(of, id),
        UpdateExpression: 'SET #value = :value, #sent = :sent, #forms = :forms, #rev = :after',
        ConditionExpression: '#rev = :before',
        ExpressionAttributeNames: { '#value': 'value', '#sent': 'sent', '#forms': 'forms', '#rev': 'rev' },
        ExpressionAttributeValues: {
          ':value': { S: to.value },
          ':sent': { BOOL: to.sent },
          ':forms': { S: JSON.stringify(forms) },
          ':before': numberValue(revision),
          ':after': numberValue(revision + 1),
        },
      }),
    );
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof ConditionFailedError)) throw error;
}
