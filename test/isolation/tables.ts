import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Dynamo } from '../../shared/storage/index.ts';
import { readJob } from '../../shared/storage/jobs/job-item.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { Item } from '../fakes/dynamo-expression.ts';
import { ACTOR, type AccessChecker } from './access-checker.ts';
import type { Actor, Changed } from './access-model.ts';

/** Every tenant's id, and the channels that are one tenant's alone. */
export type Ids = {
  /** Told of each book of budgets that is laid down in a tenant. */
  readonly laid: (tenant: string, book: string) => void;
  readonly tenants: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
};

/** What is done for the tenant as a whole, or for one person in all their channels: their videos are listed wherever they ask. */
const ACROSS_CHANNELS = /^(?:forget|export|uninstall|deauthorize|leave|setting|home|system|retention|video)/u;
/** A turn, its marks, its recordings: the platform, the tenant, the channel, the root. */
const THREAD = /^(?:slack|discord)#([^#]+)#([^#]+)#/u;

/** The tables with every call held against the model: whose partition it is, what is written there, and by whom. */
export function watchedTables(
  memory: MemoryDynamo,
  checker: AccessChecker,
  ids: Ids,
  gate: () => Promise<void>,
): Dynamo {
  const merged = new Set<string>();
  const threads = new Threads();
  const changed = (old: Item, after: Item | undefined): void => {
    threads.note(old, after);
    const [, , tenant] = textIn(after ?? old, 'pk').split('#');
    // An uninstall takes the book away.
    if (textIn(after ?? old, 'sk') === 'RULES' && tenant !== undefined)
      ids.laid(tenant, after ? textIn(after, 'book') : '{}');
    checkChange(old, after, checker, { merged, threads });
  };
  const look = (deed: string, key: Item | undefined): void => {
    const actor = ACTOR.getStore();
    if (actor) checkKey(deed, key, actor, ids, checker);
  };
  const before = async (TableName: string | undefined, Key: Item | undefined): Promise<Item> => {
    const { Item: found = {} } = await memory.get({
      TableName,
      Key: { pk: Key?.['pk'] ?? NONE, ...(Key?.['sk'] && { sk: Key['sk'] }) },
    });
    return found;
  };
  return {
    get: async (input) => {
      await gate();
      look('get', input.Key);
      return memory.get(input);
    },
    query: async (input) => {
      await gate();
      const { ExpressionAttributeValues: values = {}, IndexName } = input;
      if (IndexName === undefined) look('query', { pk: Object.values(values)[0] ?? NONE });
      return memory.query(input);
    },
    put: async (input) => {
      await gate();
      look('put', input.Item);
      checkContent(input.Item, checker);
      const old = await before(input.TableName, input.Item);
      await memory.put(input);
      changed(old, input.Item ?? {});
    },
    update: async (input) => {
      await gate();
      look('update', input.Key);
      checkContent(input.ExpressionAttributeValues, checker);
      const old = await before(input.TableName, input.Key);
      const answer = await memory.update(input);
      changed(old, { ...input.Key, ...(await before(input.TableName, input.Key)) });
      return answer;
    },
    delete: async (input) => {
      await gate();
      look('delete', input.Key);
      const old = await before(input.TableName, input.Key);
      await memory.delete(input);
      if (old['pk']) changed(old, undefined);
    },
  };
}

const NONE: AttributeValue = { S: '' };

function checkKey(deed: string, key: Item | undefined, actor: Actor, ids: Ids, checker: AccessChecker): void {
  if (actor.operation === 'deauthorize') return;
  const pk = key?.['pk']?.S ?? '';
  const parts = `${pk}#${key?.['sk']?.S ?? ''}`.split('#');
  checker.checks += 1;
  // What somebody reads is the same in all guilds. That of whoever asked first counts for all whose questions are answered with it.
  const isReader = pk.startsWith('READER#discord#@me#');
  const foreign = parts.find((part) => ids.tenants.has(part) && part !== actor.tenant && !isReader);
  if (foreign !== undefined) return checker.fail(`${deed} ${pk}: the partition of ${foreign}`);
  const [, tenant, channel] = THREAD.exec(pk) ?? [];
  if (channel !== undefined && channel !== actor.channel && !ACROSS_CHANNELS.test(actor.operation))
    return checker.fail(`${deed} ${pk}: a thread of the channel ${channel}`);
  // Chats without a guild share nothing but the name of their tenant.
  const person = tenant === undefined && parts.includes('@me') && parts.find((part) => ids.people.has(part));
  if (person && !isReader && person !== actor.user) checker.fail(`${deed} ${pk}: what is of ${person}`);
}

/** No text of another tenant is kept in the actor's. */
function checkContent(values: Item | undefined, checker: AccessChecker): void {
  const actor = ACTOR.getStore();
  if (!actor || actor.operation === 'deauthorize') return;
  for (const { S } of Object.values(values ?? {})) {
    if (S === undefined || S.length < 10) continue;
    for (const { audience, marker } of checker.contentsIn(S)) {
      checker.checks += 1;
      if (audience.tenant !== actor.tenant)
        checker.fail(`a text of ${audience.tenant} is stored for ${actor.tenant} (${marker})`);
      if (audience.kind === 'nobody') checker.fail(`a key is stored readable (${marker})`);
    }
  }
}

