import * as v from 'valibot';
import type { Modal, Thread, UserId } from '../../domain/index.ts';
import { ConditionFailed, type Dynamo } from '../dynamodb/dynamo.ts';
import { personPointer } from '../privacy/person-pointers.ts';
import { draftedKey, draftKey, type SettingsLocation } from '../settings/settings-keys.ts';
import { numeral } from '../turns/turn-keys.ts';

/** What was made for one person alone, until they show it to all: a form that an answer filled in, or a summary. */
export type FormDraft = {
  /** The call that it came of. */
  readonly id: string;
  readonly by: string;
  /** The name of the form; `#summary` for a summary. */
  readonly name: string;
  /** What it is made for, as JSON: the schema of the form as it was then, or the thread. */
  readonly frame: string;
  /** What it says, as JSON. */
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

/** Nobody sends what they left lying for so long. */
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

/** Drafts, beside the settings of their workspace. They are forgotten after a week. */
export class FormDrafts {
  readonly #config: FormDraftsConfig;

  constructor(config: FormDraftsConfig) {
    this.#config = config;
  }

  /** Keeps a new one. Repeated, it changes nothing. `forms` is for `Inbox.draftedForm`. */
  async keep(
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
      rev: numeral(1),
      ttl: numeral(now() / 1_000 + TTL_SECONDS),
    };
    await dynamo
      .put({ TableName: table, Item, ConditionExpression: 'attribute_not_exists(pk)' })
      .catch(unlessThere);
  }

  /**
   * Says what a draft is made of, before it is kept: it goes when one of these threads is forgotten, or one of the people whose words
   * it sums up, with all drafts whose id begins with this one and a dot.
   */
  async attribute(
    of: SettingsLocation,
    id: string,
    {
      threads = [],
      people = [],
    }: { readonly threads?: readonly Thread[]; readonly people?: Iterable<UserId> },
  ): Promise<void> {
    const { dynamo, table: TableName, now } = this.#config;
    const key = draftKey(of, id);
    const ttl = numeral(now() / 1_000 + TTL_SECONDS);
    const items = [
      ...threads.map((thread) => ({ ...draftedKey(thread, key), ttl })),
      ...[...new Set(people)].map((user) => personPointer(key, user, ttl)),
    ];
    await Promise.all(items.map((Item) => dynamo.put({ TableName, Item })));
  }

  /** Undefined once it is forgotten. */
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

  /** Changes what was read. Says whether it did: not if it was changed or forgotten since. */
  async change(
    of: SettingsLocation,
    { id, revision }: FormDraft,
    to: Pick<FormDraft, 'value' | 'sent'>,
    forms: readonly Modal[] = [],
  ): Promise<boolean> {
    const { dynamo, table } = this.#config;
    try {
      await dynamo.update({
        TableName: table,
        Key: draftKey(of, id),
        UpdateExpression: 'SET #value = :value, #sent = :sent, #forms = :forms, #rev = :after',
        ConditionExpression: '#rev = :before',
        ExpressionAttributeNames: { '#value': 'value', '#sent': 'sent', '#forms': 'forms', '#rev': 'rev' },
        ExpressionAttributeValues: {
          ':value': { S: to.value },
          ':sent': { BOOL: to.sent },
          ':forms': { S: JSON.stringify(forms) },
          ':before': numeral(revision),
          ':after': numeral(revision + 1),
        },
      });
      return true;
    } catch (error) {
      if (error instanceof ConditionFailed) return false;
      throw error;
    }
  }
}

function unlessThere(error: unknown): void {
  if (!(error instanceof ConditionFailed)) throw error;
}
