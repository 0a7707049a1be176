/** A recorded request with its outcome. */
export type Entry = {
  readonly n: number;
  /** ms since 1970. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed body, else its text. */
  readonly body: unknown;
  status: number | undefined;
  code: string | undefined;
  /** Faults of this request. */
  faults: readonly string[];
  /** `open` while the answer is being sent, `gone` when the client left before its end. */
  ended: 'open' | 'whole' | 'broken' | 'gone';
};

const SECRET = new Set(['authorization', 'x-api-key', 'proxy-authorization', 'cookie']);
const KEEP = 5000;

export type Journal = {
  readonly entries: readonly Entry[];
  add(entry: Omit<Entry, 'n'>): Entry;
  /** Removes the records. */
  clear(): void;
};

/** The requests to the simulator, oldest first; the last 5,000. Credentials are omitted. */
export function createJournal(): Journal {
  const entries: Entry[] = [];
  let position = 0;
  return {
    entries,
    add(entry) {
      const headers: Record<string, string | undefined> = { ...entry.headers };
      for (const name of SECRET) if (headers[name] !== undefined) headers[name] = '(kept out)';
      const added: Entry = { ...entry, n: (position += 1), headers };
      entries.push(added);
      if (entries.length > KEEP) entries.shift();
      return added;
    },
    clear() {
      entries.length = 0;
    },
  };
}
