import * as v from 'valibot';

const address = v.pipe(v.string(), v.regex(/^wss?:\/\/[^\s?#@]+$/));

const bookmark = v.object({
  /** The bot's own user; empty before the first session. */
  me: v.string(),
  /** The session with the gateway, and the sequence number up to which everything was handed over. */
  session: v.optional(v.object({ id: v.string(), resumeUrl: address, sequence: v.number() })),
  /** Everything up to this message was handed over. */
  seen: v.string(),
  /** From where the session has to catch up, a little before what was seen when it began. Absent before there is one. */
  gap: v.optional(v.string()),
  /** DMs in which somebody wrote of late, the latest first: no event lists them. */
  directs: v.array(v.string()),
});

/** What outlives the process, so that the next one goes on where this one stopped. */
export type Checkpoint = v.InferOutput<typeof bookmark>;

/** Undefined for what is no bookmark. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  try {
    const { success, output } = v.safeParse(bookmark, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

export const textOf = (of: Checkpoint): string => JSON.stringify(of);

export const isAddress = (url: string): boolean => v.safeParse(address, url).success;

/** Keeps one text. All reject when the table cannot be reached. */
export interface CheckpointStore {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
  /** The text is needed no more, and goes within a day. */
  discard(): Promise<void>;
}
