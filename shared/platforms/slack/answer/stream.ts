import type { KnownBlock } from '@slack/types';
import type { MessageId } from '../../../domain/index.ts';
import { type Step, ThreadDeletedError } from '../../ports/platform.ts';
import { cleanStep, closing, cutAt, opening } from '../../markdown/index.ts';
import type { StopBlocks } from '../blocks/answer-blocks.ts';
import { SlackApiError } from '../api/call.ts';
import { failureOf, isPermanent, nameOf } from '../api/errors.ts';
import type { Budget, Log, Time } from '../deps.ts';
import { FirstChunk } from './first-chunk.ts';
import type { Messages } from '../posts/messages.ts';
import { AppendScheduler } from './append-scheduler.ts';
import { NewCards } from '../posts/new-cards.ts';
import { type LiveAnswer, idsOf, newPart, type AnswerPart, shownCard, stepsOf } from './live-answer.ts';
import { RetryTimeoutError } from '../api/retry.ts';
import { rollOver } from './roll-over.ts';
import { isUnconfirmed, syncMessage } from './sync-message.ts';
import { fittedCard, refusedLimit, sizeOfCards, taskChunk } from './task-cards.ts';
import type { StreamLoad } from './stream-load.ts';
import { refusalReason } from '../posts/ephemeral.ts';

/** A live edit that takes longer is left to `finish`. */
const EDIT_TIMEOUT_MS = 20_000;

export type StreamDeps = {
  readonly answer: LiveAnswer;
  readonly messages: Messages;
  readonly time: Time;
  readonly budget: Budget;
  /** Others than who asked may be in the place. */
  readonly watched: boolean;
  /** Stands under a message that is being written where Slack has no Stop of its own. */
  readonly stop: StopBlocks;
  /** Shared by all answers of the workspace in this process. */
  readonly traffic: StreamLoad;
  readonly log?: Log | undefined;
};

/** What is added to a stream: words up to an offset in the text, and task cards. */
type Added = { readonly words: string; readonly cards: readonly Step[]; readonly to: number };

/** Shows an answer while it is being written: one call at a time, paced, into a native stream where Slack allows it. */
export class Stream {
  readonly #deps: StreamDeps;
  readonly #answer: LiveAnswer;
  readonly #halt = new AbortController();
  readonly #first = Promise.withResolvers<MessageId[]>();
  #running: Promise<void> | undefined;
  #part: AnswerPart | undefined;
  /** What the part began with before its words. */
  #opening = '';
  readonly #cards = new NewCards();
  /** The part takes `chat.appendStream`; otherwise its text is replaced by edits. */
  #native = false;
  /** Where in the text the words lie that were sent last. */
  #to = 0;
  #bornAt = 0;
  /** The part is complete; the next words begin another. */
  #full = false;
  /** Slack takes no more into the part than it shows. */
  #refusedMore = false;
  readonly #pacer: AppendScheduler;
  readonly #firstChunk: FirstChunk;
  /** Live showing has ended for good: `finish` will do what is left. */
  #broken = false;

