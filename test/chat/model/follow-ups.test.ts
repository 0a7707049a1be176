import { randomUUID } from 'node:crypto';
import { type Budgets, unlimitedBudget } from '../../../shared/billing/unlimited-budget.ts';
import { expect, test } from '@jest/globals';
import type { Card } from '../../../shared/domain/index.ts';
import type { Chat, Settings } from '../../../shared/ports/index.ts';
import { offerFollowUps } from '../../../shared/chat/model/follow-ups.ts';
import { getAccountName, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../../shared/billing/budgets/index.ts';
import { getAccountPartition, BudgetService } from '../../../shared/billing/budget-service.ts';
import type { Price } from '../../../shared/billing/reservation.ts';
import { BudgetPolicies, Ledger } from '../../../shared/storage/index.ts';
import {
  ConnectionError,
  RateLimitedError,
  TimedOutError,
  type UpstreamError,
} from '../../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../../fakes/dynamo.ts';
import { TestTime } from '../../upstream/time.ts';
import { completionHarness, TURN } from '../completion-harness.ts';

const USAGE = { promptTokens: 100, completionTokens: 9, reasoningTokens: 0, cachedTokens: 0 };

async function offer(
  suggest: (...args: Parameters<Chat['suggestQuestions']>) => Promise<string[]>,
  {
    settings = { followUpModel: 'cheap' },
    finish = 'stop',
    spending = unlimitedBudget,
    fence = 3,
    canPost = true,
  }: {
    settings?: Partial<Settings>;
    finish?: string;
    spending?: Budgets;
    fence?: number;
    canPost?: boolean;
  } = {},
) {
  const { work, logged } = completionHarness([], { settings });
  const waiting: string[] = [];
  const cards: { card: Card; key: string }[] = [];
  const prompts: string[] = [];
  const saved: string[] = [];
  const stage = {
    canPost: () => canPost,
    postCard: async (_: unknown, card: Card, key: string) => {
      cards.push({ card, key });
      return TURN.message;
    },
  };
  const chat: Chat = {
    ...work.context.chat,
    suggestQuestions: async (prompt, options) => {
      prompts.push(options.model);
      await options.beforeAttempt();
      const questions = await suggest(prompt, options);
      options.onCompletion?.({ text: questions.join(' '), usage: USAGE });
      return questions;
    },
  };
  const outcome = { kind: 'answered', text: 'Four.', finish, model: 'model-a' } as const;
  const { permits } = work.context;
  const take: typeof permits.take = (ask) => {
    waiting.push(ask.priority);
    return permits.take(ask);
  };
  const turns = { saveFollowUps: async (_: unknown, message: string) => void saved.push(message) };
  const context = {
    ...work.context,
    permits: { ...permits, take },
    budgets: spending,
    chat,
    messenger: stage,
    turns,
  };
  const answered = { turn: TURN, question: 'What is 2 + 2?', outcome, fence };
  await offerFollowUps(answered, context, work.delivery, 'de');
  const labels = cards.flatMap(({ card }) =>
    card.parts.flatMap((part) => (part.kind === 'controls' ? part.controls.map(({ label }) => label) : [])),
  );
  return { cards, labels, prompts, logged, waiting, saved };
}

test('the questions of a cheap model become buttons, except those too long for a button', async () => {
  const { labels, prompts, cards, saved } = await offer(async () => [
    'And 3 + 3?',
    ' ',
    'x'.repeat(200),
    'Why?',
    'Who?',
    'No.',
  ]);
  expect(prompts).toEqual(['cheap']);
  expect(labels).toEqual(['And 3 + 3?', 'Why?', 'Who?']);
  expect(JSON.stringify(cards[0]?.card)).toContain('Als Nächstes');
  // Each attempt at the answer has a card of its own: a removed card must not be found by its key.
  expect(cards[0]?.key).toBe(`follow-ups-${TURN.message}-3`);
  expect(saved).toEqual([TURN.message]);
});

test('a suggested question appears once in any spelling, and never repeats the asked question', async () => {
  const { labels } = await offer(async () => [
    'what is 2 + 2',
    'Why  is that?',
    'why is that',
    '“Why is that?”',
    '２＋２？',
    '2+2',
    'What is 2 - 2?',
  ]);
  expect(labels).toEqual(['Why is that?', '２＋２？', 'What is 2 - 2?']);
  expect((await offer(async () => ['What is 2 + 2?', 'What is 2 + 2 ?'])).cards).toEqual([]);
});

test('a button names the conversation of its card, unless the question leaves no room for it', async () => {
  const long = 'x'.repeat(88);
  const { cards } = await offer(async () => ['Why?', long]);
  const controls = cards[0]?.card.parts.flatMap((part) => (part.kind === 'controls' ? part.controls : []));
  expect(controls?.map(({ action }) => action.args)).toEqual([['Why?', TURN.thread.root], [long]]);
});

const why = async () => ['Why?'];

test('no suggestions are requested when the setting is off, below an answer that ended early, or where no card can be posted', async () => {
  expect((await offer(why, { settings: {} })).prompts).toEqual([]);
  expect((await offer(why, { finish: 'length' })).prompts).toEqual([]);
  expect((await offer(why, { canPost: false })).waiting).toEqual([]);
});

test('a failed request for suggestions is only logged', async () => {
  const { cards, logged } = await offer(() => Promise.reject(new TypeError('broken')));
  expect(cards).toEqual([]);
  expect(logged).toEqual(['follow-ups.failed {"error":"TypeError"}']);
});

const CENT = ATTO_PER_DOLLAR / 100n;
const price = () => Promise.resolve({ atto: CENT, priced: true });

/** The account of the asker, and its bookings. */
async function account(rules: Parameters<typeof bookWith>[0] = [], priceOf: Price = price) {
  const time = new TestTime();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const books = new BudgetPolicies(store);
  await books.change(getAccountPartition(TURN.thread), () => bookWith(rules));
  const spending = new BudgetService({
    createId: randomUUID,
    ledger,
    policies: books,
    price: priceOf,
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
  const who = { person: TURN.asker, channel: TURN.thread.channel };
  const name = getAccountName('person', who, 'day', time.now(), 'UTC');
  return { spending, spent: () => spending.readCounters(getAccountPartition(TURN.thread), name) };
}

const bookWith = (rules: typeof EMPTY_POLICY.rules) => ({ ...EMPTY_POLICY, rules });

test('the request for suggestions has background priority and is charged to the asker', async () => {
  const { spending, spent } = await account();
  const { waiting, labels } = await offer(why, { spending });
  expect([waiting, labels]).toEqual([['background'], ['Why?']]);
  expect(await spent()).toMatchObject({
    requests: 1,
    atto: ATTO_PER_DOLLAR / 100n,
    models: { cheap: { prompt: 100 } },
  });
  // The answer was regenerated a moment later: its suggestions cost another request.
  await offer(why, { spending, fence: 4 });
  expect(await spent()).toMatchObject({ requests: 2 });
  const overBudget = await account([{ scope: 'person', period: 'day', requests: 0 }]);
  const { prompts, logged } = await offer(why, { spending: overBudget.spending });
  expect([prompts, logged]).toEqual([[], ['follow-ups.failed {"error":"BudgetExceededError"}']]);
  const free = await account([{ scope: 'person', period: 'day', requests: 9 }]);
  const limited = new RateLimitedError('full', { status: 429 });
  await offer((_, options) => fail(limited, options), { spending: free.spending });
  expect(await free.spent()).toMatchObject({ requests: 0, atto: 0n });
});

test('if the second request for suggestions is refused, the first one is paid for', async () => {
  const { spending, spent } = await account([{ scope: 'person', period: 'day', requests: 9 }]);
  await offer(
    async (_, options) => {
      options.onAttempt?.({});
      options.onCompletion?.({ text: 'Three questions follow.', usage: USAGE });
      await options.beforeAttempt();
      return fail(new RateLimitedError('full', { status: 429 }), options);
    },
    { spending },
  );
  expect(await spent()).toMatchObject({
    requests: 1,
    atto: ATTO_PER_DOLLAR / 100n,
    models: { cheap: { prompt: 100, completion: 9, estimated: 0 } },
  });
});

type Suggest = Parameters<typeof offer>[0];

/** Fails as the client does. */
function fail(error: UpstreamError, { onAttempt }: Parameters<Suggest>[1]): Promise<never> {
  onAttempt?.({ error });
  return Promise.reject(error);
}

/** Returns what is booked if a response costs a cent, and a request another one. */
async function bookRequests(suggest: Suggest) {
  const perRequest: Price = (_models, { completionTokens }, _images, requests = 1) =>
    Promise.resolve({ atto: CENT * BigInt(requests + (completionTokens > 0 ? 1 : 0)), priced: true });
  const { spending, spent } = await account([], perRequest);
  await offer(suggest, { spending });
  const { atto, models } = await spent();
  return { cents: atto / CENT, ...models['cheap'] };
}

const late = new TimedOutError('late');

test('each request for suggestions that may be billed is booked, also without a response', async () => {
  const only = await bookRequests((_, options) => fail(late, options));
  expect(only).toMatchObject({ cents: 1n, completion: 0, estimated: 1 });
  // The first response fits no schema; the second one is missing.
  const second = await bookRequests(async (_, options) => {
    options.onAttempt?.({});
    options.onCompletion?.({ text: 'Three questions follow.', usage: USAGE });
    await options.beforeAttempt();
    return fail(late, options);
  });
  const prompt = only.prompt ?? 0;
  expect(second).toMatchObject({ cents: 3n, prompt: 100 + prompt, completion: 9, estimated: 1 });
  // The client repeats a request whose connection broke.
  const repeated = await bookRequests(async (_, options) => {
    options.onAttempt?.({ error: new ConnectionError('reset') });
    await options.beforeAttempt();
    options.onAttempt?.({});
    return ['Why?'];
  });
  expect(repeated).toMatchObject({ cents: 3n, prompt: 100 + prompt, estimated: 1 });
});

/** Returns what is booked for these responses, of which none is usable. */
async function bookResponses(responses: readonly string[]) {
  const { spending, spent } = await account();
  await offer(
    async (_, { onCompletion }) => {
      for (const text of responses) onCompletion?.({ text });
      throw new TypeError('it fits no schema');
    },
    { spending },
  );
  return (await spent()).models['cheap'];
}

test('without reported usage, the prompt counts once for each answered request for suggestions', async () => {
  const [one, two] = [await bookResponses(['No.']), await bookResponses(['No.', 'No.'])];
  expect(one).toMatchObject({ completion: expect.any(Number), estimated: 1 });
  expect(two).toMatchObject({ prompt: 2 * (one?.prompt ?? 0), requests: 1 });
  expect(two?.completion).toBeGreaterThan(one?.completion ?? Infinity);
});
