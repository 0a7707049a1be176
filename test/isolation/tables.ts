import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Dynamo } from '../../shared/storage/index.ts';
import { readJob } from '../../shared/storage/jobs/job-item.ts';
import type { Job } from '../../shared/video/jobs/index.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { Item } from '../fakes/dynamo-parser.ts';
import { settingIn } from './changed-setting.ts';
import { ACTOR, type AccessChecker } from './access-checker.ts';
import { type Actor, isOwnInDirectMessage, NOBODY_ID } from './access-model.ts';
import { type Changed, unchangeable } from './change-model.ts';

/** The ids of all tenants and people. */
export type Ids = {
  /** Reports each stored budget policy of a tenant. */
  readonly laid: (tenant: string, book: string) => void;
  /** Is told of each stored and removed item. */
  readonly stored: (old: Item, after: Item | undefined) => void;
  readonly tenants: ReadonlySet<string>;
  readonly people: ReadonlySet<string>;
};

/** Operations for the whole tenant, or for one person in all their channels: videos are listed everywhere. */
const ACROSS_CHANNELS =
  /^(?:forget|export|uninstall|deauthorize|leave|setting|home|system|retention|video|integrations)/u;
/** A turn, its signals or its recordings: platform, tenant, channel, root. Or the knowledge of a channel. */
const THREAD = /^(?:slack|discord|KNOWLEDGE#slack|KNOWLEDGE#discord)#([^#]+)#([^#]+)(?:#|$)/u;

/** The message that a document, or a part of one, is from. */
const MESSAGE_SOURCE = /#M(.+?)\.(?:text|[0-9a-f]{16})\.[0-9a-f]{16}/u;

/** The tables with every request compared with the model: whose partition it is, what is written, and by whom. */
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
    ids.stored(old, after);
    const [, , tenant] = textIn(after ?? old, 'pk').split('#');
    // An uninstall removes the policy.
    if (textIn(after ?? old, 'sk') === 'RULES' && tenant !== undefined)
      ids.laid(tenant, after ? textIn(after, 'book') : '{}');
    checkChange(old, after, checker, { merged, threads });
  };
  const look = (deed: string, key: Item | undefined): void => {
    const actor = ACTOR.getStore();
    if (actor)
      checkKey(
        deed,
        key,
        actor,
        { ...ids, mayChangeVideo: () => findChangeableVideo(actor, memory) !== undefined },
        checker,
      );
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

/**
 * Returns the video job that a forged control names, if the actor may change it: it is theirs, or they administer the workspace. This is
 * the rule of `mayChangeJob`.
 */
export function findChangeableVideo(actor: Actor, memory: MemoryDynamo): Job | undefined {
  const job = findVideo(actor.video, memory);
  return job && unchangeable(actor, { kind: 'video', of: job.by.user }) === undefined ? job : undefined;
}

/** The stored video job with this id. */
export function findVideo(name: string | undefined, memory: MemoryDynamo): Job | undefined {
  if (name === undefined) return undefined;
  const [partition, id] = name.split('-');
  const item = memory
    .items('conversations')
    .find(({ pk, sk }) => pk?.S === `VIDEO#${partition}` && sk?.S === `JOB#${id}`);
  return item && readJob(item);
}

function checkKey(
  deed: string,
  key: Item | undefined,
  actor: Actor,
  ids: Ids & { readonly mayChangeVideo: () => boolean },
  checker: AccessChecker,
): void {
  if (actor.operation === 'deauthorize') return;
  const pk = key?.['pk']?.S ?? '';
  const parts = `${pk}#${key?.['sk']?.S ?? ''}`.split('#');
  checker.checks += 1;
  const isReader = pk.startsWith('READER#discord#@me#');
  const foreign = findForeign(deed, pk, parts, actor, ids.tenants);
  if (foreign !== undefined) return checker.fail(`${deed} ${pk}: ${foreign}`);
  const [, tenant, channel] = THREAD.exec(pk) ?? [];
  const isElsewhere =
    channel !== undefined && channel !== actor.channel && !ACROSS_CHANNELS.test(actor.operation);
  // A control of a video works wherever its job is: people see all their videos in a list.
  if (isElsewhere && !ids.mayChangeVideo())
    return checker.fail(`${deed} ${pk}: a thread of the channel ${channel}`);
  // Chats without a guild share only the name of their tenant.
  const person = tenant === undefined && parts.includes('@me') && parts.find((part) => ids.people.has(part));
  if (person && !isReader && person !== actor.user) checker.fail(`${deed} ${pk}: what is of ${person}`);
}

/** What of somebody else a key names, if anything. */
function findForeign(
  deed: string,
  pk: string,
  parts: readonly string[],
  actor: Actor,
  tenants: ReadonlySet<string>,
): string | undefined {
  if (actor.user === NOBODY_ID) {
    if (deed !== 'get' && deed !== 'query') return 'written without authentication';
    // A key says whose it is before it is compared.
    if (pk.startsWith('INTEGRATIONS#')) return undefined;
  }
  // The locale of a person is the same in all guilds. A merged turn uses the settings of its first asker.
  const isReader = pk.startsWith('READER#discord#@me#');
  const foreign = parts.find((part) => tenants.has(part) && part !== actor.tenant && !isReader);
  if (foreign !== undefined) return `the partition of ${foreign}`;
  // A webhook looks up whether its own integration asked.
  const isLookup = deed === 'get' && parts[4] === 'TURN';
  const isApi = pk.startsWith('API#') && /over the API/u.test(actor.operation);
  if (isApi && !isLookup && parts[3] !== actor.user.slice(4)) return `the requests of ${parts[3]}`;
  const factsOf = factsOfAnother(pk, parts, actor);
  return factsOf === undefined ? undefined : `the facts of ${factsOf}`;
}

/** Whose facts a question or the command `memory` reads or writes, if not those of its person. */
const factsOfAnother = (
  pk: string,
  parts: readonly string[],
  { operation, user }: Actor,
): string | undefined =>
  pk.startsWith('FACTS#') && /^(?:say$|reply$|memory)/u.test(operation) && parts.at(-1) !== user
    ? parts.at(-1)
    : undefined;

/** Checks that no text of another tenant is stored in the actor's. */
function checkContent(values: Item | undefined, checker: AccessChecker): void {
  const actor = ACTOR.getStore();
  if (!actor || actor.operation === 'deauthorize') return;
  for (const { S } of Object.values(values ?? {})) {
    if (S === undefined || S.length < 10) continue;
    for (const content of checker.contentsIn(S)) {
      const { audience, marker } = content;
      checker.checks += 1;
      if (audience.tenant !== actor.tenant && !isOwnInDirectMessage(content, actor))
        checker.fail(`a text of ${audience.tenant} is stored for ${actor.tenant} (${marker})`);
      if (audience.kind === 'nobody') checker.fail(`a key is stored readable (${marker})`);
    }
  }
}

/** Checks a change, which the key of the item identifies; `after` is undefined for a deletion. */
function checkChange(old: Item, after: Item | undefined, checker: AccessChecker, scope: Known): void {
  const { merged } = scope;
  noteMerged(old, merged);
  if (after) noteMerged(after, merged);
  const actor = ACTOR.getStore();
  if (!actor || /^(?:uninstall|deauthorize|leave|system)/u.test(actor.operation)) return;
  const isForgotten = actor.operation.startsWith('forget');
  const changed = isForgotten ? forgottenIn(old, after, scope) : changedIn(old, after, actor, merged);
  if (changed) checker.change(changed, `${textIn(after ?? old, 'pk')} ${textIn(after ?? old, 'sk')}`);
}

type Known = { readonly merged: Set<string>; readonly threads: Threads };

/** Who asked first in each thread, now or before a part of it was deleted. */
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
    // The starters of an empty thread are kept until its last write is checked.
    if (first !== undefined) this.#beginners.set(pk, new Set([...this.begunBy(pk), askers.get(first) ?? '']));
  }

  begunBy(pk: string): ReadonlySet<string> {
    return this.#beginners.get(pk) ?? new Set();
  }
}

