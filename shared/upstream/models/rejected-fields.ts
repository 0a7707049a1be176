import type { UpstreamError } from '../errors.ts';

/** After this time a field is sent again: the server may have been updated. */
const TTL_MS = 60 * 60_000;

/** Request fields that a server rejected for a model, so that later requests do not fail first. For one process. */
export class RejectedFields {
  readonly #now: () => number;
  readonly #untilMs = new Map<string, Map<string, number>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The rejected fields of a model, as on the wire. */
  of(model: string): readonly string[] {
    const now = this.#now();
    return [...(this.#untilMs.get(model) ?? [])].flatMap(([field, until]) => (now < until ? [field] : []));
  }

  add(model: string, field: string): void {
    const fields = this.#untilMs.get(model) ?? new Map<string, number>();
    this.#untilMs.set(model, fields.set(field, this.#now() + TTL_MS));
  }
}

/** The top-level request field that a 400 or 422 names: `tools` for `tools[0].function.name`. */
export function getRejectedField({ kind, param }: UpstreamError): string | undefined {
  if (kind !== 'bad-request' || param === undefined) return undefined;
  const [field] = param.split(/[.[]/u);
  return field === 'reasoning' ? 'reasoning_effort' : field;
}

/** Whether the server rejects the value only: other values of the same field may be accepted. */
export const isAboutValue = ({ code }: UpstreamError): boolean => code !== undefined && /value/u.test(code);
