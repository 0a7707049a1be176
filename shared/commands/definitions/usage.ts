import type { CommandsContext } from '../context.ts';
import { getAccountName } from '../../billing/budgets/index.ts';
import { getAccountPartition, getLastDays, getMonthDays, usageCard, usageCsv } from '../../billing/index.ts';
import { type TaskResult, type Card, channelId, userId, type UserId } from '../../domain/index.ts';
import { csvHint, csvLabel, localize, whoLabel } from '../../i18n/index.ts';
import type { UsageCounters } from '../../storage/index.ts';
import { sendCsv } from '../framework/send-csv.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'usage',
  options: [
    {
      name: 'of',
      kind: 'text',
      choices: ['mine', 'channel', 'workspace'],
    },
    { name: 'days', kind: 'number', min: 1, max: 31 },
    { name: 'csv', kind: 'yes-no' },
    { name: 'who', kind: 'user' },
  ],
  personMenu: { label: 'Usage', option: 'who' },
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  of: { default: 'mine' },
  who: { onlyWith: { of: ['mine'] } },
};

export const helpOrder = 7;

const SCOPES = { mine: 'person', channel: 'channel', workspace: 'workspace' } as const;
type AccountScope = (typeof SCOPES)[keyof typeof SCOPES];
const DEFAULT_DAYS = 7;

type UsageQuery = {
  readonly of: keyof typeof SCOPES;
  readonly days: number;
  /** Another person than the caller. */
  readonly who?: UserId | undefined;
};

/** Shows the usage of the caller, this channel or the workspace; the latter only to admins. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { options } = request;
  const of = options['of'] === 'channel' || options['of'] === 'workspace' ? options['of'] : 'mine';
  const who = options['who'] === undefined ? undefined : userId(String(options['who']));
  const query: UsageQuery = { of, days: Math.floor(Number(options['days'] ?? DEFAULT_DAYS)), who };
  return options['csv'] === true
    ? sendUsageCsv(request, context, query)
    : replyCard(request, await createUsageCard(request, context, query), context);
};

/** Creates the usage card. */
export async function createUsageCard(
  request: InteractionRequest,
  context: Pick<CommandsContext, 'budgets' | 'time'>,
  query: Partial<UsageQuery> = {},
): Promise<Card> {
  const result = await findAccounts(request, context, { of: 'mine', days: DEFAULT_DAYS, ...query });
  if ('parts' in result) return result;
  const { budgets, place, who, zone, dates } = result;
  const scope = SCOPES[query.of ?? 'mine'];
  const monthDates = scope === 'person' ? getMonthDays(context.time.now(), zone) : [];
  const read = await readDays(result, [...new Set([...dates, ...monthDates])], scope);
  const pick = (of: readonly string[]) => read.filter(({ date }) => of.includes(date));
  const report = { scope, zone, days: pick(dates), month: pick(monthDates) };
  const card = usageCard(
    { ...report, budgets: await budgets.listBudgets(place, who, scope) },
    request.locale,
  );
  if (query.who === undefined) return card;
  return { ...card, title: localize(request.locale, texts.personMenu), by: query.who };
}

/** Returns whose accounts are shown and for which days; a card if the caller may not see them. */
async function findAccounts(
  { interaction, locale, admin }: InteractionRequest,
  { budgets, time }: Pick<CommandsContext, 'budgets' | 'time'>,
  { of, days, who }: UsageQuery,
) {
  if (!budgets.enabled) return textCard(localize(locale, 'usage.off'));
  const { platform, workspace, channel = channelId('none'), by } = interaction;
  const isOfOthers = of === 'workspace' || (who !== undefined && who !== by.user);
  if (isOfOthers && !admin) return textCard(localize(locale, 'usage.admins'), 'bad');
  const place = { platform, workspace, channel };
  // Of the workspace, not of the caller: accounts have whole days.
  const zone = await budgets.getZone(place);
  const dates = getLastDays(days, time.now(), zone);
  return { budgets, place, who: { person: who ?? by.user, channel }, zone, dates };
}

type UsageAccounts = Exclude<Awaited<ReturnType<typeof findAccounts>>, Card>;

/** Sends the usage as a private CSV file; for the workspace, with all accounts of people and channels. */
async function sendUsageCsv(
  request: CommandRequest,
  context: CommandsContext,
  query: UsageQuery,
): Promise<TaskResult> {
  const result = await findAccounts(request, context, query);
  if ('parts' in result) return replyCard(request, result, context);
  const { zone, dates } = result;
  const { accounts, from } =
    query.of === 'workspace'
      ? await listLatestAccounts(result)
      : { accounts: await readOwnAccounts(result, SCOPES[query.of]), from: dates[0] };
  const period = { from: from ?? '', to: dates.at(-1) ?? '' };
  const above = [
    localize(request.locale, 'usage.csv.file', period),
    localize(request.locale, 'usage.quota.zone', { zone }),
    ...(from === dates[0] ? [] : [localize(request.locale, 'usage.csv.cut')]),
  ].join(' ');
  const name = `usage-${period.from}-${period.to}`;
  return sendCsv(request, context, { name, csv: usageCsv(accounts), above });
}

