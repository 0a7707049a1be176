import type { CommandsContext } from '../../context.ts';
import {
  type CardPart,
  PLATFORM_TRAITS,
  type Completion,
  getMaxAnswerTokens,
  buildPrompt,
  parseCompletion,
  type QueueDelivery,
  type Thread,
} from '../../../domain/index.ts';
import type {
  History,
  HistoryMessage,
  HistoryPlace,
  HistoryRange,
  HistoryUnavailableError,
} from '../../../platforms/ports/index.ts';
import { resolve } from '../../../settings/rules/index.ts';
import { formatCostLine } from '../../../chat/index.ts';
import { getInteractionSettingsPlace } from '../../../settings/index.ts';
import {
  sortForReading,
  toPromptLines,
  findLinks,
  MAX_PARTS,
  type NumberedMessages,
  summarize,
  type Summary,
  withLinks,
} from '../../../summary/index.ts';
import { getDateLocale, getLanguageName, type Locale, localize } from '../../../i18n/index.ts';
import { isErasedSince } from '../../framework/erased-since.ts';
import { describeAllMasked, requestCompletion } from '../../framework/run-model-request.ts';
import { getReaderZone } from '../../framework/reader-zone.ts';
import { type InteractionRequest, replyCard, textCard } from '../../framework/types.ts';

/** Which messages are summarized, and how. */
export type SummaryRequest = {
  readonly place: HistoryPlace;
  readonly range: HistoryRange;
  /** The instructions for the model. */
  readonly instructions: string;
  /** Selects from the messages that were read; all if absent. */
  readonly select?: ((history: History) => Selection) | undefined;
  /** Nobody waits for it: how many requests it takes is not announced. */
  readonly isScheduled?: boolean | undefined;
};

/** How much of a channel is read: messages, and threads whose replies are read. */
export const CHANNEL_RANGE = { maxMessages: 1_000, maxThreads: 12 } as const;

/** The instructions for the summary of a channel, in the language of its readers. */
export const getChannelInstructions = (locale: Locale): string =>
  `Sum up what was said here for somebody who was away: topic by topic, what was decided, what is open, and what they are asked to do. Answer in ${getLanguageName('en', locale)}, in at most ten lines.`;

export type Selection = Pick<History, 'messages' | 'incomplete'> & {
  /** The start of the period (ms since 1970). */
  readonly since?: number | undefined;
  /** A remark on the selection, for the reader. */
  readonly remark?: string | undefined;
};

/** A summary with links to its sources, and a note on what was read and what was left out. */
export type SummaryResult = {
  readonly text: string;
  readonly note: string;
  /** The URLs in the text and the note. */
  readonly links: readonly string[];
  /** An author was erased in the meantime: the summary must not be stored. */
  readonly isErased?: boolean | undefined;
};

/** The reason why there is no summary, for people. */
export type NoSummary = { readonly nothing: string };

/** The context length of an unknown model, and the bounds of a question, in tokens. */
const [DEFAULT_CONTEXT, MIN_TOKENS, MAX_TOKENS] = [16_000, 1_000, 12_000];
/** The share of the model's input for messages: estimates are rough, and the instructions are added. */
const CONTEXT_SHARE = 0.7;

/**
 * Reads messages and summarizes them in as many metered requests as needed. A redelivery does not repeat finished requests.
 * Rejects with HistoryUnavailableError, and as `requestCompletion` does.
 */
