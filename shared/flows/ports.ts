import type { ByteBudget } from '../runtime/byte-budget.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { NotePhases } from '../runtime/segments.ts';
import type { Videos } from './video/ports.ts';
import type { PromptMessage, ToolCall, Thread, Usage, UserId } from '../conversation/index.ts';
import type { DirectoryPlace, LookupResult, Reference } from '../platforms/directory.ts';
import type { Person, Platform, Stage, Standing } from '../platforms/platform.ts';
import type { Queue, ShowMessage } from '../runtime/queue.ts';
import type { Time } from '../runtime/time.ts';
import type { PdfReader } from '../files/index.ts';
import type {
  Breakers,
  Drafts,
  Erasure,
  ErasureMoments,
  ExportLimit,
  Exports,
  Shortening,
  Installs,
  KeySlots,
  Marks,
  Ratings,
  Recordings,
  SavedTexts,
  ScanLease,
  SettingsStore,
  Slot,
  Turns,
} from '../store/index.ts';
import type { Layers } from '../settings/index.ts';
import type { OwnKeySide } from './own-key.ts';
import type { Price, Spending } from './spending.ts';
import type { AttemptOutcome, Checked, JsonSchema, RateLimitSeen, Tool } from '../upstream/index.ts';

export type { Delivery, Verdict } from './delivery.ts';
export type { Slot, SlotAsk, SlotDecision } from '../store/index.ts';

/** What the flows want of the model behind the bot. */
export interface Chat {
  /**
   * Streams one completion. `beforeAttempt` is awaited before every request that is sent, retries included.
   * Throws the upstream's errors; never ends without an `end` event.
   */
  stream(prompt: readonly PromptMessage[], options: ChatOptions): AsyncIterable<ChatEvent>;
  /** Makes up questions that may be asked next. Throws the upstream's errors. Absent where that is not to be had. */
  suggest?(
    prompt: readonly PromptMessage[],
    options: ChatOptions & { readonly model: string },
  ): Promise<Suggested>;
  /** The model that is asked unless told otherwise. */
  readonly model?: string | undefined;
  /** What is known of a model, or of that one. Never rejects. Absent where nothing is known of any. */
  about?(model?: string): Promise<ModelFacts>;
  /** The models there are to choose from; empty where nothing is known of any. Never rejects. */
  list?(): Promise<readonly ListedModel[]>;
}

/** The longest answer with questions to ask next, in tokens. */
export const SUGGEST_TOKENS = 200;

/** Questions that may be asked next, and what they cost to make up, as far as the model told. */
export type Suggested = { readonly questions: readonly string[]; readonly usage?: Usage | undefined };

/** What a model takes, as far as the upstream says: undefined is unknown. */
export type ModelFacts = {
  readonly tools?: boolean | undefined;
  readonly images?: boolean | undefined;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** Models of the same upstream that take pictures. */
  readonly seeing: readonly string[];
};

/** A model of the list, as people choose by. */
export type ListedModel = {
  readonly id: string;
  /** Tokens of prompt and answer together. */
  readonly context?: number | undefined;
  /** What it takes in: `text`, `image` ... */
  readonly takes: readonly string[];
  /** What it can beside words: `tools`, `reasoning` ... */
  readonly can: readonly string[];
  readonly ready: boolean;
  /** What a thousand such turns cost, in dollars; undefined is unknown. */
  readonly perThousand: (usage: Usage) => number | undefined;
};

export type ChatOptions = {
  readonly signal: AbortSignal;
  /** No part of the call goes on after this (ms since 1970). */
  readonly deadline: number;
  readonly beforeAttempt: (attempt?: number, signal?: AbortSignal, model?: string) => Promise<void>;
  /** Who waits after a 429: `caller`: `beforeAttempt`, any number of times. */
  readonly waitsForLimits?: 'client' | 'caller' | undefined;
  /** Told how each attempt came out. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** The slot that `beforeAttempt` took last: it says by which key to ask. */
  readonly slot?: (() => Slot | undefined) | undefined;
  /** Told what each answer says of limits. */
  readonly onRateLimit?: ((seen: RateLimitSeen) => void) | undefined;
  /** Asked one after the other while the model is full. */
  readonly standIns?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
  /** `none`: the model is to answer without calling a tool. */
  readonly toolChoice?: 'auto' | 'none' | undefined;
  /** The longest answer in tokens, reasoning included. Never left out: budgets reserve what is sent. */
  readonly maxTokens: number;
  readonly sampling?: Sampling | undefined;
  /** The answer is to be JSON that fits this schema. Whether it does is for `readAs` to say. */
  readonly format?: { readonly name: string; readonly schema: JsonSchema } | undefined;
};

