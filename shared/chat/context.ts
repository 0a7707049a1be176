import type { NotePhases, Queue, ShowMessage } from '../aws/index.ts';
import type { Budgets, Price } from '../billing/index.ts';
import type { PdfReader } from '../documents/index.ts';
import type { Thread } from '../domain/index.ts';
import type { FactsContext } from '../facts/index.ts';
import type {
  FindChannelVisibility,
  FindMemberRoles,
  FindUserProfile,
  Messenger,
  Platform,
} from '../platforms/ports/index.ts';
import type {
  Chat,
  ChatTool,
  ModelBreakers,
  RequestPermits,
  Settings,
  ToolQuestion,
} from '../ports/index.ts';
import type { ByteBudget, Log, Metrics, Time } from '../runtime/index.ts';
import type {
  AnswerFiles,
  ErasureMoments,
  Presets,
  Recordings,
  SettingsStore,
  ToolLog,
  Turns,
  TurnSignals,
} from '../storage/index.ts';

/** The context of the chat feature. */
export type ChatContext = {
  readonly turns: Turns;
  readonly signals: TurnSignals;
  readonly platform: Platform;
  /** Posts cards and responds to interactions. */
  readonly messenger: Messenger;
  readonly queue: Queue;
  readonly showMessage: ShowMessage;
  readonly chat: Chat;
  readonly permits: RequestPermits;
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
      | 'addTranscriptMessages'
      | 'remove'
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
  /** Budgets and accounts; `unlimitedBudget` where the deployment has none. */
  readonly budgets: Budgets;
  /** Takes a permit for a question of another bot in that channel; false if there is none: a few in a row, then rarely. */
  readonly takeBotQuestionPermit: (channel: Omit<Thread, 'root'>) => Promise<boolean>;
  readonly time: Time;
  /** The settings of the deployment; for a task, those of its place. */
  readonly settings: Settings;
  readonly settingsStore: Pick<SettingsStore, 'layers'>;
  readonly presets: Pick<Presets, 'get'>;
  readonly userProfile: FindUserProfile;
  readonly memberRoles: FindMemberRoles;
  /** Whether a channel is open to everybody in its workspace. */
  readonly isPublicChannel: FindChannelVisibility;
  /** What people want to be remembered about them. */
  readonly facts: FactsContext['facts'];
  /** The tools of other features, and those that administrators turned on here, under these settings. Never rejects. */
  readonly featureTools: (question: ToolQuestion, settings: Settings) => Promise<readonly ChatTool[]>;
  /** The files of answers that people asked for. */
  readonly answerFiles: Pick<AnswerFiles, 'claim' | 'addMessage' | 'release' | 'list' | 'removeAll'>;
  /** The log of the calls of tools that administrators turned on. */
  readonly toolLog: Pick<ToolLog, 'add'>;
  /** When data of people and threads was erased: earlier messages are not read back from the platform. */
  readonly erasureMoments: Pick<ErasureMoments, 'find' | 'findForPeople'>;
  /** The memory of this process for files, images and PDFs of all its tasks. */
  readonly memory: ByteBudget;
  /** Reports the phases of an answer to X-Ray. */
  readonly notePhases: NotePhases;
  /** Whether a task for which `memory` has no room, or that is known to need much, is returned as `too-large`. If not, it waits for room. */
  readonly movesLarge: boolean;
  readonly metrics: Metrics;
  readonly log: Log;
  /** The same for all tasks. In a task, `turns`, `chat` and `settings` depend on its channel or thread. */
  readonly deployment: DeploymentContext;
};

/** What holds for the deployment as a whole: `withSettings` derives from it what holds at a place. */
export type DeploymentContext = {
  readonly turns: Turns;
  readonly chat: Chat;
  readonly settings: Settings;
};
