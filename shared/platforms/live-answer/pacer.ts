import type { Time } from '../../runtime/index.ts';
import { findCut, findParagraphCut, type TextLimit } from '../markdown/index.ts';

/** How often an answer that is being written may be sent. */
export interface Pacing {
  /** Time between the end of one request and the next, in ms. `sent`: requests so far, at least one. */
  intervalMs(sent: number, isNative: boolean): number;
  /** Counts the answer as one that is being sent, until the returned function is called. */
  countAnswer(): () => void;
  /** Records that a request has ended, this long (ms) after the first one. */
  recordRequest(sinceFirstMs: number): void;
  /** Records that the platform asks to wait. */
  recordThrottling(): void;
}

/** The pace of an answer that shares no rate limit with others. */
export const createIndependentPacing = (intervalMs: Pacing['intervalMs']): Pacing => ({
  intervalMs,
  countAnswer: () => () => undefined,
  recordRequest: () => undefined,
  recordThrottling: () => undefined,
});

/** Says when the next request of one answer may be sent. */
export class Pacer {
  readonly #time: Pick<Time, 'now'>;
  readonly #pacing: Pacing;
  #sent = 0;
  #firstAt = 0;
  #lastAt = 0;
  /** The platform asks to send nothing before. */
  #notBefore = 0;

  constructor(time: Pick<Time, 'now'>, pacing: Pacing) {
    this.#time = time;
    this.#pacing = pacing;
  }

  /** Records that a request has ended, whether it succeeded or not. */
  recordRequest(): void {
    this.#lastAt = this.#time.now();
    if (this.#sent === 0) this.#firstAt = this.#lastAt;
    this.#sent += 1;
    this.#pacing.recordRequest(this.#lastAt - this.#firstAt);
  }

  /** Sends nothing for `waitMs`, as the platform asks. */
  postpone(waitMs: number): void {
    this.#notBefore = this.#time.now() + waitMs;
    this.#pacing.recordThrottling();
  }

  /** Time until the next request, in ms; 0 or less if it is due. It can change during a wait, when other answers begin. */
  waitMs(isNative: boolean): number {
    if (this.#sent === 0) return 0;
    const interval = this.#pacing.intervalMs(this.#sent, isNative);
    return Math.max(this.#notBefore, this.#lastAt + interval) - this.#time.now();
  }
}

/** The longest hold for the first words of an answer. */
const MAX_FIRST_HOLD_MS = 800;

/** The longest hold for the first words of a further message: no longer than the pace of appends. */
const MAX_NEXT_HOLD_MS = 2_000;

/** In bytes of UTF-8, so that a Chinese sentence, which has fewer characters, counts as much. */
const MIN_SENTENCE_BYTES = 40;

/** The number of bytes that say enough without the end of a sentence. */
const ENOUGH_BYTES = 160;

const SENTENCE_END = /[.!?…]["'”’»)\]*_]*(?:\s|$)|[。！？]|\n/gu;

/** Whether the first words of an answer tell enough to people who see nothing else of it. */
function isMeaningful(words: string): boolean {
  if (Buffer.byteLength(words) >= ENOUGH_BYTES) return true;
  return [...words.matchAll(SENTENCE_END)].some(
    ({ index, 0: end }) => Buffer.byteLength(words.slice(0, index + end.length)) >= MIN_SENTENCE_BYTES,
  );
}

/** Ends a sleep early. One object for all: an abort without a reason creates a DOMException, which costs more CPU than the rest. */
const ENOUGH = new Error('there are enough words');

/**
 * Holds the first words of a stream until they are meaningful. In a Slack channel, people other than the asker see only the first
 * words of a stream until it is closed: reported from live workspaces (agentconnect-md/agentconnect#1494); the reference calls the
 * asker "the user to receive the streaming text" (docs.slack.dev/reference/methods/chat.startStream).
 */
export class FirstWords {
  readonly #time: Time;
  readonly #isWatched: boolean;
  #since: number | undefined;
  #maxHoldMs = MAX_FIRST_HOLD_MS;
  #enough = new AbortController();

  /** `isWatched`: people other than the asker may see the stream. */
  constructor(time: Time, isWatched: boolean) {
    this.#time = time;
    this.#isWatched = isWatched;
  }

  /** How long to hold these words, in ms; 0 or less if they can be shown. */
  holdMs(words: string): number {
    if (!this.#isWatched || isMeaningful(words)) return 0;
    this.#since ??= this.#time.now();
    return this.#since + this.#maxHoldMs - this.#time.now();
  }

  /** Sleeps `ms`, or until `signal`; where words are held (`holdMs`), no longer than until there are enough. */
  async sleep(ms: number, holdMs: number, signal: AbortSignal): Promise<void> {
    if (holdMs > 0) this.#enough = new AbortController();
    const until = holdMs > 0 ? AbortSignal.any([signal, this.#enough.signal]) : signal;
    await this.#time.sleep(ms, until).catch(() => undefined);
  }

  /** More words have come: ends the sleep if nothing has to be held any more. */
  wake(holdMs: number): void {
    if (holdMs <= 0) this.#enough.abort(ENOUGH);
  }

  /** A message has begun: the next one has first words of its own. */
  beginMessage(): void {
    this.#since = undefined;
    this.#maxHoldMs = MAX_NEXT_HOLD_MS;
  }
}

/** Slack closes a stream after about five minutes without words. A new message is begun well before. */
const MAX_STREAM_AGE_MS = 240_000;
/** From this age on, the stream ends at the next end of a paragraph. */
const PARAGRAPH_FROM_AGE_MS = 200_000;
/** From this share of the limit on, the stream ends at the next end of a paragraph. */
const PARAGRAPH_FROM_SHARE = 0.85;

/** A native stream that is being written. */
type GrowingStream = {
  readonly text: string;
  /** Offset in the text at which the stream begins. */
  readonly from: number;
  /** Offset up to which people see the text: appended words cannot be taken back. */
  readonly shownLength: number;
  readonly limit: TextLimit;
  /** What its steps take of the limit. */
  readonly reserved: number;
  readonly ageMs: number;
};

/** The offset at which a stream has to end because it is full or old; undefined while it can grow. */
export function rollOver({
  text,
  from,
  shownLength,
  limit,
  reserved,
  ageMs,
}: GrowingStream): number | undefined {
  const cut = findCut(text, from, limit, { atLeast: shownLength, reserved });
  if (cut < text.length) return cut;
  const nearlyFull = limit.unit.reach(text, from, (limit.max - reserved) * PARAGRAPH_FROM_SHARE);
  const paragraphFrom = ageMs >= PARAGRAPH_FROM_AGE_MS ? from + 1 : nearlyFull;
  const paragraph = findParagraphCut(text, from, Math.max(shownLength, paragraphFrom));
  if (paragraph !== undefined) return paragraph;
  if (ageMs < MAX_STREAM_AGE_MS) return undefined;
  const word = Math.max(text.lastIndexOf(' '), text.lastIndexOf('\n')) + 1;
  return word > shownLength ? word : text.length;
}
