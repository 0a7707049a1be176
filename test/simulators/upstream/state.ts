import { createPrefixCache } from './chat/prefix-cache.ts';
import type { SimRequest } from './exchange.ts';
import { createJournal } from './journal.ts';
import type { Entry, Journal } from './journal.ts';
import type { Key } from './keys.ts';
import { createAccounts, PUBLISHED_LIMITS } from './limits/limits.ts';
import type { Accounts, Limits } from './limits/limits.ts';
import { createExtraModels, MODELS } from './models.ts';
import type { Model } from './models.ts';
import { createRandom, hash, identifier } from './random.ts';
import { createRules } from './rules.ts';
import type { Rules } from './rules.ts';
import { defaults } from './settings.ts';
import type { CoreOptions, Settings } from './settings.ts';
import type { Fault } from './stream/faults.ts';
import { MEDIA_MODELS } from './vision/types.ts';
import type { Delivery, Job, MediaModel, StoredVideo, Submit } from './vision/types.ts';

/** A billable item. */
export type Metered = {
  readonly at: number;
  readonly kind: 'chat' | 'speech' | 'video' | 'picture';
  readonly user: string;
  readonly what: string;
};

/** The state of the simulator. `reset` recreates it. */
export type State = {
  readonly seed: number;
  readonly compat: boolean;
  /** ms since 1970, moved on by `advance`. */
  readonly now: () => number;
  readonly advance: (ms: number) => void;
  settings: Settings;
  readonly limits: Limits;
  readonly keys: Map<string, Key>;
  readonly models: Map<string, Model>;
  readonly accounts: Accounts;
  readonly rules: Rules;
  readonly journal: Journal;
  readonly metered: Metered[];
  readonly jobs: Map<string, Job>;
  /** Responses to submits by user and idempotency key. */
  readonly submits: Map<string, Submit>;
  readonly deliveries: Delivery[];
  readonly videos: Map<string, StoredVideo>;
  readonly mediaModels: readonly MediaModel[];
  readonly prefixes: ReturnType<typeof createPrefixCache>;
  /** The number of the next request of a kind; ids and words vary with it. */
  readonly next: (kind: string) => number;
  /** A new identifier, the same in each run. */
  readonly id: (prefix: string, length?: number) => string;
};

/** One request on its way through an endpoint. */
export type Call = {
  readonly request: SimRequest;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: readonly string[];
  readonly id: string;
  readonly entry: Entry;
  faults: readonly Fault[];
  /** Headers of any response. */
  readonly headers: Record<string, string>;
};

export const DEFAULT_KEY = 'sim-key-local';

export function createState(options: CoreOptions): State {
  const { clock = Date.now, seed = 1, profile = 'compat', apiKey = DEFAULT_KEY } = options;
  const limits = { ...PUBLISHED_LIMITS, ...options.limits };
  const counts = new Map<string, number>();
  let ahead = 0;
  const next = (kind: string): number => {
    const n = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, n);
    return n;
  };
  return {
    seed,
    compat: profile === 'compat',
    now: () => clock() + ahead,
    advance: (ms) => {
      ahead += ms;
    },
    settings: defaults(profile, options),
    limits,
    keys: new Map([[apiKey, { key: apiKey, user: 'local', status: 'active' }]]),
    models: new Map(
      [...MODELS, ...createExtraModels(options.extraModels ?? [])].map((model) => [model.id, model]),
    ),
    accounts: createAccounts(limits),
    rules: createRules(createRandom(hash(`${seed} faults`))),
    journal: createJournal(),
    metered: [],
    jobs: new Map(),
    submits: new Map(),
    deliveries: [],
    videos: new Map(),
    mediaModels: options.mediaModels ?? MEDIA_MODELS,
    prefixes: createPrefixCache(),
    next,
    id: (prefix, length = 16) =>
      `${prefix}${identifier(createRandom(hash(`${seed} ${prefix} ${next(prefix)}`)), length)}`,
  };
}
