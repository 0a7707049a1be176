import type { Card } from '../../domain/index.ts';
import { localize } from '../../i18n/index.ts';
import type { AnyPayload } from './types.ts';

/** Whether this was called in App Home: there is no channel, and what is told takes the place of what was shown. */
const isOnHome = ({ invocation: { platform, channel } }: Pick<AnyPayload, 'invocation'>): boolean =>
  platform === 'slack' && channel === undefined;

/** A card with a way back to App Home, where it takes that one's place; the same card elsewhere. */
export function withBackButton(called: AnyPayload, card: Card): Card {
  if (!isOnHome(called)) return card;
  const label = localize(called.locale, 'settings.home.back');
  const action = { name: 'home.show', args: ['home'] };
  return {
    ...card,
    parts: [...card.parts, { kind: 'controls', controls: [{ kind: 'button', label, action }] }],
  };
}
