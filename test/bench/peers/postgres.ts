import { join } from 'node:path';
import { freePort, startBot } from './subjects.ts';

/** Starts a Postgres with an empty database on disk. */
export async function startPostgres(
  folder: string,
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const port = await freePort();
  const file = join(import.meta.dirname, 'bots/postgres.js');
  const env = { PATH: process.env['PATH'], PORT: String(port), FOLDER: join(folder, 'postgres') };
  const child = await startBot(file, env);
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    close: async () => void child.kill('SIGKILL'),
  };
}
