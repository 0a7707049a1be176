import { accountOf } from '../../budgets/index.ts';
import { type Card, channelId, userId, type UserId } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { bookOf } from '../spending.ts';
import { lastDays, usageCard, usageCsv } from '../usage.ts';
import { once } from '../once.ts';
import type { Deps, Verdict } from '../ports.ts';
import { FileRefused } from '../../platforms/platform.ts';
import { type AnyCall, type CalledCommand, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'usage',
  platforms: BOTH,
  about: 'usage.about',
  options: [
    {
      name: 'of',
      kind: 'text',
      choices: ['mine', 'channel', 'workspace'],
    },
    { name: 'days', kind: 'number', least: 1, most: 31 },
    { name: 'csv', kind: 'yes-no' },
    { name: 'who', kind: 'user' },
  ],
  onPerson: { label: 'Usage', text: 'usage.label', option: 'who' },
};

const SCOPES = { mine: 'person', channel: 'channel', workspace: 'workspace' } as const;
/** As many days back, unless told otherwise. */
const DAYS = 7;

type Asked = {
  readonly of: keyof typeof SCOPES;
  readonly days: number;
  /** Somebody else than who asks. */
  readonly who?: UserId | undefined;
};

/** What was spent: one's own, this channel's, or the workspace's, which is for those who administer it. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { options } = called;
  const { of: wanted } = options;
  const of = wanted === 'channel' || wanted === 'workspace' ? wanted : 'mine';
  const who = options['who'] === undefined ? undefined : userId(String(options['who']));
  const asked: Asked = { of, days: Math.floor(Number(options['days'] ?? DAYS)), who };
  return options['csv'] === true
    ? asFile(called, deps, asked)
    : tell(called, await usageOf(called, deps, asked), deps);
};

/** The same as a card. */
export async function usageOf(
  called: AnyCall,
  deps: Pick<Deps, 'spending' | 'time'>,
  asked: Partial<Asked> = {},
): Promise<Card> {
  const found = await accountsOf(called, deps, { of: 'mine', days: DAYS, ...asked });
  if ('parts' in found) return found;
  const { spending, place, who, dates } = found;
  const scope = SCOPES[asked.of ?? 'mine'];
  const tail = accountOf(scope, who, 'day', 0, 'UTC').slice('D#1970-01-01'.length);
  const days = await Promise.all(
    dates.map(async (date) => ({ date, tally: await spending.tally(bookOf(place), `D#${date}${tail}`) })),
  );
  const card = usageCard({ scope, days, budgets: await spending.budgets(place, who, scope) }, called.locale);
  if (asked.who === undefined) return card;
  return { ...card, title: say(called.locale, 'usage.label'), by: asked.who };
}

/** Whose accounts, of which days; a card where there are none to be seen. */
async function accountsOf(
  { invocation, locale, admin }: AnyCall,
  { spending, time }: Pick<Deps, 'spending' | 'time'>,
  { of, days, who }: Asked,
) {
  if (!spending) return words(say(locale, 'usage.off'));
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const theirs = of === 'workspace' || (who !== undefined && who !== by.user);
  if (theirs && !admin) return words(say(locale, 'usage.admins'), 'bad');
  const place = { platform, workspace, channel };
  const dates = lastDays(days, time.now(), await spending.zoneOf(place));
  return { spending, place, who: { person: who ?? by.user, channel }, dates };
}

/** The same as a file, for who called alone; of the workspace every account, of people and of channels too. */
async function asFile(called: CalledCommand, deps: Deps, asked: Asked): Promise<Verdict> {
  const found = await accountsOf(called, deps, asked);
  if ('parts' in found) return tell(called, found, deps);
  const { spending, place, who, dates } = found;
  const { locale, invocation } = called;
  const from = dates[0] ?? '';
  const to = dates.at(-1) ?? '';
  const all = await spending.accounts(place, from, to);
  const own = accountOf(SCOPES[asked.of], who, 'day', 0, 'UTC').slice('D#1970-01-01'.length);
  const csv = usageCsv(asked.of === 'workspace' ? all : all.filter(({ account }) => account.endsWith(own)));
  const content = Buffer.from(`${csv}\n`);
  const file = { name: `usage-${from}-${to}.csv`, mimetype: 'text/csv', bytes: content.byteLength };
  const said = say(locale, 'usage.csv.file', { from, to });
  try {
    await deps.stage.hand(
      invocation,
      { ...file, words: said, content: once(content) },
      `usage-${invocation.id}`,
    );
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    return tell(called, words(say(called.locale, ...error.why), 'bad'), deps);
  }
  return tell(called, words(say(locale, 'usage.csv.there'), 'good'), deps);
}