/** What was changed, told by the key of the item; `after` is undefined where it was removed. */
function checkChange(old: Item, after: Item | undefined, checker: AccessChecker, known: Known): void {
  const { merged } = known;
  noteMerged(old, merged);
  if (after) noteMerged(after, merged);
  const actor = ACTOR.getStore();
  if (!actor || /^(?:uninstall|deauthorize|leave|system)/u.test(actor.operation)) return;
  const isForgotten = actor.operation.startsWith('forget');
  const changed = isForgotten ? forgottenIn(old, after, known) : changedIn(old, after, actor, merged);
  if (changed) checker.change(changed, `${textIn(after ?? old, 'pk')} ${textIn(after ?? old, 'sk')}`);
}

type Known = { readonly merged: Set<string>; readonly threads: Threads };

/** Who asked first in each thread, now or before something of it was removed. */
class Threads {
  readonly #askers = new Map<string, Map<string, string>>();
  readonly #beginners = new Map<string, Set<string>>();

  note(old: Item, after: Item | undefined): void {
    const [pk, sk] = [textIn(after ?? old, 'pk'), textIn(after ?? old, 'sk')];
    if (!sk.startsWith('TURN#')) return;
    const askers = this.#askers.get(pk) ?? new Map<string, string>();
    this.#askers.set(pk, askers);
    if (after) askers.set(sk, textIn(after, 'by') || textIn(old, 'by'));
    else askers.delete(sk);
    const [first] = [...askers.keys()].toSorted();
    // Of a thread that is empty, those that had it are kept until its last write is checked.
    if (first !== undefined) this.#beginners.set(pk, new Set([...this.begunBy(pk), askers.get(first) ?? '']));
  }

  begunBy(pk: string): ReadonlySet<string> {
    return this.#beginners.get(pk) ?? new Set();
  }
}

/** What is forgotten of others: a question of a thread. */
function forgottenIn(old: Item, after: Item | undefined, { threads }: Known): Changed | undefined {
  if (after || !textIn(old, 'sk').startsWith('TURN#')) return undefined;
  return { kind: 'thread', asker: textIn(old, 'by'), begunBy: threads.begunBy(textIn(old, 'pk')) };
}

const textIn = (item: Item, name: string): string => item[name]?.S ?? '';

function changedIn(
  old: Item,
  after: Item | undefined,
  actor: Actor,
  merged: Set<string>,
): Changed | undefined {
  const pk = textIn(after ?? old, 'pk');
  const sk = textIn(after ?? old, 'sk');
  if (pk.startsWith('SETTINGS#')) return settingIn(sk, old, after);
  // That the models refused a key is noted by whoever asks by it.
  if (pk.startsWith('OWNKEY#')) return after?.['refused'] === undefined ? { kind: 'key' } : undefined;
  if (pk.startsWith('ACCOUNT#') && sk === 'RULES') return { kind: 'budgets' };
  if (pk.startsWith('INSTALL#')) return { kind: 'install' };
  if (pk.startsWith('VIDEO#') && old['body']?.S) return { kind: 'video', of: readJob(old).by.user };
  return sk.startsWith('TURN#') && after ? answerIn(old, after, actor, merged) : undefined;
}

function settingIn(sk: string, old: Item, after: Item | undefined): Changed | undefined {
  const [kind, level = '', of = ''] = sk.split('#');
  if (kind === 'SAVED') return { kind: 'saved', by: old['by']?.S, admins: old['admins']?.BOOL === true };
  // Who was removed from the list of changes, or what kinds there are, is no setting.
  const isSet = after === undefined || textIn(old, 'layer') !== textIn(after, 'layer');
  return kind === 'LEVEL' && isSet && !takesBack(old, after) ? { kind: 'level', level, of } : undefined;
}

/** Whether nothing happened but that a removed text is referred to no more: whoever may remove it does that. */
function takesBack(old: Item, after: Item | undefined): boolean {
  const [was, is] = [old['layer']?.S, after?.['layer']?.S].map((text) => layerOf(text));
  if (!was || !is) return false;
  const { persona: gone, ...rest } = was;
  return gone !== undefined && JSON.stringify(rest) === JSON.stringify(is);
}

function layerOf(text: string | undefined): Record<string, unknown> | undefined {
  const read: unknown = JSON.parse(text ?? 'null');
  if (typeof read !== 'object' || read === null || !('values' in read)) return undefined;
  return typeof read.values === 'object' && read.values !== null ? { ...read.values } : undefined;
}

/** A stored answer is replaced for who asked alone, or for one of those whose questions it answers. */
function answerIn(old: Item, after: Item, { user }: Actor, merged: Set<string>): Changed | undefined {
  const [was, is] = [old['body']?.B, after['body']?.B];
  if (!was || !is || Buffer.compare(was, is) === 0) return undefined;
  const asker = textIn(old, 'by');
  return asker === user || merged.has(mergedName(old, textIn(old, 'id'), user))
    ? undefined
    : { kind: 'answer', asker };
}

/** Notes that a question of somebody is answered in another one's turn: that is theirs too from then on. */
function noteMerged(item: Item, merged: Set<string>): void {
  const into = textIn(item, 'into');
  if (into !== '') merged.add(mergedName(item, into, textIn(item, 'by')));
}

const mergedName = (of: Item, turn: string, user: string): string => `${textIn(of, 'pk')} ${turn} ${user}`;
