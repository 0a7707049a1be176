import {
  type RawInteraction,
  readValue,
  readString,
  toWorkspaceId,
} from '../../../shared/platforms/discord/index.ts';
import {
  type SettingsLayer,
  type SettingsLayers,
  resolveSetting,
  getLanguageSetting,
  SETTING_LEVELS,
  isSilent,
  getAccessRefusal,
} from '../../../shared/settings/rules/index.ts';
import {
  type DynamoSend,
  settingsPartition,
  levelSortKey,
  type StoredLevel,
} from '../../../shared/storage/index.ts';
import { toLocale } from '../../../shared/i18n/index.ts';

/** The settings that the front needs for an interaction. The deadline is that of `send`. Never rejects. */
export type DiscordSettings = {
  /**
   * Whether the settings of channel and guild are likely to refuse the person. Their interaction is then deferred as
   * ephemeral, so that nobody sees the attempt; the worker decides. False if nothing can be read.
   */
  readonly refuses: (interaction: RawInteraction) => Promise<boolean>;
  /** The language of responses. That of the person's app if none is set or nothing can be read. */
  readonly language: (interaction: RawInteraction) => Promise<string>;
  /** The model that is locked for them; undefined if they may choose or nothing can be read. */
  readonly lockedModel: (interaction: RawInteraction) => Promise<string | undefined>;
};

const STORED = ['thread', 'channel', 'person', 'workspace'] as const;

/** Reads settings by parallel reads of single items. */
export function createDiscordSettings(send: DynamoSend, TableName: string): DiscordSettings {
  const readLayersAt = async ({
    place: { guild, channel, root },
    user,
  }: RawInteraction): Promise<SettingsLayers> => {
    const thread = root === undefined ? undefined : { channel, root };
    const where = { platform: 'discord', workspace: toWorkspaceId(guild), user, channel, thread } as const;
    const pk = { S: settingsPartition(where) };
    const read = async (level: StoredLevel): Promise<SettingsLayers> => {
      const sk = levelSortKey(where, level);
      if (sk === undefined) return {};
      return { [level]: parseLayer(await send('GetItem', { TableName, Key: { pk, sk: { S: sk } } })) };
    };
    return (await Promise.all(STORED.map(read))).reduce((all, one) => ({ ...all, ...one }), {});
  };
  return {
    refuses: async (interaction) => {
      const { place, user, roles, admin = false } = interaction;
      return readLayersAt(interaction).then(
        (layers) =>
          isSilent(layers) ||
          getAccessRefusal({ user, roles, channel: place.channel, admin }, layers) !== undefined,
        () => false,
      );
    },
    language: (interaction) =>
      readLayersAt(interaction).then(
        (layers) => toLocale(getLanguageSetting(layers), interaction.locale),
        () => interaction.locale,
      ),
    lockedModel: (interaction) =>
      readLayersAt(interaction).then(
        (layers) => {
          const { lock, value } = resolveSetting(SETTING_LEVELS, 'model', layers);
          return lock && value;
        },
        () => undefined,
      ),
  };
}

/** The settings of one level. A worker validated them; unreadable ones are ignored. */
function parseLayer(answer: unknown): SettingsLayer {
  const layer: unknown = JSON.parse(readString(answer, 'Item', 'layer', 'S') ?? '{"values":{}}');
  if (!isLayer(layer)) throw new TypeError('no layer');
  return layer;
}

const isLayer = (layer: unknown): layer is SettingsLayer => typeof readValue(layer, 'values') === 'object';
