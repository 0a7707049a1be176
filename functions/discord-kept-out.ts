import type { Interaction } from '../shared/platforms/discord/interaction.ts';
import { at, textAt } from '../shared/platforms/discord/json.ts';
import { guildOf } from '../shared/platforms/discord/places.ts';
import type { Layer } from '../shared/settings/among.ts';
import { isSilent, mayUse } from '../shared/settings/permission.ts';
import type { DynamoSend } from '../shared/store/dynamo-json.ts';
import { OF_WORKSPACE, ofChannel, settingsPartition } from '../shared/store/settings-keys.ts';

/**
 * Whether whoever calls is likely to be refused here, by what the channel and the guild have set: their call is then deferred
 * for them alone, so that nobody sees that they tried. Whether they are refused is decided by the worker. Takes as long as
 * `send` lets it; where that fails, nobody is kept out. Never rejects.
 */
export function keptOutBy(send: DynamoSend, TableName: string): (of: Interaction) => Promise<boolean> {
  return async ({ place, user, roles, admin = false }) => {
    const { channel } = place;
    const pk = { S: settingsPartition({ platform: 'discord', workspace: guildOf(place.guild), user }) };
    const read = async (sk: string) =>
      layerIn(await send('GetItem', { TableName, Key: { pk, sk: { S: sk } } }));
    try {
      const [layer, workspace] = await Promise.all([read(ofChannel(channel)), read(OF_WORKSPACE)]);
      const layers = { channel: layer, workspace };
      return isSilent(layers) || mayUse({ user, roles, channel, admin }, layers) !== undefined;
    } catch {
      return false;
    }
  };
}

/** What a level says. Written by a worker, which took no other values; what it cannot be read as, nobody is kept out by. */
function layerIn(answer: unknown): Layer {
  const layer: unknown = JSON.parse(textAt(answer, 'Item', 'layer', 'S') ?? '{"values":{}}');
  if (!isLayer(layer)) throw new TypeError('no layer');
  return layer;
}

const isLayer = (layer: unknown): layer is Layer => typeof at(layer, 'values') === 'object';
