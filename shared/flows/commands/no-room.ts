import type { Card } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import * as names from './names.ts';
import { type AnyCall, words } from './run.ts';
import { given, typingOf } from './typed.ts';

/** Says that the bot may not write in the channel of a call, and what helps. */
export function noRoom({ invocation, locale }: AnyCall): Card {
  const where = typingOf(invocation);
  const alone = given(names.privately, where.platform === 'slack' ? 'yes' : 'True', where);
  return words(say(locale, 'commands.ask.no-room', { private: alone }), 'bad');
}
