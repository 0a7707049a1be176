import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';

/**
 * An append-only file of JSON lines. `append` returns once the operating system holds the line, so that killing
 * this process loses nothing that was acknowledged; a line cut by a crash of the machine is dropped on reading.
 */
export type Journal = {
  /** Throws when the line could not be written; the file then holds no part of it. */
  append(record: unknown): void;
  /** Replaces the whole file by these records, atomically. */
  rewrite(records: readonly unknown[]): void;
  /** Lines in the file now. */
  readonly lines: () => number;
  close(): void;
};

/**
 * Opens the journal and returns what it held. A last line without its line feed was never acknowledged and is
 * dropped. Throws on any other line that is not JSON: the file is damaged and guessing would lose messages.
 */
export function openJournal(file: string): { journal: Journal; records: unknown[] } {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const records = whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parseLine(line, file, index + 1));
  let descriptor = openSync(file, 'a', 0o600);
  let length = Buffer.byteLength(whole);
  ftruncateSync(descriptor, length);
  let lines = records.length;

  const append = (record: unknown) => {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    try {
      writeAll(descriptor, line);
    } catch (error) {
      ftruncateSync(descriptor, length);
      throw error;
    }
    length += line.length;
    lines += 1;
  };
  const rewrite = (replacement: readonly unknown[]) => {
    const content = Buffer.from(replacement.map((record) => `${JSON.stringify(record)}\n`).join(''));
    const next = openSync(`${file}.next`, 'w', 0o600);
    writeAll(next, content);
    fsyncSync(next);
    closeSync(next);
    renameSync(`${file}.next`, file);
    closeSync(descriptor);
    descriptor = openSync(file, 'a', 0o600);
    length = content.length;
    lines = replacement.length;
  };
  const close = () => {
    fsyncSync(descriptor);
    closeSync(descriptor);
  };
  return { journal: { append, rewrite, lines: () => lines, close }, records };
}

/** A journal that keeps nothing, for queues that need not outlive the process. */
export const noJournal: Journal = { append: () => {}, rewrite: () => {}, lines: () => 0, close: () => {} };

function writeAll(descriptor: number, content: Buffer): void {
  for (let at = 0; at < content.length;) at += writeSync(descriptor, content, at);
}

function parseLine(line: string, file: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`Line ${number} of ${file} is damaged. Move the file away to start with empty queues.`);
  }
}
