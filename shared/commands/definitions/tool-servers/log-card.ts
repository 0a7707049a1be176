import type { CommandsContext } from '../../context.ts';
import type { Card } from '../../../domain/index.ts';
import { createLogTimeFormat, localize } from '../../../i18n/index.ts';
import { textCard } from '../../framework/types.ts';
import { getReaderZone } from '../../framework/reader-zone.ts';
import type { ToolsRequest } from './show-servers.ts';

/** Most calls in the log on a card. */
const MAX_LOGGED = 20;

/** The newest calls of tools in this workspace. */
export async function createToolLogCard(
  { interaction, locale }: ToolsRequest,
  context: CommandsContext,
): Promise<Card> {
  const calls = await context.toolLog.list(interaction, MAX_LOGGED);
  if (calls.length === 0) return textCard(localize(locale, 'tools.log.none'));
  const format = createLogTimeFormat(await getReaderZone({ interaction }, context), locale);
  const lines = calls.map(({ at, by, source, tool, ms, outcome, channel }) =>
    [
      format.format(at),
      `<@${by}>`,
      `<#${channel}>`,
      `${source}: ${tool}`,
      localize(locale, 'memory.why.seconds', { seconds: Math.round(ms / 100) / 10 }),
      localize(locale, `memory.why.tools.${outcome}`),
    ].join(', '),
  );
  const people = [...new Set(calls.flatMap(({ by, channel }) => [by, `#${channel}`]))];
  return {
    title: localize(locale, 'tools.list.title'),
    parts: [{ kind: 'text', markdown: lines.join('\n'), people }],
  };
}