export type ChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | {
      readonly type: 'end';
      readonly text: string;
      readonly finish: string;
      readonly model: string;
      /** What the model wants tools to do before it goes on. */
      readonly toolCalls?: readonly ToolCall[] | undefined;
      readonly usage?: Usage | undefined;
      readonly requestId?: string | undefined;
      readonly weightVersion?: string | undefined;
    };

/** The right to send requests to the upstream, counted in the token table. */
export type Slots = Pick<
  KeySlots,
  'take' | 'takeFree' | 'find' | 'withdraw' | 'poll' | 'leave' | 'release' | 'heard'
>;

export type { Log } from '../runtime/log.ts';

/** How a model picks its words, as far as it honours that. */
export type Sampling = {
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly topK?: number | undefined;
  readonly minP?: number | undefined;
  readonly repetitionPenalty?: number | undefined;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | undefined;
};

export type Settings = {
  readonly systemPrompt: string;
  /** How much of a thread's past goes into a prompt. */
  readonly window: { readonly bytes: number; readonly tokens: number };
  /** How much of what others said in a thread before the bot was called into it. */
  readonly beforeCharacters: number;
  /** Models that are offered under an answer besides the one that gave it. */
  readonly otherModels: readonly string[];
  /** How much of a model's reasoning is shown: nothing, that it took place, the end of it too, or all of it as a file. */
  readonly reasoning: 'off' | 'brief' | 'full' | 'file';
  /** What was set where this is asked, level by level, the deployment's own included: for `resolve`. */
  readonly layers: Layers;
  /** For how many days what was said is kept where nobody set it. Absent where that is not known. */
  readonly keptDays?: number | undefined;
  /** The model that is asked; the deployment's own unless set. */
  readonly model?: string | undefined;
  readonly sampling?: Sampling | undefined;
  /** The longest answer in tokens, reasoning included, for every way to ask; see `maxAnswerTokens`. */
  readonly maxTokens?: number | undefined;
  /** Models that answer while the one that is asked is full, in this order. */
  readonly standIns: readonly string[];
  /** The model that makes up questions to ask next; without one none are offered. */
  readonly followUpModel?: string | undefined;
  /** Slack's one command, with its slash. */
  readonly slackCommand: string;
  /** The time zone (IANA) in which people are told the time. */
  readonly zone?: string | undefined;
};

/**
 * Settings unless told otherwise. The bytes of the window, as stored and packed, bound what reading the past costs:
 * 12 KB are one and a half read units, about ten turns of 2 KB or thirty short ones.
 */
export const DEFAULTS: Settings = {
  systemPrompt: '',
  window: { bytes: 12 * 1024, tokens: 8_000 },
  beforeCharacters: 8_000,
  otherModels: [],
  reasoning: 'brief',
  standIns: [],
  slackCommand: '/parley',
  layers: {},
};