/** The erased data of other people: a question of a thread. */
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
  // Every request may record that its API key was rejected.
  if (pk.startsWith('OWNKEY#')) return after?.['refused'] === undefined ? { kind: 'key' } : undefined;
  if (pk.startsWith('ACCOUNT#') && sk === 'RULES') return { kind: 'budgets' };
  if (pk.startsWith('INSTALL#')) return { kind: 'install' };
  if (pk.startsWith('INTEGRATIONS#')) return { kind: 'integrations' };
  if (pk.startsWith('KNOWLEDGE#'))
    return old['by'] && { kind: 'document', of: textIn(old, 'by'), message: MESSAGE_SOURCE.exec(sk)?.[1] };
  if (pk.startsWith('TOOL')) return toolsIn(pk, sk, old, after);
  if (pk.startsWith('VIDEO#') && old['body']?.S) return { kind: 'video', of: readJob(old).by.user };
  return sk.startsWith('TURN#') && after ? answerIn(old, after, actor, merged) : undefined;
}

/** An MCP server, a key or sign-in of one, or a call that a person decides about. */
function toolsIn(pk: string, sk: string, old: Item, after: Item | undefined): Changed | undefined {
  if (pk.startsWith('TOOLS#')) return { kind: 'tools', of: undefined };
  if (pk.startsWith('TOOLKEY#')) return { kind: 'tools', of: sk.split('#')[2] };
  return pk.startsWith('TOOLCALL#') ? { kind: 'tool call', of: textIn(after ?? old, 'by') } : undefined;
}

/** Only the asker, or the author of a merged question, may replace a stored answer. */
function answerIn(old: Item, after: Item, { user }: Actor, merged: Set<string>): Changed | undefined {
  const [was, is] = [old['body']?.B, after['body']?.B];
  if (!was || !is || Buffer.compare(was, is) === 0) return undefined;
  const asker = textIn(old, 'by');
  return asker === user || merged.has(mergedName(old, textIn(old, 'id'), user))
    ? undefined
    : { kind: 'answer', asker };
}

/** Records that a person's question is answered in another turn, which is then theirs too. */
function noteMerged(item: Item, merged: Set<string>): void {
  const into = textIn(item, 'into');
  if (into !== '') merged.add(mergedName(item, into, textIn(item, 'by')));
}

const mergedName = (of: Item, turn: string, user: string): string => `${textIn(of, 'pk')} ${turn} ${user}`;
