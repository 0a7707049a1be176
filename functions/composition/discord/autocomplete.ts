import { DISCORD_FRONT_COMMANDS } from '../../../shared/commands/index.ts';
import {
  findFocusedOption,
  type RawInteraction,
  readString,
  toWorkspaceId,
  type Response,
  autocompleteResponse,
} from '../../../shared/platforms/discord/index.ts';
import type { DiscordSettings } from './discord-settings.ts';
import {
  type DynamoSend,
  type KnownModel,
  readKnownModels,
  readPresetNames,
} from '../../../shared/storage/index.ts';

/** Suggestions of models and saved names. Empty if the table is slow. Never rejects. */
export type Suggestions = {
  /** Responds while a person types an option. */
  readonly suggest: (interaction: RawInteraction) => Promise<Response>;
};

export type SuggestionsDeps = {
  /** Short, as people keep typing. */
  readonly send: DynamoSend;
  readonly table: string;
  /** Models of the deployment, the default first. They are known without the models list. */
  readonly configured: readonly string[];
  readonly settings: Pick<DiscordSettings, 'lockedModel'>;
  readonly now: () => number;
};

const CACHE_TTL_MS = 30_000;

/**
 * Suggests the models of the deployment and of the models list that a worker stored last, read every 30 s, and the personas
 * and schemas of the guild.
 */
export function createSuggestions({ send, table, configured, settings, now }: SuggestionsDeps): Suggestions {
  // Not a `TtlCache`, which has 333 bytes more than this: the bundle of this front may have 40 KB.
  let cached: { readonly until: number; readonly live: Promise<readonly KnownModel[]> } | undefined;
  const models = async (): Promise<readonly KnownModel[]> => {
    if (!cached || cached.until <= now())
      cached = { until: now() + CACHE_TTL_MS, live: readKnownModels(send, table) };
    const known = await cached.live.catch(() => {
      cached = undefined;
      return [];
    });
    const others = configured.filter((id) => known.every((one) => one.id !== id));
    return [...others.map((id) => ({ id, about: '' })), ...known];
  };
  /** If an admin locked a model, only that one. */
  const offered = async (interaction: RawInteraction) => {
    const [known, locked] = await Promise.all([models(), settings.lockedModel(interaction)]);
    return known.filter(({ id }) => locked === undefined || id === locked);
  };
  return {
    async suggest(interaction) {
      const { data, place, user } = interaction;
      const focused = findFocusedOption(data);
      const command = DISCORD_FRONT_COMMANDS.find(({ name }) => name === readString(data, 'name'));
      const kind = command?.suggests?.[focused?.name ?? ''];
      const where = { platform: 'discord', workspace: toWorkspaceId(place.guild), user } as const;
      const values =
        kind === 'model'
          ? (await offered(interaction)).map(({ id, about }) => ({
              value: id,
              name: about === '' ? id : `${id} · ${about}`,
            }))
          : (kind ? await readPresetNames(send, table, where, kind).catch(() => []) : []).map((name) => ({
              value: name,
              name,
            }));
      return autocompleteResponse(values, focused?.typed ?? '');
    },
  };
}
