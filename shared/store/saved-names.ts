import { NO_GUILD, type PlatformName } from '../conversation/index.ts';
import type { SavedKind } from '../settings/index.ts';
import type { DynamoSend } from './dynamo-json.ts';

/** Where something is set or saved, and by whom. */
export type Whereabouts = {
  readonly platform: PlatformName;
  readonly workspace: string;
  readonly user?: string | undefined;
};

/**
 * The partition of everything that was set or saved in a workspace. Discord's chats without a guild are no workspace that
 * people share: there each has a partition of their own.
 */
export const settingsPartition = ({ platform, workspace, user = '' }: Whereabouts): string =>
  `SETTINGS#${platform}#${workspace}${workspace === NO_GUILD ? `#${user}` : ''}`;

/** Where the names of all that is saved of a kind lie: one small item, for who may read no more than items that it can name. */
export const namesKey = (of: Whereabouts, kind: SavedKind) => ({
  pk: { S: settingsPartition(of) },
  sk: { S: `NAMES#${kind}` },
});

/** Those names, read without a validator: for a front, which suggests them while they are typed. */
export async function savedNames(
  send: DynamoSend,
  TableName: string,
  of: Whereabouts,
  kind: SavedKind,
): Promise<readonly string[]> {
  const answer = await send('GetItem', { TableName, Key: namesKey(of, kind) });
  const names = ['Item', 'names', 'SS'].reduce(within, answer);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').toSorted() : [];
}

/** What lies under this name; undefined where nothing does. */
export function within(of: unknown, key: string): unknown {
  return typeof of === 'object' && of !== null && Object.hasOwn(of, key) ? Reflect.get(of, key) : undefined;
}
