import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import { jsonObject } from '../json-schema.ts';
import {
  applyChange,
  type Change,
  changesOf,
  clearTalk,
  emptyState,
  type Json,
  parseChange,
} from './state.ts';
import type { Envelope } from './context.ts';

/** After this many lines the file is compacted. */
const REWRITE_AFTER = 20_000;

/** The changes of a workspace, one JSON object per line: survives a crash at any byte. */
export type Journal = {
  readonly past: readonly Change[];
  /** Events that the app had not accepted when the last run ended. */
  readonly pending: readonly Envelope[];
  changed(change: Change): void;
  emitted(envelope: Envelope): void;
  settled(eventId: string): void;
  clear(): void;
  close(): void;
};

const recordShape = jsonObject;
const lineShape = v.union([
  v.object({ settled: v.string() }),
  v.object({ event: recordShape }),
  v.object({ change: recordShape }),
]);

/**
 * Reads the file, if it exists. A truncated last line is dropped. The first write touches the file, so a failed start
 * (a port in use) does not take it from the process that owns it.
 */
export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true });
  const state = emptyState();
  const pending = new Map<string, Envelope>();
  readLines(file, {
    change: (change) => applyChange(state, change),
    event: (envelope) => pending.set(envelope.event_id, envelope),
    settled: (id) => pending.delete(id),
  });
  const past = changesOf(state);
  const first = [...pending.values()];
  let lines = 0;
  let out = 0;
  let closed = false;
  const rewrite = (): void => {
    if (out !== 0) closeSync(out);
    const records = [
      ...changesOf(state).map((change) => ({ change })),
      ...[...pending.values()].map((event) => ({ event })),
    ];
    writeFileSync(`${file}.new`, records.map((line) => `${JSON.stringify(line)}\n`).join(''));
    renameSync(`${file}.new`, file);
    out = openSync(file, 'a');
    lines = 0;
  };
  const write = (line: object): void => {
    if (closed) return;
    if (out === 0) return rewrite();
    writeSync(out, `${JSON.stringify(line)}\n`);
    lines += 1;
    if (lines > REWRITE_AFTER) rewrite();
  };
  return {
    past,
    pending: first,
    changed(change) {
      applyChange(state, change);
      write({ change });
    },
    emitted(event) {
      pending.set(event.event_id, event);
      write({ event });
    },
    settled(id) {
      if (pending.delete(id)) write({ settled: id });
    },
    clear() {
      clearTalk(state);
      pending.clear();
      rewrite();
    },
    close() {
      closed = true;
      if (out !== 0) closeSync(out);
    },
  };
}

type Reader = {
  change: (change: Change) => void;
  event: (envelope: Envelope) => void;
  settled: (id: string) => void;
};

function readLines(file: string, reader: Reader): void {
  for (const line of (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n')) {
    const parsed = v.safeParse(lineShape, jsonOf(line));
    if (!parsed.success) continue;
    if ('settled' in parsed.output) {
      reader.settled(parsed.output.settled);
    } else if ('event' in parsed.output) {
      const envelope = envelopeOf(parsed.output.event);
      if (envelope) reader.event(envelope);
    } else {
      const change = parseChange(parsed.output.change);
      if (change) reader.change(change);
    }
  }
}

function envelopeOf(json: Json): Envelope | undefined {
  const { event_id: id, event } = json;
  if (typeof id !== 'string' || typeof event !== 'object' || event === null || Array.isArray(event))
    return undefined;
  return { ...json, event_id: id, event };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
