import type { Item } from '../../fakes/dynamo-parser.ts';
import { ACTOR, type AccessChecker } from '../access-checker.ts';
import type { Members, Reader } from '../access-model.ts';

/** A key of an integration, as an administrator was shown it. */
export type ShownKey = {
  readonly key: string;
  readonly tenant: string;
  readonly id: string;
  readonly user: string;
};

/** A question of an integration that was accepted. */
export type Accepted = {
  readonly of: ShownKey;
  readonly request: string;
  readonly channel: string;
  /** The id by which the integration continues its own conversation. */
  readonly root: string | undefined;
  readonly conversation: string;
};

const KEY = /parley_([sd])_(\w+?)_([0-9a-f]{16})_[0-9a-f]{48}/gu;
/** A former key stays valid for so long (ms). */
const FORMER_MS = 24 * 3_600_000;

/** The keys of all integrations: who was shown them, whether they are valid, and where they may ask. */
export class ApiKeys {
  readonly keys: ShownKey[] = [];
  readonly accepted: Accepted[] = [];
  readonly #checker: AccessChecker;
  readonly #members: Members;
  readonly #channels = new Map<string, readonly string[]>();
  readonly #replaced = new Map<string, number>();

  constructor(checker: AccessChecker, members: Members) {
    this.#checker = checker;
    this.#members = members;
  }

  /** The channels in which the integration may ask now; undefined if it was removed. */
  channelsOf({ tenant, id }: Pick<ShownKey, 'tenant' | 'id'>): readonly string[] | undefined {
    return this.#channels.get(`${tenant} ${id}`);
  }

  /** Whether this key surely does not work any more. */
  isInvalid(one: ShownKey, now: number): boolean {
    return this.channelsOf(one) === undefined || (this.#replaced.get(one.key) ?? Infinity) + FORMER_MS < now;
  }

  /** A text was shown: a key, or the secret of a webhook, only to the administrator who made it. */
  noteShown(text: string, reader: Reader, now: number): void {
    if (/whsec_\w/u.test(text)) this.#checkShown(reader, 'the secret of a webhook');
    if (!text.includes('parley_')) return;
    const actor = ACTOR.getStore();
    for (const [key, , tenant = '', id = ''] of text.matchAll(KEY)) {
      if (!this.#checkShown(reader, `an API key of ${tenant}`) || !actor) continue;
      if (tenant !== actor.tenant) {
        this.#checker.fail(`an API key of ${tenant} is shown in ${actor.tenant}`);
        continue;
      }
      if (this.keys.some((one) => one.key === key)) continue;
      for (const former of this.keys.filter((one) => one.tenant === tenant && one.id === id))
        if (!this.#replaced.has(former.key)) this.#replaced.set(former.key, now);
      this.keys.push({ key, tenant, id, user: actor.user });
    }
  }

  /** Checks that only the administrator who acts is shown a secret. */
  #checkShown(reader: Reader, what: string): boolean {
    const actor = ACTOR.getStore();
    this.#checker.checks += 1;
    const isForOne = reader.kind === 'person' && actor?.admin === true && reader.user === actor.user;
    if (!isForOne)
      this.#checker.fail(`${what} is shown to ${reader.kind === 'person' ? reader.user : 'all'}`);
    return isForOne;
  }

  /** Notes a stored or removed item: an integration, with the channels where it may ask. */
  noteStored(old: Item, after: Item | undefined): void {
    const { pk, sk } = after ?? old;
    const [table, , tenant = ''] = (pk?.S ?? '').split('#');
    const [kind, id = ''] = (sk?.S ?? '').split('#');
    if (Object.values(after ?? {}).some(({ S }) => S?.includes('parley_') === true && S.search(KEY) >= 0))
      this.#checker.fail('an API key is stored readable');
    if (table === 'INTEGRATIONS' && kind === 'INTEGRATION') this.#noteChannels(tenant, id, after);
  }

  /** An administrator lets an integration ask only where they are themselves. */
  #noteChannels(tenant: string, id: string, after: Item | undefined): void {
    const channels = after?.['channels']?.L?.flatMap(({ S }) => S ?? []);
    const before = this.#channels.get(`${tenant} ${id}`) ?? [];
    const { user } = ACTOR.getStore() ?? {};
    for (const channel of channels ?? [])
      if (!before.includes(channel) && user !== undefined && !this.#members(tenant, channel).includes(user))
        this.#checker.fail(`${user} lets an integration ask in ${channel}, where they are not a member`);
    if (channels) this.#channels.set(`${tenant} ${id}`, channels);
    else this.#channels.delete(`${tenant} ${id}`);
  }
}
