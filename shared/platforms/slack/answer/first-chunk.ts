import type { Time } from '../deps.ts';

/** Who asked waits no longer for the first words; and for those of a further message no longer than between two pieces of one. */
const MAX_HOLD_MS = 800;
const MAX_LATER_HOLD_MS = 2_000;
/** In UTF-8 bytes, so that a sentence of Chinese, which has fewer characters, counts as much. */
const MIN_SENTENCE_BYTES = 40;
/** So much says something without the end of a sentence. */
const ENOUGH_BYTES = 160;
const SENTENCE_END = /[.!?…]["'”’»)\]*_]*(?:\s|$)|[。！？]|\n/gu;

/** Whether these words, the first of an answer, tell somebody who sees nothing else of it what it says. */
export function isMeaningful(words: string): boolean {
  if (Buffer.byteLength(words) >= ENOUGH_BYTES) return true;
  return [...words.matchAll(SENTENCE_END)].some(
    ({ index, 0: end }) => Buffer.byteLength(words.slice(0, index + end.length)) >= MIN_SENTENCE_BYTES,
  );
}

/** Why a sleep ends early. One for all: an abort without a reason makes a DOMException, which takes longer than all the rest. */
const ENOUGH = new Error('the words are there');

/**
 * How long a stream is to wait for the words that it begins with. In a channel, people other than who asked see what it began with
 * until it is finished: reported from live workspaces (agentconnect-md/agentconnect#1494); the reference calls who asked "the user
 * to receive the streaming text" (docs.slack.dev/reference/methods/chat.startStream).
 */
export class FirstChunk {
  readonly #time: Time;
  readonly #watched: boolean;
  #since: number | undefined;
  #maxHoldMs = MAX_HOLD_MS;
  /** Aborted when the words have come for which a sleep waits. */
  #enough = new AbortController();

  /** `watched`: others than who asked may be in the place. */
  constructor(time: Time, watched: boolean) {
    this.#time = time;
    this.#watched = watched;
  }

  /** In ms, from now; 0 or less: these words are to be shown. */
  waitMs(words: string): number {
    if (!this.#watched || isMeaningful(words)) return 0;
    this.#since ??= this.#time.now();
    return this.#since + this.#maxHoldMs - this.#time.now();
  }

  /** Sleeps so long (ms), at most until `signal`; for these words (`holdMs`, as `waitMs` told it) no longer than until they are there. */
  async sleep(ms: number, holdMs: number, signal: AbortSignal): Promise<void> {
    if (holdMs > 0) this.#enough = new AbortController();
    const until = holdMs > 0 ? AbortSignal.any([signal, this.#enough.signal]) : signal;
    await this.#time.sleep(ms, until).catch(() => undefined);
  }

  /** More has come: ends the sleep if nothing is waited for any more (`holdMs`). */
  goOn(holdMs: number): void {
    if (holdMs <= 0) this.#enough.abort(ENOUGH);
  }

  /** A message has begun: the next one has its own first words. */
  begun(): void {
    this.#since = undefined;
    this.#maxHoldMs = MAX_LATER_HOLD_MS;
  }
}
