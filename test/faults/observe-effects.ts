import { channelId, messageId, type Thread, workspaceId } from '../../shared/domain/index.ts';
import { getWaitId } from '../../shared/chat/model/wait-for-permit.ts';
import { hashName } from '../../shared/storage/rate-limits/key-rate-limiter.ts';
import type { Workspace } from '../simulators/slack/workspace.ts';
import type { SlackCall } from '../../shared/platforms/slack/index.ts';
import type { Dynamo } from '../../shared/storage/index.ts';
import { CLOSED_THREAD_KEY } from '../../shared/storage/keys/item-keys.ts';
import type { MemoryDynamo } from '../fakes/dynamo.ts';
import type { WaitNotice } from './options.ts';

export type Effects = {
  tokens: number;
  rewritten: number;
  before: readonly string[] | undefined;
  gaveUp: boolean;
  /** Requests whose reservation was settled, with the account. */
  readonly settled: Set<string>;
  /** When each turn ended, by its question. */
  readonly endedAt: Map<string, number>;
};

export const newEffects = (): Effects => ({
  tokens: 0,
  rewritten: 0,
  before: undefined,
  gaveUp: false,
  settled: new Set(),
  endedAt: new Map(),
});

/** Counts table writes: permits taken, changes of stored turns, turns present when the thread was closed. */
export function observeWrites(store: MemoryDynamo, counts: Effects, now: () => number): Dynamo {
  return {
    ...store,
    put: async (input) => {
      await store.put(input);
      if (input.Item?.['sk']?.S !== CLOSED_THREAD_KEY) return;
      const inThread = store.items('conversations').filter(({ pk }) => pk?.S === input.Item?.['pk']?.S);
      counts.before = [...(counts.before ?? []), ...inThread.flatMap(({ id }) => id?.S ?? [])];
    },
    update: async (input) => {
      const earlier = store.find(input.TableName, input.Key);
      const result = await store.update(input);
      noteSettled(input, counts);
      if (input.TableName === 'tokens') counts.tokens += tokensOf(input.UpdateExpression ?? '');
      const after = store.find(input.TableName, input.Key);
      const granted = earlier?.['rev']?.S !== after?.['rev']?.S;
      const [before, body] = [earlier?.['body'], after?.['body']];
      if (before && body && before !== body && !granted) counts.rewritten += 1;
      const itemId = after?.['id']?.S;
      if (!before && body && itemId !== undefined) counts.endedAt.set(itemId, now());
      return result;
    },
  };
}

/** Records a settlement by account and reservation name. */
function noteSettled(
  { Key, UpdateExpression: change = '', ExpressionAttributeNames: names }: Parameters<Dynamo['update']>[0],
  { settled }: Effects,
): void {
  if (change.includes(':delta') && change.includes('REMOVE #hold'))
    settled.add(`${Key?.['sk']?.S} ${names?.['#hold']}`);
}

/** The permits that a write to the bucket takes; negative for a release. Moving the queue takes none. */
function tokensOf(change: string): number {
  if (change.startsWith('SET tat = tat - ')) return -1;
  return /^SET tat = (?:tat \+ :cost|:next), #/u.test(change) ? 1 : 0;
}

export type Statuses = { readonly notices: WaitNotice[]; readonly clearedAt: Map<string, number> };

/** Records reports of waits, in statuses and ephemeral messages, and when statuses are cleared. */
export function observeStatuses(
  slack: SlackCall,
  { notices, clearedAt }: Statuses,
  now: () => number,
): SlackCall {
  return (method, args) => {
    const isOver =
      args['status'] === '' || (method === 'agents.sessions.setStatus' && args['status'] !== 'processing');
    const thread = String(args['thread_ts']);
    if (isOver && !clearedAt.has(thread)) clearedAt.set(thread, now());
    if (!isOver && args['status'] !== undefined) clearedAt.delete(thread);
    const alone = method === 'chat.postEphemeral';
    const words = JSON.stringify(alone ? args['markdown_text'] : args['status']) ?? '';
    const to = JSON.stringify(alone ? args['user'] : args['thread_ts']) ?? '';
    if (words.includes('waiting in line')) notices.push({ atMs: now(), to: to.replaceAll('"', ''), words });
    return slack(method, args);
  };
}

/** Whether a question is in the wait queue of the key. */
export function isInQueue(store: MemoryDynamo, workspace: Workspace, root: string, ts: string): boolean {
  const { identity, channel } = workspace;
  const thread: Thread = {
    platform: 'slack',
    workspace: workspaceId(identity.teamId),
    channel: channelId(channel),
    root: messageId(root),
  };
  const id = hashName(getWaitId({ thread, message: messageId(ts) }));
  return store
    .items('tokens')
    .some(({ waiters }) => waiters?.SS?.some((entry) => entry.startsWith(`${id} `)));
}
