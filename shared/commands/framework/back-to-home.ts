import { PLATFORM_TRAITS, type Card } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import type { InteractionRequest } from './types.ts';

/** Returns whether the interaction comes from App Home: it has no channel, and the response replaces the view. */
const isOnHome = ({ interaction: { platform, channel } }: Pick<InteractionRequest, 'interaction'>): boolean =>
  PLATFORM_TRAITS[platform].hasAppHome && channel === undefined;

/** Adds a button that returns to App Home, if the card replaces it. */
export function withBackButton(request: InteractionRequest, card: Card): Card {
  if (!isOnHome(request)) return card;
  const label = localize(request.locale, 'settings.home.back');
  const action = { name: 'home.show', args: ['home'] };
  return {
    ...card,
    parts: [...card.parts, { kind: 'controls', controls: [{ kind: 'button', label, action }] }],
  };
}
