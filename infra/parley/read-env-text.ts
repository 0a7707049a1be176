import { readFileSync } from 'node:fs';
import { OperatorError } from './operator-error.ts';

/** Returns the text of a file with variables; undefined if there is no such file. Throws OperatorError if it is a folder, or may not be read. */
export function readEnvText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    throw new OperatorError(
      `${path} ${code === 'EISDIR' ? 'is a folder' : `cannot be read (${String(code)})`}: --env takes a file.`,
    );
  }
}
