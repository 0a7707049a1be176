import { type Direction, readDocument } from '../simulators/discord/document.ts';
import type { RecordedExchange } from '../simulators/recorder.ts';

/** Something that was sent to Discord, or that our simulated Discord answered, and that Discord's own document does not allow. */
export type Deviation = {
  readonly direction: Direction['direction'];
  /** Method and path as the document names them. */
  readonly operation: string;
  readonly status: number;
  /** Where in the body, as a JSON pointer that begins with `#`. */
  readonly at: string;
  readonly rule: string;
  /** The body, cut. */
  readonly body: string;
};

export type DiscordContract = {
  /** How many bodies were held against a schema. */
  readonly requests: number;
  readonly responses: number;
  /** What the document has no schema for: direction, operation and status. */
  readonly unknown: readonly string[];
  readonly deviations: readonly Deviation[];
};

type Exchange = Pick<RecordedExchange, 'platform' | 'kind' | 'operation' | 'request' | 'response' | 'status'>;

const MAX_BODY = 400;

/**
 * Holds every request that Discord took against the schema of its body, and every response against that of its status, in
 * the OpenAPI document below `shared`. What Discord refused may be wrong on purpose: a test shows that it is refused.
 * Undefined where the document is not there. Exchanges with another platform are left out.
 */
export function checkDiscord(
  exchanges: Iterable<Exchange>,
  shared: string | undefined,
): DiscordContract | undefined {
  const document = readDocument(shared);
  if (!document) return undefined;
  const unknown = new Set<string>();
  const deviations: Deviation[] = [];
  const counts = { request: 0, response: 0 };
  const look = ({ operation }: Exchange, which: Direction, status: number, body: unknown): void => {
    const { direction } = which;
    const misfits = document(operation, which, body);
    if (misfits === undefined) return void unknown.add(`${direction} ${operation} ${status}`);
    counts[direction] += 1;
    const where = { direction, operation, status, body: JSON.stringify(body).slice(0, MAX_BODY) };
    deviations.push(...misfits.map(({ at, message }) => ({ ...where, at, rule: message })));
  };
  for (const one of exchanges) {
    const { platform, kind, request, status, response } = one;
    if (platform !== 'discord' || kind !== 'call' || status === undefined) continue;
    if (request !== undefined && status < 400) look(one, { direction: 'request' }, status, request);
    if (response !== undefined) look(one, { direction: 'response', status }, status, response);
  }
  return { requests: counts.request, responses: counts.response, unknown: [...unknown], deviations };
}