export type Deps = {
  /** Absent where no videos are made. */
  readonly videos?: Videos | undefined;
  readonly turns: Turns;
  readonly marks: Marks;
  readonly platform: Platform;
  /** Cards, and answers to calls. */
  readonly stage: Stage;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly chat: Chat;
  readonly slots: Slots;
  /** The same for recordings and for videos, whose limits are their own. */
  readonly mediaSlots?: { readonly speech: Slots; readonly video: Slots } | undefined;
  /** Which models are full. Absent where that is not kept. */
  readonly breakers?: Pick<Breakers, 'waitMs' | 'enter' | 'wasFull' | 'answered' | 'left'> | undefined;
  /** Where recordings go to be heard, and what was heard of them. Absent where nobody listens. */
  readonly hearing?:
    | {
        readonly queue: Queue;
        readonly recordings: Pick<
          Recordings,
          'find' | 'pieces' | 'said' | 'spokenIn' | 'begin' | 'signal' | 'stop' | 'resume'
        >;
      }
    | undefined;
  /** Absent where no PDF can be read. */
  readonly pdf?: PdfReader | undefined;
  /** What calls cost. Absent where nothing is known of prices. */
  readonly price?: Price | undefined;
  /** Budgets and accounts. Absent where none are kept. */
  readonly spending?: Spending | undefined;
  /** The keys that workspaces bring along. Absent where they may not. */
  readonly ownKeys?: OwnKeySide | undefined;
  /** Whether another bot may ask in that channel once more: a few times in a row, then now and then. Absent: always. */
  readonly botMayAsk?: ((of: Omit<Thread, 'root'>) => Promise<boolean>) | undefined;
  readonly time: Time;
  /** The deployment's; for a task, what holds where it comes from. */
  readonly settings: Settings;
  /** What is known of people beside what calls tell. Never rejects; absent where calls tell all there is. */
  readonly people?:
    | ((of: Pick<Thread, 'platform' | 'workspace'>, user: UserId) => Promise<Person>)
    | undefined;
  /** What a person is in a workspace. Rejects when the platform does not say: permission waits for it. */
  readonly standing?:
    | ((of: Pick<Thread, 'platform' | 'workspace'>, user: UserId) => Promise<Standing>)
    | undefined;
  /** Whom people name. Absent where nobody can be looked up: ids count as they are written. */
  readonly directory?:
    | {
        readonly find: (
          of: Pick<Thread, 'platform'> & DirectoryPlace,
          reference: Reference,
        ) => Promise<LookupResult>;
      }
    | undefined;
  /** What people set, and what they saved by name. */
  readonly choices: Pick<SettingsStore, 'layers' | 'read' | 'change' | 'levelsUsing'>;
  readonly saved: Pick<SavedTexts, 'get' | 'read' | 'list' | 'save' | 'remove'>;
  /** Forms that answers filled in, until they are sent. */
  readonly drafts: Pick<Drafts, 'keep' | 'find' | 'change' | 'attribute'>;
  /** What people think of answers. */
  readonly ratings: Pick<Ratings, 'rate' | 'comment' | 'list'>;
  /** Reads JSON that a model or a person wrote, and checks it. Throws for a schema that is none. */
  readonly readAs: (text: string, schema: JsonSchema) => Checked;
  /** What forgets workspaces and people; absent where things are forgotten by age alone. */
  readonly erasure?: Pick<Erasure, 'page' | 'threadPage' | 'scans'> | undefined;
  /** Since when people and threads are forgotten: what was said before is not read back from the platform. */
  readonly erasureMoments: Pick<ErasureMoments, 'record' | 'ofPeople'>;
  /** What lets older things go where they are kept for less long than before. */
  readonly shortening?: Pick<Shortening, 'page'> | undefined;
  /** What is kept of people and threads, for them to see; absent where it cannot be gathered. */
  readonly exports?: Pick<Exports, 'page' | 'threadPage' | 'scans'> | undefined;
  /** How often people may have an export; absent where it is not limited. */
  readonly exportLimit?: Pick<ExportLimit, 'take'> | undefined;
  /** The right to read the table through, which one task has at a time. */
  readonly scanLease?: Pick<ScanLease, 'take' | 'release'> | undefined;
  readonly installs?: Pick<Installs, 'remove'> | undefined;
  /** What files, pictures and PDFs of all tasks of this process may take of its memory; absent: any amount. */
  readonly memory?: ByteBudget | undefined;
  /** Tells X-Ray what an answer's time was spent on. */
  readonly notePhases?: NotePhases | undefined;
  /** A task for which there is no room in `memory` at once is `too-large`, as is one that is known to need much; else it waits for room. */
  readonly movesLarge?: boolean | undefined;
  /** Measures. Absent where nobody looks. */
  readonly metrics?: Metrics | undefined;
  readonly log: Log;
  /** Of deps for one task: those that all tasks share. */
  readonly origin?: Deps | undefined;
};
