import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';

/**
 * An append-only file of JSON lines. `append` returns when the operating system has the line, so that killing this process
 * loses no acknowledged message. An incomplete last line after a machine crash is dropped when reading.
 */
export type Journal = {
  /** Throws when the line cannot be written completely; the file is then unchanged. */
  append(record: unknown): void;
  /** Replaces the file's content atomically. Throws when it cannot be written completely; the file is then unchanged, and nothing else is left. */
  rewrite(records: readonly unknown[]): void;
  /** Returns the number of lines. */
  readonly lines: () => number;
  close(): void;
};

/**
 * Opens a journal and returns its records. A last line without line feed was never acknowledged and is dropped. Throws for any
 * other line that is not JSON: the file is damaged, and guessing could lose messages.
 */
export function openJournal(file: string): { journal: Journal; records: unknown[] } {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const records = whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => parseLine(line, file, index + 1));
  // Of a process that ended while it wrote it: it would keep space that may be missing.
  rmSync(nextFile(file), { force: true });
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
    writeNext(nextFile(file), content);
    renameSync(nextFile(file), file);
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

const nextFile = (file: string): string => `${file}.next`;

/** Writes a new file completely to the disk, or removes it and throws. */
function writeNext(file: string, content: Buffer): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    writeAll(descriptor, content);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

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
