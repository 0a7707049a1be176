import type { CommandsContext } from '../context.ts';
import type { Card, CardPart, TurnOutcome, TurnRef, Usage } from '../../domain/index.ts';
import type { FoundTurn } from '../../storage/index.ts';
import {
  createLogTimeFormat,
  getCommandFormat,
  type Locale,
  localize,
  type TextKey,
  WHY_THIS_ANSWER,
} from '../../i18n/index.ts';
import { getFactDays, isChannelFactId, listChannelFacts, getFactOwner } from '../../facts/index.ts';
import { answerCost, formatFailureFacts, listMaskedKinds } from '../../chat/index.ts';
import { shortenFileName } from '../../platforms/index.ts';
import { truncateText } from '../../utils/index.ts';
import { formatMenuPath } from '../arguments/menu-path.ts';
import { getReaderZone } from '../framework/reader-zone.ts';
import {
  type Caller,
  type InteractionRequest,
  type CommandRequest,
  type CommandHandler,
  replyCard,
  textCard,
} from '../framework/types.ts';
import type {
  CommandSpec,
  MessageCommandSpec,
  MessageCommandTexts,
  TextsOf,
} from '../framework/command-spec.ts';

export const spec = {
  name: 'why',
  options: [],
} as const satisfies CommandSpec;

export const messageCommand = {
  name: 'why',
  label: 'Why this answer',
} as const satisfies MessageCommandSpec;

/** Explains the last answer of the thread; in a channel, that to the last question of the person there, in whichever thread. */
export const run: CommandHandler<CommandRequest> = async (request, context) => {
  const { locale, interaction } = request;
  const { platform, workspace, channel, thread, by } = interaction;
  if (thread) return replyStory(request, await context.turns.findByMessage(thread), context);
  if (!channel) return replyCard(request, textCard(localize(locale, 'memory.nowhere'), 'bad'), context);
  const last = await context.turns.findLastOfPerson({ platform, workspace, channel }, by.user);
  const label = formatMenuPath(WHY_THIS_ANSWER, getCommandFormat(interaction), locale);
  if (!last)
    return replyCard(request, textCard(localize(locale, 'memory.why.none', { label }), 'bad'), context);
  const question = shortenFileName(showTimesSigns(last.content?.question || '…'));
  return replyStory(request, last, context, localize(locale, 'memory.why.of', { question, label }));
};

/** Replaces `*` as an operator (`6*7`) by the sign ∗, which looks the same and is no markup. */
const showTimesSigns = (text: string): string =>
  text.replaceAll(/(?<=[\p{L}\p{N})])( ?)(\*{1,2})\1(?=[\p{L}\p{N}(])/gu, (operator) =>
    operator.replaceAll('*', '∗'),
  );

/** Explains this answer, or the answer to this question. */
export const runMessageCommand: CommandHandler<InteractionRequest<'on-message'>> = async (
  request,
  context,
) => {
  const { thread, id } = request.payload.message;
  return replyStory(request, await context.turns.findByMessage(thread, id), context);
};

/** `about` says which answer it is, where that is not clear. */
async function replyStory(
  request: InteractionRequest,
  turn: FoundTurn | undefined,
  context: CommandsContext,
  about?: string,
) {
  const { locale } = request;
  const answered = turn?.mergedInto
    ? await context.turns.findByMessage(turn.turn.thread, turn.mergedInto)
    : turn;
  if (!turn || !answered)
    return replyCard(request, textCard(localize(locale, 'memory.nothing'), 'bad'), context);
  if (answered.unreadable)
    return replyCard(request, textCard(localize(locale, 'answers.redo.unreadable'), 'bad'), context);
  if (!answered.content) return replyCard(request, textCard(localize(locale, 'memory.why.yet')), context);
  const { title, parts } = await createStoryCard(answered.content.outcome, answered, request, context);
  const notes = [about, turn.mergedInto && localize(locale, 'memory.why.with')].flatMap(
    (markdown): CardPart[] => (markdown ? [{ kind: 'note', markdown }] : []),
  );
  return replyCard(request, { title, parts: [...parts, ...notes] }, context);
}

type Fact = readonly [what: TextKey, value: string | undefined];

async function createStoryCard(
  outcome: TurnOutcome,
  { fence, turn }: FoundTurn,
  caller: Caller,
  context: CommandsContext,
): Promise<Card> {
  const { locale } = caller;
  const zone = await getReaderZone(caller, context);
  const facts = [...listTimes(outcome, locale, zone), ...(await listCosts(outcome, locale, context))];
  const all: readonly Fact[] = [
    ...facts,
    ['memory.why.attempts', String(fence)],
    ...listDiagnostics(outcome),
    ...listToolCalls(outcome, locale),
    ...listMasked(outcome, locale),
    ...(await listFacts(outcome, turn, caller, context)),
  ];
  const fields = all.flatMap(([what, value]) =>
    value === undefined ? [] : [{ name: localize(locale, what), value }],
  );
  return {
    title: localize(locale, 'memory.why.title'),
    parts: [
      { kind: 'fields', fields },
      ...listSearches(outcome, locale),
      { kind: 'note', markdown: localize(locale, 'memory.why.prices') },
    ],
  };
}

function listTimes({ timings }: TurnOutcome, locale: Locale, zone: string): readonly Fact[] {
  if (!timings) return [];
  const [receivedAt, startedAt, sent, first, ended, requests] = timings;
  const took = (ms: number) => localize(locale, 'memory.why.seconds', { seconds: Math.round(ms / 100) / 10 });
  return [
    ['memory.why.received', createLogTimeFormat(zone, locale).format(receivedAt)],
    ['memory.why.queued', took(startedAt)],
    ['memory.why.waited', took(sent - startedAt)],
    ['memory.why.first', took(first)],
    ['memory.why.whole', took(ended)],
    ['memory.why.requests', String(requests)],
  ];
}

