import type { IntegrationsContext } from '../integrations/index.ts';
import type { ChatContext } from '../chat/index.ts';
import type { Thread } from '../domain/index.ts';
import type { KnowledgeContext } from '../knowledge/index.ts';
import type {
  DirectoryPlace,
  DirectoryReference,
  FindChannelAccess,
  LookupResult,
} from '../platforms/ports/index.ts';
import type { PrivacyContext } from '../privacy/index.ts';
import type { WorkspaceKeyStore } from '../settings/index.ts';
import type { FormDrafts, Presets, Ratings, Schedules, SettingsStore, ToolLog } from '../storage/index.ts';
import type { JsonSchema, ValidationResult } from '../upstream/index.ts';
import type { ToolsContext } from '../tools/index.ts';
import type { VideoContext } from '../video/index.ts';

/** What commands need: the contexts of the features that they use, presets, ratings and lookups. */
export type CommandsContext = ChatContext &
  VideoContext &
  PrivacyContext &
  ToolsContext &
  KnowledgeContext &
  IntegrationsContext & {
    /** Finds people, groups and channels that an argument names. */
    readonly directory: {
      readonly find: (
        place: Pick<Thread, 'platform'> & DirectoryPlace,
        reference: DirectoryReference,
      ) => Promise<LookupResult>;
    };
    /** Whether a person may read a channel. */
    readonly channelAccess: FindChannelAccess;
    readonly settingsStore: Pick<SettingsStore, 'layers' | 'read' | 'change' | 'levelsUsing' | 'claimNotice'>;
    readonly presets: Pick<Presets, 'get' | 'read' | 'list' | 'save' | 'remove'>;
    /** Forms that answers filled in, until they are sent. */
    readonly drafts: Pick<FormDrafts, 'create' | 'find' | 'change' | 'addSources'>;
    /** What runs at set times. */
    readonly schedules: Pick<Schedules, 'save' | 'list' | 'find' | 'remove' | 'reschedule'>;
    /** Ratings of answers. */
    readonly ratings: Pick<Ratings, 'rate' | 'comment' | 'list'>;
    /** Parses JSON that a model or a person wrote, and validates it. Throws if the schema is invalid. */
    readonly readAs: (text: string, schema: JsonSchema) => ValidationResult;
    readonly toolLog: Pick<ToolLog, 'add' | 'list'>;
    /** The API keys of workspaces. */
    readonly ownKeys: WorkspaceKeyStore;
  };
