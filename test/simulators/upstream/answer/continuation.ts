import type { Random } from '../random.ts';
import { sentence } from './prose.ts';

const WISH = /^(?:please\s+)?(?:go on|continue)\b/iu;
const SENTENCE_END = /[.!?:]["”*_)]*\s*$/u;

/** Goes on with an answer that was cut: ends its sentence, and adds two. Undefined for any other question. */
export function continueAnswer(
  question: string,
  before: string | undefined,
  random: Random,
): string | undefined {
  if (before === undefined || !WISH.test(question)) return undefined;
  const rest = SENTENCE_END.test(before) ? ' ' : ' and so on. ';
  return `${rest}Here the practice model goes on where it stopped. ${sentence(random)} ${sentence(random)}`;
}
