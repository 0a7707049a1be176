import { randomUUID } from 'node:crypto';
import { unlimitedBudget } from '../../shared/billing/unlimited-budget.ts';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { getAccountName, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { getMaxAnswerTokens, type PromptMessage, userId } from '../../shared/domain/index.ts';

import { type Chat, type ChatOptions, DEFAULTS } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { BudgetExceededError } from '../../shared/billing/budget-exceeded.ts';
import { getAccountPartition, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import { calculateCost } from '../../shared/upstream/index.ts';
import { createMemoryDynamo } from '../fakes/dynamo.ts';
import { createSeededRandom } from '../faults/seeded-random.ts';
import { SimulatedTime } from '../limits/simulated-time.ts';
import { TestTime } from '../upstream/time.ts';
import { endEvent, TURN } from './completion-harness.ts';
import { askBy, price, priceOf, WAYS } from './ways-to-ask.ts';
import { estimateMaxUsage } from '../../shared/billing/reservation.ts';

/** The maximum cost of one request, plus the estimation error of its prompt. */
type Sent = { readonly answerTokens: number; readonly estimated: number };
const sentOf = (
  prompt: readonly PromptMessage[],
  { tools, format, maxTokens, versions = 1 }: ChatOptions,
): Sent => ({
  answerTokens: maxTokens * versions,
  estimated: estimateMaxUsage({ prompt, tools, format, maxTokens }).promptTokens,
});

describe('the highest maxTokens setting', () => {
  test.each([
    [undefined, undefined, 4_096],
    [undefined, 16_000, 4_000],
    [100, 131_072, 100],
    [20_000, 131_072, 20_000],
    [20_000, 32_768, 8_192],
    [131_072, undefined, 131_072],
  ])(
    '%p for a model with a context of %p tokens is %p for every way to ask',
    async (maxTokens, context, expected) => {
      const lengths = await Promise.all(
        WAYS.filter((way) => way !== 'next').map(async (way) => {
          const sent: number[] = [];
          const chat: Chat = {
            ...streamsOnly,
            model: 'plain',
            modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [], context }),
            async *stream(_, options) {
              sent.push(options.maxTokens);
              yield endEvent('Yes.');
            },
          };
          await askBy(way, 1, { ...DEFAULTS, maxTokens }, chat, unlimitedBudget);
          return [way, ...sent];
        }),
      );
      expect(getMaxAnswerTokens(context, maxTokens)).toBe(expected);
      expect(lengths).toEqual([
        ['public', expected],
        ['tools', expected],
        ['versions', expected],
        ['private', expected],
        ['form', expected],
        // A summary needs no more.
        ['recording', Math.min(2_000, expected)],
      ]);
    },
  );
});

test.each(WAYS)('the reservation equals what is sent: %s', async (way) => {
  const reserved: bigint[] = [];
  const sent: bigint[] = [];
  const time = new TestTime();
  const store = { dynamo: createMemoryDynamo(), table: 'conversations', now: time.now };
  class WatchedLedger extends Ledger {
    override reserve(...args: Parameters<Ledger['reserve']>) {
      reserved.push(args[1].atto);
      return super.reserve(...args);
    }
  }
  const books = new BudgetPolicies(store);
  const rule = { scope: 'person', period: 'day', atto: ATTO_PER_DOLLAR * 100n } as const;
  await books.change(getAccountPartition(TURN.thread), () => ({ ...EMPTY_POLICY, rules: [rule] }));
  const ledger = new WatchedLedger(store);
  const spending = new BudgetService({
    createId: randomUUID,
    ledger,
    policies: books,
    price,
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
  const note = (prompt: readonly PromptMessage[], options: ChatOptions): void => {
    const { tools, format, maxTokens, standIns = [], versions = 1 } = options;
    expect(versions).toBe(way === 'versions' ? 3 : 1);
    const oneVersion = estimateMaxUsage({ prompt, tools, format, maxTokens });
    const usage = { ...oneVersion, completionTokens: versions * maxTokens };
    const costs = [options.model ?? 'plain', ...standIns].map(
      (name) => calculateCost(usage, priceOf(name)).atto,
    );
    sent.push(costs.reduce((largest, one) => (one > largest ? one : largest), 0n));
  };
  const chat: Chat = {
    ...streamsOnly,
    model: 'plain',
    modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [], context: 131_072 }),
    async *stream(prompt, options) {
      note(prompt, options);
      const toolCalls = sent.length === 1 ? [{ id: 't', name: 'look_up', arguments: '{}' }] : [];
      yield endEvent('Yes.', { toolCalls });
    },
    suggestQuestions: (prompt, options) => {
      note(prompt, options);
      return Promise.resolve([]);
    },
  };
  await askBy(way, 7, { ...DEFAULTS, maxTokens: 20_000, standIns: ['dear', 'cheap'] }, chat, spending);
  expect(sent).toHaveLength(way === 'tools' ? 2 : 1);
  // Suggested questions may take a second request, which contains the first answer.
  const first = sent[0] ?? 0n;
  const fits = way === 'next' ? (reserved[0] ?? 0n) > 2n * first : String(reserved) === String(sent);
  expect([reserved, fits]).toEqual([reserved, true]);
});