async function listCosts(
  outcome: TurnOutcome,
  locale: Locale,
  context: Pick<CommandsContext, 'price'>,
): Promise<readonly Fact[]> {
  if (outcome.kind === 'failed') return [];
  const { model, weightVersion, usage, omitted, isUsageEstimated, confidence } = outcome;
  const cost = await answerCost(outcome, locale, context);
  const share = new Intl.NumberFormat(locale, { style: 'percent' });
  return [
    ['memory.why.model', model],
    ['memory.why.weights', weightVersion],
    ['memory.why.left-out', omitted?.join(', ')],
    [
      'memory.why.confidence',
      confidence === undefined
        ? undefined
        : localize(locale, 'memory.why.confidence.of', { share: share.format(confidence) }),
    ],
    ['memory.why.tokens', usage && formatTokens(usage, isUsageEstimated, locale)],
    [
      'memory.why.cached',
      usage && usage.promptTokens > 0 ? share.format(usage.cachedTokens / usage.promptTokens) : undefined,
    ],
    ['memory.why.cost', cost ?? localize(locale, 'memory.why.unknown')],
  ];
}

function formatTokens(usage: Usage, isEstimated: boolean | undefined, locale: Locale): string {
  const tokens = localize(locale, 'memory.why.tokens.of', {
    prompt: usage.promptTokens,
    completion: usage.completionTokens,
    reasoning: usage.reasoningTokens,
  });
  return isEstimated ? localize(locale, 'memory.why.tokens.estimated', { tokens }) : tokens;
}

const listDiagnostics = (outcome: TurnOutcome): readonly Fact[] => [
  ['memory.why.ended', outcome.kind === 'failed' ? outcome.reason : outcome.finish],
  ['memory.why.failure', formatFailureFacts(outcome.failure)],
  [
    'memory.why.request',
    (outcome.kind === 'failed' ? undefined : outcome.requestId) ?? outcome.failure?.requestId,
  ],
];

/** Which tools were called, how long each took, and how it ended. */
function listToolCalls({ toolCalls = [] }: TurnOutcome, locale: Locale): readonly Fact[] {
  if (toolCalls.length === 0) return [];
  const lines = toolCalls.map(({ tool, source, ms, outcome }) =>
    [
      `${source}: ${tool}`,
      localize(locale, 'memory.why.seconds', { seconds: Math.round(ms / 100) / 10 }),
      localize(locale, `memory.why.tools.${outcome}`),
    ].join(', '),
  );
  return [['memory.why.tools', lines.join('\n')]];
}

/** How much private data was masked, by kind. The values are nowhere. */
const listMasked = (outcome: TurnOutcome, locale: Locale): readonly Fact[] =>
  outcome.kind === 'answered' && outcome.masked
    ? [['memory.why.masked', listMaskedKinds(outcome.masked, locale)]]
    : [];

/**
 * Which facts were in the prompt. Only the asker sees what they say; others see how many there were. Those of the channel are no secret
 * there.
 */
async function listFacts(
  { facts: ids = [] }: TurnOutcome,
  turn: TurnRef,
  { interaction, locale }: Caller,
  context: CommandsContext,
): Promise<readonly Fact[]> {
  if (ids.length === 0) return [];
  const isAsker = interaction.by.user === turn.asker && interaction.platform === turn.thread.platform;
  const own = ids.filter((id) => !isChannelFactId(id));
  const known = [
    ...listChannelFacts(context.settings.layers),
    ...(isAsker && own.length > 0 ? await context.facts.list(getFactOwner(turn), getFactDays(context)) : []),
  ].filter(({ id }) => ids.includes(id));
  const others = isAsker ? 0 : own.length;
  const changedCount = ids.length - known.length - others;
  const lines = [
    ...known.map(({ text }) => `- ${shortenFileName(text)}`),
    ...(others > 0 ? [localize(locale, 'facts.why.count', { count: others })] : []),
    ...(changedCount > 0 ? [localize(locale, 'facts.why.gone', { count: changedCount })] : []),
  ];
  return [['facts.why', lines.join('\n')]];
}

/** Slack’s limit for a text is 3,000 characters. */
const MAX_SEARCHES_LENGTH = 2_500;

/** What was searched in the web, and what was found, as far as there is room. Strangers chose the titles. */
function listSearches({ toolCalls = [] }: TurnOutcome, locale: Locale): readonly CardPart[] {
  const lines = toolCalls.flatMap(({ search }) =>
    search
      ? [
          `“${shortenFileName(search.query)}”`,
          ...search.results.map(
            ({ number, title, url }) => `- ${number}: ${shortenFileName(title)} · ${new URL(url).host}`,
          ),
        ]
      : [],
  );
  if (lines.length === 0) return [];
  const text = truncateText(lines.join('\n'), MAX_SEARCHES_LENGTH);
  return [{ kind: 'text', markdown: `**${localize(locale, 'memory.why.searches')}**\n${text}` }];
}

export const texts = {
  name: {
    en: 'why',
    de: 'warum',
    fr: 'pourquoi',
    es: 'porqué',
    pt: 'por-que',
    ja: 'なぜ',
    ko: '왜',
    zh: '为什么',
  },
  about: {
    en: 'What happened to an answer',
    de: 'Was mit einer Antwort geschah',
    fr: 'Ce qui s’est passé pour une réponse',
    es: 'Qué pasó con una respuesta',
    pt: 'O que aconteceu com uma resposta',
    ja: '回答の経緯',
    ko: '답변에 있었던 일',
    zh: '回答的经过',
  },
  messageCommand: WHY_THIS_ANSWER,
} satisfies TextsOf<typeof spec> & MessageCommandTexts;
