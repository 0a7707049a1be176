import type { MessageId } from '../../../domain/index.ts';
import type { Locale } from '../../../i18n/index.ts';
import { type Log, RetryTimeoutError, type Time } from '../../retry.ts';
import { type Step, ThreadDeletedError } from '../../ports/platform.ts';
import {
  cleanStep,
  closing,
  closeOpenBlocks,
  drawTables,
  inCharacters,
  settledLength,
} from '../../markdown/index.ts';
import { DiscordApiError } from '../api/call.ts';
import { headOf } from '../blocks/answer-components.ts';
import { plan, roomFor } from './publish.ts';
import { BodyOutdated, type Messages } from '../api/messages.ts';
import { ChannelUnreachable } from '../api/message-sender.ts';
import { type LiveAnswer, idsOf, newPart } from './live-answer.ts';
import { syncMessage } from './sync-message.ts';

/** Between the end of one edit and the next: five in ten seconds is less than any limit that is known. */
const EARLY_MS = 1_500;
const LATE_MS = 2_500;
const LATE_FROM = 10;
/** A live edit that takes longer is left to `finish`. */
const EDIT_TIMEOUT_MS = 20_000;
/** While the head may still grow. */
const HEAD_ROOM = 400;

export type StreamDeps = {
  readonly answer: LiveAnswer;
  /** Made when first needed: a ticket has to be looked for. */
  readonly messages: () => Promise<Messages>;
  readonly time: Time;
  /** Stands under the message that is being written. */
  readonly stop: (locale: Locale) => readonly Readonly<Record<string, unknown>>[];
  /** Longer answers are not shown whole while they are written. */
  readonly most: number;
  readonly log?: Log | undefined;
};

/** Shows an answer while it is being written: one request at a time, paced, each replacing what the last message shows. */
export class Stream {
  readonly #deps: StreamDeps;
  readonly #answer: LiveAnswer;
  readonly #halt = new AbortController();
  readonly #first = Promise.withResolvers<MessageId[]>();
  #running: Promise<void> | undefined;
  /** All words so far, inert. */
  #words = '';
  /** Something was said that people do not see yet. */
  #news = false;
  #sent = 0;
  #dueAt = 0;
  /** Live showing has ended for good: `finish` will do what is left. */
  #broken = false;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    this.#answer = deps.answer;
    this.#first.promise.catch(() => undefined);
    if (idsOf(this.#answer).length > 0) this.settle();
  }

  /** Adds inert words. */
  write(words: string): void {
    if (this.#halt.signal.aborted || words === '') return;
    this.#words += words;
    this.#work();
  }

  /** Shows a step, or its new state, with the next words, or alone. */
  step(step: Step): void {
    if (this.#halt.signal.aborted) return;
    const shown = cleanStep(step);
    this.#answer.steps.set(shown.id, shown);
    this.#work();
  }

  /** Resolves with the messages posted so far once there is one. */
  async posted(): Promise<MessageId[]> {
    await this.#first.promise;
    return idsOf(this.#answer);
  }

  /** Tells those who wait for the first message how the attempt to post it ended. */
  settle(error?: unknown): void {
    if (error === undefined) this.#first.resolve(idsOf(this.#answer));
    else this.#first.reject(error);
  }

  /** Ends the live showing; resolves with its messages when no request of it is under way any more. */
  async halt(): Promise<readonly MessageId[]> {
    this.#halt.abort(new Error('the answer is complete'));
    await this.#running;
    const posted = idsOf(this.#answer);
    if (posted.length > 0) this.settle();
    return posted;
  }

  #work(): void {
    this.#news = true;
    if (this.#running || this.#broken) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    const { time } = this.#deps;
    const { signal } = this.#halt;
    while (!signal.aborted && !this.#broken && this.#news) {
      const wait = this.#dueAt - time.now();
      if (wait > 0) await time.sleep(wait, signal).catch(() => undefined);
      else await this.#step();
    }
  }

  async #step(): Promise<void> {
    this.#news = false;
    try {
      await this.#show().catch((error: unknown) => {
        if (!(error instanceof BodyOutdated)) throw error;
        return this.#show();
      });
      if (idsOf(this.#answer).length > 0) this.settle();
    } catch (error) {
      this.#failed(error);
    }
    this.#sent += 1;
    this.#dueAt = this.#deps.time.now() + (this.#sent < LATE_FROM ? EARLY_MS : LATE_MS);
  }

  async #show(): Promise<void> {
    const { time, stop, most } = this.#deps;
    const answer = this.#answer;
    const { text } = drawTables(this.#words.slice(0, settledLength(this.#words)));
    const messages = await this.#deps.messages();
    const head = headOf([...answer.steps.values()], messages);
    const room = roomFor(head) - HEAD_ROOM;
    const pieces = text.trim() === '' ? [] : plan(answer, text, room).slice(0, most);
    if (pieces.length === 0 && answer.steps.size === 0) return;
    answer.text = text;
    const patience = { time, deadline: time.now() + EDIT_TIMEOUT_MS, signal: this.#halt.signal };
    // Whatever comes before the last two was complete when it was shown last.
    for (const [index, piece] of (pieces.length === 0 ? [{ from: 0, to: 0 }] : pieces).entries()) {
      const part = (answer.parts[index] ??= newPart(index));
      part.from = piece.from;
      const last = index >= pieces.length - 1;
      const words =
        closeOpenBlocks(text, piece, inCharacters(room)) + (last ? closing(text, piece.to, true) : '');
      const content = (index === 0 ? head : '') + words;
      await syncMessage(
        part,
        { content, components: last ? stop(messages.locale) : [], files: [] },
        answer,
        messages,
        patience,
      );
    }
  }

  #failed(error: unknown): void {
    this.#broken = true;
    if (this.#halt.signal.aborted) return;
    this.#deps.log?.('discord.live_ended', { reason: error instanceof Error ? error.message : 'unknown' });
    const { cause } = error instanceof RetryTimeoutError ? error : { cause: error };
    const hopeless =
      cause instanceof DiscordApiError ||
      error instanceof ThreadDeletedError ||
      error instanceof ChannelUnreachable;
    if (hopeless && idsOf(this.#answer).length === 0) this.settle(error);
  }
}
