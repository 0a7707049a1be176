import type { ByteBudget, Log, Metrics, Time } from '../runtime/index.ts';
import type { NotePhases, Queue, ShowMessage } from '../aws/index.ts';
import type { VideoService } from './video-ports.ts';
import type { Thread, TurnRef } from '../domain/index.ts';
import type {
  DirectoryPlace,
  LookupResult,
  DirectoryReference,
  Platform,
  Messenger,
  FindMemberRoles,
  FindUserProfile,
} from '../platforms/ports/index.ts';
import type { ChatTool, SeenPicture, Chat, ModelBreakers, RequestPermits, Settings } from '../ports/index.ts';
import type { WorkspaceKeyStore } from '../settings/index.ts';
import type { Budgets, Price } from '../billing/index.ts';
import type { PdfReader } from '../documents/index.ts';
import type {
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
import type { ValidationResult, JsonSchema } from '../upstream/index.ts';
export type { QueueDelivery, TaskResult } from '../domain/index.ts';
export {
  SUGGEST_TOKENS,
  DEFAULTS,
  noBreakers,
  noWaitQueue,
  type Chat,
  type ModelBreakers,
  type Suggested,
  type ModelFacts,
  type ListedModel,
  type ChatOptions,
  type CompletionEvent,
  type RequestPermits,
  type Sampling,
  type Settings,
} from '../ports/index.ts';

export type { Log };
export type { RequestPermit, PermitRequest, PermitDecision } from '../storage/index.ts';

/** What holds for a deployment as a whole: `withSettings` derives from it what holds at a place. */
export type DeploymentContext = {
  readonly turns: Turns;
  readonly chat: Chat;
  readonly settings: Settings;
};

/** What a process has before it knows the task. */
export type ProcessContext = Omit<WorkerContext, 'deployment' | 'featureTools'>;

export type WorkerContext = {
  readonly videos: VideoService;
  readonly turns: Turns;
  readonly signals: TurnSignals;
  readonly platform: Platform;
  /** Cards, and answers to calls. */
  readonly messenger: Messenger;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly chat: Chat;
  readonly permits: RequestPermits;
  /** The same for videos, whose rate limit is separate. */
  readonly videoPermits: RequestPermits;
  /** Tells which models are at capacity. */
  readonly breakers: ModelBreakers;
  /** The queue of recordings to transcribe, and what is stored of them. */
  readonly transcription: {
    readonly queue: Queue;
    readonly recordings: Pick<
      Recordings,
      | 'find'
      | 'listChunks'
      | 'transcriptText'
      | 'attributedTranscript'
      | 'begin'
      | 'readSignal'
      | 'stop'
      | 'resume'
    >;
  };
  /** Reads PDFs; `noPdfReader` where a process has no memory for them. */
  readonly pdf: PdfReader;
  /** Prices a request to a model. */
  readonly price: Price;
  /** Budgets and accounts; `unlimitedBudget` where the deployment keeps none. */
  readonly budgets: Budgets;
  /** The API keys of workspaces. */
  readonly ownKeys: WorkspaceKeyStore;
  /** Whether another bot may ask in that channel again: a few times in a row, then rarely. */
  readonly botMayAsk: (of: Omit<Thread, 'root'>) => Promise<boolean>;
  readonly time: Time;
  /** The deployment's; for a task, what holds where it comes from. */
  readonly settings: Settings;
  readonly userProfile: FindUserProfile;
  readonly memberRoles: FindMemberRoles;
  /** Finds whom people name. */
  readonly directory: {
    readonly find: (
      of: Pick<Thread, 'platform'> & DirectoryPlace,
      reference: DirectoryReference,
    ) => Promise<LookupResult>;
  };
  /** What people set, and what they saved by name. */
  readonly settingsStore: Pick<SettingsStore, 'layers' | 'read' | 'change' | 'levelsUsing' | 'claimNotice'>;
  readonly presets: Pick<Presets, 'get' | 'read' | 'list' | 'save' | 'remove'>;
  /** The tools of other features, under these settings. `rootIsOurs`: the thread began with a question to the bot. */
  readonly featureTools: (
    asked: { readonly turn: TurnRef; readonly seen: readonly SeenPicture[]; readonly rootIsOurs: boolean },
    settings: Settings,
  ) => readonly ChatTool[];
  /** Forms that answers filled in, until they are sent. */
  readonly drafts: Pick<FormDrafts, 'create' | 'find' | 'change' | 'addSources'>;
  /** What people think of answers. */
  readonly ratings: Pick<Ratings, 'rate' | 'comment' | 'list'>;
  /** Reads JSON that a model or a person wrote, and checks it. Throws for a schema that is none. */
  readonly readAs: (text: string, schema: JsonSchema) => ValidationResult;
  /** Erases workspaces, people and threads. */
  readonly erasure: Pick<Erasure, 'page' | 'threadPage' | 'scans'>;
  /** Since when people and threads are forgotten: what was said before is not read back from the platform. */
  readonly erasureMoments: Pick<ErasureMoments, 'record' | 'find' | 'findForPeople'>;
  /** Shortens the retention of what is stored already. */
  readonly shortening: Pick<RetentionRun, 'page'>;
  /** Gathers what is stored of people and threads, for them to see. */
  readonly exporter: Pick<Exports, 'page' | 'threadPage' | 'scans'>;
  /** Limits how often people may have an export. */
  readonly exportLimit: Pick<ExportLimit, 'take'>;
  /** The right to scan the table, which one task has at a time. */
  readonly scanLease: Pick<ScanLease, 'take' | 'release'>;
  readonly installs: Pick<Installs, 'remove'>;
  /** The memory of this process that files, images and PDFs of all its tasks may take. */
  readonly memory: ByteBudget;
  /** Tells X-Ray what an answer's time was spent on. */
  readonly notePhases: NotePhases;
  /** Whether a task that finds no room in `memory` at once, or is known to need much, is returned as `too-large`. If not, it waits for room. */
  readonly movesLarge: boolean;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The same for all tasks; `turns`, `chat` and `settings` follow what is set where the task comes from. */
  readonly deployment: DeploymentContext;
};
