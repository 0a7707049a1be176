import { COMMANDS } from '../shared/flows/commands/specs.ts';
import { focusedIn } from '../shared/platforms/discord/called.ts';
import type { Interaction } from '../shared/platforms/discord/interaction.ts';
import { textAt } from '../shared/platforms/discord/json.ts';
import { type Response, suggested } from '../shared/platforms/discord/responses.ts';
import type { DynamoSend } from '../shared/store/dynamo-json.ts';
import { type KnownModel, knownModels } from '../shared/store/known-models.ts';

/** What a front knows of the models. Never rejects. */
export type Models = {
  /** Answers at once, while an option is being typed. */
  readonly suggest: (of: Interaction) => Promise<Response>;
  /** Whether a model may be asked by this name. */
  readonly offers: (model: string) => Promise<boolean>;
};

export type ModelsDeps = {
  readonly send: DynamoSend;
  readonly table: string;
  /** Those of the deployment, the usual one first: known before any list is. */
  readonly configured: readonly string[];
  readonly now: () => number;
};

const KEPT_MS = 30_000;
/** Discord wants choices within three seconds; people want them while they type. */
const WITHIN_MS = 1_500;

/** The models of the deployment, and those of the live list as a worker kept it last: read once in half a minute. */
export function modelsFor({ send, table, configured, now }: ModelsDeps): Models {
  let kept: { readonly until: number; readonly live: Promise<readonly KnownModel[]> } | undefined;
  const live = (): Promise<readonly KnownModel[]> => {
    if (!kept || kept.until <= now()) {
      const read = knownModels(send, table).catch(() => []);
      kept = { until: now() + KEPT_MS, live: read };
    }
    return Promise.race([kept.live, late()]);
  };
  const all = async (): Promise<readonly KnownModel[]> => {
    const known = await live();
    const others = configured.filter((id) => known.every((one) => one.id !== id));
    return [...others.map((id) => ({ id, about: '' })), ...known];
  };
  return {
    async suggest({ data }) {
      const focused = focusedIn(data);
      const spec = COMMANDS.find(({ name }) => name === textAt(data, 'name'));
      const option = spec?.options.find(({ name }) => name === focused?.name);
      const models = option?.kind === 'text' && option.suggests === 'model' ? await all() : [];
      return suggested(
        models.map(({ id, about }) => ({ value: id, name: about === '' ? id : `${id} · ${about}` })),
        focused?.typed ?? '',
      );
    },
    offers: async (model) => (await all()).some(({ id }) => id === model),
  };
}

const late = (): Promise<readonly KnownModel[]> =>
  new Promise((resolve) => setTimeout(() => resolve([]), WITHIN_MS).unref());
