import {
  estimateTokens,
  getModality,
  type PromptMessage,
  type PromptPart,
  type Usage,
  type Thread,
} from '../domain/index.ts';
import type { Tool } from '../upstream/index.ts';
import {
  getAccountName,
  type Budget,
  type Scope,
  usedShare,
  WARNING_SHARE,
  type BudgetSubject,
  type BudgetPolicy,
} from './budgets/index.ts';
import type { AccountKey, Ledger, UsageCounters, BudgetPolicies } from '../storage/index.ts';
import type { Time } from '../runtime/index.ts';

/** Estimated tokens of an image in a prompt. */
const TOKENS_PER_IMAGE = 1_000;
/** Estimated tokens of a recording or film in a prompt. Models differ widely. */
const TOKENS_PER_RECORDING = 10_000;
const JSON_CHARACTERS_PER_TOKEN = 3;
/** Added to the estimate: for prose in ten languages it was up to 6 % too low. */
const SAFETY_MARGIN = 1.1;

/** What determines the number of prompt tokens. */
type PromptPlan = {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly Tool[] | undefined;
  /** The JSON schema of the answer; it is part of the prompt. */
  readonly format?: { readonly schema: object } | undefined;
};

/** What determines the maximum cost of a request. */
type RequestPlan = PromptPlan & {
  /** `max_tokens` of the request. */
  readonly maxTokens: number;
  /** How many versions of the answer each request has (default 1). */
  readonly versions?: number | undefined;
  /** The maximum number of requests (default 1); each contains the answers of those before it. */
  readonly requests?: number | undefined;
};

/** Estimates the maximum usage: the prompt with a safety margin, and the longest answer. */
export function estimateMaxUsage({ maxTokens, requests = 1, versions = 1, ...request }: RequestPlan): Usage {
  const promptTokens = estimatePrompt(request);
  const earlierAnswerTokens = (maxTokens * requests * (requests - 1)) / 2;
  return {
    promptTokens: Math.ceil((promptTokens * requests + earlierAnswerTokens) * SAFETY_MARGIN),
    completionTokens: maxTokens * requests * versions,
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

/** Estimates the usage of a request if the server did not report it. `received` is the text of the answer. */
export function estimateUsage(request: PromptPlan, received = ''): Usage {
  return {
    promptTokens: Math.ceil(estimatePrompt(request)),
    completionTokens: received === '' ? 0 : estimateTokens(received),
    reasoningTokens: 0,
    cachedTokens: 0,
  };
}

function estimatePrompt({ prompt, tools, format }: PromptPlan): number {
  const schemas = [...(tools && tools.length > 0 ? [tools] : []), ...(format ? [format.schema] : [])];
  return (
    prompt.reduce((sum, message) => sum + estimateMessage(message), 0) +
    schemas.reduce((sum, schema) => sum + JSON.stringify(schema).length / JSON_CHARACTERS_PER_TOKEN, 0)
  );
}

function estimateMessage(message: PromptMessage): number {
  const { content } = message;
  const { toolCalls = [], origin } = message.role === 'assistant' ? message : {};
  const toolCallTokens = toolCalls.reduce(
    (sum, call) => sum + estimateTokens(call.name) + call.arguments.length / JSON_CHARACTERS_PER_TOKEN,
    origin ? estimateTokens(origin.reasoning) : 0,
  );
  if (typeof content === 'string') return toolCallTokens + estimateTokens(content);
  return content.reduce((sum, part) => sum + estimatePart(part), toolCallTokens);
}

function estimatePart(part: PromptPart): number {
  if (part.type === 'text') return estimateTokens(part.text);
  return part.type === 'image' ? TOKENS_PER_IMAGE : TOKENS_PER_RECORDING;
}

/** Returns the input modalities that a prompt needs besides text. */
export const listMediaModalities = (prompt: readonly PromptMessage[]): ReturnType<typeof getModality>[] =>
  prompt.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === 'text' ? [] : getModality(part))),
  );

/** Counts the images in a prompt. */
export const countImages = (prompt: readonly PromptMessage[]): number =>
  prompt.reduce(
    (sum, { content }) =>
      sum + (typeof content === 'string' ? 0 : content.filter(({ type }) => type === 'image').length),
    0,
  );

/** The partition key of the accounts of the whole deployment. */
const DEPLOYMENT_PARTITION = 'ACCOUNT#*';

/** An account on which a request is booked. `budget` limits it, if there is one. */
type LedgerEntry = {
  readonly key: AccountKey;
  readonly budget: Budget | undefined;
  reserved: boolean;
};

/** Most of this budget is used. People are warned once per period. */
export type BudgetWarning = { readonly scope: Scope; readonly period: Budget['period'] };

/** Returns a warning if most of the budget is used and no one has been warned in this period. */
export async function claimBudgetWarning(
  ledger: Ledger,
  key: AccountKey,
  { limit, scope, period }: Budget,
  counters: UsageCounters,
): Promise<BudgetWarning | undefined> {
  if (usedShare(limit, counters) < WARNING_SHARE) return undefined;
  return (await ledger.claimWarning(key)) ? { scope, period } : undefined;
}

/** Releases the reservations of these entries. Never rejects. */
export async function releaseAll(
  ledger: Ledger,
  entries: readonly LedgerEntry[],
  id: string,
  atto: bigint,
): Promise<void> {
  const reserved = entries.filter((entry) => entry.reserved);
  await Promise.allSettled(reserved.map(({ key }) => retryOnce(() => ledger.release(key, id, atto))));
}

