import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * One request between Parley and a simulated platform, without tokens; `npm run contract` compares it with official
 * types.
 */
export type RecordedExchange = {
  readonly platform: 'slack' | 'discord';
  /** `call`: Parley calls the platform. `delivery`: the platform sends Parley an event or an interaction. */
  readonly kind: 'call' | 'delivery';
  /** A method of Slack's Web API, `response_url`, a route of Discord's document, or what is delivered. */
  readonly operation: string;
  /** The query of a request to Discord, if any. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly request: unknown;
  /** Names of the attached files. */
  readonly files?: readonly string[] | undefined;
  /** HTTP status and body of the response; absent if a fault replaced it. */
  readonly status?: number | undefined;
  readonly response?: unknown;
};

export type Recorder = (exchange: RecordedExchange) => void;

/** The variable with the folder in which the journeys record their requests; without it they record nothing. */
export const RECORD_TO = 'PARLEY_RECORD_TO';

/** Appends each exchange as one line of JSON to a file of this process in the folder. */
export function recorderTo(folder: string): Recorder {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `exchanges-${process.pid}.jsonl`);
  return (exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`);
}

/** The recorder of the environment. */
export function recorderFromEnvironment(): Recorder | undefined {
  const folder = process.env[RECORD_TO];
  return folder === undefined || folder === '' ? undefined : recorderTo(folder);
}
