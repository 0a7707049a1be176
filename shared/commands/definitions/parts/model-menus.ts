import type { CommandsContext } from '../../context.ts';
import type { CardControl, CardOption } from '../../../domain/index.ts';
import { isChangeable } from '../../../settings/rules/index.ts';
import type { ListedModel } from '../../../ports/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { localize } from '../../../i18n/index.ts';
import type { InteractionRequest } from '../../framework/types.ts';

type ChoosingLevel = Exclude<StoredLevel, 'workspace'>;

/** Lists the levels at which this person may choose a model. */
export function listLevels(
  { interaction, admin }: InteractionRequest,
  { settings }: Pick<CommandsContext, 'settings'>,
): readonly ChoosingLevel[] {
  const levels: readonly ChoosingLevel[] = [
    'person',
    ...(interaction.thread ? (['thread'] as const) : []),
    ...(interaction.channel && admin ? (['channel'] as const) : []),
  ];
  return levels.filter((level) => isChangeable('model', { level, admin }, settings.layers));
}

/** Creates a menu per level. */
export function createMenus(
  { locale }: InteractionRequest,
  levels: readonly ChoosingLevel[],
  { settings }: Pick<CommandsContext, 'settings'>,
  models: readonly ListedModel[],
  hint: (model: ListedModel) => string,
): CardControl[] {
  return levels.map((level) => {
    const chosen = settings.layers[level]?.values.model;
    // A menu has room for few models: the current one comes first.
    const current = models.filter(({ id }) => id === chosen);
    const options: CardOption[] = [...current, ...models].map((model) => ({
      label: model.id,
      value: model.id,
      hint: hint(model),
    }));
    return {
      kind: 'choice',
      label: localize(locale, `settings.model.choose.${level}`),
      action: { name: 'model.use', args: [level] },
      options: [{ label: localize(locale, 'settings.reset'), value: 'reset' }, ...options],
      chosen: chosen ?? 'reset',
    };
  });
}
