import type { Log, Time } from '../index.ts';
import type { UserProfile } from '../ports/index.ts';
import type { TextLimit } from '../markdown/index.ts';
import type { AgentApi } from './session/agent-api.ts';
import type { SlackCall } from './api/call.ts';
import type { FileHosts } from './files/file-hosts.ts';
import type { ReportOpenStreams } from './answer/stream-load.ts';

export type { Log, Time } from '../index.ts';

/** What a workspace allows of a method in a minute, whoever calls (Slack's tiers 4 and 3). */
export type Budget = { readonly appendsPerMinute: number; readonly updatesPerMinute: number };

export type SlackDeps = {
  /** Calls with the token of one workspace: each workspace has its own platform. */
  readonly call: SlackCall;
  readonly time: Time;
  /** The bot's own user id (`U…`). Without it Slack is asked once, when first needed. */
  readonly botUserId?: string;
  readonly budget?: Budget;
  /** How long `finish` goes on trying, in ms. Default 60,000. */
  readonly finishWithinMs?: number;
  /** What one message of an answer holds. `STREAM_LIMIT` unless told. */
  readonly limit?: TextLimit;
  /** What is known of a person; looked up if absent. Never rejects. */
  readonly person?: (user: string) => Promise<UserProfile>;
  /** Without it, only the answers of this process share their pace. */
  readonly reportOpenStreams?: ReportOpenStreams;
  /** What Slack shows of the work. One of its own unless told: what it has learned of the workspace is then not shared. */
  readonly agent?: AgentApi;
  /** Without it files cannot be fetched. */
  readonly files?: FilesConfig;
  readonly log?: Log;
};

export type FilesConfig = {
  /** The bot's token, sent to `hosts.own` and to nobody else. */
  readonly token: () => Promise<string>;
  /** Where files may come from. Default: Slack's own hosts. See `fileHosts`. */
  readonly hosts?: FileHosts;
  /** For one file, in ms. Default 20,000. */
  readonly timeoutMs?: number;
};