const promptTokensOf = (...prompt: PromptMessage[]): number =>
  estimateMaxUsage({ prompt, maxTokens: 16 }).promptTokens;

test('the estimate counts everything in the prompt', () => {
  const long = 'word '.repeat(300);
  const plain = promptTokensOf({ role: 'assistant', content: '' });
  const toolCalls = [{ id: 't', name: 'look_up', arguments: JSON.stringify({ query: long }) }];
  expect(promptTokensOf({ role: 'assistant', content: '', toolCalls })).toBeGreaterThan(plain + 300);
  expect(promptTokensOf({ role: 'tool', toolCallId: 't', content: long })).toBeGreaterThan(plain + 300);
  expect(promptTokensOf({ role: 'user', content: [{ type: 'text', text: long }] })).toBeGreaterThan(
    plain + 300,
  );
  expect(promptTokensOf({ role: 'user', content: [{ type: 'image', url: 'data:,' }] })).toBeGreaterThan(
    plain + 900,
  );
});

type World = {
  readonly seed: number;
  /** Concurrent requests. */
  readonly workers: number;
  readonly calls: number;
  /** The maximum ratio of counted to estimated prompt tokens. */
  readonly counted: number;
  readonly maxTokens: number | undefined;
  readonly budget: bigint;
};

/**
 * Runs the requests against random budgets; resolves with the largest excess of an account, and the largest errors.
 */
