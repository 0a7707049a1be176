import type { CommandsContext } from '../../context.ts';
import { periodKey } from '../../../billing/budgets/index.ts';
import { escapeCsvCell } from '../../../billing/index.ts';
import { type Card, type CardPart, formatMention } from '../../../domain/index.ts';
import type { Rating } from '../../../storage/index.ts';
import { getDateLocale, type Locale, localize } from '../../../i18n/index.ts';
import { truncateText } from '../../../utils/index.ts';

/** Ratings of a number of weeks, newest first. */
export type RatingList = {
  readonly ratings: readonly Rating[];
  /** The filters, in words. */
  readonly only: readonly string[];
  /** How many of the newest ratings were read, if there are more. */
  readonly newest?: number | undefined;
  readonly weeks: number;
  readonly zone: string;
  readonly locale: Locale;
};

/** The number of ratings that are shown in full, and of lines per table. */
const MAX_LATEST = 10;
const MAX_GROUPS = 12;
/** How many rows of a file have a link: each needs a request to Slack. */
export const MAX_LINKS = 100;
/** Longer comments are shortened on a card. */
const MAX_SHOWN_CHARACTERS = 200;

export const formatModel = (model: string): string => `\`${model.replaceAll('`', '')}\``;

/** Returns whether only the person saw the answer: in a direct message, or as an ephemeral response in Discord. */
const isPrivateRating = ({ thread: { platform, channel, root } }: Rating): boolean =>
  platform === 'slack' ? channel.startsWith('D') : /^[pu]/u.test(root);

const getWeek = ({ askedAt }: Rating, zone: string): string => periodKey('week', askedAt, zone).slice(2);

/** Shows ratings by model, channel and week, and the latest ones with comments and links. `command` exports all. */
export async function createFeedbackCard(
  { ratings, only, newest, weeks, zone, locale }: RatingList,
  command: string,
  context: Pick<CommandsContext, 'messenger'>,
): Promise<Card> {
  const title = localize(locale, 'feedback.title');
  const what = only.join(' · ');
  const sum = [
    localize(locale, 'feedback.sum', { weeks, ...countRatings(ratings) }),
    ...(only.length === 0 ? [] : [localize(locale, 'feedback.only', { what })]),
    ...(newest === undefined ? [] : [localize(locale, 'feedback.newest', { count: newest })]),
  ].join('\n');
  if (ratings.length === 0) {
    const none = localize(locale, only.length === 0 ? 'feedback.none' : 'feedback.none-such');
    return { title, parts: [{ kind: 'text', markdown: `${sum}\n${none}` }] };
  }
  const latest = await Promise.all(
    ratings.slice(0, MAX_LATEST).map((one) => formatRating(one, zone, locale, context)),
  );
  const left = ratings.length - latest.length;
  const more: CardPart[] =
    left > 0 ? [{ kind: 'note', markdown: localize(locale, 'feedback.more', { count: left, command }) }] : [];
  const date = new Intl.DateTimeFormat(getDateLocale(locale), { dateStyle: 'medium', timeZone: 'UTC' });
  const week = (monday: string) =>
    localize(locale, 'feedback.week', { date: date.format(Date.parse(monday)) });
  return {
    title,
    parts: [
      { kind: 'text', markdown: sum },
      createTable(localize(locale, 'feedback.by-model'), ratings, ({ model }) => formatModel(model), locale),
      createTable(
        localize(locale, 'feedback.by-channel'),
        ratings,
        (one) => formatChannel(one, locale),
        locale,
      ),
      createTable(localize(locale, 'feedback.by-week'), ratings, (one) => week(getWeek(one, zone)), locale),
      ...splitIntoPages(latest).map((lines, n) =>
        createTextPart(n === 0 ? localize(locale, 'feedback.latest') : '', lines, ratings),
      ),
      ...more,
      { kind: 'note', markdown: localize(locale, 'feedback.nameless') },
    ],
  };
}

function countRatings(ratings: readonly Rating[]): { readonly good: number; readonly bad: number } {
  const good = ratings.filter((one) => one.good).length;
  return { good, bad: ratings.length - good };
}

