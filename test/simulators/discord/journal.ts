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
import { parsed } from './json.ts';
import { applyChange, type Change, changesOf, emptyState, parseChange } from './state.ts';

/** After this many lines the file is compacted. */
const REWRITE_AFTER = 20_000;

/** The changes, one JSON object per line: survives a crash at any byte. */
export type Journal = {
  readonly past: readonly Change[];
  changed(change: Change): void;
  clear(): void;
  close(): void;
};

/**
 * Reads the file, if it exists; a truncated last line is dropped. The first write touches the file, so a failed start
 * does not take it from the process that owns it.
 */
export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true });
  const state = emptyState();
  for (const line of (existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n')) {
    const change = parseChange(parsed(line));
    if (change) applyChange(state, change);
  }
  let lines = 0;
  let out = 0;
  let closed = false;
  const rewrite = (): void => {
    if (out !== 0) closeSync(out);
    writeFileSync(
      `${file}.new`,
      changesOf(state)
        .map((change) => `${JSON.stringify(change)}\n`)
        .join(''),
    );
    renameSync(`${file}.new`, file);
    out = openSync(file, 'a');
    lines = 0;
  };
  return {
    past: changesOf(state),
    changed(change) {
      applyChange(state, change);
      if (closed || change.kind === 'typing') return;
      if (out === 0 || lines > REWRITE_AFTER) return rewrite();
      writeSync(out, `${JSON.stringify(change)}\n`);
      lines += 1;
    },
    clear() {
      for (const map of Object.values(state)) map.clear();
      rewrite();
    },
    close() {
      closed = true;
      if (out !== 0) closeSync(out);
    },
  };
}
