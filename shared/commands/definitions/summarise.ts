import type { CommandsContext } from '../context.ts';
import {
  type Card,
  type CardPart,
  parseThread,
  type QueueDelivery,
  type TaskResult,
} from '../../domain/index.ts';
import { type History, HistoryUnavailableError } from '../../platforms/ports/index.ts';
import { localize, getLanguageName } from '../../i18n/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { MAX_DAYS_BACK, PERIODS, periodStart, type SummaryPeriod } from '../../summary/index.ts';
import { answeringFailures } from '../framework/run-model-request.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type AnyPayload,
  type InteractionContext,
  type CommandContext,
  DONE,
  type CommandRun,
  staleReply,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { showPublicly } from '../framework/show-publicly.ts';
import type { CommandSpec, MessageCommandSpec, OnMessageTexts, TextsOf } from '../framework/command-spec.ts';
import {
  refusalWords,
  type Selection,
  type SummedUp,
  requestSummary,
  type SummaryRequest,
  zoneOf,
} from './parts/request-summary.ts';

export const spec = {
  name: 'summarise',
  options: [{ name: 'period', kind: 'text', choices: ['yesterday', 'week', 'last-message'], rest: true }],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = { period: { usual: 'yesterday' } };

export const onMessage = {
  name: 'summarise',
  label: 'Summarise thread',
} as const satisfies MessageCommandSpec;

/** No form is called that: its name has a sign that names do not have. Only that of a thread may be shown to all. */
const SUMMARY = { thread: '#summary', channel: '#channel-summary' } as const;
const WISH = {
  thread:
    'Sum up this thread for somebody who has not read it: what it is about, what was decided, what is open. Answer in the language of the thread, in at most ten lines.',
  channel: (language: string) =>
    `Sum up what was said here for somebody who was away: topic by topic, what was decided, what is open, and what they are asked to do. Answer in ${language}, in at most ten lines.`,
} as const;

/** More messages than these are not read. Of a thread Slack gives 1,000 at most at a time, Discord 100. */
const MAX_MESSAGES = { thread: 3_000, channel: 1_000 } as const;
/** The replies in as many threads of a channel are read. */
const MAX_THREADS = 12;

/** Sums up the thread of a message, all of it: for who asked alone, until they show it to all. */
export const runOnMessage: CommandRun<InteractionContext<'on-message'>> = async (
  called,
  context,
  delivery,
) => {
  const { thread } = called.call.message;
  const wanted = { place: thread, range: { maxMessages: MAX_MESSAGES.thread }, wish: WISH.thread };
  return summarised(called, context, delivery, 'thread', wanted);
};

/** Sums up what was said in a channel, or in the thread in which it is called, since a moment: for who asked alone. */
export const run: CommandRun<CommandContext> = async (called, context, delivery) => {
  const { invocation, locale, options } = called;
  const { platform, workspace, channel, thread } = invocation;
  if (!channel)
    return replyCard(called, textCard(localize(locale, 'summary.refused.not-added'), 'bad'), context);
  const period = PERIODS.find((one) => one === options['period']) ?? 'yesterday';
  const since = periodStart(period, context.time.now(), await zoneOf(called, context));
  return summarised(called, context, delivery, 'channel', {
    place: thread ?? { platform, workspace, channel },
    range: { since, maxMessages: MAX_MESSAGES.channel, maxThreads: MAX_THREADS },
    wish: WISH.channel(getLanguageName('en', locale)),
    select: selectorOf(period, since, called),
  });
};

/**
 * What counts of the messages of a period. No platform tells a bot what somebody has read: what they said last is the best there is
 * to go by.
 */
const selectorOf =
  (period: SummaryPeriod, start: number, { invocation, locale }: AnyPayload) =>
  ({ messages: read, incomplete, unreadThreads }: History): Selection => {
    // Slack gives the first message of a thread along, whenever that was said.
    const messages = read.filter(({ at }) => at >= start);
    if (period !== 'last-message') return { messages, incomplete, since: start };
    const own = messages.findLastIndex((one) => one.by === invocation.by.user);
    // What was said before it, nobody wants to know.
    if (own >= 0) return { messages: messages.slice(own + 1), since: messages[own]?.at };
    const remark =
      incomplete || unreadThreads > 0
        ? localize(locale, 'summary.own-message-unread')
        : localize(locale, 'summary.no-own-message', { days: MAX_DAYS_BACK });
    return { messages, incomplete, since: start, remark };
  };

/** What was summed up is told, and kept: delivered again, the same is shown, and it is what is shown to all. */
async function summarised(
  called: AnyPayload,
  context: CommandsContext,
  delivery: QueueDelivery,
  kind: keyof typeof SUMMARY,
  wanted: SummaryRequest,
): Promise<TaskResult> {
  const { invocation, locale } = called;
  const place = getInteractionSettingsPlace(invocation);
  const { id, by } = invocation;
  if (by.mayReadHistory === false)
    return replyCard(called, textCard(localize(locale, 'summary.refused.not-yours'), 'bad'), context);
  return answeringFailures(called, context, delivery, async () => {
    const kept = await context.drafts.find(place, id);
    if (kept) return replyCard(called, privately(called, kind, summaryIn(kept)), context);
    try {
      const made = await requestSummary(called, context, delivery, wanted);
      if ('nothing' in made) return await replyCard(called, textCard(made.nothing), context);
      const frame = JSON.stringify(kind === 'thread' ? wanted.place : null);
      const draft = { id, by: by.user, name: SUMMARY[kind], frame, value: keptAs(made) };
      if (!made.isErased) await context.drafts.create(place, draft);
      return await replyCard(called, privately(called, made.isErased ? 'channel' : kind, made), context);
    } catch (error) {
      if (!(error instanceof HistoryUnavailableError)) throw error;
      return replyCard(called, textCard(refusalWords(called, error), 'bad'), context);
    }
  });
}

const partsOf = ({ text, note, links: ownLinks }: SummedUp): CardPart[] => [
  { kind: 'text', markdown: text, ownLinks },
  ...(note === '' ? [] : [{ kind: 'note' as const, markdown: note, ownLinks }]),
];

/** That of a thread with a button that shows it to all: `summarise.show|id`. */
function privately({ invocation, locale }: AnyPayload, kind: keyof typeof SUMMARY, made: SummedUp): Card {
  if (kind === 'channel') return { parts: partsOf(made) };
  const action = { name: 'summarise.show', args: [invocation.id] };
  const label = localize(locale, 'settings.summarise.show');
  return { parts: [...partsOf(made), { kind: 'controls', controls: [{ kind: 'button', label, action }] }] };
}

/** The summary is shown in its thread, with the name of who asked for it: once, however often it is pressed. */
export const act: CommandRun<InteractionContext<'action' | 'form'>> = async (
  called,
  context,
): Promise<TaskResult> => {
  const { call, invocation, locale } = called;
  const [id = ''] = call.action.args;
  const draft = await context.drafts.find(getInteractionSettingsPlace(invocation), id);
  const theirs = draft?.by === String(invocation.by.user) && draft.name === SUMMARY.thread && !draft.sent;
  if (call.action.name !== 'summarise.show' || !draft || !theirs) return staleReply(called, context);
  const thread = parseThread(draft.frame);
  const card = { parts: partsOf(summaryIn(draft)), by: invocation.by.user };
  if (!(await showPublicly(called, thread, card, draft, context))) return DONE;
  return replyCard(called, textCard(localize(locale, 'settings.summarise.shown'), 'good'), context);
};

/** What an earlier version kept are words alone. */
function summaryIn({ value }: { readonly value: string }): SummedUp {
  const kept: unknown = JSON.parse(value);
  if (typeof kept === 'string') return { text: kept, note: '', links: [] };
  const [text = '', note = '', ...links] = Array.isArray(kept) ? kept.map(String) : [];
  return { text, note, links };
}

/** For `summaryIn`. */
const keptAs = ({ text, note, links }: SummedUp): string => JSON.stringify([text, note, ...links]);

export const texts = {
  name: {
    en: 'summarise',
    de: 'zusammenfassen',
    fr: 'résumer',
    es: 'resumir',
    pt: 'resumir',
    ja: '要約',
    ko: '요약',
    zh: '总结',
  },
  about: {
    en: 'Summarize this channel or thread, only for you',
    de: 'Fasst zusammen, was in diesem Kanal oder Thread gesagt wurde, nur für dich',
    fr: 'Résume ce qui a été dit dans ce canal ou ce fil, pour vous seul',
    es: 'Resume lo que se dijo en este canal o hilo, solo para ti',
    pt: 'Resume o que foi dito neste canal ou conversa, só para você',
    ja: 'このチャンネルやスレッドでの発言を、あなただけに要約します',
    ko: '이 채널이나 스레드에서 오간 말을 나에게만 요약합니다',
    zh: '总结此频道或消息列中的发言，只给你看',
  },
  'period.name': {
    en: 'period',
    de: 'zeitraum',
    fr: 'période',
    es: 'periodo',
    pt: 'período',
    ja: '期間',
    ko: '기간',
    zh: '时段',
  },
  'period.about': {
    en: 'Since when; if left out, since yesterday',
    de: 'Seit wann; ohne Angabe seit gestern',
    fr: 'Depuis quand ; sinon, depuis hier',
    es: 'Desde cuándo; si no, desde ayer',
    pt: 'Desde quando; se não disser, desde ontem',
    ja: 'いつから。省略すると昨日から',
    ko: '언제부터. 비워 두면 어제부터',
    zh: '从何时起；不填则从昨天起',
  },
  'period=yesterday': {
    en: 'since yesterday',
    de: 'seit gestern',
    fr: 'depuis hier',
    es: 'desde ayer',
    pt: 'desde ontem',
    ja: '昨日から',
    ko: '어제부터',
    zh: '从昨天起',
  },
  'period=week': {
    en: 'the last 7 days',
    de: 'die letzten 7 Tage',
    fr: 'les 7 derniers jours',
    es: 'los últimos 7 días',
    pt: 'os últimos 7 dias',
    ja: '過去 7 日間',
    ko: '지난 7일',
    zh: '过去 7 天',
  },
  'period=yesterday.short': {
    en: 'yesterday',
    de: 'gestern',
    fr: 'hier',
    es: 'ayer',
    pt: 'ontem',
    ja: '昨日',
    ko: '어제',
    zh: '昨天',
  },
  'period=week.short': {
    en: '7 days',
    de: '7 Tage',
    fr: '7 jours',
    es: '7 días',
    pt: '7 dias',
    ja: '7 日間',
    ko: '7일',
    zh: '7 天',
  },
  'period=week.plain': {
    en: 'last 7 days',
    de: 'letzte 7 Tage',
    fr: '7 derniers jours',
    es: 'últimos 7 días',
    pt: 'últimos 7 dias',
    ja: '過去 7 日',
    ko: '최근 7일',
    zh: '最近 7 天',
  },
  'period=last-message': {
    en: 'since my last message here',
    de: 'seit meiner letzten Nachricht hier',
    fr: 'depuis mon dernier message ici',
    es: 'desde mi último mensaje aquí',
    pt: 'desde minha última mensagem aqui',
    ja: 'ここでの自分の最後の発言から',
    ko: '여기 내 마지막 메시지부터',
    zh: '从我在此的上一条消息起',
  },
  onMessage: {
    en: 'Summarise thread',
    de: 'Thread zusammenfassen',
    fr: 'Résumer le fil',
    es: 'Resumir el hilo',
    pt: 'Resumir a conversa',
    ja: 'スレッドを要約',
    ko: '스레드 요약',
    zh: '总结消息列',
  },
} satisfies TextsOf<typeof spec> & OnMessageTexts;
