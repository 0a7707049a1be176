import { type Card, type Ending, type MessageId, type Thread } from '../../conversation/index.ts';
import type { Seen } from '../../store/index.ts';
import { type Locale, say, type TextKey } from '../../texts/index.ts';
import { costOfAnswer } from '../footer.ts';
import type { Deps } from '../ports.ts';
import { type AnyCall, type Called, type CalledCommand, type Run, tell, words } from './run.ts';
import { threadHere } from './thread-here.ts';
import { type CommandSpec, type MessageCommandSpec, type OnMessageTexts, type TextsOf } from './spec.ts';
import { WHY_THIS_ANSWER } from '../../texts/forms/index.ts';

export const spec = {
  name: 'why',
  options: [],
} as const satisfies CommandSpec;

export const onMessage = {
  name: 'why',
  label: 'Why this answer',
} as const satisfies MessageCommandSpec;

/** What happened to the last answer of the thread. */
export const run: Run<CalledCommand> = (called, deps) => shown(called, threadHere(called), undefined, deps);

/** What happened to this answer, or to the answer to this question. */
export const runOnMessage: Run<Called<'on-message'>> = (called, deps) => {
  const { thread, id } = called.call.message;
  return shown(called, thread, id, deps);
};

async function shown(
  called: AnyCall,
  thread: Thread | undefined,
  message: MessageId | undefined,
  deps: Deps,
) {
  const { locale } = called;
  if (!thread) return tell(called, words(say(locale, 'memory.nowhere'), 'bad'), deps);
  const found = await deps.turns.seen(thread, message);
  const whole = found?.into ? await deps.turns.seen(thread, found.into) : found;
  if (!found || !whole) return tell(called, words(say(locale, 'memory.nothing'), 'bad'), deps);
  if (whole.unreadable) return tell(called, words(say(locale, 'answers.redo.unreadable'), 'bad'), deps);
  if (!whole.said) return tell(called, words(say(locale, 'memory.why.yet')), deps);
  const card = await story(whole.said.ending, whole, locale, deps);
  const along = { kind: 'note' as const, markdown: say(locale, 'memory.why.with') };
  return tell(called, found.into ? { ...card, parts: [...card.parts, along] } : card, deps);
}

type Fact = readonly [what: TextKey, value: string | undefined];

async function story(ending: Ending, { fence }: Seen, locale: Locale, deps: Deps): Promise<Card> {
  const facts = [...timesOf(ending, locale, deps), ...(await pricesOf(ending, locale, deps))];
  const all: readonly Fact[] = [...facts, ['memory.why.attempts', String(fence)], ...idsOf(ending)];
  const fields = all.flatMap(([what, value]) =>
    value === undefined ? [] : [{ name: say(locale, what), value }],
  );
  return {
    title: say(locale, 'memory.why.title'),
    parts: [
      { kind: 'fields', fields },
      { kind: 'note', markdown: say(locale, 'memory.why.prices') },
    ],
  };
}

function timesOf({ course }: Ending, locale: Locale, { settings }: Pick<Deps, 'settings'>): readonly Fact[] {
  if (!course) return [];
  const [receivedAt, begun, sent, first, ended, requests] = course;
  const moment = { dateStyle: 'medium', timeStyle: 'medium', timeZone: settings.zone ?? 'UTC' } as const;
  const took = (ms: number) => say(locale, 'memory.why.seconds', { seconds: Math.round(ms / 100) / 10 });
  return [
    ['memory.why.received', new Intl.DateTimeFormat(locale, moment).format(receivedAt)],
    ['memory.why.queued', took(begun)],
    ['memory.why.waited', took(sent - begun)],
    ['memory.why.first', took(first)],
    ['memory.why.whole', took(ended)],
    ['memory.why.requests', String(requests)],
  ];
}

async function pricesOf(ending: Ending, locale: Locale, deps: Pick<Deps, 'price'>): Promise<readonly Fact[]> {
  if (ending.kind === 'failed') return [];
  const { model, weightVersion, usage } = ending;
  const cost = await costOfAnswer(ending, deps);
  const share = new Intl.NumberFormat(locale, { style: 'percent' });
  return [
    ['memory.why.model', model],
    ['memory.why.weights', weightVersion],
    [
      'memory.why.tokens',
      usage &&
        say(locale, 'memory.why.tokens.of', {
          prompt: usage.promptTokens,
          completion: usage.completionTokens,
          reasoning: usage.reasoningTokens,
        }),
    ],
    [
      'memory.why.cached',
      usage && usage.promptTokens > 0 ? share.format(usage.cachedTokens / usage.promptTokens) : undefined,
    ],
    ['memory.why.cost', cost ?? say(locale, 'memory.why.unknown')],
  ];
}

const idsOf = (ending: Ending): readonly Fact[] => [
  ['memory.why.ended', ending.kind === 'failed' ? ending.reason : ending.finish],
  ['memory.why.request', ending.kind === 'failed' ? undefined : ending.requestId],
];

export const texts = {
  name: {
    en: 'why',
    de: 'warum',
    fr: 'pourquoi',
    es: 'porqué',
    pt: 'porquê',
    ja: 'なぜ',
    ko: '왜',
    zh: '为什么',
  },
  about: {
    en: 'What happened to an answer',
    de: 'Was mit einer Antwort geschah',
    fr: 'Ce qui s’est passé pour une réponse',
    es: 'Qué pasó con una respuesta',
    pt: 'O que aconteceu a uma resposta',
    ja: '回答の経緯',
    ko: '답변의 경위',
    zh: '回答的经过',
  },
  onMessage: WHY_THIS_ANSWER,
} satisfies TextsOf<typeof spec> & OnMessageTexts;