export async function requestSummary(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  { place, range, instructions: extra, select = (all) => all, isScheduled = false }: SummaryRequest,
): Promise<SummaryResult | NoSummary> {
  const { locale } = request;
  const history = await context.platform.readHistory(place, range);
  const { since, remark, incomplete, ...selected } = select(history);
  const missing = describeUnread(request, { ...history, incomplete });
  const messages = sortForReading(selected.messages);
  const zone = await getReaderZone(request, context);
  const threads = listThreads(place, messages);
  const isErased = createErasureCheck(request, messages, threads, context);
  if (messages.length === 0)
    return { nothing: [describeNoMessages(since, zone, locale), ...missing].join(' ') };
  const maxTokens = await getMaxQuestionTokens(context);
  const tellMany = (requests: number) =>
    replyCard(
      request,
      textCard(localize(locale, 'summary.many', { count: messages.length, requests })),
      context,
    );
  await saveSources(request, threads, messages, context);
  const summary = await summarize(toPromptLines(messages, zone, maxTokens), extra, {
    maxTokens,
    complete: (question, name) =>
      completeOnce(request, context, delivery, { question, name, isErased, isScheduled }),
    onMultipleRequests: async (requests) => isScheduled || delivery.isRedelivery || tellMany(requests),
  });
  const text = withLinks(summary.text, messages).trim();
  if (text === '') return { nothing: localize(locale, 'answers.empty') };
  const note = [
    ...(remark === undefined ? [] : [remark]),
    describeSources(messages.slice(summary.omittedMessages), zone, locale),
    ...missing,
    ...describeOmitted(summary, locale),
    ...describeAllMasked(summary.requests, locale),
    ...(await formatCost(summary, locale, context)),
  ].join(' ');
  return { text, note, links: findLinks(text + note, messages), isErased: await isErased() };
}

/** Stores the threads and authors of the summary: it is erased with any of them. */
async function saveSources(
  { interaction }: InteractionRequest,
  threads: readonly Thread[],
  messages: NumberedMessages,
  { drafts }: Pick<CommandsContext, 'drafts'>,
): Promise<void> {
  const people = messages.flatMap(({ by, isBot }) => (by === undefined || isBot ? [] : by));
  await drafts.addSources(getInteractionSettingsPlace(interaction), interaction.id, { threads, people });
}

/** Returns the threads that were read, of a channel those with replies. */
const listThreads = ({ root, ...channel }: HistoryPlace, messages: NumberedMessages): Thread[] =>
  [...new Set([root, ...messages.map((one) => one.root)])].flatMap((one) =>
    one === undefined ? [] : { ...channel, root: one },
  );

/** Creates a check whether an author of these messages, their thread or the requester was erased meanwhile: then nothing derived from them is stored. */
function createErasureCheck(
  { interaction }: InteractionRequest,
  messages: NumberedMessages,
  threads: readonly Thread[],
  context: Pick<CommandsContext, 'erasureMoments' | 'time'>,
): () => Promise<boolean> {
  // A scheduled summary was not requested by an interaction.
  const requestedAt = interaction.receivedAt ?? context.time.now();
  return async () => {
    const [until, isErased] = await Promise.all([
      context.erasureMoments.findForPeople(
        interaction,
        messages.flatMap(({ by }) => by ?? []),
      ),
      isErasedSince(requestedAt, interaction, threads, context),
    ]);
    return isErased || messages.some(({ by, at }) => by !== undefined && at <= (until.get(by) ?? 0));
  };
}

/** Formats a time of the last weeks. The time zone must be valid. */
export const formatTime = (ms: number, zone: string, locale: Locale): string =>
  // A 24-hour clock, as in all other texts.
  new Intl.DateTimeFormat(getDateLocale(locale), {
    timeZone: zone,
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(ms);

async function getMaxQuestionTokens({ chat, settings }: CommandsContext): Promise<number> {
  const modelContext = (await chat.modelFacts()).context ?? DEFAULT_CONTEXT;
  const room = modelContext - getMaxAnswerTokens(modelContext, settings.maxTokens);
  return Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, Math.floor(room * CONTEXT_SHARE)));
}

/** The name of drafts that store finished requests for a redelivery; `#` cannot occur in names of presets. */
const PART = '#summary-part';

type Part = {
  readonly question: string;
  readonly name: string;
  readonly isErased: () => Promise<boolean>;
  readonly isScheduled: boolean;
};

async function completeOnce(
  request: InteractionRequest,
  context: CommandsContext,
  delivery: QueueDelivery,
  { question, name, isErased, isScheduled }: Part,
): Promise<Completion> {
  const { interaction } = request;
  const place = getInteractionSettingsPlace(interaction);
  const id = `${interaction.id}.${name}`;
  // A scheduled run that is put into the queue again counts as delivered for the first time.
  const stored = isScheduled || delivery.isRedelivery ? await context.drafts.find(place, id) : undefined;
  if (stored) return parseCompletion(stored.value);
  const prompt = buildPrompt(context.settings.systemPrompt, [], question);
  const completion = await requestCompletion(prompt, request, context, delivery, { nth: name });
  const { text, model, usage, isUsageEstimated, masked } = completion;
  const value = JSON.stringify({ text, model, usage, isUsageEstimated, masked });
  if (!(await isErased()))
    await context.drafts.create(place, { id, by: interaction.by.user, name: PART, frame: '""', value });
  return { text, model, usage, isUsageEstimated, masked };
}