/** Creates a line per group, largest first. */
function createTable(
  title: string,
  ratings: readonly Rating[],
  groupOf: (rating: Rating) => string,
  locale: Locale,
): CardPart {
  const groups = Map.groupBy(ratings, groupOf);
  const share = new Intl.NumberFormat(locale, { style: 'percent' });
  const sorted = [...groups].toSorted(([, a], [, b]) => b.length - a.length);
  const lines = sorted.slice(0, MAX_GROUPS).map(([name, of]) => {
    const { good, bad } = countRatings(of);
    return `- ${name}: 👍 ${good} · 👎 ${bad} (${share.format(good / of.length)})`;
  });
  const cut = sorted.length > MAX_GROUPS ? [`- +${sorted.length - MAX_GROUPS}`] : [];
  return createTextPart(title, [...lines, ...cut], ratings);
}

/** The number of ratings per part of a card: Slack limits a part to 3,000 characters. */
const LINES_PER_PART = 5;
const splitIntoPages = (lines: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(lines.length / LINES_PER_PART) }, (_, n) =>
    lines.slice(n * LINES_PER_PART, (n + 1) * LINES_PER_PART),
  );

/** `people` lets the platform show channels by name. */
const createTextPart = (title: string, lines: readonly string[], ratings: readonly Rating[]): CardPart => ({
  kind: 'text',
  markdown: [...(title === '' ? [] : [`**${title}**`]), ...lines].join('\n'),
  people: [
    ...new Set(ratings.filter((one) => !isPrivateRating(one)).map(({ thread }) => `#${thread.channel}`)),
  ],
});

const formatChannel = (rating: Rating, locale: Locale): string =>
  isPrivateRating(rating) ? localize(locale, 'feedback.private') : formatMention(`#${rating.thread.channel}`);

async function formatRating(
  rating: Rating,
  zone: string,
  locale: Locale,
  context: Pick<CommandsContext, 'messenger'>,
): Promise<string> {
  const { good, askedAt, model, text } = rating;
  const day = { dateStyle: 'medium', timeZone: zone } as const;
  const date = new Intl.DateTimeFormat(getDateLocale(locale), day).format(askedAt);
  const url = await findLink(rating, context);
  const link = url === undefined ? [] : [`[${localize(locale, 'feedback.answer')}](${url})`];
  const facts = [date, formatChannel(rating, locale), formatModel(model), ...link].join(' · ');
  const words = text === undefined ? '' : `\n  “${shortenText(text)}”`;
  return `- ${good ? '👍' : '👎'} ${facts}${words}`;
}

const shortenText = (text: string): string =>
  truncateText(text.replaceAll(/\s+/gu, ' ').trim(), MAX_SHOWN_CHARACTERS);

/** Returns the permalink of the answer; undefined if no one else can see it, or it was deleted. */
async function findLink(
  rating: Rating,
  { messenger }: Pick<CommandsContext, 'messenger'>,
): Promise<string | undefined> {
  if (isPrivateRating(rating)) return undefined;
  return messenger.getPermalink(rating.thread, rating.answer ?? rating.message).catch(() => undefined);
}

/** Formats all ratings as CSV. */
export async function formatFeedbackCsv(
  { ratings, zone }: Pick<RatingList, 'ratings' | 'zone'>,
  context: Pick<CommandsContext, 'messenger'>,
): Promise<string> {
  const rows: string[] = ['week,asked_at,channel,model,rating,text,link'];
  for (const [n, one] of ratings.entries()) {
    const link = n < MAX_LINKS ? await findLink(one, context) : undefined;
    const channel = isPrivateRating(one) ? 'private' : one.thread.channel;
    const facts = [getWeek(one, zone), new Date(one.askedAt).toISOString(), channel, one.model];
    rows.push([...facts, one.good ? 'good' : 'bad', one.text ?? '', link ?? ''].map(escapeCsvCell).join(','));
  }
  return rows.join('\n');
}
