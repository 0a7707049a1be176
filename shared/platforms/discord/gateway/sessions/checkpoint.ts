import * as v from 'valibot';

const webSocketUrl = v.pipe(v.string(), v.regex(/^wss?:\/\/[^\s?#@]+$/));

const checkpoint = v.object({
  /** The bot's own user; empty before the first session. */
  me: v.string(),
  /** The session with the gateway, and the sequence number up to which all events were handled. */
  session: v.optional(v.object({ id: v.string(), resumeUrl: webSocketUrl, sequence: v.number() })),
  /** All messages up to this one were handled. */
  seen: v.string(),
  /** The id after which the session has to backfill: a little before `seen` at its start. Absent before the first session. */
  gap: v.optional(v.string()),
  /** DMs with recent messages, the latest first: no event lists them. */
  directs: v.array(v.string()),
});

/** The stored state with which the next process continues. */
export type Checkpoint = v.InferOutput<typeof checkpoint>;

/** Parses a stored checkpoint; undefined if it is invalid. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  try {
    const { success, output } = v.safeParse(checkpoint, JSON.parse(text));
    return success ? output : undefined;
  } catch {
    return undefined;
  }
}

export const serializeCheckpoint = (of: Checkpoint): string => JSON.stringify(of);

export const isWebSocketUrl = (url: string): boolean => v.safeParse(webSocketUrl, url).success;

/** Stores one text. All methods reject if the table does not respond. */
export interface CheckpointStore {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
  /** Lets the text expire within a day. */
  discard(): Promise<void>;
}
