import type { Probe, Variables } from '../../configuration/index.ts';
import type { EnvFileFacts } from './checks/check-machine.ts';

/** What the checks read from outside. */
export type DoctorInput = {
  /** The version of Node, such as `24.21.0`. */
  readonly nodeVersion: string;
  readonly envFile: EnvFileFacts & { readonly text: string };
  readonly environment: Variables;
  /** The last part of the local system's `engine.log`. */
  readonly engineLog: string;
  /** Channels to check, by their ids. */
  readonly slackChannel: string | undefined;
  readonly discordChannel: string | undefined;
  /** Whether the model is asked a question. */
  readonly shouldAskModel: boolean;
  readonly now: () => number;
  /** Creates a sender of requests that share one time limit. */
  readonly createProbe: (timeoutMs: number) => Probe;
};
