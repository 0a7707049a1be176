import type { Interaction } from '../shared/platforms/discord/interaction.ts';
import { at, listAt, textAt } from '../shared/platforms/discord/json.ts';
import { guildOf } from '../shared/platforms/discord/places.ts';
import type { Layer } from '../shared/settings/among.ts';
import { isSilent, mayUse } from '../shared/settings/permission.ts';
import type { DynamoSend } from '../shared/store/dynamo-json.ts';
import { levelKey } from '../shared/store/settings-keys.ts';

/** A question is not kept waiting for longer to learn how it is to be deferred. */
const WITHIN_MS = 800;

/**
 * Whether whoever calls is likely to be refused here, by what the channel and the guild have set: their call is then deferred
 * for them alone, so that nobody sees that they tried. Whether they are refused is decided by the worker. Never rejects.
 */
export function keptOutBy(send: DynamoSend, TableName: string): (of: Interaction) => Promise<boolean> {
  return async ({ place, user, roles, admin = false }) => {
    const { channel } = place;
    const where = { platform: 'discord', workspace: guildOf(place.guild), user, channel } as const;
    const read = async (level: 'channel' | 'workspace') =>
      layerIn(await send('GetItem', { TableName, Key: levelKey(where, level) }));
    const told = Promise.all([read('channel'), read('workspace')]).then(([ofChannel, workspace]) => {
      const layers = { channel: ofChannel, workspace };
      return isSilent(layers) || mayUse({ user, roles, channel, admin }, layers) !== undefined;
    });
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), WITHIN_MS).unref());
    return Promise.race([told.catch(() => false), late]);
  };
}

/** What a level says of who may use the bot. */
function layerIn(answer: unknown): Layer {
  const layer: unknown = JSON.parse(textAt(answer, 'Item', 'layer', 'S') ?? '{}');
  const list = (name: string): string[] | undefined =>
    at(layer, 'values', name) === undefined
      ? undefined
      : listAt(layer, 'values', name).filter((id) => typeof id === 'string');
  const lock = (name: string) => (at(layer, 'locks', name) === undefined ? undefined : { reason: '' });
  return {
    values: {
      allowed: list('allowed'),
      denied: list('denied'),
      channels: list('channels'),
      mentions: textAt(layer, 'values', 'mentions') === 'off' ? 'off' : undefined,
    },
    locks: { allowed: lock('allowed'), mentions: lock('mentions') },
  };
}
