import { accountOf } from '../../budgets/index.ts';
import { channelId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { bookOf } from '../spending.ts';
import { lastDays, usageCard, usageCsv } from '../usage.ts';
import { type CalledCommand, type Run, tell, words } from './run.ts';
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

/** What was spent: one's own, this channel's, or the workspace's, which is for those who administer it. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { invocation, options, locale } = called;
  const { spending, time } = deps;
  if (!spending) return tell(called, words(say(locale, 'usage.off')), deps);
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const of = options['of'] === 'channel' || options['of'] === 'workspace' ? options['of'] : 'mine';
  const scope = SCOPES[of];
  if (scope === 'workspace' && !called.admin)
    return tell(called, words(say(locale, 'usage.admins'), 'bad'), deps);
  const place = { platform, workspace, channel };
  const who = { person: by.user, channel };
  const zone = await spending.zoneOf(place);
  const dates = lastDays(Math.floor(Number(options['days'] ?? 7)), time.now(), zone);
  const name = accountOf(scope, who, 'day', time.now(), zone).slice('D#2026-11-21'.length);
  const days = await Promise.all(
    dates.map(async (date) => ({ date, tally: await spending.tally(bookOf(place), `D#${date}${name}`) })),
  );
  if (options['csv'] === true) {
    const csv = usageCsv(days);
    const shown = csv.length <= MOST_CSV ? csv : csv.slice(0, csv.lastIndexOf('\n', MOST_CSV));
    const cut = shown === csv ? '' : `\n${say(locale, 'usage.cut')}`;
    return tell(called, words(`\`\`\`\n${shown}\n\`\`\`${cut}`), deps);
  }
  const budgets = await spending.budgets(place, who, scope);
  return tell(called, usageCard({ scope, days, budgets }, locale), deps);
};