/** Writes again after a failure. Bookings are idempotent by the id of their request. */
export async function retryOnce<T>(write: () => Promise<T>): Promise<T> {
  return write().catch(write);
}

const createEntry = (partition: string, account: string, budget?: Budget): LedgerEntry => ({
  key: { partition, account },
  budget,
  reserved: false,
});

/** Returns the accounts on which a request is booked: those with a budget, and the daily ones of the person, channel and workspace. */
export function createLedgerEntries(
  partition: string,
  budgets: readonly Budget[],
  deploymentBudgets: readonly Budget[],
  subject: BudgetSubject,
  now: number,
  zone: string,
): LedgerEntry[] {
  const dailyAccounts = (['person', 'channel', 'workspace'] as const)
    .map((scope) => getAccountName(scope, subject, 'day', now, zone))
    .filter((account) => !budgets.some((budget) => budget.account === account));
  return [
    ...budgets.map((budget) => createEntry(partition, budget.account, budget)),
    ...deploymentBudgets.map((budget) => createEntry(DEPLOYMENT_PARTITION, budget.account, budget)),
    ...dailyAccounts.map((account) => createEntry(partition, account)),
  ];
}

/**
 * Returns the cost of requests (default one), by the first of these models that has a price. If a price is unknown, `priced` is false
 * and `atto` is too low.
 */
export type Price = (
  models: readonly string[],
  usage: Usage,
  images: number,
  requests?: number,
) => Promise<{ readonly atto: bigint; readonly priced: boolean }>;

/** For a process that loads no prices. */
export const unknownPrice: Price = () => Promise.resolve({ atto: 0n, priced: false });

export type BudgetServiceConfig = {
  readonly ledger: Ledger;
  readonly policies: BudgetPolicies;
  readonly price: Price;
  readonly time: Time;
  /** Returns a new id. */
  readonly createId: () => string;
  /** The time zone of a workspace that has not set one. */
  readonly zone: string;
  /** The policy of the whole deployment. */
  readonly deploymentPolicy: BudgetPolicy;
};

/** A request to a model, before it is sent. */
export type PlannedRequest = {
  /** Names the request in the table; the same after a redelivery. */
  readonly id: string;
  readonly thread: Pick<Thread, 'platform' | 'workspace' | 'channel'>;
  readonly person: string;
  readonly model: string;
  /** Models that may answer instead: the highest price of all is reserved. */
  readonly standIns?: readonly string[] | undefined;
} & RequestPlan;

type ReservationConfig = BudgetServiceConfig & {
  readonly request: PlannedRequest;
  readonly usage: Usage;
  readonly atto: bigint;
  readonly entries: readonly LedgerEntry[];
};

type SettleOptions = {
  /** Whether the request answered a question (default false). */
  readonly isQuestion?: boolean | undefined;
  /** Whether the caller shows a warning to people (default false). */
  readonly canWarn?: boolean | undefined;
  /** How many requests may be billed, at least 1 (the default). */
  readonly requests?: number | undefined;
  /** Whether a part of the reported usage is an estimate (default false). */
  readonly isEstimated?: boolean | undefined;
};

/** The reservation of one request. It ends once, by `settle` or `release`. */
export class Reservation {
  readonly #config: ReservationConfig;

  constructor(config: ReservationConfig) {
    this.#config = config;
  }

  /**
   * Books the cost of the request: by the usage that the model reported, otherwise by an estimate from the answer's text.
   * Returns a warning if most of a budget is used, for a caller that can show it.
   */
  async settle(
    model: string,
    reportedUsage: Usage | undefined,
    text: string,
    { isQuestion = false, canWarn = false, requests = 1, isEstimated = false }: SettleOptions = {},
  ): Promise<BudgetWarning | undefined> {
    const { request, usage: maxUsage, price, entries, ledger, atto: reservedAtto, time } = this.#config;
    // Lets the last part of the answer leave first: building the requests below would delay it by milliseconds.
    await time.sleep(0);
    const estimated = estimateUsage(request, text);
    const usage = reportedUsage ?? {
      ...estimated,
      // An answer never exceeds `maxTokens`, even if the estimate does.
      completionTokens: Math.min(maxUsage.completionTokens, estimated.completionTokens),
    };
    const { atto, priced } = await price(
      [model, request.model],
      usage,
      countImages(request.prompt),
      requests,
    );
    const { promptTokens: prompt, cachedTokens: cached, completionTokens: completion } = usage;
    const booking = {
      id: request.id,
      model,
      prompt,
      cached,
      completion,
      atto,
      priced,
      isEstimated: isEstimated || reportedUsage === undefined,
      isQuestion,
    };
    // At once: the end of the answer waits for it. Each booking counts once, also if it is repeated after another one failed.
    const booked = await Promise.all(
      entries.map(async ({ key, budget }) => {
        if (budget)
          return { key, budget, counters: await retryOnce(() => ledger.settle(key, reservedAtto, booking)) };
        await retryOnce(() => ledger.book(key, booking));
        return undefined;
      }),
    );
    let warning: BudgetWarning | undefined;
    for (const one of booked) {
      // People are warned once per period: a warning that nobody sees must not be the one.
      if (!canWarn || warning || !one?.counters) continue;
      // The answer is complete and paid for: it does not fail with a warning.
      warning = await claimBudgetWarning(ledger, one.key, one.budget, one.counters).catch(() => undefined);
    }
    return warning;
  }

  /** Releases the whole amount of a request that failed. */
  async release(): Promise<void> {
    const { entries, request, ledger, atto } = this.#config;
    await releaseAll(ledger, entries, request.id, atto);
  }
}
