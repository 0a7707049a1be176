import { FileRefused } from '../../platforms/platform.ts';
import { say } from '../../texts/index.ts';
import { once } from '../once.ts';
import type { Deps, Verdict } from '../ports.ts';
import { type CalledCommand, tell, words } from './run.ts';

/** Hands a table over as a CSV file that who called alone gets, with words above it; where it is not taken, they are told why. */
export async function handCsv(
  called: CalledCommand,
  deps: Deps,
  { name, csv, above }: { readonly name: string; readonly csv: string; readonly above: string },
): Promise<Verdict> {
  const { locale, invocation } = called;
  const content = Buffer.from(`${csv}\n`);
  const file = { name: `${name}.csv`, mimetype: 'text/csv', bytes: content.byteLength, words: above };
  try {
    await deps.stage.hand(invocation, { ...file, content: once(content) }, `csv-${invocation.id}`);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return tell(called, words(say(locale, ...error.why), 'bad'), deps);
  }
  return tell(called, words(say(locale, 'usage.csv.there'), 'good'), deps);
}
