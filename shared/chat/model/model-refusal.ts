import type { PlatformName } from '../../domain/index.ts';
import type { ChatContext } from '../context.ts';
import { resolve } from '../../settings/rules/index.ts';
import { describeLock, appendValues } from '../../settings/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';

/**
 * Returns why a requested model cannot be used, as text for people: another model is locked here, or the
 * model does not exist. Undefined if it can be used. If the models of the upstream are unknown, all can be
 * used.
 */
export async function findModelRefusal(
  model: string,
  { locale, platform }: { readonly locale: Locale; readonly platform: PlatformName },
  { chat, settings }: Pick<ChatContext, 'chat' | 'settings'>,
): Promise<string | undefined> {
  const { value, lock } = resolve('model', settings.layers);
  const current = value ?? chat.model;
  if (lock && model !== current) {
    const lockedText = localize(locale, 'settings.model.held', {
      model: toQuotable(model),
      held: current ?? '…',
    });
    return `${lockedText} ${describeLock(lock, locale, platform)}`;
  }
  const modelIds = (await chat.listModels()).map(({ id }) => id);
  const known = new Set([...modelIds, chat.model, ...settings.otherModels, ...settings.standIns]);
  if (modelIds.length === 0 || known.has(model)) return undefined;
  return appendValues(
    localize(locale, 'settings.model.unknown', { model: toQuotable(model) }),
    modelIds,
    locale,
  );
}

const MAX_QUOTED_CHARACTERS = 60;
const toQuotable = (model: string): string => model.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
