import type { ByteBudget } from '../runtime/byte-budget.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { NotePhases } from '../aws/xray-segments.ts';
import type { Videos } from './video-ports.ts';
import type { Thread, TurnRef } from '../domain/index.ts';
import type { DirectoryPlace, LookupResult, DirectoryReference } from '../platforms/ports/directory.ts';
import type { Platform, CardMessenger } from '../platforms/ports/platform.ts';
import type { FindMemberRoles, FindUserProfile } from '../ports/people.ts';
import type { ChatTool, SeenPicture } from '../ports/chat-tool.ts';
import type { Queue, ShowMessage } from '../aws/sqs-queue.ts';
import type { Time } from '../runtime/time.ts';
import type { PdfReader } from '../documents/index.ts';
import type {
  Breakers,
  FormDrafts,
  Erasure,
  ErasureMoments,
  ExportLimit,
  Exports,
  RetentionRun,
  Installs,
  TurnSignals,
  Ratings,
  Recordings,
  Presets,
  ScanLease,
  SettingsStore,
  Turns,
} from '../storage/index.ts';
import type { WorkspaceKeyStore } from '../settings/workspace-api-key.ts';
import type { Price, BudgetService } from '../billing/budget-service.ts';
import type { ValidationResult, JsonSchema } from '../upstream/index.ts';

import type { Chat, Settings, RequestPermits } from '../ports/chat-model.ts';

export type { Log };
export type { QueueDelivery, TaskResult } from '../domain/queue-delivery.ts';
export type { RequestPermit, PermitRequest, PermitDecision } from '../storage/index.ts';

export { SUGGEST_TOKENS, DEFAULTS } from '../ports/chat-model.ts';
export type {
  Chat,
  Suggested,
  ModelFacts,
  ListedModel,
  ChatOptions,
  CompletionEvent,
  RequestPermits,
  Sampling,
  Settings,
} from '../ports/chat-model.ts';

export type WorkerContext = {
  /** Absent where no videos are made. */
  readonly videos?: Videos | undefined;
  readonly turns: Turns;
  readonly signals: TurnSignals;
  readonly platform: Platform;
  /** Cards, and answers to calls. */
  readonly messenger: CardMessenger;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly chat: Chat;
  readonly permits: RequestPermits;
  /** The same for videos, whose rate limit is separate. */
  readonly videoPermits: RequestPermits;
  /** Which models are full. Absent where that is not kept. */
  readonly breakers?: Pick<Breakers, 'waitMs' | 'enter' | 'wasFull' | 'answered' | 'left'> | undefined;
  /** Where recordings go to be heard, and what was heard of them. Absent where nobody listens. */
  readonly transcription?:
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
  readonly spending?: BudgetService | undefined;
  /** The keys that workspaces bring along. Absent where they may not. */
  readonly ownKeys?: WorkspaceKeyStore | undefined;
  /** Whether another bot may ask in that channel once more: a few times in a row, then now and then. Absent: always. */
  readonly botMayAsk?: ((of: Omit<Thread, 'root'>) => Promise<boolean>) | undefined;
  readonly time: Time;
  /** The deployment's; for a task, what holds where it comes from. */
  readonly settings: Settings;
  /** Absent where interactions tell all there is. */
  readonly userProfile?: FindUserProfile | undefined;
  readonly memberRoles?: FindMemberRoles | undefined;
  /** Whom people name. Absent where nobody can be looked up: ids count as they are written. */
  readonly directory?:
    | {
        readonly find: (
          of: Pick<Thread, 'platform'> & DirectoryPlace,
          reference: DirectoryReference,
        ) => Promise<LookupResult>;
      }
    | undefined;
  /** What people set, and what they saved by name. */
  readonly settingsStore: Pick<SettingsStore, 'layers' | 'read' | 'change' | 'levelsUsing'>;
  readonly presets: Pick<Presets, 'get' | 'read' | 'list' | 'save' | 'remove'>;
  /** What the model may call of other features. `rootIsOurs`: the thread was begun by asking the bot. */
  readonly featureTools: (
    asked: { readonly turn: TurnRef; readonly seen: readonly SeenPicture[]; readonly rootIsOurs: boolean },
    context: WorkerContext,
  ) => readonly ChatTool[];
  /** Forms that answers filled in, until they are sent. */
  readonly drafts: Pick<FormDrafts, 'keep' | 'find' | 'change' | 'attribute'>;
  /** What people think of answers. */
  readonly ratings: Pick<Ratings, 'rate' | 'comment' | 'list'>;
  /** Reads JSON that a model or a person wrote, and checks it. Throws for a schema that is none. */
  readonly readAs: (text: string, schema: JsonSchema) => ValidationResult;
  /** What forgets workspaces and people; absent where things are forgotten by age alone. */
  readonly erasure?: Pick<Erasure, 'page' | 'threadPage' | 'scans'> | undefined;
  /** Since when people and threads are forgotten: what was said before is not read back from the platform. */
  readonly erasureMoments: Pick<ErasureMoments, 'record' | 'of' | 'ofPeople'>;
  /** What lets older things go where they are kept for less long than before. */
  readonly shortening?: Pick<RetentionRun, 'page'> | undefined;
  /** What is kept of people and threads, for them to see; absent where it cannot be gathered. */
  readonly exporter?: Pick<Exports, 'page' | 'threadPage' | 'scans'> | undefined;
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
  /** Of context for one task: those that all tasks share. */
  readonly sharedContext?: WorkerContext | undefined;
};
