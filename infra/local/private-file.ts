import { randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that only this user may read, atomically. */
export function writePrivateJson(file: string, content: unknown): void {
  const next = `${file}.${randomUUID()}`;
  writeFileSync(next, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(next, file);
}
