import type { CommandsContext } from '../context.ts';
import { FileUnavailableError } from '../../platforms/ports/index.ts';
import { localize } from '../../i18n/index.ts';
import { iterableOf } from '../../utils/index.ts';
import type { TaskResult } from '../../domain/index.ts';
import { type CommandRequest, DONE, replyCard, textCard } from './types.ts';

/** Sends a CSV file that only the caller sees, with a text above it, after a card that announces it. If the platform rejects the file, explains why. */
export async function sendCsv(
  request: CommandRequest,
  context: CommandsContext,
  { name, csv, above }: { readonly name: string; readonly csv: string; readonly above: string },
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const content = Buffer.from(`${csv}\n`);
  const file = { name: `${name}.csv`, mimetype: 'text/csv', bytes: content.byteLength, words: above };
  // Before the file: as the first response to a command of Discord, the file would take the place of this card.
  await replyCard(request, textCard(localize(locale, 'usage.csv.comes')), context);
  try {
    await context.messenger.sendFilePrivately(
      interaction,
      { ...file, content: iterableOf(content) },
      `csv-${interaction.id}`,
    );
  } catch (error) {
    if (!(error instanceof FileUnavailableError)) throw error;
    return replyCard(request, textCard(localize(locale, ...error.why), 'bad'), context);
  }
  return DONE;
}
