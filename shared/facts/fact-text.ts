import { MAX_FACT_LENGTH } from '../domain/index.ts';
import { toVisibleText } from '../utils/index.ts';

/** Returns a fact as it is stored: one line without invisible characters. Undefined if it is empty or longer than `MAX_FACT_LENGTH`. */
export function toFactText(text: string): string | undefined {
  const line = toVisibleText(text, 4 * MAX_FACT_LENGTH)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  return line === '' || line.length > MAX_FACT_LENGTH ? undefined : line;
}
