import type { Chunk } from './chunks.ts';
import type { Fault } from './faults.ts';
import { frame } from './frame.ts';
import type { Event, Step } from './frame.ts';
import type { StreamShape } from './shape.ts';

/** The steps of a stream: its events in the format of `shape`, at `paceMs` each, with its faults. */
export function streamSteps(
  chunks: readonly Chunk[],
  shape: StreamShape,
  faults: readonly Fault[],
  paceMs: number,
): Step[] {
  let events = chunks.map((chunk): Event => ({ data: JSON.stringify(chunk) }));
  let manner = shape;
  const last: Step[] = [];
  for (const fault of faults) {
    const at = Math.min('after' in fault ? (fault.after ?? Math.floor(events.length / 2)) : 0, events.length);
    if (fault.kind === 'malformed') {
      events = events.with(Math.min(at, events.length - 1), { data: '{"id":"broken","choices":[{"delta":' });
    }
    if (fault.kind === 'error-event') events = [...events.slice(0, at), errorEvent(fault, chunks[0])];
    if (fault.kind === 'cut' || fault.kind === 'eof' || fault.kind === 'silence')
      events = events.slice(0, at);
    if (fault.kind === 'cut') last.push({ kind: 'cut' });
    if (fault.kind === 'silence') last.push({ kind: 'silence', pingMs: fault.pingMs });
    if (ENDS.has(fault.kind)) manner = { ...manner, done: 'no' };
  }
  const slow = faults.find((fault) => fault.kind === 'slow');
  const late = faults.find((fault) => fault.kind === 'late-usage');
  const steps = paced(frame(events, manner), slow?.ms ?? paceMs);
  if (late !== undefined) steps.splice(usageStep(steps), 0, { kind: 'wait', ms: late.ms });
  const thinking = faults.find((fault) => fault.kind === 'think');
  return [...(thinking === undefined ? [] : thoughts(thinking)), ...steps, ...last];
}

/** Comments, and the waits between them. */
function thoughts({ ms, pingMs = 0 }: Extract<Fault, { kind: 'think' }>): Step[] {
  const ping: Step = { kind: 'bytes', bytes: Buffer.from(': still thinking\n\n') };
  if (pingMs === 0) return [ping, { kind: 'wait', ms }];
  return Array.from({ length: Math.ceil(ms / pingMs) }, (_, at): Step[] => [
    ping,
    { kind: 'wait', ms: Math.min(pingMs, ms - at * pingMs) },
  ]).flat();
}

/** The place of the last event that holds usage; the end where none does. */
function usageStep(steps: readonly Step[]): number {
  const at = steps.findLastIndex((step) => step.kind === 'bytes' && step.bytes.includes('"usage"'));
  return at < 0 ? steps.length : at;
}

const ENDS = new Set<Fault['kind']>(['cut', 'eof', 'silence', 'error-event']);

function paced(writes: readonly Buffer[], paceMs: number): Step[] {
  return writes.flatMap((bytes, at): Step[] => {
    const write: Step = { kind: 'bytes', bytes };
    return paceMs > 0 && at > 0 ? [{ kind: 'wait', ms: paceMs }, write] : [write];
  });
}

function errorEvent(fault: Extract<Fault, { kind: 'error-event' }>, head: Chunk | undefined): Event {
  const message = 'The answer could not be finished.';
  const error = { message, type: 'server_error', code: fault.code ?? 'internal_error', param: null };
  if (fault.form === 'event') return { event: 'error', data: JSON.stringify({ error }) };
  if (fault.form === 'object') return { data: JSON.stringify({ object: 'error', ...error }) };
  if (fault.form !== 'finish') return { data: JSON.stringify({ error }) };
  const choice = { index: 0, delta: { content: '' }, finish_reason: 'error' };
  return { data: JSON.stringify({ ...head, error, choices: [choice] }) };
}
