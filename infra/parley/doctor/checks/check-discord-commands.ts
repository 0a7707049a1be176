import * as v from 'valibot';
import { FILES } from '../../../../shared/commands/index.ts';
import { compareCommands } from '../../../cli/compare-commands.ts';
import { buildDiscordCommands } from '../../../cli/index.ts';
import { type Check, pass, type ProbeResult, warn } from '../../../configuration/index.ts';

const commandListSchema = v.array(v.record(v.string(), v.unknown()));
const MAX_SHOWN = 5;

/**
 * Compares the registered commands with those of this version, from the response to
 * `GET /applications/{id}/commands?with_localizations=true`. Empty if there are none, which is reported elsewhere.
 */
export function evaluateCommandDifferences(response: ProbeResult): Check[] {
  const parsed = response.kind === 'answered' ? v.safeParse(commandListSchema, response.json) : undefined;
  if (!parsed?.success || parsed.output.length === 0) return [];
  const { lines, hasChanges } = compareCommands(parsed.output, buildDiscordCommands(FILES));
  if (!hasChanges) return [pass('Discord commands', 'are those of this version.')];
  const changes = lines.filter((line) => !line.startsWith('='));
  const list = changes.slice(0, MAX_SHOWN).join(', ') + (changes.length > MAX_SHOWN ? ', …' : '');
  return [
    warn('Discord commands', `differ from those of this version: ${list}.`, 'Run: npm run discord:register'),
  ];
}
