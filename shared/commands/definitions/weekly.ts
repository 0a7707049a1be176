import type { CommandsContext } from '../context.ts';
import type { CardPart, TaskResult } from '../../domain/index.ts';
import {
  formatChoice,
  formatCommand,
  formatOption,
  getCommandFormat,
  localize,
  actionLabel,
  showLabel,
  mondayLabel,
  tuesdayLabel,
  wednesdayLabel,
  thursdayLabel,
  fridayLabel,
  saturdayLabel,
  sundayLabel,
  timeAbout,
  timeLabel,
  zoneAbout,
  zoneLabel,
} from '../../i18n/index.ts';
import type { SchedulePlace } from '../../storage/index.ts';
import {
  type FormatWeeklyCommand,
  createSubscription,
  loadWeeklySummary,
  parseRecurrence,
  subscriptionId,
  type SubscriptionTarget,
  createSubscriptionParts,
  createSummaryCard,
} from '../../weekly-summary/index.ts';
import { findAbsence } from '../framework/cannot-post-card.ts';
import type { RulesOf } from '../framework/option-rules.ts';
import { type CommandRequest, type CommandHandler, replyCard, textCard } from '../framework/types.ts';
import type { CommandSpec, TextsOf } from '../framework/command-spec.ts';

export const spec = {
  name: 'weekly',
  options: [
    { name: 'do', kind: 'text', choices: ['show', 'on', 'off'] },
    {
      name: 'day',
      kind: 'text',
      // Not `WEEKDAYS`: the bundles of the fronts contain only the spec.
      choices: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
    },
    { name: 'at', kind: 'text', max: 20 },
    { name: 'to', kind: 'text', choices: ['me', 'channel'] },
    { name: 'zone', kind: 'text', max: 60 },
  ],
} as const satisfies CommandSpec;

export const rules: RulesOf<typeof spec> = {
  do: { default: 'show' },
  day: { onlyWith: { do: ['on'] }, default: 'monday' },
  at: { onlyWith: { do: ['on'] } },
  to: { onlyWith: { do: ['on', 'off'] }, default: 'me' },
  zone: { onlyWith: { do: ['on'] } },
};

/** Shows admins the last seven days, and who gets the weekly summary; subscribes and unsubscribes them or the channel. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { locale, admin, options } = request;
  const { budgets } = context;
  if (!budgets.enabled) return replyCard(request, textCard(localize(locale, 'usage.off')), context);
  if (!admin) return replyCard(request, textCard(localize(locale, 'usage.admins'), 'bad'), context);
  const target: SubscriptionTarget = options['to'] === 'channel' ? 'channel' : 'me';
  if (options['do'] === 'on') return subscribe(request, context, target);
  if (options['do'] === 'off') return unsubscribe(request, context, target);
  const now = context.time.now();
  const summary = await loadWeeklySummary(request.interaction, now, { budgets, ratings: context.ratings });
  const { title, parts } = createSummaryCard(summary, locale);
  const subscriptions = await listSubscriptions(request, context);
  return replyCard(request, { title, parts: [...parts, { kind: 'divider' }, ...subscriptions] }, context);
};

async function subscribe(
  request: CommandRequest,
  context: CommandsContext,
  target: SubscriptionTarget,
): Promise<TaskResult> {
  const { locale, interaction, options } = request;
  const absence = target === 'channel' ? findAbsence(request) : undefined;
  if (absence) return replyCard(request, absence, context);
  const recurrence = parseRecurrence(options, context.settings.zone);
  if ('text' in recurrence) {
    const sentence = localize(locale, ...recurrence.text);
    return replyCard(request, textCard(`${sentence} ${formatExamples(request, context)}`, 'bad'), context);
  }
  const schedule = createSubscription(interaction, target, { recurrence, locale }, context.time.now());
  if (!schedule) return replyCard(request, textCard(localize(locale, 'settings.no.nowhere'), 'bad'), context);
  await context.schedules.save(schedule);
  const title = localize(locale, 'weekly.subscribed');
  return replyCard(
    request,
    { title, tone: 'good', parts: createSubscriptionParts(schedule, locale) },
    context,
  );
}

async function unsubscribe(
  request: CommandRequest,
  context: CommandsContext,
  target: SubscriptionTarget,
): Promise<TaskResult> {
  const { locale, interaction } = request;
  const id = subscriptionId(interaction, target);
  const exists = id !== undefined && (await context.schedules.find(interaction, id)) !== undefined;
  if (!exists) return replyCard(request, textCard(localize(locale, 'weekly.not-subscribed'), 'bad'), context);
  await context.schedules.remove(interaction, id);
  return replyCard(request, textCard(localize(locale, 'weekly.unsubscribed'), 'good'), context);
}

/** Shows who gets the summary, and how to change that. */
async function listSubscriptions(request: CommandRequest, context: CommandsContext): Promise<CardPart[]> {
  const { locale, interaction } = request;
  const place: SchedulePlace = interaction;
  const all = (await context.schedules.list(place)).filter(
    ({ content }) => content.kind === 'weekly-summary',
  );
  const note = formatExamples(request, context);
  const parts = all.flatMap((schedule) => createSubscriptionParts(schedule, locale));
  const none: CardPart = { kind: 'text', markdown: localize(locale, 'weekly.nobody') };
  return [...(parts.length > 0 ? parts : [none]), { kind: 'note', markdown: note }];
}

