import { COMMANDS } from '../shared/flows/commands/all.ts';
import { focusedIn } from '../shared/platforms/discord/called.ts';
import type { Interaction } from '../shared/platforms/discord/interaction.ts';
import { textAt } from '../shared/platforms/discord/json.ts';
import { guildOf } from '../shared/platforms/discord/places.ts';
import { type Response, suggested } from '../shared/platforms/discord/responses.ts';
import type { DiscordSettings } from './discord-settings.ts';
import type { DynamoSend } from '../shared/store/dynamo-json.ts';
import { type KnownModel, knownModels } from '../shared/store/known-models.ts';
import { savedNames } from '../shared/store/saved-names.ts';

/** What a front knows of the models and of what is saved by name: nothing, where the table is slow. Never rejects. */
export type Suggestions = {
  /** Answers at once, while an option is being typed. */
  readonly suggest: (of: Interaction) => Promise<Response>;
};

export type SuggestionsDeps = {
  /** Ends soon: people go on typing. */
  readonly send: DynamoSend;
  readonly table: string;
  /** Models of the deployment, the usual one first: known before any list is. */
  readonly configured: readonly string[];
  readonly settings: Pick<DiscordSettings, 'lockedModel'>;
  readonly now: () => number;
};

const KEPT_MS = 30_000;

/**
 * The models of the deployment, and those of the live list as a worker kept it last, read once in half a minute; the
 * personas and schemas of the guild as they are.
 */
export function suggestionsFor({ send, table, configured, settings, now }: SuggestionsDeps): Suggestions {
  let kept: { readonly until: number; readonly live: Promise<readonly KnownModel[]> } | undefined;
  const models = async (): Promise<readonly KnownModel[]> => {
    if (!kept || kept.until <= now()) kept = { until: now() + KEPT_MS, live: knownModels(send, table) };
    const known = await kept.live.catch(() => {
      kept = undefined;
      return [];
    });
    const others = configured.filter((id) => known.every((one) => one.id !== id));
    return [...others.map((id) => ({ id, about: '' })), ...known];
  };
  /** Where a model is held, no other. */
  const offered = async (of: Interaction) => {
    const [known, locked] = await Promise.all([models(), settings.lockedModel(of)]);
    return known.filter(({ id }) => locked === undefined || id === locked);
  };
  return {
    async suggest(of) {
      const { data, place, user } = of;
      const focused = focusedIn(data);
      const spec = COMMANDS.find(({ name }) => name === textAt(data, 'name'));
      const option = spec?.options.find(({ name }) => name === focused?.name);
      const kind = option?.kind === 'text' ? option.suggests : undefined;
      const where = { platform: 'discord', workspace: guildOf(place.guild), user } as const;
      const values =
        kind === 'model'
          ? (await offered(of)).map(({ id, about }) => ({
              value: id,
              name: about === '' ? id : `${id} · ${about}`,
            }))
          : (kind ? await savedNames(send, table, where, kind).catch(() => []) : []).map((name) => ({
              value: name,
              name,
            }));
      return suggested(values, focused?.typed ?? '');
    },
  };
}
