import type { CommandsContext } from '../context.ts';
import { type Card, parseThread, type QueueDelivery, type TaskResult } from '../../domain/index.ts';
import { HistoryUnavailableError } from '../../platforms/ports/index.ts';
import { localize } from '../../i18n/index.ts';
import { getInteractionSettingsPlace } from '../../settings/index.ts';
import { PERIODS, getPeriodStart, type SummaryPeriod } from '../../summary/index.ts';
import { withFailureReply } from '../framework/run-model-request.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import {
  type InteractionRequest,
  type CommandRequest,
  DONE,
  type CommandHandler,
  replyStale,
  replyCard,
  textCard,
} from '../framework/types.ts';
import { showPublicly } from '../framework/show-publicly.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';
import {
  CHANNEL_RANGE,
  getChannelInstructions,
  describeHistoryError,
  type SummaryResult,
  parseSummary,
  createSummaryParts,
  requestSummary,
  serializeSummary,
  type SummaryRequest,
} from './parts/request-summary.ts';
import { getReaderZone } from '../framework/reader-zone.ts';
import { createCatchUpSelector, createSelector } from './summaries/select-messages.ts';

export const spec = {
  name: 'summarise',
  options: [{ name: 'period', kind: 'text', choices: ['yesterday', 'week', 'last-message'], rest: true }],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = { period: { default: 'yesterday' } };

export const messageCommand = {
  name: 'summarise',
  label: 'Summarise thread',
} as const satisfies MessageCommandSpec;

/** Names of drafts; `#` cannot occur in names of presets. Only the summary of a thread can be shown to everyone. */
const DRAFT_NAMES = { thread: '#summary', channel: '#channel-summary' } as const;
const THREAD_INSTRUCTIONS =
  'Sum up this thread for somebody who has not read it: what it is about, what was decided, what is open. Answer in the language of the thread, in at most ten lines.';

/** How many messages of a thread are read. A page of Slack has up to 1,000 of them, one of Discord 100. */
const MAX_THREAD_MESSAGES = 3_000;

/** Summarizes the whole thread of a message, ephemerally until the person shows it to everyone. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (
  request,
  context,
  delivery,
) => {
  const { thread } = request.payload.message;
  const range = { maxMessages: MAX_THREAD_MESSAGES };
  return replySummary(request, context, delivery, 'thread', {
    place: thread,
    range,
    instructions: THREAD_INSTRUCTIONS,
  });
};

/** Summarizes a period of a channel, or of the current thread. The response is ephemeral. */
export const run: CommandHandler<CommandRequest> = (request, context, delivery) => {
  const period = PERIODS.find((one) => one === request.options['period']) ?? 'yesterday';
  return replyPeriod(request, context, delivery, period);
};

/** Summarizes a period, ephemerally. `isCatchUp`: it begins after what the reader last wrote or reacted to, and they are told so. */
export async function replyPeriod(
  request: CommandRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  period: SummaryPeriod,
  isCatchUp = false,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const { platform, workspace, channel, thread } = interaction;
  if (!channel)
    return replyCard(request, textCard(localize(locale, 'summary.refused.not-added'), 'bad'), context);
  const zone = await getReaderZone(request, context);
  const since = getPeriodStart(period, context.time.now(), zone);
  const select = isCatchUp
    ? createCatchUpSelector(since, zone, request)
    : createSelector(period, since, request);
  return replySummary(request, context, delivery, 'channel', {
    place: thread ?? { platform, workspace, channel },
    range: { since, ...CHANNEL_RANGE },
    instructions: getChannelInstructions(locale),
    select,
  });
}

/** Responds with the summary and stores it, for redeliveries and for showing it to everyone. */
export async function replySummary(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  kind: keyof typeof DRAFT_NAMES,
  summaryRequest: SummaryRequest,
): Promise<TaskResult> {
  const { interaction, locale } = request;
  const place = getInteractionSettingsPlace(interaction);
  const { id, by } = interaction;
  if (by.mayReadHistory === false)
    return replyCard(request, textCard(localize(locale, 'summary.refused.not-yours'), 'bad'), context);
  return withFailureReply(request, context, delivery, async () => {
    const draft = await context.drafts.find(place, id);
    if (draft) return replyCard(request, createPrivateCard(request, kind, parseSummary(draft)), context);
    try {
      const summary = await requestSummary(request, context, delivery, summaryRequest);
      if ('nothing' in summary) return await replyCard(request, textCard(summary.nothing), context);
      const frame = JSON.stringify(kind === 'thread' ? summaryRequest.place : null);
      const value = serializeSummary(summary);
      if (!summary.isErased)
        await context.drafts.create(place, { id, by: by.user, name: DRAFT_NAMES[kind], frame, value });
      const card = createPrivateCard(request, summary.isErased ? 'channel' : kind, summary);
      return await replyCard(request, card, context);
    } catch (error) {
      if (!(error instanceof HistoryUnavailableError)) throw error;
      return replyCard(request, textCard(describeHistoryError(request, error), 'bad'), context);
    }
  });
}

/** Adds a button to a thread's summary that shows it to everyone: `summarise.show|id`. */
function createPrivateCard(
  { interaction, locale }: InteractionRequest,
  kind: keyof typeof DRAFT_NAMES,
  summary: SummaryResult,
): Card {
  if (kind === 'channel') return { parts: createSummaryParts(summary) };
  const action = { name: 'summarise.show', args: [interaction.id] };
  const label = localize(locale, 'settings.summarise.show');
  return {
    parts: [
      ...createSummaryParts(summary),
      { kind: 'controls', controls: [{ kind: 'button', label, action }] },
    ],
  };
}

/** Shows the summary in its thread, in the name of the person who requested it. Idempotent. */
export const onAction: CommandHandler<InteractionRequest<'action' | 'form'>> = async (
  request,
  context,
): Promise<TaskResult> => {
  const { payload, interaction, locale } = request;
  const [id = ''] = payload.action.args;
  const draft = await context.drafts.find(getInteractionSettingsPlace(interaction), id);
  const isTheirs =
    draft?.by === String(interaction.by.user) && draft.name === DRAFT_NAMES.thread && !draft.sent;
  if (payload.action.name !== 'summarise.show' || !draft || !isTheirs) return replyStale(request, context);
  const thread = parseThread(draft.frame);
  const card = { parts: createSummaryParts(parseSummary(draft)), by: interaction.by.user };
  if (!(await showPublicly(request, thread, card, draft, context))) return DONE;
  return replyCard(request, textCard(localize(locale, 'settings.summarise.shown'), 'good'), context);
};

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
    de: 'Diesen Kanal oder Thread zusammenfassen, nur für dich',
    fr: 'Résumer ce canal ou ce fil, pour vous seul',
    es: 'Resumir este canal o hilo, solo para ti',
    pt: 'Resumir este canal ou esta conversa, só para você',
    ja: 'このチャンネルやスレッドを、あなただけに要約する',
    ko: '이 채널이나 스레드에서 오간 말을 회원님에게만 요약합니다',
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
    fr: 'Depuis quand ; si omis, depuis hier',
    es: 'Desde cuándo; si se omite, desde ayer',
    pt: 'Desde quando; se omitido, desde ontem',
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
    ja: 'ここでの自分の最後のメッセージから',
    ko: '여기 내 마지막 메시지부터',
    zh: '从我在此的上一条消息起',
  },
  messageCommand: {
    en: 'Summarise thread',
    de: 'Thread zusammenfassen',
    fr: 'Résumer le fil',
    es: 'Resumir el hilo',
    pt: 'Resumir a conversa',
    ja: 'スレッドを要約',
    ko: '스레드 요약',
    zh: '总结消息列',
  },
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