/** Shows how to subscribe, as it is typed here. */
function formatExamples(
  { locale, interaction }: CommandRequest,
  { settings }: Pick<CommandsContext, 'settings'>,
): string {
  const format = getCommandFormat(interaction);
  const examples = (['me', 'channel'] as const).map((target) => {
    const args = [
      formatChoice(texts['do.name'], 'on', format, texts['do=on']),
      formatChoice(texts['day.name'], 'friday', format, texts['day=friday']),
      formatChoice(texts['at.name'], '16:00', format),
      formatChoice(texts['to.name'], target, format, texts[`to=${target}`]),
    ];
    return `\`${formatCommand(texts.name, format, settings, ...args)}\``;
  });
  return localize(locale, 'weekly.how', { examples: examples.join(' · ') });
}

/** Formats the command that shows a summary, or that ends a subscription. */
export const formatWeeklyCommand: FormatWeeklyCommand = (action, target, format, settings) => {
  const args =
    action === 'show'
      ? []
      : [
          formatChoice(texts['do.name'], 'off', format, texts['do=off']),
          ...(target === 'channel'
            ? [formatOption(texts['to.name'], 'channel', format, texts['to=channel'])]
            : []),
        ];
  return formatCommand(texts.name, format, settings, ...args);
};

export const texts = {
  'do.name': actionLabel,
  'do=show': showLabel,
  name: {
    en: 'weekly',
    de: 'wochenübersicht',
    fr: 'hebdo',
    es: 'semanal',
    pt: 'semanal',
    ja: '週報',
    ko: '주간요약',
    zh: '周报',
  },
  about: {
    en: 'A weekly summary of questions, people and cost, for administrators',
    de: 'Wöchentliche Übersicht über Fragen, Personen und Kosten, für Admins',
    fr: 'Un résumé hebdomadaire des questions, personnes et coûts, pour les administrateurs',
    es: 'Resumen semanal de preguntas, personas y coste, para administradores',
    pt: 'Resumo semanal de perguntas, pessoas e custo, para administradores',
    ja: '質問、利用者、費用の週次サマリー（管理者向け）',
    ko: '질문, 사용자, 비용의 주간 요약(관리자용)',
    zh: '每周摘要：问题、用户和费用（管理员）',
  },
  'do.about': {
    en: 'Show the last seven days, subscribe or unsubscribe',
    de: 'Die letzten sieben Tage zeigen, abonnieren oder abbestellen',
    fr: 'Afficher les sept derniers jours, s’abonner ou se désabonner',
    es: 'Mostrar los últimos siete días, suscribirse o darse de baja',
    pt: 'Mostrar os últimos sete dias, assinar ou cancelar a assinatura',
    ja: '直近 7 日間の表示、毎週の受け取りの開始または終了',
    ko: '최근 7일 보기, 구독, 구독 취소',
    zh: '显示最近七天、订阅或退订',
  },
  'do=on': {
    en: 'Subscribe',
    de: 'Abonnieren',
    fr: 'S’abonner',
    es: 'Suscribirse',
    pt: 'Assinar',
    ja: '毎週受け取る',
    ko: '구독',
    zh: '订阅',
  },
  'do=off': {
    en: 'Unsubscribe',
    de: 'Abbestellen',
    fr: 'Se désabonner',
    es: 'Darse de baja',
    pt: 'Cancelar assinatura',
    ja: '受け取りを終了',
    ko: '구독 취소',
    zh: '退订',
  },
  'day.name': {
    en: 'day',
    de: 'tag',
    fr: 'jour',
    es: 'día',
    pt: 'dia',
    ja: '曜日',
    ko: '요일',
    zh: '星期',
  },
  'day.about': {
    en: 'The day of the week',
    de: 'Der Wochentag',
    fr: 'Le jour de la semaine',
    es: 'El día de la semana',
    pt: 'O dia da semana',
    ja: '曜日',
    ko: '요일',
    zh: '星期几',
  },
  'at.name': timeLabel,
  'at.about': timeAbout,
  'to.name': {
    en: 'to',
    de: 'an',
    fr: 'vers',
    es: 'para',
    pt: 'para',
    ja: '送信先',
    ko: '받는곳',
    zh: '发送到',
  },
  'to.about': {
    en: 'You, as a direct message, or this channel',
    de: 'Du, als Direktnachricht, oder dieser Kanal',
    fr: 'Vous, en message direct, ou ce canal',
    es: 'Tú, como mensaje directo, o este canal',
    pt: 'Você, por mensagem direta, ou este canal',
    ja: '自分へのダイレクトメッセージ、またはこのチャンネル',
    ko: '본인에게 다이렉트 메시지, 또는 이 채널',
    zh: '发给你本人的私信，或此频道',
  },
  'to=me': {
    en: 'Me',
    de: 'Mich',
    fr: 'Moi',
    es: 'A mí',
    pt: 'Para mim',
    ja: '自分',
    ko: '나',
    zh: '我',
  },
  'to=channel': {
    en: 'This channel',
    de: 'Dieser Kanal',
    fr: 'Ce canal',
    es: 'Este canal',
    pt: 'Este canal',
    ja: 'このチャンネル',
    ko: '이 채널',
    zh: '此频道',
  },
  'zone.name': zoneLabel,
  'zone.about': zoneAbout,
  'day=monday': mondayLabel,
  'day=tuesday': tuesdayLabel,
  'day=wednesday': wednesdayLabel,
  'day=thursday': thursdayLabel,
  'day=friday': fridayLabel,
  'day=saturday': saturdayLabel,
  'day=sunday': sundayLabel,
} satisfies TextsOf<typeof spec>;
