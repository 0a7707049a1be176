import type { CommandsContext } from '../context.ts';
import { FileUnavailableError } from '../../platforms/ports/index.ts';
import { localize } from '../../i18n/index.ts';
import { iterableOf } from '../../utils/index.ts';
import type { TaskResult } from '../../domain/index.ts';
import { type CommandContext, replyCard, textCard } from './types.ts';

/** Hands a table over as a CSV file that who called alone gets, with words above it; where it is not taken, they are told why. */
export async function sendCsv(
  called: CommandContext,
  context: CommandsContext,
  { name, csv, above }: { readonly name: string; readonly csv: string; readonly above: string },
): Promise<TaskResult> {
  const { locale, invocation } = called;
  const content = Buffer.from(`${csv}\n`);
  const file = { name: `${name}.csv`, mimetype: 'text/csv', bytes: content.byteLength, words: above };
  try {
    await context.messenger.sendFilePrivately(
      invocation,
      { ...file, content: iterableOf(content) },
      `csv-${invocation.id}`,
    );
  } catch (error) {
    if (!(error instanceof FileUnavailableError)) throw error;
    return replyCard(called, textCard(localize(locale, ...error.why), 'bad'), context);
  }
  return replyCard(called, textCard(localize(locale, 'usage.csv.there'), 'good'), context);
}
