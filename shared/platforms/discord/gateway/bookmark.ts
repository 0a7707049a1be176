import * as z from 'zod/mini';

const address = z.string().check(z.regex(/^wss?:\/\/[^\s?#@]+$/));

const bookmark = z.object({
  /** The bot's own user. */
  me: z.string(),
  /** The session with the gateway, and the sequence number up to which everything was handed over. */
  session: z.optional(z.object({ id: z.string(), resumeUrl: address, sequence: z.number() })),
  /** Everything up to this message was handed over. */
  seen: z.string(),
  /** What `seen` was when the session began: from there on the session has to catch up. Absent where nothing came before. */
  gap: z.optional(z.string()),
  /** DMs in which somebody wrote of late, the latest first: no event lists them. */
  directs: z.array(z.string()),
});

/** What outlives the process, so that the next one goes on where this one stopped. */
export type Bookmark = z.infer<typeof bookmark>;

/** Undefined for what is no bookmark. */
export function readBookmark(text: string): Bookmark | undefined {
  try {
    return bookmark.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const isAddress = (url: string): boolean => address.safeParse(url).success;

/** Keeps one text. Both reject when the table cannot be reached. */
export interface BookmarkShelf {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

/** Discord's time begins with 2015. */
const EPOCH_MS = 1_420_070_400_000;

/** The lowest id that can have been made at this moment (ms since 1970). */
export const idAt = (ms: number): string => String(BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n);
