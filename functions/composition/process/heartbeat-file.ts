import { writeFile } from 'node:fs/promises';

/** The health check of the container reads the age of this file. */
const ALIVE_FILE = 'alive';

/** Tells the health check that the process works and needs no restart. */
export const writeHeartbeat = (): void =>
  void writeFile(ALIVE_FILE, String(Date.now())).catch(() => undefined);
