import { readCheckpoint, serializeCheckpoint } from './checkpoint.ts';
import { Guilds } from '../events/guilds.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RelayDeps } from '../relay-deps.ts';
import {
  type Generation,
  type Plan,
  getShard,
  type ShardRef,
  listShards,
  getStoreName,
} from './shard-plan.ts';
import { isNewer } from './watermark.ts';
import { msToSnowflake } from '../../../../utils/index.ts';

type InheritDeps = Pick<RelayDeps, 'shardStores' | 'now' | 'sleep' | 'isPermanentError' | 'log'>;

/**
 * Gives a shard of a new generation the state of the former ones: the bot's id, its guilds, the recent DMs, and where the backfill starts. While
 * the former ones still run, that is now. Never rejects.
 */
export async function inheritState(ref: ShardRef, plan: Plan, deps: InheritDeps): Promise<void> {
  const from = findPredecessor(ref, plan);
  if (!from) return;
  await retryForever(() => copyState(ref, from, deps), retryOptions('load', deps));
}

type Predecessor = Generation & { readonly isRunning: boolean };

function findPredecessor(
  { generation }: ShardRef,
  { current, next, previous }: Plan,
): Predecessor | undefined {
  if (generation === next?.number) return { ...current, isRunning: next.stranded !== true };
  return previous && { ...previous, isRunning: false };
}

async function copyState(ref: ShardRef, from: Predecessor, { shardStores, now }: InheritDeps): Promise<void> {
  const own = shardStores(getStoreName(ref));
  if ((await own.checkpointStore.load()) !== undefined) return;
  const guilds = new Guilds();
  let [me, seen] = ['', msToSnowflake(now() - 1)];
  let directs: readonly string[] = [];
  for (const former of listShards(from)) {
    const { checkpointStore, guildStore } = shardStores(getStoreName(former));
    const [text, storedGuilds] = await Promise.all([checkpointStore.load(), guildStore.load()]);
    const checkpoint = text === undefined ? undefined : readCheckpoint(text);
    guilds.addStored(storedGuilds ?? '');
    me = checkpoint?.me || me;
    if (checkpoint && !from.isRunning && isNewer(seen, checkpoint.seen)) ({ seen } = checkpoint);
    if (former.id === 0) directs = checkpoint?.directs ?? [];
  }
  guilds.retain((guild) => getShard(guild, ref.count) === ref.id);
  await own.guildStore.save(guilds.serialize());
  await own.checkpointStore.save(
    serializeCheckpoint({ me, seen, directs: ref.id === 0 ? [...directs] : [] }),
  );
}
