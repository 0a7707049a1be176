import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** One request between Parley and a simulated platform, without tokens; `npm run contract` holds it against official types. */
export type RecordedExchange = {
  readonly platform: 'slack' | 'discord';
  /** `call`: Parley calls the platform. `delivery`: the platform tells Parley of an event or an interaction. */
  readonly kind: 'call' | 'delivery';
  /** A method of Slack's Web API, `response_url`, a route of Discord's document, or what is delivered. */
  readonly operation: string;
  /** The query of a call to Discord, where it has one. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly request: unknown;
  /** Names of the files beside it. */
  readonly files?: readonly string[] | undefined;
  /** HTTP status and body of what the simulator answered; absent where a fault took the place of the answer. */
  readonly status?: number | undefined;
  readonly response?: unknown;
};

export type Recorder = (exchange: RecordedExchange) => void;

/** Names the folder in which the journeys record their requests; they record nothing without it. */
export const RECORD_TO = 'PARLEY_RECORD_TO';

/** Appends each exchange as one line of JSON to a file of this process in the folder. */
export function recorderTo(folder: string): Recorder {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `exchanges-${process.pid}.jsonl`);
  return (exchange) => appendFileSync(file, `${JSON.stringify(exchange)}\n`);
}

/** The recorder that the environment asks for. */
export function recorderFromEnvironment(): Recorder | undefined {
  const folder = process.env[RECORD_TO];
  return folder === undefined || folder === '' ? undefined : recorderTo(folder);
}
