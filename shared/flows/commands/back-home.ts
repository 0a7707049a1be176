import type { Card } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { AnyCall } from './run.ts';

/** Whether this was called in App Home: there is no channel, and what is told takes the place of what was shown. */
const isAtHome = ({ invocation: { platform, channel } }: Pick<AnyCall, 'invocation'>): boolean =>
  platform === 'slack' && channel === undefined;

/** A card with a way back to App Home, where it takes that one's place; the same card elsewhere. */
export function withWayBack(called: AnyCall, card: Card): Card {
  if (!isAtHome(called)) return card;
  const label = say(called.locale, 'settings.home.back');
  const action = { name: 'home.show', args: ['home'] };
  return {
    ...card,
    parts: [...card.parts, { kind: 'controls', controls: [{ kind: 'button', label, action }] }],
  };
}
