import type { Queue } from '../aws/index.ts';
import type { Budgets } from '../billing/index.ts';
import type { VideoService, Settings } from '../ports/index.ts';
import type { FindUserProfile, Messenger } from '../platforms/ports/index.ts';
import type { Log, Time } from '../runtime/index.ts';
import type {
  Collections,
  Erasure,
  ErasureMoments,
  ExportLimit,
  Exports,
  Installs,
  RetentionRun,
  ScanLease,
  Schedules,
  SettingsStore,
} from '../storage/index.ts';

/** What erasure, export and retention need. */
export type PrivacyContext = {
  /** Erases workspaces, people and threads. */
  readonly erasure: Pick<Erasure, 'page' | 'threadPage' | 'scans' | 'channelSettings'>;
  /** When data of people and threads was erased. */
  readonly erasureMoments: Pick<ErasureMoments, 'record' | 'find' | 'findForPeople'>;
  /** Applies a shorter retention to stored data. */
  readonly shortening: Pick<RetentionRun, 'page'>;
  /** Collects the stored data of people and threads for them. */
  readonly exporter: Pick<Exports, 'page' | 'threadPage' | 'scans'>;
  /** Limits how often a person may request an export. */
  readonly exportLimit: Pick<ExportLimit, 'take'>;
  /** The lease for scanning the table. One task holds it at a time. */
  readonly scanLease: Pick<ScanLease, 'take' | 'release'>;
  /** Removes the documents of a deleted message. */
  readonly collections: Pick<Collections, 'removeAll' | 'removeMessage' | 'removeThread' | 'removeParts'>;
  /** Ends the schedules of a deleted channel. */
  readonly schedules: Pick<Schedules, 'list' | 'remove'>;
  readonly installs: Pick<Installs, 'remove'>;
  readonly videos: VideoService;
  readonly budgets: Budgets;
  readonly messenger: Messenger;
  readonly queue: Queue;
  readonly userProfile: FindUserProfile;
  readonly settings: Settings;
  readonly settingsStore: Pick<SettingsStore, 'layers' | 'read'>;
  readonly time: Time;
  readonly log: Log;
};