async function played({ seed, workers, calls, counted, maxTokens, budget }: World) {
  const random = createSeededRandom(seed);
  const clock = new SimulatedTime(1_700_000_000_000);
  const memory = createMemoryDynamo();
  const time = { now: () => clock.now, sleep: (ms: number) => clock.sleep(ms) };
  const slow = <T>(call: () => Promise<T>): Promise<T> => clock.sleep(random() * 20).then(call);
  const dynamo = {
    ...memory,
    get: (input: Parameters<typeof memory.get>[0]) => slow(() => memory.get(input)),
    update: (input: Parameters<typeof memory.update>[0]) => slow(() => memory.update(input)),
  };
  const store = { dynamo, table: 'conversations', now: time.now };
  const ledger = new Ledger(store);
  const books = new BudgetPolicies({ ...store, dynamo: memory });
  const rules = (['person', 'channel', 'workspace'] as const).map((scope, at) => ({
    scope,
    period: 'day' as const,
    atto: budget * BigInt(at + 1),
  }));
  await books.change(getAccountPartition(TURN.thread), () => ({ ...EMPTY_POLICY, rules }));
  const spending = new BudgetService({
    createId: randomUUID,
    ledger,
    policies: books,
    price,
    time,
    zone: 'UTC',
    deploymentPolicy: EMPTY_POLICY,
  });
  const errors: bigint[] = [];
  const totals = { sent: 0, rejections: 0, over: 0n };
  const answered = async (prompt: readonly PromptMessage[], options: ChatOptions, requests = 1) => {
    const { estimated, answerTokens: limit } = sentOf(prompt, options);
    const models = [options.model ?? 'plain', ...(options.standIns ?? [])];
    const model = models[Math.floor(random() * models.length)] ?? 'plain';
    const promptTokens = Math.floor(estimated * counted * (0.5 + random() / 2));
    const usage = { promptTokens, completionTokens: limit, reasoningTokens: 0, cachedTokens: 0 };
    const beyond = { ...usage, promptTokens: Math.max(0, promptTokens - estimated), completionTokens: 0 };
    // A call with two requests counts as one in flight.
    errors.push(BigInt(requests) * calculateCost(beyond, priceOf(model)).atto);
    totals.sent += 1;
    await options.beforeAttempt();
    await clock.sleep(random() * 2_000);
    const cut = random() < 0.1;
    return { model, usage, cut, calls: (options.tools?.length ?? 0) > 0 && options.toolChoice !== 'none' };
  };
  const chat: Chat = {
    ...streamsOnly,
    model: 'plain',
    modelFacts: () => Promise.resolve({ tools: true, modelsWithImages: [], context: 131_072 }),
    async *stream(prompt, options) {
      const { model, usage, cut, calls: wants } = await answered(prompt, options);
      // Longer by estimate than allowed: an interrupted request is settled at its estimate.
      if (cut) {
        yield { type: 'text', text: 'word '.repeat(options.maxTokens) };
        throw new Error('broken off');
      }
      const toolCalls = wants && random() < 0.5 ? [{ id: 't', name: 'look_up', arguments: '{}' }] : [];
      yield endEvent('Yes.', { model, usage, toolCalls });
    },
    suggestQuestions: async (prompt, options) => {
      const first = await answered(prompt, options, 2);
      const twice = { ...first.usage, completionTokens: 2 * options.maxTokens };
      const usage = { ...twice, promptTokens: 2 * first.usage.promptTokens + options.maxTokens };
      options.onCompletion?.({ text: '', usage });
      return [];
    },
  };
  const who = { person: userId('U0'), channel: TURN.thread.channel };
  const watch = async (): Promise<void> => {
    for (const [at, scope] of (['person', 'channel', 'workspace'] as const).entries()) {
      for (const person of scope === 'person' ? ['U0', 'U1'] : ['U0']) {
        const account = getAccountName(scope, { ...who, person }, 'day', clock.now, 'UTC');
        const key = { partition: getAccountPartition(TURN.thread), account };
        const { atto } = await new Ledger({ ...store, dynamo: memory }).read(key);
        const over = atto - budget * BigInt(at + 1);
        if (over > totals.over) totals.over = over;
      }
    }
  };
  let nth = 0;
  let open = 0;
  const worker = async (): Promise<void> => {
    open += 1;
    while (nth < calls) {
      const way = WAYS[Math.floor(random() * WAYS.length)] ?? 'public';
      const standIns = random() < 0.3 ? ['dear', 'cheap'] : [];
      const settings = { ...DEFAULTS, maxTokens, standIns };
      await askBy(way, (nth += 1), settings, chat, spending).catch((error: unknown) => {
        if (error instanceof BudgetExceededError) totals.rejections += 1;
        else if (!(error instanceof Error && error.message === 'broken off')) throw error;
      });
      await watch();
    }
    open -= 1;
  };
  const failed: unknown[] = [];
  for (let i = 0; i < workers; i += 1) worker().catch((error: unknown) => failed.push(error));
  await clock.run(() => open === 0 || failed.length > 0);
  if (failed.length > 0) throw failed[0];
  const worst = errors.toSorted((a, b) => (a < b ? 1 : -1)).slice(0, workers);
  return { ...totals, error: worst.reduce((sum, one) => sum + one, 0n) };
}

describe('any number of simultaneous requests', () => {
  const harness = fc.record({
    seed: fc.nat(),
    workers: fc.integer({ min: 1, max: 8 }),
    maxTokens: fc.option(fc.integer({ min: 16, max: 131_072 }), { nil: undefined }),
    // From less than one short answer to several long ones.
    budget: fc.integer({ min: 1, max: 60 }).map((cents) => (ATTO_PER_DOLLAR / 100n) * BigInt(cents)),
  });

  test('exceed no budget when prompts have at most the estimated number of tokens', async () => {
    let [sent, refused] = [0, 0];
    await fc.assert(
      fc.asyncProperty(harness, async (options) => {
        const outcome = await played({ ...options, calls: 20, counted: 1 });
        sent += outcome.sent;
        refused += outcome.rejections;
        expect(outcome.over).toBe(0n);
      }),
      { numRuns: 60 },
    );
    expect(sent).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(50);
  });

  test('exceed a budget by at most the estimation error of the requests in flight', async () => {
    await fc.assert(
      fc.asyncProperty(harness, async (options) => {
        const { over, error } = await played({ ...options, calls: 20, counted: 3 });
        expect(over <= error).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
