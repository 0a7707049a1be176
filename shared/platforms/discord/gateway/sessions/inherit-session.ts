import { readCheckpoint, textOf } from './checkpoint.ts';
import { Guilds } from '../events/guilds.ts';
import { retryOptions, retryForever } from '../retry.ts';
import type { RelayDeps } from '../relay-deps.ts';
import { type Generation, type Plan, shardOf, type ShardRef, shardsOf, shelfNameOf } from './shard-plan.ts';
import { isNewer } from './watermark.ts';
import { msToSnowflake } from '../../../../utils/snowflake.ts';

type InheritDeps = Pick<RelayDeps, 'shelves' | 'now' | 'sleep' | 'hopeless' | 'log'>;

/**
 * Gives a shard of a new generation the state of the former ones: the bot's id, its guilds, the recent DMs, and where the backfill starts. While
 * the former ones still run, that is now. Never rejects.
 */
export async function inherit(ref: ShardRef, plan: Plan, deps: InheritDeps): Promise<void> {
  const from = predecessorOf(ref, plan);
  if (!from) return;
  await retryForever(() => handDown(ref, from, deps), retryOptions('load', deps));
}

type Predecessor = Generation & { readonly runs: boolean };

function predecessorOf({ generation }: ShardRef, { current, next, previous }: Plan): Predecessor | undefined {
  if (generation === next?.number) return { ...current, runs: next.stranded !== true };
  return previous && { ...previous, runs: false };
}

async function handDown(ref: ShardRef, from: Predecessor, { shelves, now }: InheritDeps): Promise<void> {
  const own = shelves(shelfNameOf(ref));
  if ((await own.shelf.load()) !== undefined) return;
  const guilds = new Guilds();
  let [me, seen] = ['', msToSnowflake(now() - 1)];
  let directs: readonly string[] = [];
  for (const before of shardsOf(from)) {
    const { shelf, guildShelf } = shelves(shelfNameOf(before));
    const [text, listed] = await Promise.all([shelf.load(), guildShelf.load()]);
    const bookmark = text === undefined ? undefined : readCheckpoint(text);
    guilds.read(listed ?? '');
    me = bookmark?.me || me;
    if (bookmark && !from.runs && isNewer(seen, bookmark.seen)) ({ seen } = bookmark);
    if (before.id === 0) directs = bookmark?.directs ?? [];
  }
  guilds.keep((guild) => shardOf(guild, ref.count) === ref.id);
  await own.guildShelf.save(guilds.text());
  await own.shelf.save(textOf({ me, seen, directs: ref.id === 0 ? [...directs] : [] }));
}