const describeNoMessages = (since: number | undefined, zone: string, locale: Locale): string =>
  since === undefined
    ? localize(locale, 'settings.summarise.nothing')
    : localize(locale, 'summary.nothing', { from: formatTime(since, zone, locale) });

/** Describes the period and the number of people, with links to the first and last message. */
function describeSources(messages: NumberedMessages, zone: string, locale: Locale): string {
  const inOrder = messages.toSorted((a, b) => a.at - b.at);
  const moment = (one: HistoryMessage | undefined): string => {
    if (!one) return '';
    const timeText = formatTime(one.at, zone, locale);
    return one.link === undefined ? timeText : `[${timeText}](${one.link})`;
  };
  const people = new Set(messages.filter(({ isBot }) => isBot !== true).map(({ by, author }) => by ?? author))
    .size;
  const [from, to] = [moment(inOrder[0]), moment(inOrder.at(-1))];
  return localize(locale, 'summary.based', { count: messages.length, people, from, to });
}

/** Lists what was not read. */
function describeUnread({ interaction, locale }: InteractionRequest, history: History): string[] {
  const { incomplete, unreadThreads, withoutText, messages } = history;
  const [count, platform] = [messages.length, PLATFORM_TRAITS[interaction.platform].name];
  return [
    ...(incomplete ? [localize(locale, `summary.left.${incomplete}`, { count, platform })] : []),
    ...(unreadThreads > 0 ? [localize(locale, 'summary.left.threads', { count: unreadThreads })] : []),
    ...(withoutText > 0 ? [localize(locale, 'summary.left.wordless', { count: withoutText })] : []),
  ];
}

/** Says how many messages did not fit, and how many requests were sent. */
function describeOmitted({ omittedMessages, requests }: Summary, locale: Locale): string[] {
  return [
    ...(omittedMessages > 0
      ? [localize(locale, 'summary.left.cut', { count: omittedMessages, parts: MAX_PARTS })]
      : []),
    ...(requests.length > 1 ? [localize(locale, 'summary.requests', { count: requests.length })] : []),
  ];
}

/** Formats the cost, if the setting `footer` is on, as for answers. */
async function formatCost(
  { requests }: Summary,
  locale: Locale,
  context: CommandsContext,
): Promise<string[]> {
  const isWanted = resolve('footer', context.settings.layers).value === true;
  return isWanted ? [await formatCostLine(requests, locale, context)] : [];
}

/** Says why the history cannot be read, and what helps. */
export function describeHistoryError(
  { interaction, locale }: InteractionRequest,
  error: HistoryUnavailableError,
): string {
  const { reason, permissions } = error;
  if (reason === 'not-member')
    return localize(
      locale,
      `summary.refused.${interaction.platform === 'slack' ? 'not-member' : 'not-added'}`,
    );
  const seconds = Math.max(1, Math.ceil(error.retryAfterMs / 1_000));
  return localize(locale, `summary.refused.${reason}`, {
    platform: PLATFORM_TRAITS[interaction.platform].name,
    seconds,
    permissions: permissions || 'none',
  });
}

/** Parses a stored summary. Earlier versions stored only its text. */
export function parseSummary({ value }: { readonly value: string }): SummaryResult {
  const stored: unknown = JSON.parse(value);
  if (typeof stored === 'string') return { text: stored, note: '', links: [] };
  const [text = '', note = '', ...links] = Array.isArray(stored) ? stored.map(String) : [];
  return { text, note, links };
}

export const serializeSummary = ({ text, note, links }: SummaryResult): string =>
  JSON.stringify([text, note, ...links]);

/** Shows a summary: its text, and what it is based on. */
export const createSummaryParts = ({ text, note, links: ownLinks }: SummaryResult): CardPart[] => [
  { kind: 'text', markdown: text, ownLinks },
  ...(note === '' ? [] : [{ kind: 'note' as const, markdown: note, ownLinks }]),
];
