import type { CommandsContext } from '../../context.ts';
import type { CardControl, CardOption } from '../../../domain/index.ts';
import { isChangeable } from '../../../settings/rules/index.ts';
import type { ListedModel } from '../../../ports/index.ts';
import type { StoredLevel } from '../../../storage/index.ts';
import { localize } from '../../../i18n/index.ts';
import type { AnyPayload } from '../../framework/types.ts';

type ChoosingLevel = Exclude<StoredLevel, 'workspace'>;

/** The levels at which this person may choose. */
export function levelsFor(
  { invocation, admin }: AnyPayload,
  { settings }: Pick<CommandsContext, 'settings'>,
): readonly ChoosingLevel[] {
  const levels: readonly ChoosingLevel[] = [
    'person',
    ...(invocation.thread ? (['thread'] as const) : []),
    ...(invocation.channel && admin ? (['channel'] as const) : []),
  ];
  return levels.filter((level) => isChangeable('model', level, settings.layers));
}

/** A menu for each of these levels. */
export function menus(
  { locale }: AnyPayload,
  levels: readonly ChoosingLevel[],
  { settings }: Pick<CommandsContext, 'settings'>,
  found: readonly ListedModel[],
  hint: (model: ListedModel) => string,
): CardControl[] {
  return levels.map((level) => {
    const chosen = settings.layers[level]?.values.model;
    // A menu holds few: what is chosen now is among them.
    const first = found.filter(({ id }) => id === chosen);
    const options: CardOption[] = [...first, ...found].map((one) => ({
      label: one.id,
      value: one.id,
      hint: hint(one),
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