const readOwnAccounts = async (of: UsageAccounts, scope: AccountScope) =>
  (await readDays(of, of.dates, scope)).map(({ counters }) => counters);

/** Limits the file to some MB. */
const MAX_CSV_ACCOUNTS = 20_000;

/** Lists the accounts of a workspace, oldest first: those of as many of the last days as fit into a file. `from`: the first of these days. */
async function listLatestAccounts({ budgets, place, dates }: UsageAccounts) {
  let accounts: readonly UsageCounters[] = [];
  let from = dates.at(-1);
  for (const date of dates.toReversed()) {
    const ofDay = await budgets.listAccounts(place, date);
    if (accounts.length > 0 && accounts.length + ofDay.length > MAX_CSV_ACCOUNTS) break;
    accounts = [...ofDay, ...accounts];
    from = date;
  }
  return { accounts, from };
}

/** Reads the account of one person, channel or workspace on each of these days. */
function readDays({ budgets, place, who }: UsageAccounts, dates: readonly string[], scope: AccountScope) {
  const tail = getAccountName(scope, who, 'day', 0, 'UTC').slice('D#1970-01-01'.length);
  return Promise.all(
    dates.map(async (date) => ({
      date,
      counters: await budgets.readCounters(getAccountPartition(place), `D#${date}${tail}`),
    })),
  );
}

export const texts = {
  name: {
    en: 'usage',
    de: 'verbrauch',
    fr: 'consommation',
    es: 'consumo',
    pt: 'consumo',
    ja: '使用量',
    ko: '사용량',
    zh: '用量',
  },
  about: {
    en: 'Usage and costs',
    de: 'Verbrauch und Kosten',
    fr: 'Consommation et coûts',
    es: 'Consumo y costes',
    pt: 'Consumo e custos',
    ja: '使用量と費用',
    ko: '사용량과 비용',
    zh: '用量与费用',
  },
  'of.name': { en: 'of', de: 'von', fr: 'de', es: 'de', pt: 'de', ja: '対象', ko: '대상', zh: '范围' },
  'of.about': {
    en: 'Whose',
    de: 'Wessen Verbrauch',
    fr: 'De qui',
    es: 'De quién',
    pt: 'De quem',
    ja: '対象',
    ko: '대상',
    zh: '范围',
  },
  'of=mine': {
    en: 'Mine',
    de: 'Mein Verbrauch',
    fr: 'La mienne',
    es: 'Lo mío',
    pt: 'Meu',
    ja: '自分',
    ko: '내 사용량',
    zh: '我的',
  },
  'of=channel': {
    en: "This channel's",
    de: 'Dieser Kanal',
    fr: 'Ce canal',
    es: 'Este canal',
    pt: 'Este canal',
    ja: 'このチャンネル',
    ko: '이 채널',
    zh: '此频道',
  },
  'of=workspace': {
    en: "Everybody's",
    de: 'Von allen',
    fr: 'De tous',
    es: 'De todos',
    pt: 'De todos',
    ja: '全員',
    ko: '전체',
    zh: '所有人',
  },
  'days.name': {
    en: 'days',
    de: 'tage',
    fr: 'jours',
    es: 'días',
    pt: 'dias',
    ja: '日数',
    ko: '일수',
    zh: '天数',
  },
  'days.about': {
    en: 'How many days back',
    de: 'Wie viele Tage zurück',
    fr: 'Sur combien de jours',
    es: 'Cuántos días atrás',
    pt: 'Quantos dias atrás',
    ja: 'さかのぼる日数',
    ko: '며칠 전까지',
    zh: '往前多少天',
  },
  'csv.name': csvLabel,
  'csv.about': csvHint,
  'who.name': whoLabel,
  'who.about': {
    en: 'Whose usage, for administrators',
    de: 'Wessen Verbrauch, für Admins',
    fr: 'De qui, pour les administrateurs',
    es: 'De quién, para administradores',
    pt: 'De quem, para administradores',
    ja: '対象者（管理者向け）',
    ko: '대상 (관리자용)',
    zh: '对象（管理员）',
  },
  personMenu: {
    en: 'Usage',
    de: 'Verbrauch',
    fr: 'Consommation',
    es: 'Consumo',
    pt: 'Consumo',
    ja: '使用量',
    ko: '사용량',
    zh: '用量',
  },
} satisfies TextsOf<typeof spec>;