  constructor(deps: StreamDeps) {
    this.#deps = deps;
    this.#answer = deps.answer;
    this.#pacer = new AppendScheduler(deps);
    this.#firstChunk = new FirstChunk(deps.time, deps.watched);
    this.#first.promise.catch(() => undefined);
    if (idsOf(this.#answer).length > 0) this.#first.resolve(idsOf(this.#answer));
  }

  /** Adds inert words. The first are sent before this returns, if they are enough to begin with. */
  write(words: string): void {
    if (this.#halt.signal.aborted || words === '') return;
    this.#answer.text += words;
    this.#work();
    this.#firstChunk.goOn(this.#holdMs());
  }

  /** Shows a step, or its new state, with the next words, or alone. */
  step(step: Step): void {
    if (this.#halt.signal.aborted) return;
    const { steps, parts } = this.#answer;
    const shown = fittedCard(cleanStep(step), steps.values(), shownCard(this.#answer, step.id));
    steps.set(shown.id, shown);
    // A card in a message that is complete cannot be changed: what is wrong with it is left to `finish`.
    const complete = parts.filter((part) => part !== this.#part || this.#full);
    if (complete.some(({ cards }) => cards.has(shown.id))) return;
    this.#cards.add(shown);
    this.#work();
    this.#firstChunk.goOn(this.#holdMs());
  }

  /** Whether the words go into a native stream just now. */
  get native(): boolean {
    return this.#native;
  }

  #work(): void {
    if (this.#running || this.#broken || !this.#hasWork()) return;
    const ends = this.#deps.traffic.begins();
    this.#running = this.#run().finally(() => {
      ends();
      this.#running = undefined;
    });
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

  /** Ends the live showing; resolves with its messages when no call of it is under way any more. */
  async halt(): Promise<readonly MessageId[]> {
    this.#halt.abort(new Error('the answer is complete'));
    await this.#running;
    const posted = idsOf(this.#answer);
    if (posted.length > 0) this.settle();
    return posted;
  }

  #hasWork(): boolean {
    return this.#cards.due || this.#hasWords();
  }

  #hasWords(): boolean {
    return this.#answer.text.slice(this.#to).trim() !== '';
  }

  async #run(): Promise<void> {
    const { signal } = this.#halt;
    while (!signal.aborted && !this.#broken && this.#hasWork()) {
      const hold = this.#holdMs();
      const wait = Math.max(this.#pacer.wait(this.#native), hold);
      if (wait <= 0) await this.#step();
      else await this.#firstChunk.sleep(wait, hold, signal);
    }
  }

  /** How long to wait, in ms, for the words that the next message begins with: of a stream alone others see no more than these. */
  #holdMs(): number {
    const { parts, lookFirst, text } = this.#answer;
    if ((this.#part && !this.#full) || this.#cards.due || lookFirst) return 0;
    const next = parts[this.#part ? this.#part.index + 1 : 0];
    return next?.id === undefined ? this.#firstChunk.waitMs(text.slice(this.#to)) : 0;
  }

  async #step(): Promise<void> {
    try {
      await this.#send();
      this.settle();
    } catch (error) {
      this.#failed(error);
    }
    this.#pacer.sent();
  }

  async #send(): Promise<void> {
    const part = this.#part;
    if (!part || this.#full) {
      await this.#begin(this.#to);
      return;
    }
    const { text } = this.#answer;
    const from = part.from ?? 0;
    const cards = this.#native ? this.#cards.fitting(part, part.seen ?? '', this.#answer.limit) : [];
    const cut = this.#refusedMore && this.#to > from ? this.#to : this.#rollOver(from, part);
    const to = cut ?? text.length;
    const body = `${this.#opening}${text.slice(from, to)}${cut === undefined ? '' : closing(text, to, true)}`;
    if (cut !== undefined) {
      await this.#show(part, body, []);
      this.#to = to;
      this.#full = true;
      if (this.#hasWords() && this.#holdMs() <= 0) await this.#begin(to);
    } else if (this.#native && part.id !== undefined && part.seen !== undefined) {
      await this.#append(part, part.id, { words: body.slice(part.seen.length), cards, to });
    } else {
      await this.#show(part, body, await this.#deps.stop());
      this.#to = to;
    }
  }

  #rollOver(from: number, part: AnswerPart): number | undefined {
    const { limit, text } = this.#answer;
    const ageMs = this.#native ? this.#deps.time.now() - this.#bornAt : 0;
    const reserved = this.#native ? this.#cards.sizeWith(part) : 0;
    return rollOver({ text, from, shown: this.#to, limit, reserved, ageMs });
  }

  /** Begins the next message with the words from `from` on: a stream, or a post where streams are not to be had. */
  async #begin(from: number): Promise<void> {
    const { answer, time, stop } = this.#deps;
    const { text, limit } = answer;
    const index = this.#part ? this.#part.index + 1 : 0;
    const part = answer.parts[index] ?? newPart(index);
    answer.parts[index] = part;
    part.from = from;
    this.#part = part;
    this.#full = false;
    this.#refusedMore = false;
    this.#firstChunk.begun();
    this.#bornAt = time.now();
    this.#native = part.id === undefined && !answer.lookFirst;
    this.#cards.begin();
    const cards = this.#native ? this.#cards.fitting(part, '', limit) : [];
    const to = cutAt(text, from, limit, { reserved: sizeOfCards(cards) });
    this.#opening = opening(text, from, limit);
    const body = this.#opening + text.slice(from, to);
    if (this.#native && (await this.#start(part, body, cards))) {
      this.#to = to;
      return;
    }
    await this.#show(part, body, await stop());
    this.#to = to;
  }

  /** Whether Slack has begun a stream for the part. */
  async #start(part: AnswerPart, body: string, cards: readonly Step[]): Promise<boolean> {
    const { answer, messages, log } = this.#deps;
    const words = body.trim() === '' ? '' : body;
    try {
      const chunks = cards.map((step) => taskChunk(step));
      part.id = await messages.start(words, chunks);
      Object.assign(part, { seen: words, face: '', streaming: true, native: true });
      this.#cards.told(part, cards);
      return true;
    } catch (error) {
      this.#native = false;
      const failure = failureOf(error);
      if (failure.kind === 'unknown') isUnconfirmed(answer, this.#bornAt);
      if (failure.kind === 'refused' && isPermanent(failure.code)) throw error;
      log?.('slack.stream_refused', { reason: nameOf(failure) });
      return false;
    }
  }

  async #append(part: AnswerPart, id: MessageId, { words: added, cards, to }: Added): Promise<void> {
    const { answer, messages, log } = this.#deps;
    const words = added.trim() === '' ? '' : added;
    if (words === '' && cards.length === 0) return;
    const chunks = cards.map((step) => taskChunk(step, part.cards.get(step.id)));
    try {
      await messages.append(id, words, chunks);
      part.seen = (part.seen ?? '') + words;
      this.#cards.told(part, cards);
      if (words !== '') this.#to = to;
    } catch (error) {
      const failure = failureOf(error);
      if (failure.kind === 'busy') this.#pacer.refused(failure.waitMs);
      if (failure.kind === 'busy' || failure.kind === 'transient') return;
      log?.('slack.append_failed', { reason: nameOf(failure) });
      if (failure.kind === 'refused' && failure.code === 'msg_too_long' && this.#to > (part.from ?? 0)) {
        this.#refusedMore = true;
        answer.limit = refusedLimit(answer.limit, part.seen ?? '', part.cards);
        this.#cards.wait(part, cards);
        return;
      }
      // From here on the text is replaced as a whole, which is right whatever became of these words.
      this.#native = false;
      part.seen = undefined;
      if (failure.kind === 'refused' && failure.code === 'stopped_by_user') this.#broken = true;
    }
  }

  async #show(part: AnswerPart, text: string, under: readonly KnownBlock[]): Promise<void> {
    const { answer, messages, time } = this.#deps;
    const deadline = time.now() + EDIT_TIMEOUT_MS;
    const steps = [...answer.steps.values()];
    // A stream shows what it has room for; a message that is edited, all of them in a line.
    const own = stepsOf(part, answer, steps);
    const wanted = part.native ? steps.filter((step) => this.#cards.belongs(step, own.includes(step))) : own;
    const content = { text, steps: wanted, under };
    this.#cards.clear();
    await syncMessage(part, content, answer, messages, { time, deadline, signal: this.#halt.signal });
    this.#native = false;
  }

  #failed(error: unknown): void {
    this.#broken = true;
    if (this.#halt.signal.aborted) return;
    if (!(error instanceof ThreadDeletedError))
      this.#deps.log?.('slack.live_ended', { reason: refusalReason(error) });
    const { cause } = error instanceof RetryTimeoutError ? error : { cause: error };
    const hopeless = cause instanceof SlackApiError || error instanceof ThreadDeletedError;
    if (hopeless && idsOf(this.#answer).length === 0) this.settle(error);
  }
}
