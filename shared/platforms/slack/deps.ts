import type { Log, Time } from '../../runtime/index.ts';
import type { UserProfile } from '../ports/index.ts';
import type { TextLimit } from '../markdown/index.ts';
import type { AgentApi } from './session/assistant-session.ts';
import type { SlackCall } from './api/call.ts';
import type { FileHosts } from './files/file-hosts.ts';

export type { Log, Time } from '../../runtime/index.ts';

/** Reports how many answers this process streams in the workspace. Resolves with how many all other processes stream. */
export type ReportOpenStreams = (open: number) => Promise<number>;

/** The requests per minute of two methods that Slack allows a workspace: `chat.appendStream` (tier 4) and `chat.update` (tier 3). */
export type MethodLimits = { readonly appendsPerMinute: number; readonly updatesPerMinute: number };

export type SlackDeps = {
  /** Calls with the token of one workspace: each workspace has its own platform. */
  readonly call: SlackCall;
  readonly time: Time;
  /** The user id of the bot (`U…`). If absent, Slack is asked once, when it is first needed. */
  readonly botUserId?: string;
  readonly methodLimits?: MethodLimits;
  /** The limit of one message of an answer. Default `STREAM_LIMIT`. */
  readonly limit?: TextLimit;
  /** Finds the profile of a person. Never rejects. Default: Slack is asked. */
  readonly person?: (user: string) => Promise<UserProfile>;
  /**
   * Reports open streams, so that all processes share Slack's rate limit. If absent, only this process is
   * counted.
   */
  readonly reportOpenStreams?: ReportOpenStreams;
  /** Slack's API for agents, with what is known of the workspace. If absent, an instance of its own. */
  readonly agent?: AgentApi;
  /** If absent, files cannot be downloaded. */
  readonly files?: FilesConfig;
  readonly log?: Log;
};

export type FilesConfig = {
  /** The bot token. It is sent only to `hosts.own`. */
  readonly token: () => Promise<string>;
  /** The hosts from which files are downloaded. Default: Slack's own. See `createFileHosts`. */
  readonly hosts?: FileHosts;
  /** The timeout of one download, in ms. Default: depends on the size. */
  readonly downloadTimeoutMs?: number;
};
