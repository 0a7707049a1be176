import { randomUUID } from 'node:crypto';
import { type Chat, type CompletionEvent } from '../../shared/ports/index.ts';
import { streamsOnly } from '../fakes/streams-only.ts';
import { type BudgetPolicy, ATTO_PER_DOLLAR, EMPTY_POLICY } from '../../shared/billing/budgets/index.ts';
import { BudgetService } from '../../shared/billing/budget-service.ts';
import type { PromptMessage } from '../../shared/domain/index.ts';
import type { SlackCall } from '../../shared/platforms/slack/index.ts';
import { CHAT_LIMIT, type RateLimit } from '../../shared/rate-limits/index.ts';
import {
  BudgetPolicies,
  TokenBuckets,
  type Dynamo,
  KeyRateLimiter,
  Ledger,
  type TurnsConfig,
} from '../../shared/storage/index.ts';
import { withRepeatableWrites } from '../../shared/storage/dynamodb/write-ids.ts';
import { ConnectionError, StreamCutError } from '../../shared/upstream/index.ts';
import type { Random } from './seeded-random.ts';
import { CallLostError, type Process } from './harness.ts';

/** What a process reaches outside of itself: each request is a point for faults. */

export function dynamoIn(process: Process, store: Dynamo): Dynamo {
  return withRepeatableWrites({
    get: (input) => process.effect(`get ${input.TableName}`, () => store.get(input)),
    put: (input) => process.effect(`put ${input.TableName}`, () => store.put(input)),
    update: (input) =>
      process.effect(`update ${input.TableName} ${changeOf(input)}`, () => store.update(input)),
    delete: (input) => process.effect(`delete ${input.TableName}`, () => store.delete(input)),
    query: (input) => process.effect(`query ${input.TableName}`, () => store.query(input)),
  });
}

/** The change of an update in traces, without the id of the write. */
const changeOf = ({ UpdateExpression = '' }: Parameters<Dynamo['update']>[0]): string =>
  UpdateExpression.replace(', #writeid = :writeid', '');

/** The turns table as a process reaches it. */
export const storeIn = (process: Process, store: Dynamo): TurnsConfig => ({
  dynamo: dynamoIn(process, store),
  table: 'conversations',
  days: 30,
  now: process.time.now,
});

export function slackIn(process: Process, slack: SlackCall): SlackCall {
  return (method, args) => process.effect(method, () => slack(method, args));
}

/** A model that answers each request with a text of its own, and records its prompts. */
export type Model = {
  requests: number;
  /** The last line of each prompt, and its time. */
  readonly now: () => number;
  readonly questions: { readonly question: string; readonly at: number }[];
  /** Streamed after the first words, in chunks. */
  readonly goesOn?: Speech | undefined;
  /** It searches the thread before it answers. */
  readonly searches?: boolean | undefined;
};

/** The chunks of an answer, each this long after the previous one (ms). */
export type Speech = { readonly pieces: readonly string[]; readonly everyMs: number };

/** The duration of each answer. */
const USAGE = { promptTokens: 100, completionTokens: 20, reasoningTokens: 0, cachedTokens: 0 };
const SEARCH = { id: 'call-1', name: 'search_thread', arguments: '{"query":"one"}' };

const modelFacts: NonNullable<Chat['modelFacts']> = async () => ({
  tools: true,
  images: false,
  // Has room for one earlier turn only: a search finds the others.
  context: 100,
  modelsWithImages: [],
});

export function chatIn(process: Process, model: Model): Chat {
  return {
    ...streamsOnly,
    ...(model.searches && { modelFacts }),
    async *stream(messages, { beforeAttempt, signal, tools = [] }): AsyncGenerator<CompletionEvent> {
      await beforeAttempt();
      const at = model.now();
      const words = await asUpstream('', () =>
        process.effect('request', () => {
          model.requests += 1;
          model.questions.push({ question: questionIn(messages), at });
          return answerTo(messages, model.requests);
        }),
      );
      if (model.searches && tools.length > 0 && messages.at(-1)?.role !== 'tool') {
        const end = { text: '', finish: 'tool_calls', model: 'model-a', usage: USAGE } as const;
        yield { type: 'end', ...end, toolCalls: [SEARCH] };
        return;
      }
      let text = '';
      const { pieces = [], everyMs = 0 } = model.goesOn ?? {};
      for (const [n, word] of [...words, ...pieces].entries()) {
        if (n >= words.length) await process.time.sleep(everyMs, signal);
        const piece = await asUpstream(text, () => process.effect('chunk', () => word));
        signal.throwIfAborted();
        text += piece;
        yield { type: 'text', text: piece };
      }
      yield { type: 'end', text, finish: 'stop', model: 'model-a', usage: USAGE };
    },
  };
}

/** The last user message of a prompt. */
function questionIn(messages: readonly PromptMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user')?.content;
  return typeof last === 'string' ? (last.split('\n').at(-1) ?? '') : '';
}

const answerTo = (messages: readonly PromptMessage[], request: number): string[] => [
  `Answer ${request} `,
  `to ${questionIn(messages)}`,
];

/** To the features, a failed request is a failure of the upstream. */
async function asUpstream<T>(partialText: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof CallLostError)) throw error;
    throw partialText
      ? new StreamCutError('the stream broke off', { partialText })
      : new ConnectionError('the upstream cannot be reached');
  }
}

/**
 * The permits as a process has them. By the documented rule people are answered at a low rate without the table: such
 * a request has no permit of the table, and `trickled` counts it.
 */
export function slotsIn(
  process: Process,
  store: Dynamo,
  random: Random,
  trickled: () => void,
  limit: RateLimit = CHAT_LIMIT,
): KeyRateLimiter {
  const dynamo = dynamoIn(process, store);
  const { now } = process.time;
  return new KeyRateLimiter({
    buckets: new TokenBuckets(dynamo, 'tokens', now),
    random,
    family: 'chat',
    limit,
    keys: () => Promise.resolve(['1']),
    now,
    onTableUnavailable: (granted) => granted && trickled(),
  });
}

/** The maximum cost of a request, and the cost of the answered ones. */
export const MAX_COST = ATTO_PER_DOLLAR;
export const COST = ATTO_PER_DOLLAR / 2n;
/** Longer answers than any here are only reserved. */
const LONG_TOKENS = 1_000;

const MORE_RULES: BudgetPolicy['rules'] = [
  { scope: 'person', period: 'day', requests: 1_000 },
  { scope: 'workspace', period: 'month', requests: 1_000 },
];

/** Budgets and accounts; that of this person has a limit. */
export function spendingIn(process: Process, store: Dynamo, isSeveral = false): BudgetService {
  const { time } = process;
  const tableDeps = { dynamo: dynamoIn(process, store), table: 'conversations', now: time.now };
  const own: BudgetPolicy['rules'] = [{ scope: 'person', period: 'month', requests: 1_000 }];
  const rules = isSeveral ? [...own, ...MORE_RULES] : own;
  return new BudgetService({
    createId: randomUUID,
    ledger: new Ledger(tableDeps),
    policies: new BudgetPolicies(tableDeps),
    price: async (_, { completionTokens }) => ({
      atto: completionTokens > LONG_TOKENS ? MAX_COST : COST,
      priced: true,
    }),
    time,
    zone: 'UTC',
    deploymentPolicy: { ...EMPTY_POLICY, rules },
  });
}
