import { accountOf } from '../../budgets/index.ts';
import { type Card, channelId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { bookOf } from '../spending.ts';
import { lastDays, usageCard, usageCsv } from '../usage.ts';
import type { Deps } from '../ports.ts';
import { type AnyCall, type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'usage',
  platforms: BOTH,
  answers: 'private',
  about: 'usage.about',
  options: [
    {
      name: 'of',
      about: 'usage.of.about',
      kind: 'text',
      choices: [
        { value: 'mine', text: 'usage.of.mine' },
        { value: 'channel', text: 'usage.of.channel' },
        { value: 'workspace', text: 'usage.of.workspace' },
      ],
    },
    { name: 'days', about: 'usage.days.about', kind: 'number', least: 1, most: 31 },
    { name: 'csv', about: 'usage.csv.about', kind: 'yes-no' },
  ],
};

const SCOPES = { mine: 'person', channel: 'channel', workspace: 'workspace' } as const;
/** A card takes so much text. */
const MOST_CSV = 2_800;
/** As many days back, unless told otherwise. */
const DAYS = 7;

/** What was spent: one's own, this channel's, or the workspace's, which is for those who administer it. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { options } = called;
  const of = options['of'] === 'channel' || options['of'] === 'workspace' ? options['of'] : 'mine';
  const days = Math.floor(Number(options['days'] ?? DAYS));
  return tell(called, await usageOf(called, deps, of, { days, csv: options['csv'] === true }), deps);
};

/** The same as a card. */
export async function usageOf(
  called: AnyCall,
  { spending, time }: Pick<Deps, 'spending' | 'time'>,
  of: keyof typeof SCOPES,
  { days: count, csv: asCsv } = { days: DAYS, csv: false },
): Promise<Card> {
  const { invocation, locale } = called;
  if (!spending) return words(say(locale, 'usage.off'));
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const scope = SCOPES[of];
  if (scope === 'workspace' && !called.admin) return words(say(locale, 'usage.admins'), 'bad');
  const place = { platform, workspace, channel };
  const who = { person: by.user, channel };
  const zone = await spending.zoneOf(place);
  const dates = lastDays(count, time.now(), zone);
  const name = accountOf(scope, who, 'day', time.now(), zone).slice('D#2026-11-21'.length);
  const days = await Promise.all(
    dates.map(async (date) => ({ date, tally: await spending.tally(bookOf(place), `D#${date}${name}`) })),
  );
  if (asCsv) {
    const csv = usageCsv(days);
    const shown = csv.length <= MOST_CSV ? csv : csv.slice(0, csv.lastIndexOf('\n', MOST_CSV));
    const cut = shown === csv ? '' : `\n${say(locale, 'usage.cut')}`;
    return words(`\`\`\`\n${shown}\n\`\`\`${cut}`);
  }
  const budgets = await spending.budgets(place, who, scope);
  return usageCard({ scope, days, budgets }, locale);
}
