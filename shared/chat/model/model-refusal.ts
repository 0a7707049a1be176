import type { ChatContext } from '../context.ts';
import { resolve } from '../../settings/rules/index.ts';
import { lockedBy, withValues } from '../../settings/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';

/**
 * Why a question cannot be asked of a model that somebody named for it, as a sentence: another one is locked here, or there
 * is no such model. Undefined where it can. Where nothing is known of the models, any may be asked.
 */
export async function modelRefusal(
  model: string,
  locale: Locale,
  { chat, settings }: Pick<ChatContext, 'chat' | 'settings'>,
): Promise<string | undefined> {
  const { value, lock } = resolve('model', settings.layers);
  const held = value ?? chat.model;
  if (lock && model !== held) {
    const only = localize(locale, 'settings.model.held', { model: quotable(model), held: held ?? '…' });
    return `${only} ${lockedBy(lock, locale)}`;
  }
  const listed = ((await chat.list?.()) ?? []).map(({ id }) => id);
  const known = new Set([...listed, chat.model, ...settings.otherModels, ...settings.standIns]);
  if (listed.length === 0 || known.has(model)) return undefined;
  return withValues(localize(locale, 'settings.model.unknown', { model: quotable(model) }), listed, locale);
}

const MAX_QUOTED_CHARACTERS = 60;
const quotable = (model: string): string => model.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed();
